"""The steps that only look: what is on record, and a member's receipt."""

from __future__ import annotations

import sys

import click

from isegoria.cli import render
from isegoria.cli.record import common
from isegoria.wording import counted


@click.command("show", short_help="What is on record, round by round.")
@common.record
@common.form
def show(record, form) -> None:
    """What is on record, round by round. It checks order and hashes only: 'isegoria verify' checks the rest."""
    from isegoria.record.format.words import six_words
    from isegoria.record.keep_file import reading

    found, file = reading(record)
    if file.torn:
        render.note(f"the last line of {record} was cut off by an interruption, and is not shown.")
    head, words = found.head.hex(), six_words(found.head)
    render.result(
        form,
        data=lambda: {**_facts(found), "rounds": [_round(one) for one in found.rounds], "head": head, "words": words},
        table=lambda: _table(found, words),
        records=lambda: [
            ["round", "kind", "state", "arms", "witnesses", "overridden"],
            *([one.number, *_cells(one)] for one in found.rounds),
        ],
    )


def _facts(found) -> dict:
    terms = found.terms
    return {
        "title": terms["title"],
        "arms": terms["arms"],
        "members": len(found.members),
        "keys": sum(entry["key"] is not None for entry in found.members.values()),
        "privacy": terms["privacy"],
        "source": terms["source"]["kind"],
        "learner": terms["learner"],
        "lines": len(found.lines),
        "closed": found.ended,
    }


def _round(one) -> dict:
    freeze = one.freeze
    return {
        "round": one.number,
        "kind": freeze["kind"],
        "state": one.state,
        "block": freeze["block"],
        "arms": [one.arms[k] for k in one.draw["arms"]] if one.draw else [],
        "witnesses": sorted(by for by, line in one.witnesses.items() if line["signature"]),
        "overrides": {str(slot): line["arm"] for slot, line in sorted(one.overrides.items())},
    }


def _cells(one) -> list[str]:
    shown = _round(one)
    return [
        shown["kind"],
        shown["state"],
        ", ".join(shown["arms"]),
        str(len(shown["witnesses"])),
        str(len(one.overrides)),
    ]


def _table(found, words: str) -> str:
    facts = _facts(found)
    learner = f", learner {facts['learner']}" if facts["learner"] else ""
    first = (
        f"{facts['title']}: {counted(facts['members'], 'member')}, {counted(len(facts['arms']), 'arm')}, source "
        f"{facts['source']}, privacy {facts['privacy']}{learner}{', closed' if facts['closed'] else ''}"
    )
    rows = [[str(one.number), *(render.short(cell, 40) for cell in _cells(one))] for one in found.rounds]
    header = ["round", "kind", "state", "arms", "witnesses", "overridden"]
    body = render.table(header, rows, left=(1, 2, 3)) if rows else "No round has been frozen yet."
    return "\n".join([first, "", body, "", f"{counted(facts['lines'], 'line')}; head {words}"])


@click.command("receipt", short_help="What one member needs to check her own part.")
@common.record
@click.argument("name", metavar="MEMBER")
def receipt(record, name) -> None:
    """What one member needs to check her own part, on standard output; it holds her secret, so give it to her alone."""
    from isegoria.record.by_name import receipt_for
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        sys.stdout.write(receipt_for(kept, name).decode("utf-8"))

"""The steps that only look: what is on record, a member's receipt, and whether all of it follows from what was told."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import render
from isegoria.cli.record import common
from isegoria.wording import counted

if TYPE_CHECKING:
    from isegoria.record.group import Group
    from isegoria.record.round import Round


@click.command("show", short_help="What is on record, round by round.")
@common.record
@common.form
def show(record: str, form: str) -> None:
    """What is on record, round by round. It checks order and hashes only: 'isegoria verify' checks the rest."""
    from isegoria.record.format.canonical import ten_words
    from isegoria.record.keep_file import reading

    found, file = reading(record)
    if file.torn:
        render.note(f"the last line of {record} was cut off by an interruption, and is not shown.")
    head, words = found.head.hex(), ten_words(found.head)
    render.result(
        form,
        data=lambda: {**_facts(found), "rounds": [_round(one) for one in found.rounds], "head": head, "words": words},
        table=lambda: _table(found, words),
        records=lambda: [
            ["round", "state", "arms", "in time", "overridden"],
            *([one.number, *_cells(one)] for one in found.rounds),
        ],
    )


def _facts(found: Group) -> dict[str, Any]:
    terms = found.terms
    return {
        "title": terms["title"],
        "arms": terms["arms"],
        "members": len(found.members),
        "keys": sum(entry["key"] is not None for entry in found.members.values()),
        "privacy": terms["privacy"],
        "source": terms["source"]["kind"],
        "learner": terms["learner"],
        "turns": terms["turns"],
        "lines": len(found.lines),
        "record": found.record.hex(),
        "ended": found.ended,
    }


def _round(one: Round) -> dict[str, Any]:
    return {
        "round": one.number,
        "state": one.state,
        "block": one.block,
        "event": one.freeze["event"] if one.fair else None,
        "arms": [one.arms[k] for k in one.drawn],
        "in_time": sorted(one.early),
        "since": sorted(one.since),
        "overrides": {str(slot): line["arm"] for slot, line in sorted(one.overrides.items())},
    }


def _cells(one: Round) -> list[str]:
    return [one.state, ", ".join(one.arms[k] for k in one.drawn), str(len(one.early)), str(len(one.overrides))]


def _table(found: Group, words: str) -> str:
    facts = _facts(found)
    learner = f", learner {facts['learner']}" if facts["learner"] else ""
    learner += f", turns {facts['turns']['mode']}" if facts["turns"] else ""
    first = (
        f"{facts['title']}: {counted(facts['members'], 'member')}, {counted(len(facts['arms']), 'arm')}, source "
        f"{facts['source']}, privacy {facts['privacy']}{learner}{', ended' if facts['ended'] else ''}"
    )
    rows = [[str(one.number), *(render.short(cell, 40) for cell in _cells(one))] for one in found.rounds]
    header = ["round", "state", "arms", "in time", "overridden"]
    body = render.table(header, rows, left=(1, 2)) if rows else "No round has been frozen yet."
    from isegoria.record.format.canonical import ten_words, two_rows

    kept = ten_words(found.record)
    return "\n".join(
        [
            first,
            "",
            body,
            "",
            f"{counted(facts['lines'], 'line')}; head, in words",
            two_rows(words),
            "line 2, in words: keep it before the draws that it shall judge",
            two_rows(kept),
        ]
    )


@click.command("owed", short_help="With turns: who is owed what, and how long she has waited.")
@common.record
@common.form
def owed(record: str, form: str) -> None:
    """Who is owed how much of a decision, and for how many rounds she has waited; with turns. It needs RECORD.secrets.

    Below nothing she has had more than her share. Whoever has no entry has not asked yet.
    """
    from isegoria.cli.record.verbs import owed_by_name
    from isegoria.record.keep_file import keeping
    from isegoria.record.turns.sentences import amount, standings

    with keeping(record) as kept:
        found = owed_by_name(kept)
    rows = [[name, amount(due), str(waited)] for name, due, waited in found]
    sides = {name: due for name, due, _ in found}, {name: waited for name, _, waited in found}
    render.result(
        form,
        data=lambda: {"owed": [{"member": name, "owed": float(due), "waited": waited} for name, due, waited in found]},
        table=lambda: (
            "Nobody has asked for anything yet."
            if not found
            else "\n".join([render.table(["member", "owed", "waited"], rows, left=(0,)), "", *standings(*sides)])
        ),
        records=lambda: [["member", "owed", "waited"], *([name, float(due), waited] for name, due, waited in found)],
    )


@click.command("receipt", short_help="What one member needs to check her own part.")
@common.record
@click.argument("name", metavar="MEMBER")
def receipt(record: str, name: str) -> None:
    """What one member needs to check her own part, on standard output; it holds her secret, so give it to her alone."""
    from isegoria.cli.record.verbs import receipt_for
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        sys.stdout.write(receipt_for(kept, name).decode("utf-8"))


@click.command("replay", short_help="Make every page again from what was told.")
@common.record
@common.form
def replay(record: str, form: str) -> int:
    """Make every page again from what was told, bit for bit: the organiser's own test. It needs RECORD.secrets.

    Exit codes: 0 all pages follow, 1 one does not.
    """
    from isegoria.record.keep_file import events_of, keeping
    from isegoria.record.replay import replay as again

    with keeping(record) as kept:
        found = again(events_of(kept), kept.secrets.people)
    common.report(form, found.sentence, {"sentence": found.sentence, "pages": found.pages})
    return found.exit_code

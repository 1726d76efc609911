"""The read-only steps: show the record, what is owed, a member's receipt, and replay the record from its events."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import render
from isegoria.cli.record import common
from isegoria.utils.formatting import pluralise

if TYPE_CHECKING:
    from isegoria.record.state.group import Group
    from isegoria.record.state.round import Round


@click.command("show", short_help="Show the record, round by round.")
@common.record
@common.output_format
def show(record: str, form: str) -> None:
    """Show the record, round by round. It checks order and hashes only: 'isegoria verify' checks the rest."""
    from isegoria.record.files.file_store import load_record
    from isegoria.record.format.head_words import encode_words

    found, file = load_record(record)
    if file.torn:
        render.print_note(f"the last line of {record} was cut off by an interruption, and is not shown.")
    head, words = found.head.hex(), encode_words(found.head)
    render.print_result(
        form,
        data=lambda: {
            **_collect_facts(found),
            "rounds": [_round_to_dict(one) for one in found.rounds],
            "head": head,
            "words": words,
        },
        table=lambda: _format_table(found, words),
        records=lambda: [
            ["round", "state", "arms", "in time", "overridden"],
            *([one.number, *_format_cells(one)] for one in found.rounds),
        ],
    )


def _collect_facts(found: Group) -> dict[str, Any]:
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


def _round_to_dict(one: Round) -> dict[str, Any]:
    return {
        "round": one.number,
        "state": one.state,
        "block": one.block,
        "title": one.freeze["title"] if one.fair else None,
        "arms": [one.arms[k] for k in one.drawn],
        "in_time": sorted(one.early),
        "since": sorted(one.since),
        "overrides": {str(slot): line["arm"] for slot, line in sorted(one.overrides.items())},
    }


def _format_cells(one: Round) -> list[str]:
    return [one.state, ", ".join(one.arms[k] for k in one.drawn), str(len(one.early)), str(len(one.overrides))]


def _format_table(found: Group, words: str) -> str:
    facts = _collect_facts(found)
    learner = f", learner {facts['learner']}" if facts["learner"] else ""
    learner += f", turns {facts['turns']['mode']}" if facts["turns"] else ""
    first = (
        f"{facts['title']}: {pluralise(facts['members'], 'member')}, {pluralise(len(facts['arms']), 'arm')}, source "
        f"{facts['source']}, privacy {facts['privacy']}{learner}{', ended' if facts['ended'] else ''}"
    )
    rows = [[str(one.number), *(render.truncate_name(cell, 40) for cell in _format_cells(one))] for one in found.rounds]
    header = ["round", "state", "arms", "in time", "overridden"]
    body = render.format_table(header, rows, left=(1, 2)) if rows else "No round has been frozen yet."
    from isegoria.record.format.head_words import encode_words, format_word_rows

    kept = encode_words(found.record)
    return "\n".join(
        [
            first,
            "",
            body,
            "",
            f"{pluralise(facts['lines'], 'line')}; head, in words",
            format_word_rows(words),
            "line 2, in words: keep it before the draws that it shall judge",
            format_word_rows(kept),
        ]
    )


@click.command("owed", short_help="With turns: list what each member is owed, and how long they have waited.")
@common.record
@common.output_format
def debts(record: str, form: str) -> None:
    """List what each member is owed, in decisions, and how many rounds they have waited.

    It needs turns and RECORD.secrets.
    A negative number means more than the member's share. Members without an entry have not asked yet.
    """
    from isegoria.cli.record.operations import list_debts
    from isegoria.record.files.file_store import open_record
    from isegoria.record.turns.explanations import describe_standings, format_decisions

    with open_record(record) as kept:
        found = list_debts(kept)
    rows = [[name, format_decisions(due), str(waited)] for name, due, waited in found]
    sides = {name: due for name, due, _ in found}, {name: waited for name, _, waited in found}
    render.print_result(
        form,
        data=lambda: {"owed": [{"member": name, "owed": float(due), "waited": waited} for name, due, waited in found]},
        table=lambda: (
            "Nobody has asked for anything yet."
            if not found
            else "\n".join(
                [render.format_table(["member", "owed", "waited"], rows, left=(0,)), "", *describe_standings(*sides)]
            )
        ),
        records=lambda: [["member", "owed", "waited"], *([name, float(due), waited] for name, due, waited in found)],
    )


@click.command("receipt", short_help="Print what one member needs to check their own part.")
@common.record
@click.argument("name", metavar="MEMBER")
def receipt(record: str, name: str) -> None:
    """Print what one member needs to check their own part; it holds their secret, so give it to them alone."""
    from isegoria.cli.record.operations import build_member_receipt
    from isegoria.record.files.file_store import open_record

    with open_record(record) as kept:
        sys.stdout.write(build_member_receipt(kept, name, common.current_time()).decode("utf-8"))


@click.command("replay", short_help="Make every page again from what was told.")
@common.record
@common.output_format
def replay(record: str, form: str) -> int:
    """Make every page again from what was told, bit for bit: the organiser's own test. It needs RECORD.secrets.

    Exit codes: 0 all pages follow, 1 one does not.
    """
    from isegoria.record.files.file_store import iter_events, open_record
    from isegoria.record.replay import replay as again

    with open_record(record) as kept:
        found = again(iter_events(kept), kept.secrets.people)
    common.print_result(form, found.sentence, {"sentence": found.sentence, "pages": found.pages})
    return found.exit_code

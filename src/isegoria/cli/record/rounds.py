"""The steps of a round: write the roster, freeze, add what members signed, and draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isegoria.cli.record import common
from isegoria.errors import InputError
from isegoria.utils.formatting import pluralise

if TYPE_CHECKING:
    from isegoria.record.files.file_store import FileStore
    from isegoria.record.state.round import Round


@click.command("roster", short_help="Write down who takes part; a freeze does so by itself.")
@common.record
@common.output_format
def roster(record: str, form: str) -> None:
    """Write charter and roster, or what changed since the last roster. A freeze does so by itself.

    Under the source commit_reveal it has to come first: members commit to a record that has begun.
    """
    from isegoria.cli.record.operations import write_roster
    from isegoria.record.files.file_store import open_record

    with open_record(record) as kept:
        lines = write_roster(kept)
        text = f"{pluralise(lines, 'line')} written." if lines else "Nothing has changed since the last roster."
        common.print_with_head(form, kept, text, lines=lines)


@click.command("freeze", short_help="Fix everyone's voice for the next round.")
@common.record
@click.option(
    "--event",
    metavar="TEXT",
    default=None,
    help="The decision, and under dice the throw; at most 80 characters.  [default: title and day]",
)
@click.option(
    "--form",
    "shape",
    metavar="COUNT,LOW,HIGH,ORDER",
    default=None,
    help="Dice: how many numbers, from which to which; ORDER is throw, colour, published or sorted.",
)
@click.option(
    "--occurrence",
    type=click.IntRange(min=0),
    default=None,
    help="Beacon: the occurrence of the timetable.  [default: the next to come]",
)
@click.option("--undrawn", is_flag=True, help="Leave the round that is open: it stands on record as never drawn.")
@common.output_format
def freeze(record: str, event: str | None, shape: str | None, occurrence: int | None, undrawn: bool, form: str) -> None:
    """Freeze the next round: everyone's voice is fixed, before the randomness exists.

    Hand the record to others now, and let them sign it: the draw is proved only to those who trust keys that had this
    page in time.
    """
    from isegoria.cli.record.operations import freeze as take
    from isegoria.record.files.file_store import open_record
    from isegoria.record.sources.dice import parse_dice_form

    with open_record(record) as kept:
        now = take(
            kept, common.current_time(), occurrence, event, None if shape is None else parse_dice_form(shape), undrawn
        )
        kind = "fair" if now.fair else "trial"
        common.print_with_head(form, kept, _describe_freeze(kept, now), round=now.number, kind=kind, block=now.block)


def _describe_freeze(kept: FileStore, now: Round) -> str:
    arms = kept.group.arms
    if not now.fair:
        return f"Round {now.number} is a first trial of {arms[now.freeze['arm']]}: nothing is to be drawn."
    odds = now.policy
    told = "" if odds is None else ": " + ", ".join(f"{arm} {p:.3f}" for arm, p in zip(arms, odds, strict=True) if p)
    waits = {
        "rehearsal": "It is a rehearsal.",
        "dice": "Let members sign this page, then throw, then let them confirm the throw.",
        "commit_reveal": "Let members sign with --reveal.",
        "beacon": f"Let members sign it before {common.format_utc((now.speaks_at or 0) - 60)}; then the beacon speaks.",
    }[now.source["kind"]]
    return f"Round {now.number} is frozen, {pluralise(now.block, 'draw')}{told}. {waits}"


@click.command("add", short_help="Append what members' devices signed.")
@common.record
@click.argument("slips", metavar="SLIP…", nargs=-1, required=True, type=click.Path())
@click.option("--late", is_flag=True, help="Beacon: also between its word and the draw.")
@common.output_format
def add(record: str, slips: tuple[str, ...], late: bool, form: str) -> None:
    """Append what members' devices signed: files that 'isegoria sign' printed.

    The time in a slip is its signer's own: if you take one after the beacon has spoken, you rely on their clock.
    """
    from isegoria.cli.record.operations import add_statement as take
    from isegoria.record.files.file_store import open_record
    from isegoria.record.signing.device import read_statement

    with open_record(record) as kept:
        for slip in map(read_statement, slips):
            take(kept, slip, common.current_time(), late)
        text = f"{pluralise(len(slips), 'slip')} added{', after the beacon had spoken' if late else ''}."
        common.print_with_head(form, kept, text, added=len(slips))


@click.command("draw", short_help="Draw the frozen round from what its source said.")
@common.record
@click.option("--value", metavar="N,N,…|HEX", default=None, help="The outcome: dice, or a beacon's signature.")
@click.option("--relay", metavar="ADDRESS", default=None, help="Beacon: ask this relay, where no --value is given.")
@common.output_format
def draw(record: str, value: str | None, relay: str | None, form: str) -> None:
    """Draw the frozen round from what its source said. Under the group every number that was committed is needed."""
    from isegoria.cli.record.operations import draw as take
    from isegoria.record.files.file_store import open_record

    with open_record(record) as kept:
        value = _fetch_beacon_value(kept.group.open, relay) if value is None else value
        now = take(kept, common.current_time(), value)
        arms, balls = [now.arms[k] for k in now.drawn], (now.draw or {})["balls"]
        text = f"Round {now.number}: {', '.join(arms)}."
        common.print_with_head(form, kept, text, round=now.number, arms=arms, balls=balls)


def _fetch_beacon_value(now: Round | None, relay: str | None) -> str | None:
    """Fetch the beacon's value from a relay; return None for another source.

    Raises InputError before the beacon's time, and for a relay with another source.
    """
    if now is None or now.speaks_at is None:
        if relay is not None:
            raise InputError("only a beacon has a relay; leave --relay out.")
        return None
    if common.current_time() < now.speaks_at:
        raise InputError(f"the beacon speaks at {common.format_utc(now.speaks_at)}; draw after that.")
    from isegoria.record.sources.beacon import DEFAULT_RELAY_URL, fetch_signature

    return fetch_signature(now.source["chain"], now.freeze["source_round"], relay or DEFAULT_RELAY_URL)

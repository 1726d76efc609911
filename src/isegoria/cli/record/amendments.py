"""The steps that change a decision or a rule: override and amend. Each has a public reason."""

from __future__ import annotations

from pathlib import Path

import click

from isegoria.cli.record import common


@click.command("override", short_help="Another arm was played than the one drawn.")
@common.record
@click.argument("round_", metavar="ROUND", type=click.IntRange(min=1))
@click.argument("slot", metavar="SLOT", type=click.IntRange(min=0))
@click.argument("arm", metavar="ARM")
@common.reason
@click.option("--by", metavar="NAME", default=None, help="The member who decided, and signs it.  [default: the keeper]")
@common.key
@common.output_format
def override(
    record: str, round_: int, slot: int, arm: str, reason: str, by: str | None, key: Path | None, form: str
) -> None:
    """Another arm was played in a slot (counted from 0) than the one drawn, which stays on record."""
    from isegoria.cli.record.operations import override as take
    from isegoria.record.files.file_store import open_record

    with open_record(record) as kept:
        take(kept, round_, slot, arm, reason, by, key)
        text = f"Slot {slot} of round {round_} is now {arm}: {reason}"
        common.print_with_head(form, kept, text, round=round_, slot=slot, arm=arm, reason=reason)


@click.command("amend", short_help="Change a rule from the next freeze on, or end the record.")
@common.record
@click.argument("field", metavar="FIELD")
@click.argument("value", metavar="[VALUE]", required=False)
@common.reason
@click.option(
    "--first", type=int, metavar="UNIX", default=None, help="Source beacon: the first occurrence, in seconds."
)
@click.option("--every", type=int, metavar="SECONDS", default=None, help="Source beacon: from one to the next.")
@common.output_format
def amend(
    record: str, field: str, value: str | None, reason: str, first: int | None, every: int | None, form: str
) -> None:
    """Change a rule from the next freeze on, or end the record.

    FIELD is title, arms (VALUE: names to add, with commas between), block (1 to 20, or default), source, or end (no
    VALUE: nothing follows that line).
    """
    from isegoria.cli.record.operations import amend as take
    from isegoria.record.files.file_store import open_record

    with open_record(record) as kept:
        take(kept, field, value, reason, first=first, every=every)
        text = f"{record} has ended: {reason}" if field == "end" else f"The {field} is amended: {reason}"
        amended = None if field == "end" else kept.group.terms[field]
        common.print_with_head(form, kept, text, field=field, value=amended, reason=reason)

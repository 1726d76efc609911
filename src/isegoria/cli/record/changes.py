"""The steps that change course: override, void, amend, close. Each says why, for all to read."""

from __future__ import annotations

import click

from isegoria.cli.record import common


@click.command("override", short_help="Another arm was played than the one drawn.")
@common.record
@click.argument("round_", metavar="ROUND", type=click.IntRange(min=1))
@click.argument("slot", metavar="SLOT", type=click.IntRange(min=0))
@click.argument("arm", metavar="ARM")
@common.reason
@click.option("--by", metavar="NAME", default=None, help="The member who decided.  [default: the organiser]")
@common.form
def override(record, round_, slot, arm, reason, by, form) -> None:
    """Another arm was played in a slot (counted from 0) than the one drawn, which stays on record."""
    from isegoria.record.by_name import override as take
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        take(kept, round_, slot, arm, reason, by)
        text = f"Slot {slot} of round {round_} is now {arm}: {reason}"
        common.headed(form, kept, text, round=round_, slot=slot, arm=arm, reason=reason)


@click.command("void", short_help="The frozen round shall not be drawn.")
@common.record
@common.reason
@click.option(
    "--by", metavar="NAME", multiple=True,
    help="Who signs that it was decided before the source spoke.  [default: who witnessed, if their keys are at hand]",
)  # fmt: skip
@common.form
def void(record, reason, by, form) -> None:
    """The frozen round shall not be drawn. After its source has spoken that is not possible any more."""
    from isegoria.record.by_name import void as take
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        take(kept, common.now(), reason, by or None)
        now = kept.group.rounds[-1]
        signed = len(now.void["signatures"])
        text = f"Round {now.number} is void, signed by {signed}: {reason}"
        common.headed(form, kept, text, round=now.number, reason=reason, signed=signed)


@click.command("amend", short_help="Change a rule from the next freeze on.")
@common.record
@click.argument("field", metavar="FIELD")
@click.argument("value", metavar="VALUE")
@common.reason
@click.option("--first", type=int, metavar="UNIX", default=None, help="Source beacon: the first occasion, in seconds.")
@click.option("--every", type=int, metavar="SECONDS", default=None, help="Source beacon: from one to the next.")
@common.form
def amend(record, field, value, reason, first, every, form) -> None:
    """Change a rule from the next freeze on.

    FIELD is title, arms (VALUE: names to add, with commas between), block (1 to 20, or default), explore_max or source.
    """
    from isegoria.record.by_name import amend as take
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        take(kept, field, value, reason, first=first, every=every)
        amended = kept.group.parsed[-1]["value"]
        common.headed(form, kept, f"The {field} is amended: {reason}", field=field, value=amended, reason=reason)


@click.command("close", short_help="Close the record for ever.")
@common.record
@common.form
def close(record, form) -> None:
    """Close the record for ever."""
    from isegoria.record.by_name import close as take
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        take(kept)
        common.headed(form, kept, f"{record} is closed.", rounds=len(kept.group.rounds))

"""The steps of a round: commit, freeze, witness, reveal, draw."""

from __future__ import annotations

import click

from isegoria.cli.record import common
from isegoria.cli.render import note
from isegoria.errors import InputError
from isegoria.wording import counted


@click.command("commit", short_help="Source group: commit to a number before the freeze.")
@common.record
@common.by
@common.form
def commit(record, by, form) -> None:
    """Source group: a member commits to a fresh number for the round that comes next."""
    from isegoria.record.by_name import commit as take
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        take(kept, by)
        text = f"{by} has committed to round {kept.group.next_round}."
        common.headed(form, kept, text, round=kept.group.next_round, member=kept.number(by))


@click.command("freeze", short_help="Fix everyone's voice for the next round.")
@common.record
@click.option("--event", metavar="TEXT", default=None, help="Dice: which dice or lottery will decide, and when.")
@click.option(
    "--form", "shape", metavar="COUNT,LOW,HIGH[,sorted]", default=None,
    help="Dice: how many numbers, from which to which.  [default: a string of 6 to 200 digits]",
)  # fmt: skip
@click.option(
    "--occasion", type=click.IntRange(min=0), default=None,
    help="Beacon: the occasion of the timetable.  [default: the next to come]",
)  # fmt: skip
@common.form
def freeze(record, event, shape, occasion, form) -> None:
    """Freeze the next round: everyone's voice is fixed, before the randomness exists.

    Show the head to others now, and let members witness it: the draw proves something only to those who know that this
    page existed before.
    """
    from isegoria.record.by_name import freeze as take
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        now = take(kept, common.now(), occasion, event, None if shape is None else _form(shape))
        if now.speaks_at is not None and now.speaks_at <= common.now():
            note(f"the beacon spoke at {common.clock(now.speaks_at)}, which is past: nobody can witness this round.")
        common.headed(
            form, kept, _frozen(kept, now), round=now.number, kind=now.freeze["kind"], block=now.freeze["block"]
        )


def _form(text: str) -> list[int]:
    parts = [part.strip() for part in text.split(",")]
    ordered = parts[3:] == ["sorted"]
    if len(parts) != 3 + ordered or not all(part.isascii() and part.isdigit() for part in parts[:3]):
        raise InputError(f"--form is {text!r}; write COUNT,LOW,HIGH or COUNT,LOW,HIGH,sorted, such as 6,1,49,sorted.")
    count, low, high = map(int, parts[:3])
    if not (1 <= count <= 200 and low <= high <= 10**9):
        raise InputError(f"--form is {text!r}; expected 1 to 200 numbers, the lowest not above the highest.")
    return [count, low, high, int(ordered)]


def _frozen(kept, now) -> str:
    arms = kept.group.arms
    if not now.fair:
        return f"Round {now.number} is a first trial of {arms[now.freeze['arm']]}: nothing is to be drawn."
    chances = ", ".join(f"{arm} {share:.3f}" for arm, share in zip(arms, now.policy, strict=True) if share)
    waits = {
        "rehearsal": "It is a rehearsal.",
        "dice": "Let members witness it, then throw the dice.",
        "group": "Let members witness it, then reveal.",
        "beacon": f"Let members witness it before {common.clock(now.speaks_at)}, when the beacon speaks.",
    }[now.source["kind"]]
    return f"Round {now.number} is frozen, {counted(now.freeze['block'], 'draw')}: {chances}. {waits}"


@click.command("witness", short_help="Sign that a member saw the frozen page.")
@common.record
@common.by
@common.key
@click.option("--claim", is_flag=True, help="Without a signature: it is then only claimed, and never counts.")
@common.form
def witness(record, by, key, claim, form) -> None:
    """A member signs that she saw the frozen page, before the source speaks."""
    from isegoria.record.by_name import witness as take
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        take(kept, by, common.now(), key, claim)
        seen = sum(one["signature"] is not None for one in kept.group.open.witnesses.values())
        text = f"{by} has witnessed round {kept.group.open.number}: seen by {counted(seen, 'key')} so far."
        common.headed(form, kept, text, round=kept.group.open.number, member=kept.number(by), seen=seen)


@click.command("reveal", short_help="Source group: reveal the number after the freeze.")
@common.record
@common.by
@common.key
@common.form
def reveal(record, by, key, form) -> None:
    """Source group: a member opens her commitment; her signature shows that she had seen this freeze."""
    from isegoria.record.by_name import reveal as take
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        take(kept, by, key)
        now = kept.group.open
        text = f"{by} has revealed: {len(now.reveals)} of {len(now.commits)} so far."
        common.headed(form, kept, text, round=now.number, member=kept.number(by), revealed=len(now.reveals))


@click.command("draw", short_help="Draw the frozen round from what its source said.")
@common.record
@click.option("--value", metavar="DIGITS|N,N,…|HEX", default=None, help="What came up: dice, or a beacon's signature.")
@click.option("--seen-by", metavar="NAME", multiple=True, help="Dice: who saw it and signs; give it twice or more.")
@click.option("--relay", metavar="ADDRESS", default=None, help="Beacon: ask this relay, where no --value is given.")
@common.form
def draw(record, value, seen_by, relay, form) -> None:
    """Draw the frozen round from what its source said."""
    from isegoria.record.by_name import draw as take
    from isegoria.record.keep_file import keeping

    with keeping(record) as kept:
        value = _asked(kept.group.open, relay) if value is None else value
        now = take(kept, value, seen_by or None)
        arms = [now.arms[k] for k in now.draw["arms"]]
        text = f"Round {now.number}: {', '.join(arms)}."
        common.headed(form, kept, text, round=now.number, arms=arms, balls=now.draw["balls"])


def _asked(now, relay: str | None) -> str | None:
    """What a relay says of the beacon's round; None where the source is another, or has not spoken yet."""
    if now is None or now.speaks_at is None:
        if relay is not None:
            raise InputError("only a beacon has a relay; leave --relay out.")
        return None
    if common.now() < now.speaks_at:
        raise InputError(f"the beacon speaks at {common.clock(now.speaks_at)}; draw after that.")
    from isegoria.record.relay import RELAY, fetch

    return fetch(now.source["chain"], now.freeze["source_round"], relay or RELAY)

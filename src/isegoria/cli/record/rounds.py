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
    from isegoria.lottery.desk import keeping
    from isegoria.lottery.desk.rounds import commit as take

    with keeping(record) as book:
        take(book, by)
        text = f"{by} has committed to round {book.record.next_round}."
        common.headed(form, book, text, round=book.record.next_round, member=book.number(by))


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
    from isegoria.lottery.desk import keeping
    from isegoria.lottery.desk.rounds import freeze as take

    with keeping(record) as book:
        now = take(book, common.now(), occasion, event, None if shape is None else _form(shape))
        if now.speaks_at is not None and now.speaks_at <= common.now():
            note(f"the beacon spoke at {common.clock(now.speaks_at)}, which is past: nobody can witness this round.")
        common.headed(
            form, book, _frozen(book, now), round=now.number, kind=now.freeze["kind"], block=now.freeze["block"]
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


def _frozen(book, now) -> str:
    arms = book.record.terms["arms"]
    if now.freeze["kind"] == "trial":
        return f"Round {now.number} is a first trial of {arms[now.freeze['arm']]}: nothing is to be drawn."
    total = sum(now.freeze["voices"]) + sum(now.freeze["explore"])
    units = [(a + b) / total for a, b in zip(now.freeze["voices"], now.freeze["explore"], strict=True)]
    chances = ", ".join(f"{arm} {share:.3f}" for arm, share in zip(arms, units, strict=True) if share)
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
    from isegoria.lottery.desk import keeping
    from isegoria.lottery.desk.rounds import witness as take

    with keeping(record) as book:
        take(book, by, common.now(), key, claim)
        seen = sum(one["signature"] is not None for one in book.record.open.witnesses.values())
        text = f"{by} has witnessed round {book.record.open.number}: seen by {counted(seen, 'key')} so far."
        common.headed(form, book, text, round=book.record.open.number, member=book.number(by), seen=seen)


@click.command("reveal", short_help="Source group: reveal the number after the freeze.")
@common.record
@common.by
@common.key
@common.form
def reveal(record, by, key, form) -> None:
    """Source group: a member opens her commitment; her signature shows that she had seen this freeze."""
    from isegoria.lottery.desk import keeping
    from isegoria.lottery.desk.rounds import reveal as take

    with keeping(record) as book:
        take(book, by, key)
        now = book.record.open
        text = f"{by} has revealed: {len(now.reveals)} of {len(now.commits)} so far."
        common.headed(form, book, text, round=now.number, member=book.number(by), revealed=len(now.reveals))


@click.command("draw", short_help="Draw the frozen round from what its source said.")
@common.record
@click.option("--value", metavar="DIGITS|N,N,…|HEX", default=None, help="What came up: dice, or a beacon's signature.")
@click.option("--seen-by", metavar="NAME", multiple=True, help="Dice: who saw it and signs; give it twice or more.")
@click.option("--relay", metavar="ADDRESS", default=None, help="Beacon: ask this relay, where no --value is given.")
@common.form
def draw(record, value, seen_by, relay, form) -> None:
    """Draw the frozen round from what its source said."""
    from isegoria.lottery.desk import keeping
    from isegoria.lottery.desk.rounds import draw as take

    with keeping(record) as book:
        value = _asked(book.record.open, relay) if value is None else value
        now = take(book, value, seen_by or None)
        arms = [now.arms[k] for k in now.draw["arms"]]
        text = f"Round {now.number}: {', '.join(arms)}."
        common.headed(form, book, text, round=now.number, arms=arms, balls=now.draw["balls"])


def _asked(now, relay: str | None) -> str | None:
    """What a relay says of the beacon's round; None where the source is another, or has not spoken yet."""
    if now is None or now.speaks_at is None:
        if relay is not None:
            raise InputError("only a beacon has a relay; leave --relay out.")
        return None
    if common.now() < now.speaks_at:
        raise InputError(f"the beacon speaks at {common.clock(now.speaks_at)}; draw after that.")
    from isegoria.lottery.relay import RELAY, fetch

    return fetch(now.source["chain"], now.freeze["source_round"], relay or RELAY)

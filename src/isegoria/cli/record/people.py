"""The steps about people: keys, ratings, who comes and goes, and which arms rest."""

from __future__ import annotations

import click

from isegoria.cli.record import common
from isegoria.errors import InputError


@click.command("key", short_help="Make a signing key for a member.")
@common.record
@click.argument("name", metavar="NAME")
@click.option("--out", metavar="FILE", type=click.Path(), default=None, help="Write the key there, and keep no copy.")
@click.option("--public", metavar="HEX", default=None, help="Register a key that she made herself.")
@common.form
def key(record, name, out, public, form) -> None:
    """Make a signing key for a member, so that she can witness; it counts from the next freeze on."""
    from pathlib import Path

    from isegoria.lottery.desk import keeping
    from isegoria.lottery.desk.file import write_private
    from isegoria.lottery.desk.rounds import add_key

    if out and public:
        raise InputError("a key that she made herself is not written; leave out --out or --public.")
    with keeping(record) as book:
        if out and Path(out).exists():
            raise InputError(f"{out} exists already, and nothing was overwritten; choose another name.")
        seed = add_key(book, name, public, keep=out is None)
        if out:
            write_private(Path(out), f"{seed}\n".encode(), fresh=True)
        shown = book.record.roster["members"][book.number(name)]["key"]
        where = f"in {out}" if out else "with her" if public else f"in {record}.secrets"
        text = f"{name} has the key {shown[:16]}…, which is {where}; it counts from the next freeze."
        common.headed(form, book, text, member=book.number(name), key=shown)


@click.command("rate", short_help="Take a member's ratings.")
@common.record
@click.argument("name", metavar="MEMBER")
@click.argument("ratings", metavar="ARM=VALUE…", nargs=-1, required=True)
@click.option(
    "--round", "round_", type=click.IntRange(min=1), default=None, help="The round.  [default: the last drawn]"
)
@click.option("--slot", type=click.IntRange(min=0), default=None, help="The slot of that round, counted from 0.")
@common.form
def rate(record, name, ratings, round_, slot, form) -> None:
    """Take a member's ratings: of the options, or with a learner of what was played in a round."""
    from isegoria.lottery.desk import keeping
    from isegoria.lottery.desk.telling import rate as take

    given = common.pairs(ratings, "a rating")
    with keeping(record) as book:
        take(book, name, given, round_, slot)
        noted = ", ".join(f"{arm} {value}" for arm, value in given.items())
        text = f"Noted for {name}: {noted}; it counts from the next freeze."
        common.report(form, text, {"member": book.number(name), "ratings": given})


@click.command("join", short_help="A new member, from the next freeze on.")
@common.record
@click.argument("name", metavar="NAME")
@click.argument("ratings", metavar="[ARM=VALUE…]", nargs=-1)
@click.option(
    "--weight", type=click.IntRange(min=1), default=1, show_default=True, help="How many people she stands for."
)
@common.form
def join(record, name, ratings, weight, form) -> None:
    """A new member, from the next freeze on."""
    from isegoria.lottery.desk import keeping
    from isegoria.lottery.desk.opening import join as take

    with keeping(record) as book:
        take(book, name, weight, common.pairs(ratings, "a rating"))
        number = book.number(name)
        common.headed(form, book, f"{name} is member {number}, from the next freeze on.", member=number)


@click.command("leave", short_help="A member goes, from the next freeze on.")
@common.record
@click.argument("name", metavar="NAME")
@common.form
def leave(record, name, form) -> None:
    """A member goes, from the next freeze on."""
    from isegoria.lottery.desk import keeping
    from isegoria.lottery.desk.opening import leave as take

    with keeping(record) as book:
        number = book.number(name)
        take(book, name)
        common.headed(form, book, f"{name} has left, from the next freeze on.", member=number)


@click.command("mask", short_help="Let arms rest from the next freeze on.")
@common.record
@click.argument("arms", metavar="[ARM…]", nargs=-1)
@common.form
def mask(record, arms, form) -> None:
    """Let these arms rest from the next freeze on, and no others; without any, all are back."""
    from isegoria.lottery.desk import keeping
    from isegoria.lottery.desk.rounds import mask as take

    with keeping(record) as book:
        take(book, arms)
        resting = [book.record.terms["arms"][k] for k in book.secrets.masked]
        text = f"Resting from the next freeze on: {', '.join(resting)}." if resting else "All arms are available."
        common.report(form, text, {"resting": resting})

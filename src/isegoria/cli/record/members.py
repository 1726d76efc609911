"""The steps about people: keys, ratings, joining and leaving, and which arms are unavailable."""

from __future__ import annotations

from pathlib import Path

import click

from isegoria.cli.record import common
from isegoria.errors import InputError


@click.command("key", short_help="Make a signing key for a member.")
@common.record
@click.argument("name", metavar="NAME")
@click.option("--out", metavar="FILE", type=click.Path(), default=None, help="Write the key there, and keep no copy.")
@click.option("--public", metavar="HEX", default=None, help="Register a key that the member made.")
@click.option("--proof", metavar="HEX", default=None, help="With --public: that key's signature, which proves it.")
@common.output_format
def key(record: str, name: str, out: str | None, public: str | None, proof: str | None, form: str) -> None:
    """Make a signing key for a member; it goes on the roster before the next freeze.

    A key that stays in RECORD.secrets is marked there, as the keeper could sign with it: give each member their own
    with --out.
    """
    from isegoria.cli.record.operations import add_key
    from isegoria.record.files.file_store import open_record
    from isegoria.record.signing.device import Device

    if out and public:
        raise InputError("a key that the member made is not written; leave out --out or --public.")
    with open_record(record) as kept:
        if out and Path(out).exists():
            raise InputError(f"{out} exists already, and nothing was overwritten; choose another name.")
        seed = add_key(kept, name, public, out is None, proof, common.current_time())
        if out:
            Device(seed).write(out, fresh=True)
        shown = kept.group.members[kept.number(name)]["key"]
        where = f"in {out}" if out else "with the member" if public else f"in {record}.secrets, and marked"
        text = f"{name} has the key {shown}, which is {where}; it goes on the roster before the next freeze."
        common.print_with_head(form, kept, text, member=kept.number(name), key=shown)


@click.command("rate", short_help="Take a member's ratings.")
@common.record
@click.argument("name", metavar="MEMBER")
@click.argument("ratings", metavar="ARM=VALUE…", nargs=-1, required=True)
@click.option(
    "--round", "round_", type=click.IntRange(min=1), default=None, help="The round.  [default: the last drawn]"
)
@click.option("--slot", type=click.IntRange(min=0), default=None, help="The slot of that round, counted from 0.")
@common.key
@common.output_format
def rate(
    record: str, name: str, ratings: tuple[str, ...], round_: int | None, slot: int | None, key: Path | None, form: str
) -> None:
    """Take a member's ratings: of the options, or with a learner of what was played in a round."""
    from isegoria.cli.record.operations import rate as take
    from isegoria.record.files.file_store import open_record

    given = common.parse_pairs(ratings, "a rating")
    with open_record(record) as kept:
        counts_from = take(kept, name, given, round_, slot, key=key, now=common.current_time())
        noted = ", ".join(f"{arm} {value}" for arm, value in given.items())
        late = "" if counts_from == kept.group.next_round else f" of round {counts_from}"
        text = f"Noted for {name}: {noted}; it counts from the {'freeze' if late else 'next freeze'}{late}."
        common.print_result(form, text, {"member": kept.number(name), "ratings": given})


@click.command("join", short_help="A new member, from the next freeze on.")
@common.record
@click.argument("name", metavar="NAME")
@click.argument("ratings", metavar="[ARM=VALUE…]", nargs=-1)
@click.option(
    "--weight", type=click.IntRange(min=1), default=1, show_default=True, help="The number of people they speak for."
)
@common.output_format
def join(record: str, name: str, ratings: tuple[str, ...], weight: int, form: str) -> None:
    """A new member, from the next freeze on."""
    from isegoria.cli.record.operations import add_member as take
    from isegoria.record.files.file_store import open_record

    with open_record(record) as kept:
        take(kept, name, weight, common.parse_pairs(ratings, "a rating"))
        number = kept.number(name)
        common.print_with_head(form, kept, f"{name} is member {number}, from the next freeze on.", member=number)


@click.command("leave", short_help="A member goes, from the next freeze on.")
@common.record
@click.argument("name", metavar="NAME")
@common.output_format
def leave(record: str, name: str, form: str) -> None:
    """A member goes, from the next freeze on."""
    from isegoria.cli.record.operations import remove_member as take
    from isegoria.record.files.file_store import open_record

    with open_record(record) as kept:
        number = kept.number(name)
        take(kept, name)
        common.print_with_head(form, kept, f"{name} has left, from the next freeze on.", member=number)


@click.command("mask", short_help="Let arms rest from the next freeze on.")
@common.record
@click.argument("arms", metavar="[ARM…]", nargs=-1)
@common.output_format
def mask(record: str, arms: tuple[str, ...], form: str) -> None:
    """Let these arms rest from the next freeze on, and no others; without any, all are back."""
    from isegoria.cli.record.operations import mask as take
    from isegoria.record.files.file_store import open_record

    with open_record(record) as kept:
        take(kept, arms)
        resting = [kept.group.arms[k] for k in kept.group.masked]
        text = f"Resting from the next freeze on: {', '.join(resting)}." if resting else "All arms are available."
        common.print_result(form, text, {"resting": resting})

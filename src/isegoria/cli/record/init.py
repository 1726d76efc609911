"""`isegoria record init RECORD FILE`: begin a record from a table of ratings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from isegoria.cli import options
from isegoria.cli.record import common
from isegoria.errors import InputError
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.utils.formatting import pluralise

if TYPE_CHECKING:
    from isegoria.profiles import Instance

HELP_EPILOG = """\b
Examples:
  isegoria record init lunch.record ratings.csv --source dice --scale 0,5
  isegoria record init lunch.record people.csv --learner guided
  isegoria record init films.record films.csv --turns lottery --single-use
  isegoria record init lunch.record ratings.csv --source beacon --first 1794830400 --every 86400 --block 1"""


@click.command("init", epilog=HELP_EPILOG, short_help="Begin a record from a table of ratings.")
@common.record
@click.option(
    "--privacy",
    type=click.Choice(["ballots", "open"]),
    default="ballots",
    show_default=True,
    help="ballots: no names anywhere in the record. open: a file beside it says whose row is whose.",
)
@click.option(
    "--block",
    type=click.IntRange(1, 20),
    default=None,
    help="Draws in a round.  [default: one for each member, at most 20; 1 while a learner is in doubt]",
)
@click.option(
    "--source",
    type=click.Choice(list(RANDOMNESS_SOURCES)),
    default="rehearsal",
    show_default=True,
    help="Where the randomness comes from; a rehearsal proves nothing.",
)
@click.option("--learner", metavar="ID", default=None, help="Learn from ratings of what was played: guided.")
@click.option(
    "--setting",
    metavar="NAME=VALUE",
    multiple=True,
    help="Of the learner: error, resolution or explore; may be given again.",
)
@click.option(
    "--turns",
    type=click.Choice(["lottery", "deterministic"]),
    default=None,
    help="One decision a round, and what luck gave or took is remembered: by a lottery, or without one.",
)
@click.option("--worlds", type=int, metavar="M", default=None, help="Of turns by lottery, 1 to 20.  [default: 8]")
@click.option("--single-use", is_flag=True, help="With turns: what was played is never on offer again, like a film.")
@click.option(
    "--organiser",
    metavar="NAME",
    multiple=True,
    help="A member who organises: their key is marked, and counts for nobody who trusts `members`.",
)
@click.option(
    "--first", type=int, metavar="UNIX", default=None, help="Beacon: the time of the first occurrence, in seconds."
)
@click.option("--every", type=int, metavar="SECONDS", default=None, help="Beacon: the seconds from one to the next.")
@click.option(
    "--changes",
    type=click.IntRange(min=1),
    metavar="N",
    default=None,
    help="Put joins, departures and keys on record only before round 1 and every N-th round after it.  [default: 1]",
)
@click.option("--title", metavar="TEXT", default=None, help="A title.  [default: the name of RECORD]")
@common.output_format
@options.with_instance
def command(
    instance: Instance,
    record: str,
    privacy: str,
    block: int | None,
    source: str,
    learner: str | None,
    setting: tuple[str, ...],
    turns: str | None,
    worlds: int | None,
    single_use: bool,
    organiser: tuple[str, ...],
    first: int | None,
    every: int | None,
    changes: int | None,
    title: str | None,
    form: str,
) -> None:
    """Begin a record from a table of ratings; its first lines are written just before the first freeze.

    Secrets go to RECORD.secrets, readable by you only; keep a copy of it. With --learner only the names of
    members and options are taken from FILE, and members rate what was played, round by round.
    """
    from isegoria.cli.record.operations import create_record
    from isegoria.record.files.file_store import open_record
    from isegoria.record.turns.modes import build_turn_terms

    if turns is None and (worlds is not None or single_use):
        raise InputError("--worlds and --single-use belong to turns; say --turns lottery or --turns deterministic.")
    if learner is None and setting:
        raise InputError("--setting is of a learner; say --learner guided, or leave it out.")
    scale = click.get_current_context().params["scale"]
    create_record(
        record,
        instance,
        source=RANDOMNESS_SOURCES[source].terms(first=first, every=every),
        title=title,
        scale=options.parse_numbers(scale, "--scale") if scale else (0, 1),
        learner=learner,
        settings=common.parse_pairs(setting, "a setting"),
        privacy=privacy,
        block=block,
        organisers=organiser,
        changes=changes,
        turns=None if turns is None else build_turn_terms(turns, worlds, single_use),
    )
    with open_record(record) as kept:
        members = pluralise(len(kept.group.members), "member")
        arms = pluralise(len(kept.group.arms), "arm")
        text = f"{record}: {members}, {arms}, source {source}, privacy {privacy}; its secrets are in {record}.secrets."
        if source == "rehearsal":
            text += "\nA rehearsal proves nothing: it is for trying out."
        common.print_with_head(form, kept, text, members=len(kept.group.members), arms=kept.group.arms, source=source)

"""`isegoria record …`: a round, step by step, on a record that anyone can verify."""

from __future__ import annotations

import click

from isegoria.cli.record import amendments, export, init, inspection, members, rounds
from isegoria.errors import unknown_name_error

HELP_EPILOG = """\b
Examples, a draw with dice:
  isegoria record init lunch.record ratings.csv --source dice --organiser Ann
  isegoria record key lunch.record Bob --out bob.key
  isegoria record freeze lunch.record --form 9,1,6,throw --event "nine dice at lunch"
  isegoria record receipt lunch.record Bob > bob.receipt
  isegoria sign lunch.record --key bob.key --receipt bob.receipt > 1.slip
  isegoria record add lunch.record 1.slip
  isegoria sign lunch.record --key bob.key --receipt bob.receipt --dice 314426531 > 2.slip
  isegoria record add lunch.record 2.slip
  isegoria record draw lunch.record --value 314426531
  isegoria verify lunch.record --trust members --head HEX"""


class OrderedGroup(click.Group):
    """A click group of the steps in the order in which they are done; an unknown step's error names the nearest."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            raise unknown_name_error("step", args[0], self.commands)
        return super().resolve_command(ctx, args)


@click.group("record", cls=OrderedGroup, epilog=HELP_EPILOG)
def command() -> None:
    """Keep a record of draws that a stranger can check: a round, step by step.

    RECORD is a file of JSON lines that only grows; its secrets lie beside it, in RECORD.secrets. A step out of order is
    refused, and then nothing is written.
    """


for step in (
    init.command,
    members.key,
    rounds.roster,
    rounds.freeze,
    rounds.add,
    rounds.draw,
    inspection.show,
    inspection.debts,
    inspection.receipt,
    inspection.replay,
    export.command,
    members.rate,
    members.join,
    members.leave,
    members.mask,
    amendments.override,
    amendments.amend,
):
    command.add_command(step)

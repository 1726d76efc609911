"""`isegoria record …`: a round, step by step, on a record that a stranger can check."""

from __future__ import annotations

import click

from isegoria.cli.record import changes, init, looking, people, rounds
from isegoria.errors import unknown

EPILOG = """\b
Examples, a draw with dice:
  isegoria record init lunch.record ratings.csv --source dice
  isegoria record key lunch.record Ann
  isegoria record key lunch.record Bob
  isegoria record freeze lunch.record --event "eight dice at lunch"
  isegoria record witness lunch.record --by Ann
  isegoria record witness lunch.record --by Bob
  isegoria record draw lunch.record --value 31442653
  isegoria verify lunch.record"""


class Steps(click.Group):
    """The steps in the order in which they are done; an unknown one is told with the nearest."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not args[0].startswith("-") and args[0] not in self.commands:
            raise unknown("step", args[0], self.commands)
        return super().resolve_command(ctx, args)


@click.group("record", cls=Steps, epilog=EPILOG)
def command() -> None:
    """Keep a record of draws that a stranger can check: a round, step by step.

    RECORD is a file of JSON lines that only grows; its secrets lie beside it, in RECORD.secrets. A step out of order is
    refused, and then nothing is written.
    """


for step in (
    init.command,
    people.key,
    rounds.commit,
    rounds.freeze,
    rounds.witness,
    rounds.reveal,
    rounds.draw,
    looking.show,
    looking.receipt,
    people.rate,
    people.join,
    people.leave,
    people.mask,
    changes.override,
    changes.void,
    changes.amend,
    changes.close,
):
    command.add_command(step)

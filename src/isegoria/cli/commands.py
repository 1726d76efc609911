"""The table of commands. A new command is one module beside this one that exports `command`, and one line here."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import click


class Command(NamedTuple):
    """One row: the name, the line that `isegoria --help` shows, and the module, imported only when it is called."""

    name: str
    summary: str
    module: str

    def load(self) -> click.Command:
        """The click command itself; its short help is this row's, so that there is one."""
        command = import_module(self.module).command
        command.short_help = self.summary
        return command


COMMANDS = {
    row.name: row
    for row in [
        Command("compare", "Six fair policies side by side, with three scores each.", "isegoria.cli.compare"),
        Command("solve", "One policy, with the proof that it is optimal.", "isegoria.cli.solve"),
        Command("audit", "Is a policy fair, to whom not, and where did each voice go.", "isegoria.cli.audit"),
        Command("frontier", "What equal voice costs in utility, or in equality.", "isegoria.cli.frontier"),
        Command("draw", "Draw from the fair lottery, in exact voices.", "isegoria.cli.draw"),
        Command("learn", "Learn equal voice from rewards, round by round.", "isegoria.cli.learn"),
        Command("reproduce", "The paper's tables and figures, beside the paper's numbers.", "isegoria.cli.reproduce"),
    ]
}

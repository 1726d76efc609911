"""The registry of commands. To add one, write a module here that exports `command`, and add an entry to the table."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import click

from isegoria.utils.registry import Registry


class Command(NamedTuple):
    """An entry: the name, the module, which is imported only when called, and the summary in `isegoria --help`."""

    id: str
    module: str
    summary: str

    def load(self) -> click.Command:
        """Load the click command, and set its short help to this entry's summary, so that there is only one."""
        command: click.Command = import_module(self.module).command
        command.short_help = self.summary
        return command


COMMANDS: Registry[Command] = Registry(
    "command",
    [
        Command("compare", "isegoria.cli.compare", "Six fair policies side by side, with three scores each."),
        Command("solve", "isegoria.cli.solve", "One policy, with the proof that it is optimal."),
        Command("audit", "isegoria.cli.audit", "Is a policy fair, to whom not, and where did each voice go."),
        Command("axioms", "isegoria.cli.axioms", "Which axioms a policy or a rule meets, with proof or witness."),
        Command("honesty", "isegoria.cli.honesty", "Who could gain by a false report, and by which."),
        Command("frontier", "isegoria.cli.frontier", "What equal voice costs in utility, or in equality."),
        Command("draw", "isegoria.cli.draw", "Draw from the fair lottery, in exact voices."),
        Command("turns", "isegoria.cli.turns", "A fair turn when options and people change from round to round."),
        Command("record", "isegoria.cli.record", "Keep a record of draws that a stranger can check."),
        Command("sign", "isegoria.cli.sign", "Look at a record with your own key, and sign it if it holds."),
        Command("verify", "isegoria.cli.verify", "Check a record without trusting whoever made it."),
        Command("learn", "isegoria.cli.learn", "Learn equal voice from rewards, round by round."),
        Command("serve", "isegoria.cli.serve", "Serve groups that decide together: private links, ratings, draws."),
        Command("link", "isegoria.cli.link", "A new private link, from whoever runs a service."),
        Command("backup", "isegoria.cli.backup", "Everything that a service keeps, in one file, while it runs."),
        Command("restore", "isegoria.cli.restore", "Fill an empty store with a backup."),
        Command("page", "isegoria.cli.one_file", "A page that needs no installation: one file for any browser."),
        Command("explore", "isegoria.cli.explore", "Look at a table of ratings from every side, in the browser."),
        Command("study", "isegoria.cli.study", "A study of one's own from a file: rules or learners, groups, seeds."),
        Command("reproduce", "isegoria.cli.reproduce", "The paper's tables and figures, beside the paper's numbers."),
    ],
)

COMMAND_HINTS = {
    "core": "isegoria audit FILE",
    "help": "isegoria --help",
    "price": "isegoria frontier FILE",
    "score": "isegoria audit FILE",
    "simulate": "isegoria learn FILE",
    "version": "isegoria --version",
}
"""Words under which people look for what has another name."""

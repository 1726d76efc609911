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
        Command("compare", "isegoria.cli.compare", "Compare the policies of several rules, with three scores each."),
        Command("solve", "isegoria.cli.solve", "Compute the policy of one rule, with its proof."),
        Command("audit", "isegoria.cli.audit", "Check whether a policy is fair, and where each voice went."),
        Command("score", "isegoria.cli.score", "Compute the three fairness scores of a policy."),
        Command("core", "isegoria.cli.core_check", "Check whether some agents could all gain by deciding alone."),
        Command("axioms", "isegoria.cli.axioms", "Check which axioms a policy or a rule meets, with proof or witness."),
        Command("honesty", "isegoria.cli.honesty", "Check strategyproofness: find who could gain by a false report."),
        Command("frontier", "isegoria.cli.frontier", "Compute what equal voice costs in utility, or in equality."),
        Command("draw", "isegoria.cli.draw", "Draw from the fair lottery, in exactly equal shares."),
        Command("turns", "isegoria.cli.turns", "Choose a fair turn when options and people change (perpetual voting)."),
        Command("record", "isegoria.cli.record", "Keep a record of draws that a stranger can check."),
        Command("sign", "isegoria.cli.sign", "Check a record and sign it with your own key if it holds."),
        Command("verify", "isegoria.cli.verify", "Check a record without trusting its maker."),
        Command("learn", "isegoria.cli.learn", "Learn equal voice from rewards, round by round."),
        Command("serve", "isegoria.cli.serve", "Serve groups that decide together: private links, ratings, draws."),
        Command("mcp", "isegoria.cli.mcp", "Serve fair decisions as tools of language models (extra mcp)."),
        Command("link", "isegoria.cli.link", "Issue a private link again, as the person who runs a service."),
        Command("backup", "isegoria.cli.backup", "Write everything that a service keeps to one file, while it runs."),
        Command("restore", "isegoria.cli.restore", "Fill an empty store with a backup."),
        Command("page", "isegoria.cli.one_file", "Write a page that needs no installation: one file for any browser."),
        Command("explore", "isegoria.cli.explore", "Explore a table of ratings in the browser."),
        Command("study", "isegoria.cli.study", "Run your own study from a file: rules or learners, groups, seeds."),
        Command("reproduce", "isegoria.cli.reproduce", "Regenerate the paper's tables and figures."),
    ],
)

COMMAND_HINTS = {
    "help": "isegoria --help",
    "price": "isegoria frontier FILE",
    "simulate": "isegoria learn FILE",
    "version": "isegoria --version",
}
"""Words under which people look for what has another name."""

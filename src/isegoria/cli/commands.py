"""The table of commands. A new command is one module beside this one that exports `command`, and one line here."""

from __future__ import annotations

import click

from isegoria.registry import Row, Table


class Command(Row):
    """One row: the name, the module, imported only when it is called, and the line that `isegoria --help` shows."""

    summary: str

    def load(self) -> click.Command:
        """The click command itself; its short help is this row's, so that there is one."""
        command = super().load().command
        command.short_help = self.summary
        return command


COMMANDS: Table[Command] = Table(
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
        Command("explore", "isegoria.cli.explore", "Look at a table of ratings from every side, in the browser."),
        Command("study", "isegoria.cli.study", "A study of one's own from a file: rules or learners, groups, seeds."),
        Command("reproduce", "isegoria.cli.reproduce", "The paper's tables and figures, beside the paper's numbers."),
    ],
)

ELSEWHERE = {
    "core": "isegoria audit FILE", "help": "isegoria --help", "price": "isegoria frontier FILE",
    "score": "isegoria audit FILE", "simulate": "isegoria learn FILE", "version": "isegoria --version",
}  # fmt: skip
"""Words under which people look for what has another name."""

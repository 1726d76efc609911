"""`isegoria score FILE`: the three fairness scores of a policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, render
from isegoria.utils.formatting import format_number

if TYPE_CHECKING:
    from isegoria.profiles import Instance

HELP_EPILOG = """\b
Examples:
  isegoria score ratings.csv --policy 0.5,0.3,0.2
  isegoria score votes.soc --rule nash --format json"""


@click.command("score", epilog=HELP_EPILOG)
@options.policy
@options.rule
@options.tie_break
@options.within
@options.form
@options.with_profile
def command(instance: Instance, policy: str | None, rule: str, tie_break: Any, within: Any, form: str) -> None:
    """Score a policy: equal voice, equal outcomes and large outcomes, each at most 1.

    Give the policy, or name a rule to score its policy.
    """
    from isegoria.analysis.scores import score

    found = score(instance, options.select_policy(instance, policy, rule, tie_break, within))
    rows = found.to_rows()
    render.print_result(
        form,
        data=found.to_dict,
        table=lambda: render.format_table(
            ["score", "value"], [[row["score"], format_number(row["value"])] for row in rows], {0}
        ),
        records=lambda: [["score", "value"], *([row["score"], row["value"]] for row in rows)],
    )

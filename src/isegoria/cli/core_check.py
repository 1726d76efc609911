"""`isegoria core FILE`: whether some agents could do better with their shares of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, render
from isegoria.cli.error_handling import EXIT_CHECK_FAILED, EXIT_OK

if TYPE_CHECKING:
    from isegoria.profiles import Instance
    from isegoria.rules.literals import PayoffName

HELP_EPILOG = """\b
Examples:
  isegoria core ratings.csv --policy 0.5,0.3,0.2
  isegoria core votes.soc --rule nash --payoff utilities"""


@click.command("core", epilog=HELP_EPILOG)
@options.policy
@options.rule
@options.tie_break
@options.within
@options.payoff
@click.option(
    "--time-limit", type=float, default=10.0, show_default=True, metavar="SECONDS", help="How long the search may take."
)
@options.form
@options.with_profile
def command(
    instance: Instance,
    policy: str | None,
    rule: str,
    tie_break: Any,
    within: Any,
    payoff: PayoffName,
    time_limit: float,
    form: str,
) -> int:
    """Check whether a policy is in the core: no group of agents gains by deciding with its own shares alone.

    Give the policy, or name a rule to check its policy. The exit code is 1 if some agents could all gain.
    """
    from isegoria.analysis.core import core

    found = core(instance, options.select_policy(instance, policy, rule, tie_break, within), payoff, time_limit)
    rows = [[row["agent"], row["gain"]] for row in found.to_rows()]
    table = [render.format_table(["agent", "gain"], [[agent, f"{gain:.4g}"] for agent, gain in rows], {0})]
    render.print_result(
        form,
        data=lambda: {"payoff": found.payoff, **found.to_dict()},
        table=lambda: "\n".join([": ".join(found.view_lines()), *table * bool(rows)]),
        records=lambda: [["agent", "gain"], *rows],
    )
    return EXIT_CHECK_FAILED if found.stable is False else EXIT_OK

"""`isegoria honesty FILE`: who could gain by a false report, and by which one, under one or several rules."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, render

if TYPE_CHECKING:
    from isegoria.profiles import Instance

HELP_EPILOG = """\b
Examples:
  isegoria honesty ratings.csv
  isegoria honesty ratings.csv --rule nmp,cut --groups 2
  isegoria honesty ratings.csv --payoff utilities --check"""


@click.command("honesty", epilog=HELP_EPILOG)
@click.option(
    "--rule",
    "--rules",
    "names",
    metavar="A,B,…",
    default="procedural",
    show_default=True,
    help="Rules, by id, label or alias, with commas between.",
)
@click.option(
    "--groups",
    type=click.IntRange(1, 3),
    default=1,
    show_default=True,
    help="Also joint lies of groups up to this size.",
)
@options.payoff
@options.time_limit("rule")
@click.option("--check", is_flag=True, help="Exit with 1 if a lie pays.")
@options.form
@options.with_instance
def command(
    instance: Instance, names: str, groups: int, payoff: Any, time_limit: float, check: bool, form: str
) -> None:
    """Search for each agent's best false report (strategyproofness): all reports, or a note where they are too many.

    A report is a set of favourites for rules that read nothing else, and an order or ratings for others. One agent
    makes it, or with --groups two or three together. The service shows nobody another member's best false report: this
    is for people who choose or study a rule.
    """
    from isegoria.analysis.axioms.incentives import honesty
    from isegoria.rules.registry import RULES

    rules = [RULES[name] for name in options.split_names(names, "--rule")]
    found = [honesty(instance, rule, payoff=payoff, max_group_size=groups, time_limit=time_limit) for rule in rules]
    render.print_result(
        form,
        data=lambda: (
            {"arms": list(instance.arms), **found[0].to_dict()}
            if len(found) == 1
            else {"arms": list(instance.arms), "rules": [one.to_dict() for one in found]}
        ),
        table=lambda: "\n".join(line for one in found for line in one.sentences),
        records=lambda: [CSV_COLUMNS, *(_to_csv_row(one.rule, row) for one in found for row in one.to_rows())],
    )
    if check and any(one.gainers or one.groups for one in found):
        sys.exit(1)


CSV_COLUMNS = [
    "rule",
    "agent",
    "agents",
    "favourites",
    "report",
    "share_before",
    "share_after",
    "utility_before",
    "utility_after",
]


def _to_csv_row(rule: str, row: dict[str, list[float]]) -> list[object]:
    favourites, report = row["favourites"], row["report"]
    sets = [" ".join(map(str, favourites)), "" if report is None else " ".join(map(str, report))]
    return [rule, row["agent"], row["agents"], *sets, *row["share"], *row["utility"]]

"""`isegoria honesty FILE`: who could gain by a false report, and which one; under one rule or several."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from isegoria.cli import options, render

if TYPE_CHECKING:
    from isegoria.axioms.incentives import Honesty
    from isegoria.instance import Instance

EPILOG = """\b
Examples:
  isegoria honesty ratings.csv
  isegoria honesty ratings.csv --rule nmp,cut --groups 2
  isegoria honesty ratings.csv --of utilities --check"""


@click.command("honesty", epilog=EPILOG)
@click.option(
    "--rule", "--rules", "names", metavar="A,B,…", default="procedural", show_default=True,
    help="Rules, by id, label or alias, with commas between.",
)  # fmt: skip
@click.option(
    "--groups", type=click.IntRange(1, 3), default=1, show_default=True,
    help="Also joint lies of groups up to this size.",
)  # fmt: skip
@options.of
@options.time_limit("rule")
@click.option("--check", is_flag=True, help="Exit with 1 if a lie pays.")
@options.form
@options.reads_instance
def command(instance: Instance, names: str, groups: int, of: str, time_limit: float, check: bool, form: str) -> None:
    """Look for everyone's best lie: all reports where that can be done, and said where it cannot.

    A report says what one likes: a set of favourites for rules that look at no more, an order or ratings for others. A
    lie is told by one agent, or with --groups by two or three together. The service shows nobody another member's best
    lie: this is for whoever chooses a rule, and for whoever studies it.
    """
    from isegoria.axioms.incentives import honesty
    from isegoria.rules.registry import RULES

    rules = [RULES[name] for name in options.names(names, "--rule")]
    found = [honesty(instance, rule, of=of, groups=groups, time_limit=time_limit) for rule in rules]
    render.result(
        form,
        data=lambda: (
            {"arms": list(instance.arms), **_data(found[0])}
            if len(found) == 1
            else {"arms": list(instance.arms), "rules": [_data(one) for one in found]}
        ),
        table=lambda: "\n".join(line for one in found for line in one.sentences),
        records=lambda: [COLUMNS, *(_record(one.rule, row) for one in found for row in one.rows())],
    )
    if check and any(one.gainers or one.groups for one in found):
        sys.exit(1)


COLUMNS = [
    "rule", "agent", "agents", "favourites", "report", "share_before", "share_after", "utility_before", "utility_after",
]  # fmt: skip


def _record(rule: str, row: dict[str, list[float]]) -> list[object]:
    favourites, report = row["favourites"], row["report"]
    sets = [" ".join(map(str, favourites)), "" if report is None else " ".join(map(str, report))]
    return [rule, row["agent"], row["agents"], *sets, *row["share"], *row["utility"]]


def _data(found: Honesty) -> dict[str, object]:
    joint = [
        {"size": len(lie.agents), "agents": list(lie.agents), "reports": [list(one) for one in lie.reports],
         "gains": [b - a for a, b in zip(lie.before, lie.after, strict=True)],
         "strict": all(b > a for a, b in zip(lie.before, lie.after, strict=True))}
        for lie in found.groups
    ]  # fmt: skip
    head = {"rule": found.rule, "of": found.of, "exhaustive": found.exhaustive, "tried": found.tried}
    total = sum(member.agents for member in found.members)
    return {**head, "agents": total, "gainers": found.gainers, "members": found.rows(), "groups": joint}

"""`isegoria compare FILE`: policies side by side, and their three scores."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import entries, options, render
from isegoria.wording import SCORES, rounded

if TYPE_CHECKING:
    from isegoria.instance import Instance

EPILOG = """\b
Examples:
  isegoria compare ratings.csv
  isegoria compare ratings.csv --scale 1,5 --format json
  isegoria compare ratings.csv --rules paper,baselines
  isegoria compare ratings.csv --rules nash,cut,rp --within procedural
  isegoria compare ballots.soi --unranked last --rewards 1,0.5,0.2,0"""

WIDEST = 100


@click.command("compare", epilog=EPILOG)
@options.rules
@options.tie_break
@options.within
@options.gini_weights
@click.option(
    "--relative", is_flag=True,
    help="Show beside each score the part kept of what this group could lose: where it stands between the least score "
    "of any policy here and 1.",
)  # fmt: skip
@options.form
@options.reads_table
def command(
    instance: Instance,
    rules: Any,
    tie_break: Any,
    within: Any,
    gini_weights: Any,
    relative: bool,
    form: str,
) -> None:
    """Fair policies side by side, with three scores each.

    A policy is a lottery over the arms. A score is 1 at best: procedural says how far every agent's voice counts the
    same, equality how alike the agents' utilities are, utilitarian how large they are in total. A policy is efficient
    (✓) if no other is better for someone and worse for nobody.
    """
    from isegoria.comparison import compare

    found = compare(instance, tie_break, within, gini_weights, rules=rules)
    render.result(
        form,
        data=lambda: found.to_dict(relative),
        table=lambda: f"{entries.size(instance)}\n\n{_table(instance, found, relative)}",
        records=lambda: entries.records(found.rows(relative), instance.arms),
    )


def _table(instance: Instance, found: Any, relative: bool) -> str:
    """Scores first, then the policies; one that another is above on all scores says which; and below, what is worst."""
    from isegoria.comparison import MARKS

    rows = found.rows(relative)
    marked = any(row["score_dominated_by"] for row in rows)
    widest = max(len(row["label"]) for row in rows)
    header = ["policy", *SCORES, "efficient", *entries.policy_columns(instance.arms), *["outscored by"] * marked]
    lines = [
        [
            f"{row['label']:<{widest}} {row['objective']}",
            *(f"{rounded(row[name])}{_beside(row, name)}" for name in SCORES),
            MARKS[row["efficient"]],
            *entries.policy_cells(row["policy"], instance.arms),
            *[" ".join(found[name].label for name in row["score_dominated_by"])] * marked,
        ]
        for row in rows
    ]
    few = len(instance.arms) <= entries.MOST_COLUMNS
    names = {0, 1 + len(SCORES)} if few else {0, 1 + len(SCORES), 2 + len(SCORES)}
    said = [textwrap.fill(sentence, WIDEST) for sentence in found.remarks()]
    return "\n".join([render.table(header, lines, left=names), *[""] * bool(said), *said])


def _beside(row: dict[str, Any], name: str) -> str:
    return f" ({rounded(row['relative'][name])})" if "relative" in row else ""

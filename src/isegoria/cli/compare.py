"""`isegoria compare FILE`: the six policies and their three scores."""

from __future__ import annotations

import click

from isegoria.cli import entries, options, render
from isegoria.objectives import OBJECTIVES
from isegoria.wording import SCORES

EPILOG = """\b
Examples:
  isegoria compare ratings.csv
  isegoria compare ratings.csv --scale 1,5 --format json
  isegoria compare ballots.soi --unranked last --rewards 1,0.5,0.2,0"""


@click.command("compare", epilog=EPILOG)
@options.tie_break
@options.within
@options.gini_weights
@options.form
@options.reads_table
def command(instance, tie_break, within, gini_weights, form) -> None:
    """Six fair policies side by side, with three scores each.

    A policy is a lottery over the arms. A score is 1 at best: procedural says how far every agent's voice counts the
    same, equality how alike the agents' utilities are, utilitarian how large they are in total.
    """
    from isegoria.comparison import compare

    found = compare(instance, tie_break=tie_break, within=within, gini_weights=gini_weights)
    rows = found.rows()
    render.result(
        form,
        data=found.to_dict,
        table=lambda: f"{entries.size(instance)}\n\n{_table(instance, rows)}",
        records=lambda: entries.records(rows, instance.arms),
    )


def _table(instance, rows) -> str:
    """Scores first, then the policies; one that another policy Pareto-dominates says which."""
    marked = any(row["dominated_by"] for row in rows)
    header = ["policy", *SCORES, *entries.policy_columns(instance.arms), *["dominated by"] * marked]
    lines = [
        [
            f"{row['label']:<4}{row['objective']}",
            *(render.number(row[name]) for name in SCORES),
            *entries.policy_cells(row["policy"], instance.arms),
            *[" ".join(OBJECTIVES[name].label for name in row["dominated_by"])] * marked,
        ]
        for row in rows
    ]
    names = {0} if len(instance.arms) <= entries.MOST_COLUMNS else {0, 1 + len(SCORES)}
    return render.table(header, lines, left=names)

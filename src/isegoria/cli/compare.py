"""`isegoria compare FILE`: policies side by side, and their three scores."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import entries, options, render
from isegoria.wording import SCORES, listing, rounded

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
AXIOMS = ("ifs", "gfs", "afs", "cfs")


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
@click.option(
    "--axioms", is_flag=True,
    help="Show which fair shares each policy keeps: individual (IFS), group (GFS), average (AFS) and core (CFS).",
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
    axioms: bool,
    form: str,
) -> None:
    """Fair policies side by side, with three scores each.

    A policy is a lottery over the arms. A score is 1 at best: procedural says how far every agent's voice counts the
    same, equality how alike the agents' utilities are, utilitarian how large they are in total. A policy is efficient
    (✓) if no other is better for someone and worse for nobody.
    """
    from isegoria.comparison import compare

    found = compare(instance, tie_break, within, gini_weights, rules=rules)
    kept = _kept(instance, found) if axioms else {}
    render.result(
        form,
        data=lambda: _data(found.to_dict(relative), kept),
        table=lambda: f"{entries.size(instance)}\n\n{_table(instance, found, relative, kept)}",
        records=lambda: entries.records(found.rows(relative), instance.arms, kept),
    )


def _kept(instance: Instance, found: Any) -> dict[str, dict[str, bool | None]]:
    """By the name of each policy, whether it keeps each of the fair shares; None where it is undecided."""
    from isegoria.axioms import check

    return {name: {id: check(instance, entry.policy, id).holds for id in AXIOMS} for name, entry in found.items()}


def _data(data: dict[str, Any], kept: dict[str, dict[str, bool | None]]) -> dict[str, Any]:
    for name, axioms in kept.items():
        data["objectives"][name]["axioms"] = axioms
    return data


def _table(instance: Instance, found: Any, relative: bool, kept: dict[str, dict[str, bool | None]]) -> str:
    """Scores first, then the policies; one that another is above on all scores says which; and below, what is worst."""
    from isegoria.comparison import MARKS

    rows = found.rows(relative)
    marked = any(row["score_dominated_by"] for row in rows)
    widest = max(len(row["label"]) for row in rows)
    axioms = [id.upper() for id in AXIOMS] if kept else []
    header = ["policy", *SCORES, "efficient", *axioms, *entries.policy_columns(instance.arms)]
    header += ["outscored by"] * marked
    lines = [
        [
            f"{row['label']:<{widest}} {row['objective']}",
            *(f"{rounded(row[name])}{_beside(row, name)}" for name in SCORES),
            MARKS[row["efficient"]],
            *(MARKS[holds] for holds in kept.get(row["objective"], {}).values()),
            *entries.policy_cells(row["policy"], instance.arms),
            *[" ".join(found[name].label for name in row["score_dominated_by"])] * marked,
        ]
        for row in rows
    ]
    words = {0, *range(1 + len(SCORES), 2 + len(SCORES) + len(axioms))}
    names = words if len(instance.arms) <= entries.MOST_COLUMNS else words | {2 + len(SCORES) + len(axioms)}
    said = [textwrap.fill(sentence, WIDEST) for sentence in [*found.remarks(), *_lies(instance, found)]]
    return "\n".join([render.table(header, lines, left=names), *[""] * bool(said), *said])


def _beside(row: dict[str, Any], name: str) -> str:
    return f" ({rounded(row['relative'][name])})" if "relative" in row else ""


def _lies(instance: Instance, found: Any) -> list[str]:
    """A word on the rules that are known to reward a false report in some group: where only favourites are read, if
    anybody here has several to hide."""
    from isegoria.axioms.literature import known_to_fail
    from isegoria.rules.registry import RULES

    if instance.agent_names() is None:  # a scanned table, of which nobody asks for lies
        return []
    known, ties = known_to_fail("strategyproof"), bool(instance.favourite_types.rows.sum(axis=1).max() > 1)
    labels = [each.label for id, each in found.items() if id in known and (ties or RULES[id].reads != "favourites")]
    if not labels:
        return []
    return [f"{listing(labels, most=20)} can reward a false report: isegoria honesty FILE says whether here."]

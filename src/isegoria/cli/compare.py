"""`isegoria compare FILE`: policies side by side, with their three scores."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from isegoria.cli import options, policy_table, render
from isegoria.utils.formatting import SCORE_LABELS, format_number, join_names

if TYPE_CHECKING:
    from isegoria.profiles import Instance

HELP_EPILOG = """\b
Examples:
  isegoria compare ratings.csv
  isegoria compare ratings.csv --scale 1,5 --format json
  isegoria compare ratings.csv --rules paper,baselines
  isegoria compare ratings.csv --rules nash,cut,rp --within fair
  isegoria compare ballots.soi --unranked last --rewards 1,0.5,0.2,0"""

MAX_LINE_WIDTH = 100
FAIR_SHARE_AXIOMS = ("ifs", "gfs", "afs", "cfs")


@click.command("compare", epilog=HELP_EPILOG)
@options.rules
@options.tie_break
@options.within
@options.gini_weights
@click.option(
    "--relative",
    is_flag=True,
    help="Show beside each score the part kept of what this group could lose: where it stands between the lowest score "
    "of any policy here and 1.",
)
@click.option(
    "--axioms",
    is_flag=True,
    help="Show which fair shares each policy keeps: individual (IFS), group (GFS), average (AFS) and core (CFS).",
)
@options.form
@options.with_profile
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
    """Compare the policies of several rules, with three scores each.

    A policy is a lottery over the arms. The best score is 1. The procedural score measures how equally the agents'
    voices count, equality how equal their utilities are, and utilitarian how large they are in total. A policy is
    efficient (✓) if no other is better for someone and worse for nobody.
    """
    from isegoria.analysis.comparison import compare

    found = compare(instance, tie_break, within, gini_weights, rules=rules)
    kept = _check_fair_shares(instance, found) if axioms else {}
    render.print_result(
        form,
        data=lambda: _to_json(found.to_dict(relative), kept),
        table=lambda: f"{policy_table.format_size(instance)}\n\n{_format_table(instance, found, relative, kept)}",
        records=lambda: policy_table.to_csv_rows(found.to_rows(relative), instance.arms, kept),
    )


def _check_fair_shares(instance: Instance, found: Any) -> dict[str, dict[str, bool | None]]:
    """Return, by policy name, whether the policy meets each fair-share axiom; None where it is undecided."""
    from isegoria.analysis.axioms.checking import check

    return {
        name: {id: check(instance, entry.policy, id).holds for id in FAIR_SHARE_AXIOMS} for name, entry in found.items()
    }


def _to_json(data: dict[str, Any], kept: dict[str, dict[str, bool | None]]) -> dict[str, Any]:
    for name, axioms in kept.items():
        data["rules"][name]["axioms"] = axioms
    return data


def _format_table(instance: Instance, found: Any, relative: bool, kept: dict[str, dict[str, bool | None]]) -> str:
    """Format scores first, then policies, with remarks below.

    A policy that another one outscores on all scores says which.
    """
    from isegoria.analysis.comparison import EFFICIENCY_MARKS

    rows = found.to_rows(relative)
    marked = any(row["score_dominated_by"] for row in rows)
    widest = max(len(row["label"]) for row in rows)
    axioms = [id.upper() for id in FAIR_SHARE_AXIOMS] if kept else []
    header = ["policy", *SCORE_LABELS, "efficient", *axioms, *policy_table.policy_headers(instance.arms)]
    header += ["outscored by"] * marked
    lines = [
        [
            f"{row['label']:<{widest}} {row['rule']}",
            *(f"{format_number(row[name])}{_format_relative(row, name)}" for name in SCORE_LABELS),
            EFFICIENCY_MARKS[row["efficient"]],
            *(EFFICIENCY_MARKS[holds] for holds in kept.get(row["rule"], {}).values()),
            *policy_table.format_policy(row["policy"], instance.arms),
            *[" ".join(found[name].label for name in row["score_dominated_by"])] * marked,
        ]
        for row in rows
    ]
    words = {0, *range(1 + len(SCORE_LABELS), 2 + len(SCORE_LABELS) + len(axioms))}
    names = (
        words if len(instance.arms) <= policy_table.MAX_ARM_COLUMNS else words | {2 + len(SCORE_LABELS) + len(axioms)}
    )
    said = [
        textwrap.fill(sentence, MAX_LINE_WIDTH)
        for sentence in [*found.remarks(), *_manipulation_notes(instance, found)]
    ]
    return "\n".join([render.format_table(header, lines, left=names), *[""] * bool(said), *said])


def _format_relative(row: dict[str, Any], name: str) -> str:
    return f" ({format_number(row['relative'][name])})" if "relative" in row else ""


def _manipulation_notes(instance: Instance, found: Any) -> list[str]:
    """Return a remark on the rules that are known to reward a false report in some group.

    Rules that read only favourites are included only if an agent here has several favourites.
    """
    from isegoria.analysis.axioms.known_results import rules_failing
    from isegoria.profiles import is_streamed
    from isegoria.rules.registry import RULES

    if is_streamed(instance):  # false reports cannot be searched in a scanned table
        return []
    known, ties = rules_failing("strategyproof"), bool(instance.favourite_types.rows.sum(axis=1).max() > 1)
    labels = [
        each.label for id, each in found.items() if id in known and (ties or RULES[id].input_kind != "favourites")
    ]
    if not labels:
        return []
    return [f"{join_names(labels, most=20)} can be manipulated in some groups; isegoria honesty FILE checks this one."]

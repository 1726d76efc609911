"""The section on turns: memory compared with other rules, other ballots, and gains of lies; where others are better."""

from __future__ import annotations

from pathlib import Path

from isegoria.analysis.axioms.temporal import TEMPORAL_AXIOMS
from isegoria.io.storage.csv_columns import read_columns
from isegoria.studies import html_parts
from isegoria.studies.perpetual_voting.ballot_models import BALLOT_MODELS
from isegoria.studies.perpetual_voting.published_rules import PUBLISHED_RULES
from isegoria.studies.perpetual_voting.turn_rules import TURN_RULES
from isegoria.studies.provenance import read_provenance
from isegoria.studies.registry import StudyFinding

RULE_LABELS = {name: label for name, (label, _) in {**PUBLISHED_RULES, **TURN_RULES}.items()} | {
    "drawn": "drawn, any worlds; lottery"
}
SHOWN_MEASURES = ("compliance", "deficit", "satisfaction", "gini", "dry")
MEASURE_HEADINGS = ("promises kept", "largest deficit", "satisfied", "Gini of influence", "longest dry spell")


def findings(folder: Path) -> list[StudyFinding]:
    """Return each measure of each rule in the main setting; the paper has none of them."""
    table = read_columns(folder / "rules.csv")
    return [
        StudyFinding("turns", RULE_LABELS[rule], "", measure, table[measure][row])
        for row, rule in enumerate(table["rule"])
        for measure in SHOWN_MEASURES
    ]


def section(folder: Path) -> str:
    """Return the section as HTML."""
    record = read_provenance(folder)
    assert record is not None
    settings = record["settings"]
    parts = [
        "<p>Equal voice when options change from round to round, and luck is remembered. The ballots are those of "
        f"Lackner (AAAI 2020): twenty voters, five new options in each of twenty rounds; {settings['main']:,} fresh "
        "histories. <em>Promises kept</em> is the share of members and rounds in which somebody has at most one "
        "decision less than the largest group that agrees with them would give: the quota rule's own yardstick.</p>\n",
        _render_rules(folder),
        _render_gains(folder),
    ]
    if settings["lies"]:
        parts.append(_render_representation(folder))
    if settings["informed"]:
        parts.append(_render_informed_member(folder))
    if settings["other"]:
        parts.append(_render_ballots(folder))
    return "".join([*parts, html_parts.render_commands(record["command"])])


def _render_rules(folder: Path) -> str:
    table = read_columns(folder / "rules.csv")
    rows = []
    for row, rule in enumerate(table["rule"]):
        cells = [f"{table[name][row]:.3f} ± {table[f'{name}_se'][row]:.3f}" for name in SHOWN_MEASURES]
        rows.append([RULE_LABELS[rule], *cells])
    by = {name: dict(zip(table["rule"], table[name], strict=True)) for name in SHOWN_MEASURES}
    best = max(by["compliance"], key=lambda rule: by["compliance"][rule])
    least = min(by["gini"], key=lambda rule: by["gini"][rule])
    return html_parts.render_table(
        ["rule", *MEASURE_HEADINGS],
        rows,
        f"Means ± standard errors. {RULE_LABELS[best].capitalize()} keeps most promises, {RULE_LABELS[least]} "
        "spreads influence "
        "most evenly. Only the lottery and drawn turns give every round exactly its fair odds, for ballots that do not "
        "depend on earlier draws.",
        text=(0,),
    )


def _render_gains(folder: Path) -> str:
    table = read_columns(folder / "lies.csv")
    lies = list(dict.fromkeys(table["lie"]))
    found = {
        (table["rule"][i], table["lie"][i]): (table["gain"][i], table["gain_se"][i]) for i in range(len(table["rule"]))
    }
    rows = [
        [RULE_LABELS[rule], *("{:+.2f} ± {:.2f}".format(*found[rule, lie]) for lie in lies)]
        for rule in dict.fromkeys(table["rule"])
    ]
    return "<h3>What four simple lies gain</h3>\n" + html_parts.render_table(
        ["rule", *lies],
        rows,
        "Rounds of twenty with a truly approved option, more than by honesty, for one random member who lies in "
        "every round (± standard error). Drawn turns and the lottery: from the policies, since their odds are exact.",
        text=(0,),
    )


def _render_representation(folder: Path) -> str:
    table = read_columns(folder / "representation.csv")
    rows = [
        [
            RULE_LABELS[rule],
            *(f"{table[axiom][row]:.2f} ± {table[f'{axiom}_se'][row]:.2f}" for axiom in TEMPORAL_AXIOMS),
        ]
        for row, rule in enumerate(table["rule"])
    ]
    return "<h3>Representation over time</h3>\n" + html_parts.render_table(
        ["rule", "weak PJR", "weak EJR", "PJR", "EJR"],
        rows,
        f"The share of {table['histories'][0]:,} histories that meet each axiom, for ten of the voters: every group "
        "of them is looked at. A group that agrees in k rounds is due its part of k. No rule that decides online can "
        "meet EJR on every history (Chandak, Goel and Peters 2024).",
        text=(0,),
    )


def _render_informed_member(folder: Path) -> str:
    table = read_columns(folder / "informed.csv")
    rows = [
        [RULE_LABELS[rule], f"{gain:+.2f} ± {error:.2f}"]
        for rule, gain, error in zip(table["rule"], table["gain"], table["gain_se"], strict=True)
    ]
    return "<h3>A member who sees everything</h3>\n" + html_parts.render_table(
        ["rule", "gain in twenty rounds"],
        rows,
        "They know all ballots and debts and try every report in every round. Deterministic turns do not resist them, "
        "nor does any rule without a lottery here. Use turns in lottery mode, or keep ballots secret until the round "
        "is fixed.",
        text=(0,),
    )


def _render_ballots(folder: Path) -> str:
    table = read_columns(folder / "ballots.csv")
    rules = [rule for rule in dict.fromkeys(table["rule"]) if rule not in ("dictatorship", "drawn-4")]
    rows = []
    for setting in dict.fromkeys(table["setting"]):
        cells = []
        for rule in rules:
            row = next(
                i for i in range(len(table["rule"])) if (table["setting"][i], table["rule"][i]) == (setting, rule)
            )
            cells.append(f"{table['compliance'][row]:.2f} / {table['gini'][row]:.3f} / {table['dry'][row]:.1f}")
        rows.append([BALLOT_MODELS[setting][0], *cells])
    return "<h3>Other ballots</h3>\n" + html_parts.render_table(
        ["ballots", *(RULE_LABELS[rule] for rule in rules)],
        rows,
        "Promises kept / Gini of influence / longest dry spell. Where a rival is better it is seen here: the quota "
        "rule keeps its own quota best nearly everywhere.",
        text=(0,),
    )

"""The section on agents that decide together: who is right, who is heard, and where majority is better."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from isegoria.io.storage.csv_columns import read_columns
from isegoria.studies import html_parts
from isegoria.studies.agent_panels import PANEL_RULES, PANEL_TASKS
from isegoria.studies.provenance import require_provenance
from isegoria.studies.registry import StudyFinding

PANEL_HEADINGS = {
    "accuracy": "right answers",
    "least_heard": "heard least",
    "longest_wait": "longest wait",
    "satisfaction": "satisfaction",
}


def findings(folder: Path) -> list[StudyFinding]:
    """Return each measure of each task and rule; the paper has none of them."""
    table = read_columns(folder / "rules.csv")
    return [
        StudyFinding("agents", rule, "", f"{task}: {PANEL_HEADINGS[measure]}", table[measure][row])
        for row, (task, rule) in enumerate(zip(table["task"], table["rule"], strict=True))
        for measure in PANEL_HEADINGS
        if not math.isnan(table[measure][row])
    ]


def section(folder: Path) -> str:
    """Return the section as HTML."""
    record = require_provenance(folder)
    settings, table = record["settings"], read_columns(folder / "rules.csv")
    parts = [
        f"<p>Panels of agents decide {settings['rounds']} times each, seed {settings['seed']}, "
        f"{settings['panels']} simulated panels of each kind. <em>Heard least</em> is the share of decisions for the "
        "favourite of the agent who had this least; <em>longest wait</em> counts rounds without it, and "
        "<em>satisfaction</em> is the mean rating of what was decided.</p>\n"
    ]
    for task in dict.fromkeys(table["task"]):
        what = PANEL_TASKS[task].what
        parts.append(f"<h3>{what[0].upper()}{what[1:]}</h3>\n{_render_task(table, task)}")
    return "".join([*parts, html_parts.render_commands(record["command"])])


def _render_task(table: dict[str, Any], task: str) -> str:
    rows = [row for row, name in enumerate(table["task"]) if name == task]
    measures = [name for name in PANEL_HEADINGS if not math.isnan(table[name][rows[0]])]
    cells = [
        [
            PANEL_RULES[table["rule"][row]][0],
            *(f"{table[name][row]:.3f} ± {table[f'{name}_se'][row]:.3f}" for name in measures),
        ]
        for row in rows
    ]
    by_rule = {table["rule"][row]: row for row in rows}
    majority, turns = by_rule["majority"], by_rule["turns"]
    shown = ("accuracy", "least_heard") if "accuracy" in measures else ("longest_wait", "satisfaction")
    numbers = "; ".join(
        f"{PANEL_HEADINGS[name]}: majority {table[name][majority]:.2f}, turns {table[name][turns]:.2f}"
        for name in shown
    )
    advice = (
        "A question with one right answer needs the most reliable answer, not turns."
        if "accuracy" in measures
        else "Turns spare everyone long waits, and cost some satisfaction in total."
    )
    caption = f"Means ± standard errors. {numbers[0].upper()}{numbers[1:]}. {advice}"
    return html_parts.render_table(["rule", *(PANEL_HEADINGS[name] for name in measures)], cells, caption, text=(0,))

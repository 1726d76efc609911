"""The section on the regret theorem: how regret grows with each of its parameters, compared with the bound."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import median

from isegoria.io.storage.csv_columns import read_columns
from isegoria.studies import html_parts
from isegoria.studies.provenance import require_provenance
from isegoria.studies.registry import StudyFinding

PANEL_LABELS = {
    "rounds": "rounds T, over the last decade",
    "gap": "smallest gap Δ",
    "alpha": "α",
    "gamma": "γ",
    "agents": "agents N",
    "arms": "arms K",
}
SIZE_NOTES = {
    "short": "<b>This is the short version</b>; <code>isegoria reproduce rate</code> runs a million rounds.",
    "full": "<b>This is the full version</b>, by <code>isegoria reproduce rate</code>.",
}


def findings(folder: Path) -> list[StudyFinding]:
    """Return the slope of regret in each panel; the paper has none of them."""
    table = read_columns(folder / "slopes.csv")
    return [
        StudyFinding("rate", "PF", "", f"log-log slope of regret against {PANEL_LABELS[panel]}", value)
        for panel, value in zip(table["panel"], table["slope"], strict=True)
    ]


def section(folder: Path) -> str:
    """Return the section as HTML."""
    record = require_provenance(folder)
    settings = record["settings"]
    return "".join(
        [
            "<p>Theorem 2 bounds the regret of Algorithm 1 by a power of (1+α)² K ln(NKT)/Δ². Here each of these is "
            f"varied alone: {settings['agents']} agents, {settings['arms']} arms, rewards of 0 and 1, one compromise "
            f"that is everyone's second choice, Δ = {settings['gap']:g} behind favourites that differ, "
            f"γ = {settings['gamma']:g}, α = {settings['alpha']:g}, {settings['rounds']:,} rounds, "
            f"{settings['seeds']} seeds. {SIZE_NOTES[settings['size']]}</p>\n",
            _render_lost_voice(folder),
            html_parts.render_figure(folder, "rate", "page"),
            _table(folder),
            html_parts.render_commands(record["command"]),
        ]
    )


def _render_lost_voice(folder: Path) -> str:
    """Return the table of voice lost in play; it comes first because endless exploration minimises PF regret."""
    columns = read_columns(folder / "rate.csv")
    kinds = dict.fromkeys(zip(columns["panel"], columns["x"], strict=True))
    rows = []
    for panel, x in kinds:
        mine = [row for row, what in enumerate(zip(columns["panel"], columns["x"], strict=True)) if what == (panel, x)]
        lost, regret = (median(columns[name][row] for row in mine) for name in ("lost", "regret"))
        rows.append([PANEL_LABELS[panel], f"{x:g}", f"{lost:,.0f}", f"{regret:,.0f}"])
    return html_parts.render_table(
        ["varied", "value", "voice lost", "PF regret"],
        rows,
        "Medians over seeds. Voice lost: rounds times 1 − the procedural score of the arms as played, exploring rounds "
        "included. PF regret counts rounds with a wrong set; its least value is had by exploring for ever, so it says "
        "nothing about what a group lives through, and stays here for the theorem.",
    )


def _table(folder: Path) -> str:
    columns = read_columns(folder / "slopes.csv")
    rows = [
        [
            PANEL_LABELS[panel],
            _format_number(columns["slope"][row]),
            f"{_format_number(columns['low'][row])} to {_format_number(columns['high'][row])}",
            _format_number(columns["theory"][row]),
            f"{columns['unfinished'][row]:.0f}",
        ]
        for row, panel in enumerate(columns["panel"])
    ]
    return html_parts.render_table(
        ["regret against", "slope", "95 % interval", "slope of the bound", "runs not finished"],
        rows,
        "Slopes on logarithmic axes, by least squares over all runs that knew every set before the end (against "
        f"rounds: within runs). {_format_ratios(folder)} Regret and bound fall with the gap, and the bound's "
        "slopes are not "
        "regret's: sets are decided by α·z alone, so regret goes as (α²/Δ²)^(1/γ), with slopes 2/γ = 2.86 in α and "
        "−2.86 in Δ at γ = .7, while the bound's (1 + α)² is slack of the proof. Once the sets are known, regret does "
        "not grow at all; the bound still does, with ln T. <b>Regret falls with γ because no round is charged for "
        "exploring</b>: at γ = .99 it is least, and what is played is nearly uniform (voice lost, above).",
    )


def _format_ratios(folder: Path) -> str:
    """Return a sentence with the median ratio of the bound to the regret for each γ."""
    columns = read_columns(folder / "rate.csv")
    rows = zip(*(columns[name] for name in ("panel", "x", "regret", "bound")), strict=True)
    times: dict[float, list[float]] = {}
    for panel, x, regret, bound in rows:
        if panel == "gamma" and regret > 0:
            times.setdefault(x, []).append(bound / regret)
    told = [f"{median(times[gamma]):,.0f} times at γ = {gamma:g}" for gamma in sorted(times)]
    return f"The bound is {', '.join(told)} the regret or more." if told else ""


def _format_number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2f}"

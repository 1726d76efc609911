"""The section on the regret theorem: how regret grows with each of the things it depends on, beside the bound."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import median

from isegoria.io.columns import read_columns
from isegoria.studies import page
from isegoria.studies.record import record_of
from isegoria.studies.registry import Finding

WORDS = {
    "rounds": "rounds T, over the last decade",
    "gap": "smallest gap Δ",
    "alpha": "α",
    "gamma": "γ",
    "agents": "agents N",
    "arms": "arms K",
}
VERSIONS = {
    "short": "<b>This is the short version</b>; <code>isegoria reproduce rate</code> runs a million rounds.",
    "full": "<b>This is the full version</b>, by <code>isegoria reproduce rate</code>.",
}


def findings(folder: Path) -> list[Finding]:
    """The slope of regret in each panel; the paper has none of them."""
    table = read_columns(folder / "slopes.csv")
    return [
        Finding("rate", "PF", "", f"log-log slope of regret against {WORDS[panel]}", value)
        for panel, value in zip(table["panel"], table["slope"], strict=True)
    ]


def section(folder: Path) -> str:
    """The section, as HTML."""
    record = record_of(folder)
    settings = record["settings"]
    return "".join(
        [
            "<p>Theorem 2 bounds the regret of Algorithm 1 by a power of (1+α)² K ln(NKT)/Δ². Here each of these is "
            f"varied alone: {settings['agents']} agents, {settings['arms']} arms, rewards of 0 and 1, one compromise "
            f"that is everyone's second choice, Δ = {settings['gap']:g} behind favourites that differ, "
            f"γ = {settings['gamma']:g}, α = {settings['alpha']:g}, {settings['rounds']:,} rounds, "
            f"{settings['seeds']} seeds. {VERSIONS[settings['size']]}</p>\n",
            _lost(folder),
            page.figure(folder, "rate", "page"),
            _table(folder),
            page.again(record["command"]),
        ]
    )


def _lost(folder: Path) -> str:
    """What is played, first: PF regret alone is least for who explores for ever."""
    columns = read_columns(folder / "rate.csv")
    kinds = dict.fromkeys(zip(columns["panel"], columns["x"], strict=True))
    rows = []
    for panel, x in kinds:
        mine = [row for row, what in enumerate(zip(columns["panel"], columns["x"], strict=True)) if what == (panel, x)]
        lost, regret = (median(columns[name][row] for row in mine) for name in ("lost", "regret"))
        rows.append([WORDS[panel], f"{x:g}", f"{lost:,.0f}", f"{regret:,.0f}"])
    return page.table(
        ["varied", "value", "voice lost", "PF regret"], rows,
        "Medians over seeds. Voice lost: rounds times 1 − the procedural score of the arms as played, exploring rounds "
        "included. PF regret counts rounds with a wrong set; its least value is had by exploring for ever, so it says "
        "nothing about what a group lives through, and stays here for the theorem.",
    )  # fmt: skip


def _table(folder: Path) -> str:
    columns = read_columns(folder / "slopes.csv")
    rows = [
        [
            WORDS[panel],
            _number(columns["slope"][row]),
            f"{_number(columns['low'][row])} to {_number(columns['high'][row])}",
            _number(columns["theory"][row]),
            f"{columns['unfinished'][row]:.0f}",
        ]
        for row, panel in enumerate(columns["panel"])
    ]
    return page.table(
        ["regret against", "slope", "95 % interval", "slope of the bound", "runs not finished"], rows,
        "Slopes on logarithmic axes, by least squares over all runs that knew every set before the end (against "
        f"rounds: within runs). {_times(folder)} Regret and bound fall with the gap, and the bound's slopes are not "
        "regret's: sets are decided by α·z alone, so regret goes as (α²/Δ²)^(1/γ), with slopes 2/γ = 2.86 in α and "
        "−2.86 in Δ at γ = .7, while the bound's (1 + α)² is slack of the proof. Once the sets are known, regret does "
        "not grow at all; the bound still does, with ln T. <b>Regret falls with γ because no round is charged for "
        "exploring</b>: at γ = .99 it is least, and what is played is nearly uniform (voice lost, above).",
    )  # fmt: skip


def _times(folder: Path) -> str:
    """How many times the regret the bound is, from the largest γ to the least."""
    columns = read_columns(folder / "rate.csv")
    rows = zip(*(columns[name] for name in ("panel", "x", "regret", "bound")), strict=True)
    times: dict[float, list[float]] = {}
    for panel, x, regret, bound in rows:
        if panel == "gamma" and regret > 0:
            times.setdefault(x, []).append(bound / regret)
    told = [f"{median(times[gamma]):,.0f} times at γ = {gamma:g}" for gamma in sorted(times)]
    return f"The bound is {', '.join(told)} the regret or more." if told else ""


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.2f}"

"""The section beyond the paper: claims about the elimination learner, all learners, preferences that change."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path
from typing import Any

from isegoria.io.storage.csv_columns import read_columns
from isegoria.learning import LEARNERS
from isegoria.learning.simulation.learner_comparison import COMPARISON_METRICS
from isegoria.learning.simulation.learner_names import format_label
from isegoria.studies import html_parts
from isegoria.studies.elimination.guarantees import format_scores
from isegoria.studies.elimination.play_scores import SCORED_ROUNDS
from isegoria.studies.provenance import require_provenance
from isegoria.studies.registry import StudyFinding

SIZE_NOTES = {
    "light": "<b>This is the light version</b>: {seeds} seeds of what is played, {rounds_seeds} of rounds, few groups. "
    "<code>make study-beyond</code> computes it in full and puts it on this page.",
    "full": "<b>This is the full version</b>, computed by <code>make study-beyond</code>: {seeds} seeds of what is "
    "played, {rounds_seeds} of rounds, all groups.",
}
PAGE_METRICS = {name: COMPARISON_METRICS[name] for name in ("lost", "realised", "voice", "wait", "sets", "regret")}
"""The comparison metrics that have a column on the page."""


def read_claims(folder: Path) -> list[list[str]]:
    """Read the table of claims: a header, and per claim its words, what was measured and required, and yes or no."""
    table = read_columns(folder / "claims.csv")
    rows = zip(table["claim"], table["measured"], table["asked"], table["ok"], strict=True)
    body = [[claim, str(measured), str(asked), "yes" if ok else "NO"] for claim, measured, asked, ok in rows]
    return [["claim", "measured", "asked", "ok"], *body]


def findings(folder: Path) -> list[StudyFinding]:
    """Return each claim with what was measured and whether it holds; the paper has none of them."""
    table = read_columns(folder / "claims.csv")
    return [
        StudyFinding("beyond", "Elimination", "", claim, str(measured), None, bool(ok))
        for claim, measured, ok in zip(table["claim"], table["measured"], table["ok"], strict=True)
    ]


def section(folder: Path) -> str:
    """Return the section as HTML."""
    record = require_provenance(folder)
    settings = record["settings"]
    header, *rows = read_claims(folder)
    cells = [[*(escape(cell) for cell in row[:3]), _render_mark(row[3] == "yes")] for row in rows]
    return "".join(
        [
            "<p>Algorithm 1 explores with everybody's rounds. In the elimination learner every agent owns its share of "
            "every round: one that knows its favourites spends it there, one in doubt explores with its own. An arm is "
            "dropped by bets on matched pairs that only a favourite is sure to survive. "
            f"{SIZE_NOTES[settings['size']].format(**settings)}</p>\n",
            _render_play(folder),
            _render_rounds(folder),
            html_parts.render_table(header, cells, "Claims, what was measured, and what was asked.", text=(0, 1, 2)),
            _render_groups(folder),
            _render_drift(folder),
            _render_comparison(folder, settings),
            html_parts.render_pair(
                html_parts.render_figure(folder, "contest-realised"), html_parts.render_figure(folder, "contest-regret")
            ),
            html_parts.render_figure(folder, "contest-scores", "page"),
            html_parts.render_pair(
                html_parts.render_figure(folder, "contest-sets"), html_parts.render_figure(folder, "contest-voice")
            ),
            html_parts.render_figure(folder, "contest-cost"),
            _render_delays(folder, settings),
            html_parts.render_figure(folder, "noticing"),
            html_parts.render_commands(
                record["command"], "isegoria learn FILE --learners procedural,elimination,thompson,nash-ucb --seeds 20"
            ),
        ]
    )


def _render_play(folder: Path) -> str:
    found = read_columns(folder / "played.csv")
    rows = [
        [
            escape(str(world)),
            escape(str(found["learner"][row])),
            *format_scores(found, row),
            f"{found['wait_median'][row]:,.0f} ({found['wait_most'][row]:,.0f})",
            f"{found['least_share'][row]:.2f}",
        ]
        for row, world in enumerate(found["world"])
    ]
    heads = [
        "world",
        "learner",
        *(f"score at {at:,}" for at in SCORED_ROUNDS),
        "longest wait: median (most)",
        "least share of due",
    ]
    return "<h3>What is played</h3>\n" + html_parts.render_table(
        heads,
        rows,
        "Procedural score of the arms as played: mean over seeds ± its standard error. The longest wait "
        "of anyone in 5,000 rounds, and the least share of its due that anyone had.",
        text=(0, 1),
    )


def _render_rounds(folder: Path) -> str:
    found = read_columns(folder / "rounds.csv")
    rows = [
        [
            escape(str(name)),
            f"{found['bound'][row]:,.0f}",
            escape(str(found["setting"][row])),
            f"{found['rounds'][row]:,.0f} ± {found['se'][row]:,.0f}",
            f"{found['rounds'][row] / found['bound'][row]:.1f}",
            f"{found['half'][row]:,.0f}",
            f"{found['wrong'][row]:.0f} of {found['runs'][row]:.0f}",
        ]
        for row, name in enumerate(found["instance"])
    ]
    return "<h3>Rounds until every set is one arm</h3>\n" + html_parts.render_table(
        ["instance", "bound", "explore", "rounds", "times the bound", "half of the agents by", "wrong"],
        rows,
        "Rewards of 0 and 1, error .05 for the bets: mean over seeds ± its standard error. The bound is that of "
        "learners of this error that may use every round for learning.",
        text=(0, 2),
    )


def _render_groups(folder: Path) -> str:
    found = read_columns(folder / "groups.csv")
    rows = [
        [
            escape(str(name)),
            *format_scores(found, row),
            f"{found['least_share'][row]:.2f}",
            f"{found['wait_most'][row]:,.0f}",
        ]
        for row, name in enumerate(found["learner"])
    ]
    return "<h3>Random groups</h3>\n" + html_parts.render_table(
        ["learner", *(f"score at {at:,}" for at in SCORED_ROUNDS), "least share of due", "longest wait"],
        rows,
        f"{found['groups'][0]:.0f} groups of 3 to 20 agents and 3 to 8 arms, half of the agents nearly tied; rewards "
        "of 0 and 1. Mean over groups ± its standard error; the last two columns are of the worst group.",
    )


def _render_drift(folder: Path) -> str:
    found = read_columns(folder / "drift.csv")
    rows = [
        [
            str(move),
            f"{found['trickle'][row]:g}",
            f"{found['noticed'][row]:.0f} of {found['runs'][row]:.0f}",
            _format_rounds(found["median"][row]),
            _format_rounds(found["late"][row]),
            f"{found['score_before'][row]:.3f}",
            f"{found['score_after'][row]:.3f}",
            f"{found['false'][row]:.0f}",
        ]
        for row, move in enumerate(found["move"])
    ]
    return "<h3>A taste that changes</h3>\n" + html_parts.render_table(
        ["move", "trickle", "noticed", "median", "90 %", "score before", "score at the end", "false alarms"],
        rows,
        "Three agents, four arms; after 5,000 rounds the favourite of one moves to an arm that is played (A), or to "
        "one that nobody plays (B). Rounds until the alarm; scores of the policy over 1,000 rounds.",
    )


def _render_comparison(folder: Path, settings: dict[str, Any]) -> str:
    columns = read_columns(folder / "contest.csv")
    rows = []
    for row, name in enumerate(columns["learner"]):
        cells = [_format_range(columns, name, question.digits, row) for name, question in PAGE_METRICS.items()]
        rows.append([escape(_format_label(name)), *cells])
    cut = [
        _format_label(name)
        for row, name in enumerate(columns["learner"])
        if columns["sets"][row] >= settings["contest_rounds"]
    ]
    told = f" Cut before every set was right: {', '.join(map(escape, cut))}." if cut else ""
    kinds = [
        [escape(_format_label(name)), escape(LEARNERS[name].summary)] for name in columns["learner"] if name in LEARNERS
    ]
    return (
        "<h3>Learners compared on the Dots voters</h3>\n"
        + html_parts.render_table(
            ["learner", *(question.head for question in PAGE_METRICS.values())],
            rows,
            f"{settings['contest_rounds']:,} rounds, {settings['contest_seeds']} seeds, the same rewards for all: the "
            "median, and in brackets the range. Learners without bounds take the empirically best arms for a "
            "set: on clear "
            f"preferences they are right at once, on ties never, and they cannot say which it is.{told}",
            kind="narrow",
        )
        + html_parts.render_table(["learner", "how it works"], kinds, text=(1,))
    )


def _render_delays(folder: Path, settings: dict[str, Any]) -> str:
    columns = read_columns(folder / "delays.csv")
    rows = [
        [escape(_format_label(name)), *(_format_rounds(columns[key][row]) for key in ("median", "low", "high"))]
        for row, name in enumerate(columns["learner"])
    ]
    return "<h3>When tastes change</h3>\n" + html_parts.render_table(
        ["learner", "median", "least", "most"],
        rows,
        f"Rounds from the change at round {settings['change']:,} until the PF score of the learned policy is at least "
        "0.95 again, and stays so. Changes while an agent is in doubt are not watched for, and one to an arm that "
        "nobody plays is not seen without a trickle.",
    )


def _format_label(name: str) -> str:
    return format_label(name)


def _format_rounds(value: float) -> str:
    return "not noticed" if math.isinf(value) else f"{value:,.0f}"


def _format_range(columns: dict[str, Any], question: str, digits: int, row: int) -> str:
    middle, low, high = (f"{columns[question + end][row]:,.{digits}f}" for end in ("", "_low", "_high"))
    return middle if low == high else f"{middle} [{low}, {high}]"


def _render_mark(ok: bool) -> str:
    return '<span class="yes">✓</span>' if ok else '<span class="no">✗</span>'

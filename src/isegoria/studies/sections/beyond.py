"""The section beyond the paper: what the guided learner holds, all learners compared, and tastes that change."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path
from typing import Any

from isegoria.io.columns import read_columns
from isegoria.learning import LEARNERS
from isegoria.learning.runs.contest import QUESTIONS
from isegoria.studies import page
from isegoria.studies.record import record_of
from isegoria.studies.registry import Finding

VERSIONS = {
    "light": "<b>This is the light version</b>: {seeds} seeds, a few other groups, no coverage study. "
    "<code>make study-beyond</code> computes it in full and puts it on this page.",
    "full": "<b>This is the full version</b>, computed by <code>make study-beyond</code>: {seeds} seeds, all other "
    "groups, and the coverage study.",
}
SHOWN = {name: QUESTIONS[name] for name in ("sets", "regret", "shortfall", "procedural", "realised", "voice")}
"""The questions of a contest that have a column on the page."""


def read_claims(folder: Path) -> list[list[str]]:
    """The table of claims: a header, and for each claim its words, what was measured, what was asked, and yes or no."""
    table = read_columns(folder / "claims.csv")
    rows = zip(table["claim"], table["measured"], table["asked"], table["ok"], strict=True)
    body = [[claim, str(measured), str(asked), "yes" if ok else "NO"] for claim, measured, asked, ok in rows]
    return [["claim", "measured", "asked", "ok"], *body]


def findings(folder: Path) -> list[Finding]:
    """Each claim, with what was measured and whether it holds; the paper has none of them."""
    table = read_columns(folder / "claims.csv")
    return [
        Finding("beyond", "Guided", "", claim, str(measured), None, bool(ok))
        for claim, measured, ok in zip(table["claim"], table["measured"], table["ok"], strict=True)
    ]


def section(folder: Path) -> str:
    """The section, as HTML."""
    record = record_of(folder)
    settings = record["settings"]
    header, *rows = read_claims(folder)
    cells = [[*(escape(cell) for cell in row[:3]), _mark(row[3] == "yes")] for row in rows]
    return "".join(
        [
            "<p>Algorithm 1 explores all arms and uses bounds that ignore how much rewards scatter. The guided learner "
            "explores only the arms that some agent may still prefer, and drops an arm by bets that only a favourite "
            "is sure to survive; with the same bound on the probability of ever losing a true favourite (from 7 pairs "
            "of agents and arms on; a smaller one below) it knows every favourite set sooner: on Dots some eighty "
            "times with Beta rewards of sd 0.1, some twenty times with rewards of 0 and 1. Much of that is exploring "
            "always while in doubt: Algorithm 1 with γ = 0.99 needs about a fifth of its rounds. "
            f"{VERSIONS[settings['size']].format(**settings)}</p>\n",
            page.table(header, cells, f"Both learners meet the same rewards; {settings['rounds']:,} rounds.",
                       text=(0, 1, 2)),
            _contest(folder, settings),
            page.pair(page.figure(folder, "contest-regret"), page.figure(folder, "contest-realised")),
            page.figure(folder, "contest-scores", "page"),
            page.pair(page.figure(folder, "contest-sets"), page.figure(folder, "contest-voice")),
            page.figure(folder, "contest-cost"),
            _delays(folder, settings),
            page.figure(folder, "noticing"),
            page.again(record["command"], "isegoria learn FILE --learners procedural,guided,posterior,nash --seeds 20"),
        ]
    )  # fmt: skip


def _contest(folder: Path, settings: dict[str, Any]) -> str:
    columns = read_columns(folder / "contest.csv")
    rows = []
    for row, name in enumerate(columns["learner"]):
        cells = [_spread(columns, name, question.digits, row) for name, question in SHOWN.items()]
        rows.append([escape(LEARNERS[name].label), escape(LEARNERS[name].summary), *cells])
    return "<h3>Learners compared on the Dots voters</h3>\n" + page.table(
        ["learner", "how it works", *(question.head for question in SHOWN.values())], rows,
        f"{settings['contest_rounds']:,} rounds, {settings['contest_seeds']} seeds, the same rewards for all: the "
        "median, and in brackets the range. Learners without bounds take the empirically best arms for a set: on clear "
        "preferences they are right at once, on ties never, and they cannot say which it is.",
        text=(1,),
    )  # fmt: skip


def _delays(folder: Path, settings: dict[str, Any]) -> str:
    columns = read_columns(folder / "delays.csv")
    rows = [
        [escape(_label(name)), *(_rounds(columns[key][row]) for key in ("median", "low", "high"))]
        for row, name in enumerate(columns["learner"])
    ]
    return "<h3>When tastes change</h3>\n" + page.table(
        ["learner", "median", "least", "most"], rows,
        f"Rounds from the change at round {settings['change']:,} until the PF score of the learned policy is at least "
        "0.95 again, and stays so. Only the fading learner is made for this, and it has no guarantee.",
    )  # fmt: skip


def _label(name: str) -> str:
    return LEARNERS[name].label if name in LEARNERS else name.capitalize()


def _rounds(value: float) -> str:
    return "not noticed" if math.isinf(value) else f"{value:,.0f}"


def _spread(columns: dict[str, Any], question: str, digits: int, row: int) -> str:
    middle, low, high = (f"{columns[question + end][row]:,.{digits}f}" for end in ("", "_low", "_high"))
    return middle if low == high else f"{middle} [{low}, {high}]"


def _mark(ok: bool) -> str:
    return '<span class="yes">✓</span>' if ok else '<span class="no">✗</span>'

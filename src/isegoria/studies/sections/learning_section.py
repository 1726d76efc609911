"""The section on learning: the paper's single run, and the same over many seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isegoria.io.storage.csv_columns import read_columns
from isegoria.studies import html_parts
from isegoria.studies.provenance import require_provenance
from isegoria.studies.registry import StudyFinding
from isegoria.utils.formatting import SCORE_LABELS

MEASURE_LABELS = {
    "regret": "rounds with a favourite set wrong (the paper's regret)",
    "last_mismatch": "last round with a set wrong",
    "exploring_rounds": "exploring rounds",
    "patterns": "different patterns of favourite sets on the way",
    "procedural": "PF score of the learned policy at the end",
    "equality": "its IM score",
    "utilitarian": "its UT score",
}


def findings(folder: Path) -> list[StudyFinding]:
    """Return the measures of the first seed's run; the paper printed none of them."""
    table = read_columns(folder / "seeds.csv")
    return [StudyFinding("learning", "PF", "", name, table[name][0]) for name in MEASURE_LABELS]


def section(folder: Path) -> str:
    """Return the section as HTML."""
    record = require_provenance(folder)
    settings = record["settings"]
    return "".join(
        [
            f"<p>Now nobody knows the rewards. Algorithm 1 plays {settings['rounds']:,} rounds on the same 50 voters "
            f"(γ = {settings['gamma']:g}, α = {settings['alpha']:g}, Beta rewards of standard deviation "
            f"{settings['sd']:g}), keeps for each agent the arms that may still be its favourite, and plays the policy "
            "that is procedurally fair to these sets.</p>\n",
            html_parts.render_pair(
                html_parts.render_figure(folder, "learning-scores"), html_parts.render_figure(folder, "learning-policy")
            ),
            html_parts.render_figure(folder, "learning-band"),
            _table(folder, settings),
            html_parts.render_commands(record["command"]),
        ]
    )


def _table(folder: Path, settings: dict[str, Any]) -> str:
    columns = read_columns(folder / "seeds.csv")
    rows = []
    for name, words in MEASURE_LABELS.items():
        digits = 3 if name in SCORE_LABELS else 0
        low, high = min(columns[name]), max(columns[name])
        rows.append([words, f"{columns[name][0]:,.{digits}f}", f"{low:,.{digits}f} to {high:,.{digits}f}"])
    seeds = len(columns["seed"])
    return html_parts.render_table(
        ["measure", f"seed {columns['seed'][0]:.0f}", f"over {seeds} seeds"],
        rows,
        "The paper prints none of these; it says that the policy converges. Its Theorem 2 promises right sets from "
        f"round {settings['recovery_round']:,} on: it says nothing yet about this many rounds. They come much sooner.",
    )

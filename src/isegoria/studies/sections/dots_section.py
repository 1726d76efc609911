"""The section on real voters: Table 2 with the paper's numbers, other samples of the same electorate, two figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isegoria.io.storage.csv_columns import read_columns
from isegoria.studies import html_parts
from isegoria.studies.provenance import require_provenance
from isegoria.studies.published_tables import PAPER_TABLE2, find_rule_id
from isegoria.studies.registry import StudyFinding
from isegoria.utils.formatting import SCORE_LABELS

UNUSUAL_CELL = ("UT", "procedural")
"""The table cell in which the paper's sample differs most from other samples."""


def findings(folder: Path) -> list[StudyFinding]:
    """Return every cell of Table 2 with the paper's number."""
    table = read_columns(folder / "table2.csv")
    found = []
    for row, label in enumerate(table["policy"]):
        printed_row = PAPER_TABLE2.get(find_rule_id(label))
        for place, score in enumerate(SCORE_LABELS):
            value, printed = table[score][row], printed_row[place] if printed_row else None
            same = None if printed is None else f"{value:.2f}" == f"{printed:.2f}"
            found.append(StudyFinding("dots", label, score, "value", value, printed, same))
    return found


def section(folder: Path) -> str:
    """Return the section as HTML."""
    record = require_provenance(folder)
    return "".join(
        [
            "<p>800 people on Mechanical Turk ranked four images by their number of dots (PrefLib 00024-00000003; Mao, "
            "Procaccia and Chen 2013). The paper takes 50 of them and gives a voter's first to fourth choice the mean "
            "rewards 0.9, 0.63, 0.37 and 0.1. It does not say which 50. Ours are inferred: the draw "
            "<code>RandomState(42).choice(800, 50, replace=False)</code> over the voters in the file's order gives "
            "every number that the paper prints, which makes it all but certain that they are the same.</p>\n",
            _render_table2(folder),
            html_parts.render_pair(html_parts.render_figure(folder, "dots"), html_parts.render_figure(folder, "price")),
            _render_samples(folder, record["settings"]),
            html_parts.render_commands(record["command"]),
        ]
    )


def _render_table2(folder: Path) -> str:
    found = {(item.policy, item.score): item for item in findings(folder)}
    rows = []
    for label in dict.fromkeys(policy for policy, _ in found):
        items = [found[label, score] for score in SCORE_LABELS]
        printed = [None if item.paper is None else f"{item.paper:.2f}" for item in items]
        cells = [
            html_parts.render_comparison(f"{i.value:.2f}", text, bool(i.agrees))
            for i, text in zip(items, printed, strict=True)
        ]
        rows.append([html_parts.render_policy(label), *cells])
    compared = [item for item in found.values() if item.agrees is not None]
    right = sum(item.agrees is True for item in compared)
    return html_parts.render_table(
        ["policy", "PF score", "IM score", "UT score"],
        rows,
        f"✓: equal to the paper's at the two decimals it prints. {right} of {len(compared)} cells agree. "
        f"{html_parts.render_link(folder, 'table2.csv')} {html_parts.render_link(folder, 'table2.tex')}",
    )


def _render_samples(folder: Path, settings: dict[str, Any]) -> str:
    columns = read_columns(folder / "samples.csv")
    rows = []
    for start in range(0, len(columns["policy"]), len(SCORE_LABELS)):
        cells = [_format_range(columns, row) for row in range(start, start + len(SCORE_LABELS))]
        rows.append([columns["policy"][start], *cells])
    return f"<h3>{settings['samples']:,} other samples of {settings['size']} voters</h3>\n" + html_parts.render_table(
        ["policy", "PF score", "IM score", "UT score"],
        rows,
        "Mean over the samples, and in brackets what 90 % of them lie between (5 % and 95 % quantiles). The paper's "
        "sample is unusual: images 1 and 2 are each the first choice of 19 of its 50 voters, while among all 800 they "
        f"are that of 50 % and 26 %. {_describe_unusual(columns)} {html_parts.render_link(folder, 'samples.csv')}",
    )


def _describe_unusual(columns: dict[str, Any]) -> str:
    row = next(
        r for r, names in enumerate(zip(columns["policy"], columns["score"], strict=True)) if names == UNUSUAL_CELL
    )
    paper, mean, below = (columns[name][row] for name in ("paper_sample", "mean", "below"))
    return (
        f"The PF score of the UT policy, {paper:.2f} in the paper's sample, is {mean:.2f} on average, and only "
        f"{below:.0%} of the samples have a lower one."
    )


def _format_range(columns: dict[str, Any], row: int) -> str:
    return f"{columns['mean'][row]:.2f} [{columns['q05'][row]:.2f}, {columns['q95'][row]:.2f}]"

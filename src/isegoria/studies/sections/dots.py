"""The section on real voters: Table 2 beside the paper's, other samples of the same electorate, and two figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isegoria.io.columns import read_columns
from isegoria.studies import page
from isegoria.studies.paper import TABLE2, rule_of
from isegoria.studies.record import record_of
from isegoria.studies.registry import Finding
from isegoria.wording import SCORES

UNUSUAL = ("UT", "procedural")
"""The cell in which the paper's sample differs most from others."""


def findings(folder: Path) -> list[Finding]:
    """Every cell of Table 2, beside the paper's."""
    table = read_columns(folder / "table2.csv")
    found = []
    for row, label in enumerate(table["policy"]):
        printed_row = TABLE2.get(rule_of(label))
        for place, score in enumerate(SCORES):
            value, printed = table[score][row], printed_row[place] if printed_row else None
            same = None if printed is None else f"{value:.2f}" == f"{printed:.2f}"
            found.append(Finding("dots", label, score, "value", value, printed, same))
    return found


def section(folder: Path) -> str:
    """The section, as HTML."""
    record = record_of(folder)
    return "".join(
        [
            "<p>800 people on Mechanical Turk ranked four images by their number of dots (PrefLib 00024-00000003; Mao, "
            "Procaccia and Chen 2013). The paper takes 50 of them and gives a voter's first to fourth choice the mean "
            "rewards 0.9, 0.63, 0.37 and 0.1. It does not say which 50. Ours are inferred: the draw "
            "<code>RandomState(42).choice(800, 50, replace=False)</code> over the voters in the file's order gives "
            "every number that the paper prints, which makes it all but certain that they are the same.</p>\n",
            _table2(folder),
            page.pair(page.figure(folder, "dots"), page.figure(folder, "price")),
            _samples(folder, record["settings"]),
            page.again(record["command"]),
        ]
    )


def _table2(folder: Path) -> str:
    found = {(item.policy, item.score): item for item in findings(folder)}
    rows = []
    for label in dict.fromkeys(policy for policy, _ in found):
        items = [found[label, score] for score in SCORES]
        printed = [None if item.paper is None else f"{item.paper:.2f}" for item in items]
        cells = [page.beside(f"{i.value:.2f}", text, bool(i.agrees)) for i, text in zip(items, printed, strict=True)]
        rows.append([page.policy(label), *cells])
    compared = [item for item in found.values() if item.agrees is not None]
    right = sum(item.agrees is True for item in compared)
    return page.table(
        ["policy", "PF score", "IM score", "UT score"], rows,
        f"✓: equal to the paper's at the two decimals it prints. {right} of {len(compared)} cells agree. "
        f"{page.link(folder, 'table2.csv')} {page.link(folder, 'table2.tex')}",
    )  # fmt: skip


def _samples(folder: Path, settings: dict[str, Any]) -> str:
    columns = read_columns(folder / "samples.csv")
    rows = []
    for start in range(0, len(columns["policy"]), len(SCORES)):
        cells = [_spread(columns, row) for row in range(start, start + len(SCORES))]
        rows.append([columns["policy"][start], *cells])
    return f"<h3>{settings['samples']:,} other samples of {settings['size']} voters</h3>\n" + page.table(
        ["policy", "PF score", "IM score", "UT score"], rows,
        "Mean over the samples, and in brackets what 90 % of them lie between (5 % and 95 % quantiles). The paper's "
        "sample is unusual: images 1 and 2 are each the first choice of 19 of its 50 voters, while among all 800 they "
        f"are that of 50 % and 26 %. {_how_unusual(columns)} {page.link(folder, 'samples.csv')}",
    )  # fmt: skip


def _how_unusual(columns: dict[str, Any]) -> str:
    row = next(r for r, names in enumerate(zip(columns["policy"], columns["score"], strict=True)) if names == UNUSUAL)
    paper, mean, below = (columns[name][row] for name in ("paper_sample", "mean", "below"))
    return (
        f"The PF score of the UT policy, {paper:.2f} in the paper's sample, is {mean:.2f} on average, and only "
        f"{below:.0%} of the samples have a lower one."
    )


def _spread(columns: dict[str, Any], row: int) -> str:
    return f"{columns['mean'][row]:.2f} [{columns['q05'][row]:.2f}, {columns['q95'][row]:.2f}]"

"""The first section: every sentence of the paper with what was measured and its verdict, and the measurements."""

from __future__ import annotations

from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

from isegoria.io.columns import read_columns
from isegoria.studies import page
from isegoria.studies.claims import verdicts
from isegoria.studies.claims.sentences import CLAIMS
from isegoria.studies.claims.verdicts import FAILS, HOLDS, VERDICTS, Judged
from isegoria.studies.record import record_of
from isegoria.studies.registry import Finding
from isegoria.wording import SCORES

MARK = {HOLDS: "yes", FAILS: "no"}
BY = {"agents": "agents N", "arms": "arms K", "favourites": "largest set f", "sets": "sizes of sets", "model": "model"}
SHOWN = ("IM", "UT", "EG", "NSW", "GGI")
"""The outcome policies whose voice the breakdown on the page shows; the file has all ten policies."""


def findings(folder: Path) -> list[Finding]:
    """Each claim with its verdict; `agrees` is None where it depends on something."""
    answers = {HOLDS: True, FAILS: False}
    return [
        Finding("claims", CLAIMS[id].place, "", CLAIMS[id].says, one.verdict, None, answers.get(one.verdict))
        for id, one in verdicts(folder).items()
    ]


def section(folder: Path) -> str:
    """The section, as HTML."""
    record = record_of(folder)
    judged = verdicts(folder)
    counts = Counter(one.verdict for one in judged.values())
    summary = ", ".join(f"{counts[verdict]} {_plural(verdict, counts[verdict])}" for verdict in VERDICTS)
    return "".join(
        [
            f"<p>{len(judged)} sentences of the paper, in our words: {summary}. What it takes to hold stands beside "
            "each, with a mark on every part of it; the verdict follows from the measured numbers alone. What the "
            'scores and policies are is said <a href="#guide">below</a>.</p>\n',
            _table(folder, judged),
            _relative(folder),
            page.figure(folder, "claims-relative", "page"),
            _differences(folder),
            _breakdown(folder),
            page.figure(folder, "claims-played", "page"),
            _played(folder),
            _lies(folder),
            page.again(record["command"]),
        ]
    )


def _plural(verdict: str, count: int) -> str:
    words = {"holds": "hold", "holds after rounding": "hold after rounding", "depends": "depend on something",
             "does not hold": "do not hold"}  # fmt: skip
    return (verdict if verdict != "depends" else "depends on something") if count == 1 else words[verdict]


def _table(folder: Path, judged: dict[str, Judged]) -> str:
    rows = []
    for id, one in judged.items():
        claim = CLAIMS[id]
        style = f' class="{MARK[one.verdict]}"' if one.verdict in MARK else ""
        verdict = f"<b{style}>{one.verdict}</b>{' on ' if one.verdict == 'depends' else ': ' if one.words else ''}"
        links = " ".join(page.link(folder, name) for name in claim.files)
        rows.append([f'<span class="paper">{escape(claim.place)}</span><br>{escape(claim.says)}',
                     f"{escape(one.measured)} {links}", escape(one.asked), verdict + escape(one.words)])  # fmt: skip
    return page.table(["claim", "measured", "asked", "verdict"], rows,
                      f"All of it: {page.link(folder, 'claims.csv')}, {page.link(folder, 'numbers.csv')}.",
                      text=(0, 1, 2, 3), kind="claims")  # fmt: skip


def _relative(folder: Path) -> str:
    table = read_columns(folder / "relative.csv")
    rows = [
        [escape(str(label)), *(f"{table[name][row]:.3f} / {table[f'relative_{name}'][row]:.3f}" for name in SCORES),
         f"{table['least'][row]:.3f} [{table['least_low'][row]:.3f}, {table['least_high'][row]:.3f}]",
         f"{table['best'][row]:.0%}"]
        for row, label in enumerate(table["policy"])
    ]  # fmt: skip
    return "<h3>On two scales</h3>\n" + page.table(
        ["policy", *(f"{label} score" for label in SCORES.values()), "least of three", "best of the six"], rows,
        "Mean score / mean relative score, (score − least)/(1 − least), where the least is that of the worst arm in "
        "the same group. Least of three: of the relative scores, with its 95 % interval; best of the six: share of "
        f"groups in which it is as good as the best of the paper's six. {page.link(folder, 'relative.csv')}",
    )  # fmt: skip


def _differences(folder: Path) -> str:
    table = read_columns(folder / "differences.csv")
    cells = {(other, measure): f"{mean:+z.3f} [{low:+z.3f}, {high:+z.3f}]" for other, measure, mean, low, high in
             zip(*(table[name] for name in ("minus", "measure", "mean", "low", "high")), strict=True)}  # fmt: skip
    rows = [[escape(str(other)), *(cells[other, name] for name in (*SCORES, "least"))]
            for other in dict.fromkeys(table["minus"])]  # fmt: skip
    return page.table(
        ["PF minus …", *(f"{label} score" for label in SCORES.values()), "least relative"], rows,
        "Differences on the same groups, with paired bootstrap intervals of 95 %. "
        f"{page.link(folder, 'differences.csv')}",
    )  # fmt: skip


def _breakdown(folder: Path) -> str:
    table = read_columns(folder / "breakdown.csv")
    keys = list(zip(table["by"], table["value"], strict=True))
    rows = []
    for by, value in dict.fromkeys(keys):
        mine = {table["policy"][row]: row for row, key in enumerate(keys) if key == (by, value)}
        cells = [f"{table['procedural'][mine[label]]:.3f}" for label in SHOWN]
        kept = [f"{table[name][mine['PF']]:.3f}" for name in ("relative_equality", "relative_utilitarian", "least")]
        rows.append([f"{BY[by]} = {_value(value)}", f"{table['groups'][mine['PF']]:.0f}", *cells, *kept])
    return "<h3>Breakdown</h3>\n" + page.table(
        ["groups with", "count", *SHOWN, "rel. IM", "rel. UT", "least"], rows,
        "Mean PF score of each outcome policy; then the relative IM and UT scores of the fair one and its least "
        "relative score. In 648 groups, those of equal sets with f = K, every arm is everybody's favourite. "
        f"{page.link(folder, 'breakdown.csv')} {page.link(folder, 'distances.csv')}",
    )  # fmt: skip


def _value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else escape(str(value))


def _played(folder: Path) -> str:
    table = read_columns(folder / "played.csv")
    rows = [
        [f"{table['gamma'][row]:g}", f"{table['alpha'][row]:g}", f"{table['regret'][row]:,.0f}",
         f"{table['voice_lost'][row]:,.0f}", f"{table['exploring'][row]:,.0f}",
         *(f"{table[name][row]:.3f}" for name in SCORES)]
        for row in range(len(table["gamma"]))
    ]  # fmt: skip
    return page.table(
        ["γ", "α", "PF regret", "voice lost", "exploring", *(f"{label} of play" for label in SCORES.values())], rows,
        "Means over seeds, exploring and forced rounds included in what is played. Regret charges no exploring round, "
        f"so it is least for who explores for ever. {page.link(folder, 'played.csv')} "
        f"{page.link(folder, 'played-runs.csv')}",
    )  # fmt: skip


def _lies(folder: Path) -> str:
    table, worst = read_columns(folder / "lies.csv"), read_columns(folder / "worst.csv")
    rows = [
        [escape(str(label)), f"{table['someone_gains'][row]:.0f} of {table['groups'][row]:,.0f}",
         f"{table['agents_who_gain'][row]:.1%}", f"{table['largest_gain'][row]:.3f}"]
        for row, label in enumerate(table["rule"])
    ]  # fmt: skip
    kept = ", ".join(f"{value:.3f} for N = {agents:.0f}" for agents, value in
                     zip(worst["agents"], worst["utilitarian"], strict=True))  # fmt: skip
    return "<h3>Who could gain by a lie, and the worst case</h3>\n" + page.table(
        ["rule", "someone gains", "agents who could", "largest gain"], rows,
        "Random approval groups of six agents and four arms; the lie hides one favourite, the gain is in the liar's "
        "true share. Worst case: everybody wants an arm of their own, and one more is worth .99 to all. The PF policy "
        f"keeps {kept} of the total: 1/N, and no fair policy keeps less. {page.link(folder, 'lies.csv')} "
        f"{page.link(folder, 'worst.csv')}",
    )  # fmt: skip

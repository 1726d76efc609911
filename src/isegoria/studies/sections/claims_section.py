"""The first section: every claim of the paper with what was measured and its verdict, and the measurements."""

from __future__ import annotations

from collections import Counter
from html import escape
from pathlib import Path
from typing import Any

from isegoria.io.storage.csv_columns import read_columns
from isegoria.studies import html_parts
from isegoria.studies.claims import TIMES_FILE, judge_claims, read_numbers
from isegoria.studies.claims.paper_items import load_paper_items
from isegoria.studies.claims.verdicts import VERDICT_FAILS, VERDICT_HOLDS, VERDICTS, ClaimVerdict
from isegoria.studies.provenance import require_provenance
from isegoria.studies.registry import StudyFinding
from isegoria.utils.formatting import SCORE_LABELS

VERDICT_CLASSES = {VERDICT_HOLDS: "yes", VERDICT_FAILS: "no"}
COORDINATE_LABELS = {
    "agents": "agents N",
    "arms": "arms K",
    "favourites": "largest set f",
    "sets": "sizes of sets",
    "model": "model",
}
BREAKDOWN_LABELS = ("IM", "UT", "EG", "NSW", "GGI")
"""The outcome policies whose procedural score the page's breakdown shows; the file has all ten policies."""


def findings(folder: Path) -> list[StudyFinding]:
    """Return each claim with its verdict; `agrees` is None unless the claim holds or does not hold."""
    answers, items = {VERDICT_HOLDS: True, VERDICT_FAILS: False}, load_paper_items()
    return [
        StudyFinding("claims", items[id].place, "", items[id].says, one.verdict, None, answers.get(one.verdict))
        for id, one in judge_claims(folder).items()
    ]


def section(folder: Path) -> str:
    """Return the section as HTML."""
    record = require_provenance(folder)
    judged = judge_claims(folder)
    counts = Counter(one.verdict for one in judged.values())
    summary = ", ".join(f"{counts[verdict]} {_format_verdict(verdict, counts[verdict])}" for verdict in VERDICTS)
    return "".join(
        [
            f"<p>{len(judged)} items of the paper, in our words: {summary}. What it takes to hold stands beside "
            "each, with a mark on every part of it; the verdict follows from the measured numbers alone. What the "
            'scores and policies are is said <a href="#guide">below</a>.</p>\n',
            _render_time(folder),
            _render_claims(folder, judged),
            _render_relative(folder),
            html_parts.render_figure(folder, "claims-relative", "page"),
            _render_differences(folder),
            _render_breakdown(folder),
            html_parts.render_figure(folder, "claims-played", "page"),
            _render_play(folder),
            _render_gains(folder),
            html_parts.render_commands(record["command"]),
        ]
    )


def _format_verdict(verdict: str, count: int) -> str:
    words = {
        "holds": "hold",
        "holds after rounding": "hold after rounding",
        "depends": "depend on something",
        "does not hold": "do not hold",
    }
    return (verdict if verdict != "depends" else "depends on something") if count == 1 else words[verdict]


def _render_time(folder: Path) -> str:
    minutes = read_numbers(folder / TIMES_FILE)["time.minutes"]
    return (
        f"<p>The six policies of the synthetic groups took {minutes:.2f} minutes of one processor here. The paper says "
        "about ten minutes, on an Apple M2 Pro. These are two machines, so it is no comparison of programs.</p>\n"
    )


def _render_claims(folder: Path, judged: dict[str, ClaimVerdict]) -> str:
    rows = []
    for id, one in judged.items():
        claim = load_paper_items()[id]
        style = f' class="{VERDICT_CLASSES[one.verdict]}"' if one.verdict in VERDICT_CLASSES else ""
        verdict = f"<b{style}>{one.verdict}</b>{' on ' if one.verdict == 'depends' else ': ' if one.words else ''}"
        links = " ".join(html_parts.render_link(folder, name) for name in claim.files)
        rows.append(
            [
                f'<span class="paper">{escape(claim.place)}</span><br>{escape(claim.says)}',
                f"{escape(one.measured)} {links}",
                escape(one.asked),
                verdict + escape(one.words),
            ]
        )
    return html_parts.render_table(
        ["claim", "measured", "asked", "verdict"],
        rows,
        f"All of it: {html_parts.render_link(folder, 'claims.csv')}, {html_parts.render_link(folder, 'numbers.csv')}.",
        text=(0, 1, 2, 3),
        kind="claims",
    )


def _render_relative(folder: Path) -> str:
    table = read_columns(folder / "relative.csv")
    rows = [
        [
            escape(str(label)),
            *(f"{table[name][row]:.3f} / {table[f'relative_{name}'][row]:.3f}" for name in SCORE_LABELS),
            f"{table['least'][row]:.3f} [{table['least_low'][row]:.3f}, {table['least_high'][row]:.3f}]",
            f"{table['best'][row]:.0%}",
        ]
        for row, label in enumerate(table["policy"])
    ]
    return "<h3>On two scales</h3>\n" + html_parts.render_table(
        ["policy", *(f"{label} score" for label in SCORE_LABELS.values()), "least of three", "best of the six"],
        rows,
        "Mean score / mean relative score, (score − least)/(1 − least), where the least is that of the worst arm in "
        "the same group. Least of three: of the relative scores, with its 95 % interval; best of the six: share of "
        "groups in which it is as good as the best of the paper's six. "
        f"{html_parts.render_link(folder, 'relative.csv')}",
    )


def _render_differences(folder: Path) -> str:
    table = read_columns(folder / "differences.csv")
    cells = {
        (other, measure): f"{mean:+z.3f} [{low:+z.3f}, {high:+z.3f}]"
        for other, measure, mean, low, high in zip(
            *(table[name] for name in ("minus", "measure", "mean", "low", "high")), strict=True
        )
    }
    rows = [
        [escape(str(other)), *(cells[other, name] for name in (*SCORE_LABELS, "least"))]
        for other in dict.fromkeys(table["minus"])
    ]
    return html_parts.render_table(
        ["PF minus …", *(f"{label} score" for label in SCORE_LABELS.values()), "least relative"],
        rows,
        "Differences on the same groups, with paired bootstrap intervals of 95 %. "
        f"{html_parts.render_link(folder, 'differences.csv')}",
    )


def _render_breakdown(folder: Path) -> str:
    table = read_columns(folder / "breakdown.csv")
    keys = list(zip(table["by"], table["value"], strict=True))
    rows = []
    for by, value in dict.fromkeys(keys):
        mine = {table["policy"][row]: row for row, key in enumerate(keys) if key == (by, value)}
        cells = [f"{table['procedural'][mine[label]]:.3f}" for label in BREAKDOWN_LABELS]
        kept = [f"{table[name][mine['PF']]:.3f}" for name in ("relative_equality", "relative_utilitarian", "least")]
        rows.append(
            [f"{COORDINATE_LABELS[by]} = {_format_value(value)}", f"{table['groups'][mine['PF']]:.0f}", *cells, *kept]
        )
    return "<h3>Breakdown</h3>\n" + html_parts.render_table(
        ["groups with", "count", *BREAKDOWN_LABELS, "rel. IM", "rel. UT", "least"],
        rows,
        "Mean PF score of each outcome policy; then the relative IM and UT scores of the fair one and its least "
        "relative score. In 648 groups, those of equal sets with f = K, every arm is everybody's favourite. "
        f"{html_parts.render_link(folder, 'breakdown.csv')} {html_parts.render_link(folder, 'distances.csv')}",
    )


def _format_value(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else escape(str(value))


def _render_play(folder: Path) -> str:
    table = read_columns(folder / "played.csv")
    rows = [
        [
            f"{table['gamma'][row]:g}",
            f"{table['alpha'][row]:g}",
            f"{table['regret'][row]:,.0f}",
            f"{table['voice_lost'][row]:,.0f}",
            f"{table['exploring'][row]:,.0f}",
            *(f"{table[name][row]:.3f}" for name in SCORE_LABELS),
        ]
        for row in range(len(table["gamma"]))
    ]
    return html_parts.render_table(
        ["γ", "α", "PF regret", "voice lost", "exploring", *(f"{label} of play" for label in SCORE_LABELS.values())],
        rows,
        "Means over seeds, exploring and forced rounds included in what is played. Regret charges no exploring round, "
        f"so it is least for who explores for ever. {html_parts.render_link(folder, 'played.csv')} "
        f"{html_parts.render_link(folder, 'played-runs.csv')}",
    )


def _render_gains(folder: Path) -> str:
    table, worst = read_columns(folder / "lies.csv"), read_columns(folder / "worst.csv")
    rows = [
        [
            escape(str(label)),
            f"{table['someone_gains'][row]:.0f} of {table['groups'][row]:,.0f}",
            f"{table['agents_who_gain'][row]:.1%}",
            f"{table['largest_gain'][row]:.3f}",
        ]
        for row, label in enumerate(table["rule"])
    ]
    kept = ", ".join(
        f"{value:.3f} for N = {agents:.0f}" for agents, value in zip(worst["agents"], worst["utilitarian"], strict=True)
    )
    return "<h3>Who could gain by a lie, and the worst case</h3>\n" + html_parts.render_table(
        ["rule", "someone gains", "agents who could", "largest gain"],
        rows,
        "Random approval groups of six agents and four arms; the lie hides one favourite, the gain is in the liar's "
        "true share. Worst case: everybody wants an arm of their own, and one more is worth .99 to all. The PF policy "
        f"keeps {kept} of the total: 1/N, and no fair policy keeps less. {html_parts.render_link(folder, 'lies.csv')} "
        f"{html_parts.render_link(folder, 'worst.csv')}",
    )

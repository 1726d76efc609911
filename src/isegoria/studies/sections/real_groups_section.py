"""The section on real groups: the uncomfortable result first, then who was heard and what equal voice would retain."""

from __future__ import annotations

from html import escape
from pathlib import Path
from statistics import fmean

from isegoria.io.storage.csv_columns import read_columns
from isegoria.studies import html_parts
from isegoria.studies.provenance import require_provenance
from isegoria.studies.registry import StudyFinding

CLEAR_T = 2.0
"""A t statistic with a larger absolute value is reported as an effect."""


def findings(folder: Path) -> list[StudyFinding]:
    """Return the voice of the actual choice, and what equal voice retains, for each kind of group.

    The paper has none of them.
    """
    table = read_columns(folder / "summary.csv")
    rows = zip(table["groups"], table["voice"], table["kept"], strict=True)
    return [
        StudyFinding("world", str(kind), "", words, value)
        for kind, voice, kept in rows
        for words, value in (("procedural score of what was chosen", voice), ("total kept by equal voice", kept))
    ]


def section(folder: Path) -> str:
    """Return the section as HTML."""
    parts = [
        _render_satisfaction(folder),
        _summary(folder),
        html_parts.render_figure(folder, "world", "page"),
        _juries(folder),
        _polis(folder),
        _budgets(folder),
        html_parts.render_commands(require_provenance(folder)["command"]),
    ]
    return "".join(parts)


def _render_satisfaction(folder: Path) -> str:
    """Return what people felt; it comes first because it contradicts the thesis that process matters in itself."""
    if not (folder / "satisfaction.csv").exists():
        return ""
    table = read_columns(folder / "satisfaction.csv")
    t = dict(zip(table["on"], table["t"], strict=True))
    clear = [name for name in ("utility", "favourite", "voice") if abs(t[name]) > CLEAR_T]
    told = " and ".join(clear) if clear else "none of the three"
    rows = [
        [
            escape(str(name)),
            f"{table['coefficient'][row]:+.2f}",
            f"{table['se'][row]:.2f}",
            f"{table['t'][row]:+.1f}",
            f"{table['t_plain'][row]:+.1f}",
        ]
        for row, name in enumerate(table["on"])
    ]
    return (
        f"<p><b>What people felt, first.</b> {table['people'][0]:.0f} members of groups that talked and chose a "
        f"destination said how satisfied they were. It goes with {told}; whether the choice was one's favourite, and "
        "how "
        "many of the group it was a favourite of, add little or nothing beside utility. These were single talks, among "
        "people who could speak; nobody was drawn. It is uncomfortable for the idea that equal voice counts for "
        "itself, "
        "and no proof against it.</p>\n"
    ) + html_parts.render_table(
        ["satisfaction on", "coefficient", "se", "t", "t, not clustered"],
        rows,
        f"Least squares, R² {table['r2'][0]:.2f}; standard errors clustered by group. "
        f"{html_parts.render_link(folder, 'satisfaction.csv')} {html_parts.render_link(folder, 'people.csv')}",
    )


def _summary(folder: Path) -> str:
    table = read_columns(folder / "summary.csv")
    rows = [
        [escape(str(kind)), f"{table['count'][row]:.0f}", _interval(table, "voice", row), _interval(table, "kept", row)]
        for row, kind in enumerate(table["groups"])
    ]
    return "<h3>Who was heard, and what would equal voice keep</h3>\n" + html_parts.render_table(
        ["groups", "count", "PF score of what was chosen", "UT score of equal voice"],
        rows,
        "Means with 95 % intervals over groups. What was chosen: the destination, the elected statement, the statement "
        f"that most agree with, the money that was spent. {html_parts.render_link(folder, 'summary.csv')} "
        f"{_render_group_choices(folder)}",
    )


def _render_group_choices(folder: Path) -> str:
    if not (folder / "groups.csv").exists():
        return ""
    table = read_columns(folder / "groups.csv")
    return (
        f"Groups that talked kept {fmean(table['chosen_utilitarian']):.3f} of the largest total with what they chose "
        f"themselves, the equal-voice lottery would keep {fmean(table['fair_utilitarian']):.3f}. "
        f"{html_parts.render_link(folder, 'groups.csv')}"
    )


def _interval(table: dict[str, list[float]], name: str, row: int) -> str:
    return f"{table[name][row]:.3f} [{table[f'{name}_low'][row]:.3f}, {table[f'{name}_high'][row]:.3f}]"


def _juries(folder: Path) -> str:
    if not (folder / "juries.csv").exists():
        return ""
    table = read_columns(folder / "juries.csv")
    passed = sum(table["not_favourite"]) / sum(table["people"])
    return (
        f"<p><b>Juries.</b> In {len(table['jury'])} juries the elected statement is not the favourite of "
        f"{passed:.1%} of "
        f"the jurors; equal voice would keep {fmean(table['fair_utilitarian']):.0%} of the largest mean rank. "
        f"{html_parts.render_link(folder, 'juries.csv')}</p>\n"
    )


def _polis(folder: Path) -> str:
    if not (folder / "conversations.csv").exists():
        return ""
    table = read_columns(folder / "conversations.csv")
    rows = [
        [
            escape(str(name)),
            f"{table['people'][row]:.0f} × {table['statements'][row]:.0f}",
            f"{table['not_asked'][row]:.0%}",
            f"{table['people_kept'][row]:.0f} × {table['statements_kept'][row]:.0f}",
            f"{table['most_agreed'][row]:.3f}",
            f"{table['most_agreed_if_silence_is_dislike'][row]:.3f}",
            f"{table['fair_statements'][row]:.0f}",
        ]
        for row, name in enumerate(table["conversation"])
    ]
    return html_parts.render_table(
        [
            "conversation",
            "people × statements",
            "not asked",
            "kept",
            "most agreed",
            "if silence were dislike",
            "statements in the lottery",
        ],
        rows,
        "Not asked is not dislike: only people who voted on all of the statements kept. Most agreed: the share that "
        "agrees "
        f"with the statement that most agree with. {html_parts.render_link(folder, 'conversations.csv')}",
    )


def _budgets(folder: Path) -> str:
    if not (folder / "budgets.csv").exists():
        return ""
    table = read_columns(folder / "budgets.csv")
    nothing = [value for value in table["nothing_funded"] if value == value]
    return (
        f"<p><b>Budgets.</b> Of {len(table['budget'])} budgets {len(nothing)} say what was funded. There "
        f"{fmean(nothing):.1%} of the voters, on average, have none of their favourites funded, and equal voices "
        "explain "
        f"{fmean([value for value in table['spent_procedural'] if value == value]):.1%} of the money. "
        f"{html_parts.render_link(folder, 'budgets.csv')}</p>\n"
        if nothing
        else ""
    )

"""The section on synthetic groups: Table 1 with the paper's numbers, its breakdown, and three figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from isegoria.io.storage.csv_columns import read_columns
from isegoria.studies import html_parts
from isegoria.studies.grid import Grid
from isegoria.studies.policy_scores import resolve_tie_break
from isegoria.studies.provenance import require_provenance
from isegoria.studies.published_tables import PAPER_TABLE1, agrees_with_paper, find_rule_id
from isegoria.studies.registry import FITTED_TIE_BREAK, StudyFinding
from isegoria.utils import tolerances
from isegoria.utils.formatting import SCORE_LABELS

SCORE_HEADER = ["policy", "PF score", "IM score", "UT score"]


def findings(folder: Path) -> list[StudyFinding]:
    """Return every mean and standard deviation of Table 1, with the paper's if the grid is the paper's."""
    table, settings = read_columns(folder / "table1.csv"), require_provenance(folder)["settings"]
    found = []
    for row, label in enumerate(table["policy"]):
        id = find_rule_id(label)
        for place, score in enumerate(SCORE_LABELS):
            for statistic, column in (("mean", score), ("sd", f"{score}_sd")):
                value = table[column][row]
                printed = (
                    PAPER_TABLE1[id][place][statistic == "sd"]
                    if id in PAPER_TABLE1 and _is_paper_grid(settings)
                    else None
                )
                key = (resolve_tie_break(id, settings["tie_break"]), label, score, statistic)
                same = None if printed is None else agrees_with_paper(printed, value, key)
                found.append(StudyFinding("synthetic", label, score, statistic, value, printed, same))
    return found


def _is_paper_grid(settings: dict[str, Any]) -> bool:
    papers = Grid()
    return all(settings[name] == list(getattr(papers, name)) for name in ("agents", "arms", "favourites", "models"))


def section(folder: Path) -> str:
    """Return the section as HTML."""
    settings = require_provenance(folder)["settings"]
    parts = [
        _render_groups(settings),
        _render_table1(folder),
        _render_ties(folder, settings),
        html_parts.render_figure(folder, "scores"),
        html_parts.render_figure(folder, "distribution", "page"),
        html_parts.render_figure(folder, "disagreement", "page"),
        _render_seeds(folder, settings),
        _render_breakdown(folder, "by_model", "Model by model"),
        html_parts.render_commands(
            require_provenance(folder)["command"],
            "isegoria reproduce synthetic --agents 2:30 --arms 2:20 \\",
            "    --models mallows:0.3,urn:0.5 --replicates 50 --workers 2 --out mine   # a sweep of your own",
        ),
    ]
    return "".join(parts)


def _render_groups(settings: dict[str, Any]) -> str:
    replicates = f", {settings['replicates']} replicates" if settings["replicates"] > 1 else ""
    inferred = (
        " Inferred, not said by the paper: “uniform” is a uniformly random ranking for each agent, so the law of "
        "impartial culture once more, drawn independently of it."
        if "uniform" in settings["models"]
        else ""
    )
    return (
        f"<p>{settings['instances']:,} random groups: {_format_sizes(settings['agents'])} agents, "
        f"{_format_sizes(settings['arms'])} "
        f"arms, favourite sets of up to {max(settings['favourites'])} arms, of the same size for all agents or mixed, "
        f"rankings from {len(settings['models'])} models ({', '.join(settings['models'])}). For each group every "
        "policy is computed, with a proof of how near to optimal it is, and scored. "
        f"Seed {settings['seeds'][0]}{replicates}.{inferred}</p>\n"
    )


def _render_table1(folder: Path) -> str:
    found = {(item.policy, item.score, item.statistic): item for item in findings(folder)}
    rows = []
    for label in dict.fromkeys(policy for policy, _, _ in found):
        cells = [_render_cell(found[label, score, "mean"], found[label, score, "sd"]) for score in SCORE_LABELS]
        rows.append([html_parts.render_policy(label), *cells])
    compared = [item for item in found.values() if item.agrees is not None]
    count = f"{sum(bool(item.agrees) for item in compared)} of its {len(compared)} numbers do"
    why = (
        "✓: the paper's mean and standard deviation both lie in the range of our own seeds 42 to 61, widened by its "
        f"rounding of {tolerances.TABLE1_ROUNDING:g}; {count}. Its instances were other draws from the same laws."
        if compared
        else "The paper's table is for another grid, so nothing stands beside these numbers."
    )
    odd = [item for item in compared if not item.agrees]
    if odd:
        told = ", ".join(f"{item.policy}'s {item.score} {item.statistic}" for item in odd)
        why += (
            f" ✗: {told}. {_UNEXPLAINED}"
            if [_finding_key(item) for item in odd] == [_KNOWN_DIFFERENCE]
            else f" ✗: {told}."
        )
    return html_parts.render_table(
        SCORE_HEADER,
        rows,
        f"Mean ± one standard deviation over all groups. {why} {html_parts.render_link(folder, 'table1.csv')} "
        f"{html_parts.render_link(folder, 'table1.tex')}",
    )


_KNOWN_DIFFERENCE = ("NSW", "equality", "sd")
_UNEXPLAINED = (
    "Why is not known: rankings by PrefVoting 1.18.2 gave the same deviation as ours, and so did an inexact "
    "general-purpose optimiser in place of the exact one."
)


def _finding_key(item: StudyFinding) -> tuple[str, str, str]:
    return item.policy, item.score, item.statistic


def _render_cell(mean: StudyFinding, sd: StudyFinding) -> str:
    printed = None if mean.paper is None else f"{mean.paper:.2f} ± {sd.paper:.2f}"
    return html_parts.render_comparison(f"{mean.value:.3f} ± {sd.value:.3f}", printed, bool(mean.agrees and sd.agrees))


def _render_ties(folder: Path, settings: dict[str, Any]) -> str:
    """Return Table 1 under each tie-break, with the one used marked, and the paper's numbers below each policy."""
    if not (folder / "ties.csv").exists():
        return ""
    columns, rows = read_columns(folder / "ties.csv"), []
    for label in dict.fromkeys(columns["policy"]):
        id = find_rule_id(label)
        for line in [line for line, each in enumerate(columns["policy"]) if each == label]:
            cells = [f"{columns[score][line]:.3f} ± {columns[f'{score}_sd'][line]:.3f}" for score in SCORE_LABELS]
            used = " <b>used above</b>" if columns["used"][line] else ""
            rows.append([html_parts.render_policy(label), f"{columns['tie_break'][line]}{used}", *cells])
        if id in PAPER_TABLE1 and _is_paper_grid(settings):
            printed = [f'<span class="paper">{mean:.2f} ± {sd:.2f}</span>' for mean, sd in PAPER_TABLE1[id]]
            rows.append(["", '<span class="paper">the paper</span>', *printed])
    return "<h3>Which of several optimal policies</h3>\n" + html_parts.render_table(
        ["policy", "tie-break", *SCORE_HEADER[1:]],
        rows,
        "Often several policies are optimal, and their scores differ. The paper does not say which it took. "
        f"{_TIE_NOTES[settings['tie_break'] == FITTED_TIE_BREAK]} <code>isegoria compare</code> takes "
        "<code>utilitarian</code> for EG "
        "and <code>centre</code> for the others. Another choice: <code>--tie-break</code>. "
        f"All numbers: {html_parts.render_link(folder, 'ties.csv')}.",
        text=(1,),
    )


_TIE_NOTES = {
    True: "Table 1 above takes EG by <code>vertex</code> and all others by <code>centre</code>: with this choice, made "
    "after seeing the paper's numbers, ours come nearest to them.",
    False: "Table 1 above takes the choice that was asked for.",
}


def _render_seeds(folder: Path, settings: dict[str, Any]) -> str:
    if len(settings["seeds"]) < 2 or not (folder / "seeds.csv").exists():
        return ""
    columns = read_columns(folder / "seeds.csv")
    rows = []
    for start in range(0, len(columns["policy"]), 2 * len(SCORE_LABELS)):
        cells = [_format_over_seeds(columns, start + 2 * place) for place in range(len(SCORE_LABELS))]
        rows.append([columns["policy"][start], *cells])
    seeds = settings["seeds"]
    return f"<h3>{len(seeds)} seeds</h3>\n" + html_parts.render_table(
        SCORE_HEADER,
        rows,
        f"The mean of Table 1 over seeds {seeds[0]} to {seeds[-1]}, in brackets its least and largest value. "
        f"All numbers, standard deviations too: {html_parts.render_link(folder, 'seeds.csv')}.",
    )


def _format_over_seeds(columns: dict[str, Any], row: int) -> str:
    mean, low, high = (columns[name][row] for name in ("mean_of_seeds", "lowest", "highest"))
    printed = columns["paper"][row]
    beside = "" if printed != printed else f' <span class="paper">paper {printed:.2f}</span>'
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]{beside}"


def _render_breakdown(folder: Path, name: str, heading: str) -> str:
    columns = read_columns(folder / f"{name}.csv")
    groups = list(dict.fromkeys(columns["model"]))
    rows = []
    for group in groups:
        mine = [row for row, model in enumerate(columns["model"]) if model == group]
        rows.append([str(group), *(f"{columns['procedural'][row]:.3f}" for row in mine)])
    labels = list(dict.fromkeys(columns["policy"]))
    return f"<h3>{heading}</h3>\n" + html_parts.render_table(
        ["mean PF score", *labels],
        rows,
        "How equally each policy listens, by how the rankings were drawn. "
        f"All of it: {html_parts.render_link(folder, f'{name}.csv')}{_phi_link(folder)}.",
    )


def _phi_link(folder: Path) -> str:
    return f", and by φ in {html_parts.render_link(folder, 'by_phi.csv')}" if (folder / "by_phi.csv").exists() else ""


def _format_sizes(values: list[int]) -> str:
    whole = values == list(range(values[0], values[-1] + 1))
    return f"{values[0]} to {values[-1]}" if whole and len(values) > 1 else ", ".join(map(str, values))

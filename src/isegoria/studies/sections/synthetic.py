"""The section on synthetic groups: Table 1 beside the paper's, its breakdown, and three figures."""

from __future__ import annotations

from pathlib import Path

from isegoria.io.columns import read_columns
from isegoria.objectives import OBJECTIVES
from isegoria.studies import page
from isegoria.studies.grid import Grid
from isegoria.studies.paper import TABLE1, agrees
from isegoria.studies.record import read_record
from isegoria.studies.registry import Finding
from isegoria.wording import SCORES

HEADER = ["policy", "PF score", "IM score", "UT score"]


def findings(folder: Path) -> list[Finding]:
    """Every mean and standard deviation of Table 1, beside the paper's where the grid is the paper's."""
    table = read_columns(folder / "table1.csv")
    found = []
    for row, id in enumerate(OBJECTIVES):
        for place, score in enumerate(SCORES):
            values = {"mean": table[score][row], "sd": table[f"{score}_sd"][row]}
            printed = dict(zip(values, TABLE1[id][place], strict=True)) if _is_papers(folder, id) else {}
            same = agrees(id, score, *values.values()) if printed else None
            found += [
                Finding("synthetic", table["policy"][row], score, name, value, printed.get(name), same)
                for name, value in values.items()
            ]
    return found


def _is_papers(folder: Path, id: str) -> bool:
    grid = read_record(folder)["settings"]
    papers = Grid()
    return id in TABLE1 and all(
        grid[name] == list(getattr(papers, name)) for name in ("agents", "arms", "favourites", "models")
    )


def section(folder: Path) -> str:
    """The section, as HTML."""
    settings = read_record(folder)["settings"]
    parts = [
        f"<p>{settings['instances']:,} random groups: {_range(settings['agents'])} agents, {_range(settings['arms'])} "
        f"arms, favourite sets of up to {max(settings['favourites'])} arms, of the same size for all agents or mixed, "
        f"rankings from {len(settings['models'])} models ({', '.join(settings['models'])}). For each group the six "
        f"policies are computed exactly and scored. Seed {settings['seeds'][0]}"
        + (f", {settings['replicates']} replicates" if settings["replicates"] > 1 else "")
        + ".</p>\n",
        _table1(folder),
        page.figure(folder, "scores"),
        page.figure(folder, "distribution", "page"),
        page.figure(folder, "disagreement", "page"),
        _seeds(folder, settings),
        _breakdown(folder, "by_model", "Model by model"),
        page.again(read_record(folder)["command"], "isegoria reproduce synthetic --agents 2:30 --arms 2:20 \\",
                   "    --models mallows:0.3,urn:0.5 --replicates 50 --workers 2 --out mine   # a sweep of your own"),
    ]  # fmt: skip
    return "".join(parts)


def _table1(folder: Path) -> str:
    found = {(item.policy, item.score, item.statistic): item for item in findings(folder)}
    rows = []
    for id, row in OBJECTIVES.items():
        cells = [_cell(found[row.label, score, "mean"], found[row.label, score, "sd"]) for score in SCORES]
        rows.append([page.policy(id), *cells])
    compared = [item for item in found.values() if item.statistic == "mean" and item.agrees is not None]
    count = f"{sum(item.agrees for item in compared)} of {len(compared)} cells agree"
    why = (
        "✓: the mean is within 0.015 (PF score), 0.010 (UT score of IM) or 0.007 (all others) of the paper's, and the "
        f"standard deviation within 0.012; the paper's instances were other draws from the same laws. {count}."
        if compared
        else "The paper's table is for another grid, so nothing stands beside these numbers."
    )
    return page.table(HEADER, rows, f"Mean ± one standard deviation over all groups. {why}")


def _cell(mean: Finding, sd: Finding) -> str:
    printed = None if mean.paper is None else f"{mean.paper:.2f} ± {sd.paper:.2f}"
    return page.beside(f"{mean.value:.3f} ± {sd.value:.3f}", printed, bool(mean.agrees))


def _seeds(folder: Path, settings: dict) -> str:
    if len(settings["seeds"]) < 2 or not (folder / "seeds.csv").exists():
        return ""
    columns = read_columns(folder / "seeds.csv")
    rows = []
    for start in range(0, len(columns["policy"]), 2 * len(SCORES)):
        cells = [_over_seeds(columns, start + 2 * place) for place in range(len(SCORES))]
        rows.append([columns["policy"][start], *cells])
    seeds = settings["seeds"]
    return f"<h3>{len(seeds)} seeds</h3>\n" + page.table(
        HEADER, rows,
        f"The mean of Table 1 over seeds {seeds[0]} to {seeds[-1]}, in brackets its least and largest value. "
        "All numbers, standard deviations too: <code>synthetic/seeds.csv</code>.",
    )  # fmt: skip


def _over_seeds(columns: dict, row: int) -> str:
    mean, low, high = (columns[name][row] for name in ("mean_of_seeds", "lowest", "highest"))
    printed = columns["paper"][row]
    beside = "" if printed != printed else f' <span class="paper">paper {printed:.2f}</span>'
    return f"{mean:.3f} [{low:.3f}, {high:.3f}]{beside}"


def _breakdown(folder: Path, name: str, heading: str) -> str:
    columns = read_columns(folder / f"{name}.csv")
    groups = list(dict.fromkeys(columns["model"]))
    rows = []
    for group in groups:
        mine = [row for row, model in enumerate(columns["model"]) if model == group]
        rows.append([str(group), *(f"{columns['procedural'][row]:.3f}" for row in mine)])
    labels = [row.label for row in OBJECTIVES.values()]
    return f"<h3>{heading}</h3>\n" + page.table(
        ["mean PF score", *labels], rows,
        "How equally each policy listens, by how the rankings were drawn. "
        f"All of it: <code>synthetic/{name}.csv</code>, and by φ in <code>synthetic/by_phi.csv</code>.",
    )  # fmt: skip


def _range(values: list[int]) -> str:
    whole = values == list(range(values[0], values[-1] + 1))
    return f"{values[0]} to {values[-1]}" if whole and len(values) > 1 else ", ".join(map(str, values))

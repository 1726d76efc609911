"""The study of agents that decide together: questions with a right answer, and choices of taste, under several rules.

Agents are simulated with known competence and taste. With `--data`, the Habermas juries are added: each jury decides
again and again with the same opinions. Every panel makes `ROUNDS` decisions.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isegoria.agents import DecisionEngine
from isegoria.errors import ReadingWarning
from isegoria.profiles import Instance
from isegoria.record.turns.modes import Mode
from isegoria.rules import solve
from isegoria.studies.provenance import write_provenance
from isegoria.studies.real_groups.juries import read_juries
from isegoria.studies.registry import StudyOptions
from isegoria.studies.result_tables import standard_deviations, write_table
from isegoria.utils.progress import progress_bar

ROUNDS, OPTIONS, MAX_JURIES = 40, 4, 100
PANEL_COUNTS = {"short": 25, "full": 200}
TASTE_DIMENSIONS, TASTE_NOISE = 3, 0.5


class PanelTask(NamedTuple):
    """A kind of panel: what it is, how well each agent sees the right answer (None: taste), who shares a taste."""

    what: str
    competence: tuple[float, ...] | None
    tastes: tuple[int, ...] = ()


PANEL_TASKS = {
    "equals": PanelTask("a question with one right answer, five equally able agents", (1.2,) * 5),
    "expert": PanelTask("a question with one right answer, one expert among five", (3.0, 0.4, 0.4, 0.4, 0.4)),
    "minority": PanelTask("a choice of taste, three agents alike and two with their own taste", None, (0, 0, 0, 1, 2)),
    "spread": PanelTask("a choice of taste, five different tastes", None, (0, 1, 2, 3, 4)),
    "juries": PanelTask("statements ranked by Habermas juries", None),
}


class Panel(NamedTuple):
    """One panel: `ratings` (T, N, K) from 0 to 1, and the `right` option of each round, or None."""

    ratings: np.ndarray
    right: np.ndarray | None


class PanelMeasures(NamedTuple):
    """One panel under one rule.

    `accuracy`: the share of right answers (NaN for taste). `least_heard`: the share of rounds in which the favourite of
    the agent heard least was decided. `longest_wait`: the most rounds in a row without it, over agents. `satisfaction`:
    the mean rating of what was decided.
    """

    accuracy: float
    least_heard: float
    longest_wait: float
    satisfaction: float


def sample_panel(task: PanelTask, rng: np.random.Generator) -> Panel:
    """Return a random panel; each agent's ratings run from 0 to 1 in every round."""
    if task.competence is None:
        tastes = rng.normal(size=(max(task.tastes) + 1, TASTE_DIMENSIONS))[list(task.tastes)]
        options = rng.normal(size=(ROUNDS, OPTIONS, TASTE_DIMENSIONS))
        values = np.einsum("nd,tkd->tnk", tastes, options)
        values += TASTE_NOISE * rng.normal(size=values.shape)
        return Panel(_rescale(values), None)
    right = rng.integers(OPTIONS, size=ROUNDS)
    values = rng.normal(size=(ROUNDS, len(task.competence), OPTIONS))
    values[np.arange(ROUNDS), :, right] += np.array(task.competence)
    return Panel(_rescale(values), right)


def _rescale(values: np.ndarray) -> np.ndarray:
    low, high = values.min(axis=2, keepdims=True), values.max(axis=2, keepdims=True)
    return np.asarray((values - low) / (high - low))


PanelRule = Callable[[np.ndarray, np.random.Generator], list[int]]
"""Maps ratings (T, N, K) to the options decided."""


def _play_counts(count: Callable[[np.ndarray], np.ndarray], random_ties: bool = True) -> PanelRule:
    """Return a rule that decides for the option with the largest count (K,), ties at random or for the first."""

    def play(ratings: np.ndarray, rng: np.random.Generator) -> list[int]:
        counts = [count(table) for table in ratings]
        best = [np.flatnonzero(row == row.max()) for row in counts]
        return [int(rng.choice(places) if random_ties else places[0]) for places in best]

    return play


def _count_first(table: np.ndarray) -> np.ndarray:
    return (table == table.max(axis=1, keepdims=True)).sum(axis=0)


def _count_borda(table: np.ndarray) -> np.ndarray:
    return (table[:, :, None] > table[:, None, :]).sum(axis=(0, 2))


def _approve(table: np.ndarray) -> np.ndarray:
    """Return (N, K) which options each agent approves: those above its own mean."""
    return np.asarray(table > table.mean(axis=1, keepdims=True))


def _play_dictator(ratings: np.ndarray, rng: np.random.Generator) -> list[int]:
    return [int(table[rng.integers(len(table))].argmax()) for table in ratings]


def _play_lottery(ratings: np.ndarray, rng: np.random.Generator) -> list[int]:
    policies = [solve(Instance(_approve(table).astype(float))).policy for table in ratings]
    return [int(rng.choice(len(policy), p=policy)) for policy in policies]


def _play_turns(mode: Mode, approvals: bool) -> PanelRule:
    """Return a rule that decides by the engine, from approvals or from first places."""

    def play(ratings: np.ndarray, rng: np.random.Generator) -> list[int]:
        engine = DecisionEngine(mode, seed=str(rng.integers(2**32)))
        names = [str(option) for option in range(ratings.shape[2])]
        decided = []
        for table in ratings:
            wanted = _approve(table) if approvals else table == table.max(axis=1, keepdims=True)
            votes = {str(agent): [names[k] for k in np.flatnonzero(row)] for agent, row in enumerate(wanted)}
            decided.append(int(engine.decide(names, approvals=votes).option))
        return decided

    return play


PANEL_RULES: dict[str, tuple[str, PanelRule]] = {
    "majority": ("majority, ties to the first", _play_counts(_count_first, random_ties=False)),
    "plurality": ("plurality, random ties", _play_counts(_count_first)),
    "borda": ("Borda", _play_counts(_count_borda)),
    "approval": ("approval", _play_counts(lambda table: _approve(table).sum(axis=0))),
    "dictator": ("random dictator", _play_dictator),
    "lottery": ("equal voice, no memory (approvals)", _play_lottery),
    "turns": ("equal voice, turns (first places)", _play_turns("deterministic", approvals=False)),
    "turns-approvals": ("equal voice, turns (approvals)", _play_turns("deterministic", approvals=True)),
    "turns-lottery": ("equal voice, turns by lottery (first places)", _play_turns("lottery", approvals=False)),
}


def measure_panel(panel: Panel, decided: list[int]) -> PanelMeasures:
    """Compute the measures of the options decided."""
    rounds, chosen = np.arange(len(decided)), np.array(decided)
    got = panel.ratings[rounds, :, chosen]
    heard = got == panel.ratings.max(axis=2)
    waits, longest = np.zeros(heard.shape[1]), 0.0
    for row in heard:
        waits = np.where(row, 0, waits + 1)
        longest = max(longest, float(waits.max()))
    accuracy = float("nan") if panel.right is None else float((chosen == panel.right).mean())
    return PanelMeasures(accuracy, float(heard.mean(axis=0).min()), longest, float(got.mean()))


def compute_table(seed: int, panels: int, data: Path | None, report: Any = lambda done, of: None) -> dict[str, Any]:
    """Return a row for each task and rule: the means of the measures over panels, with standard errors."""
    names = [name for field in PanelMeasures._fields for name in (field, f"{field}_se")]
    columns: dict[str, list[Any]] = {name: [] for name in ("task", "rule", "panels", *names)}
    for place, (task, group) in enumerate(_sample_groups(seed, panels, data)):
        report(place, len(PANEL_TASKS))
        for number, (rule, (_, play)) in enumerate(PANEL_RULES.items()):
            rngs = [np.random.default_rng([seed, place, number, index]) for index in range(len(group))]
            values = np.array(
                [measure_panel(panel, play(panel.ratings, rng)) for panel, rng in zip(group, rngs, strict=True)]
            )
            error = standard_deviations(values) / np.sqrt(len(values))
            row = [task, rule, len(values), *np.column_stack([values.mean(axis=0), error]).ravel().tolist()]
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    return columns


def _sample_groups(seed: int, panels: int, data: Path | None) -> Iterator[tuple[str, list[Panel]]]:
    """Yield the panels of each task; every rule meets the same ones."""
    for place, (name, task) in enumerate(PANEL_TASKS.items()):
        if name != "juries":
            yield name, [sample_panel(task, np.random.default_rng([seed, place, index])) for index in range(panels)]
        elif data is not None and (data / "habermas").is_dir():
            juries = list(read_juries(data / "habermas").values())[:MAX_JURIES]
            tables = [np.repeat(jury.means, jury.weights.astype(np.intp), axis=0) for jury in juries]
            yield name, [Panel(np.broadcast_to(table, (ROUNDS, *table.shape)), None) for table in tables]


def produce(folder: Path, options: StudyOptions) -> bool:
    """Run the study, and write its table and record into `folder`."""
    size = "short" if options.short else "full"
    if options.data is not None and not (options.data / "habermas").is_dir():
        warnings.warn(
            f"{options.data} has no folder habermas, so the juries are left out.", ReadingWarning, stacklevel=2
        )
    with progress_bar("agents: tasks") as report:
        columns = compute_table(options.seed, PANEL_COUNTS[size], options.data, report)
    with write_provenance(folder, "agents", options.command) as settings:
        write_table(Path(folder), "rules", columns, "Agents that decide together, under several rules.")
        settings |= {"seed": options.seed, "size": size, "panels": PANEL_COUNTS[size], "rounds": ROUNDS}
    return True

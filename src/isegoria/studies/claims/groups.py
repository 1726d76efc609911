"""Ten policies on the paper's 7,776 groups: their scores, against what each group could lose, and how they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria.instance import Instance
from isegoria.rules import OBJECTIVES, RULES, solve
from isegoria.rules.contenders import HELD
from isegoria.scores import Best, Scores, score_tables
from isegoria.studies.evaluate import tie_break_of
from isegoria.studies.grid import Block, Cell, Grid
from isegoria.studies.intervals import intervals
from isegoria.tables.executors import Executor
from isegoria.wording import SCORES

Columns = dict[str, list[Any]]

PAPER = ("procedural", "inequality", "utilitarian", "egalitarian", "nash", "gini")
BASELINES = ("uniform", "random-dictatorship", "conditional-utilitarian")
LABELS = (*(OBJECTIVES[id].label for id in PAPER), *(RULES[id].label for id in BASELINES), HELD.label)
"""The six policies of the paper, the even policy, random dictatorship, the conditional utilitarian rule, and the
largest total among the fair."""
PAIRS = (("PF", "UT"), ("PF", "NSW"))
"""Policies whose distance the paper speaks of."""
ROOM = 1e-9
"""A score that no policy can have less of than 1 - ROOM cannot be lost here."""


@dataclass(frozen=True)
class ScoredGroups:
    """For each cell of the grid: `scores` (cells, policies, 3), their `floors` (cells, 3), the `distances`
    (cells, pairs) in total variation; and `labels` of the policies."""

    cells: list[Cell]
    scores: np.ndarray
    floors: np.ndarray
    distances: np.ndarray
    labels: tuple[str, ...] = LABELS

    @property
    def relative(self) -> np.ndarray:
        """(cells, policies, 3) (score − floor)/(1 − floor); NaN where no policy can lose anything."""
        room = (1 - self.floors)[:, None, :]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(room > ROOM, (self.scores - self.floors[:, None, :]) / room, np.nan)

    @property
    def least(self) -> np.ndarray:
        """(cells, policies) the least of the three relative scores, a measure of balance; NaN in a trivial group."""
        lowest = np.where(np.isnan(self.relative), 1.0, self.relative).min(axis=2)
        return np.where(self.trivial[:, None], np.nan, lowest)

    @property
    def trivial(self) -> np.ndarray:
        """(cells,) whether every arm is everybody's favourite, so that no policy can lose any of the three scores."""
        return np.asarray((self.floors >= 1 - ROOM).all(axis=1))

    def of(self, label: str) -> int:
        """The place of a policy."""
        return self.labels.index(label)


def measure(grid: Grid, executor: Executor, finished: Any = lambda index: None) -> ScoredGroups:
    """The `ScoredGroups` of a grid, block by block."""
    blocks = grid.blocks()
    found = executor.run(measured, [(grid, block) for block in blocks], finished)
    scores, floors, distances = (np.concatenate(part) for part in zip(*found, strict=True))
    return ScoredGroups([cell for block in blocks for cell in grid.cells_of(block)], scores, floors, distances)


def measured(grid: Grid, block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(scores, floors, distances) of one block; what a worker does."""
    instances = [Instance(means) for means in grid.means_of(block)]
    solved = {id: [solve(each, id, tie_break_of(id)) for each in instances] for id in PAPER}
    columns = [[one.policy for one in each] for each in solved.values()]
    columns += [[solve(each, id).policy for each in instances] for id in BASELINES]
    columns.append([solve(each, "utilitarian", within="procedural").policy for each in instances])
    policies = [np.array(rows) for rows in zip(*columns, strict=True)]
    best = [Best(im.value, ut.value) for im, ut in zip(solved["inequality"], solved["utilitarian"], strict=True)]
    floors = [Scores(each, rows[0], known).floor for each, rows, known in zip(instances, policies, best, strict=True)]
    pairs = [(LABELS.index(one), LABELS.index(two)) for one, two in PAIRS]
    apart = [[0.5 * np.abs(rows[one] - rows[two]).sum() for one, two in pairs] for rows in policies]
    return score_tables(instances, policies, best), np.array(floors), np.array(apart)


def relative_table(groups: ScoredGroups, seed: int) -> Columns:
    """Each policy's mean scores, raw and relative, with the least of three, and 95 % intervals of the relative ones."""
    least, raw = groups.least[~groups.trivial], groups.scores.min(axis=2)
    six = len(PAPER)
    columns: Columns = {"policy": list(groups.labels)}
    for place, name in enumerate(SCORES):
        columns[name] = groups.scores[:, :, place].mean(axis=0).tolist()
    wanted = {f"relative_{name}": groups.relative[:, :, place] for place, name in enumerate(SCORES)}
    for name, values in (wanted | {"least": groups.least}).items():
        found = intervals(values, seed)
        columns |= {name: [each.mean for each in found], f"{name}_low": [each.low for each in found],
                    f"{name}_high": [each.high for each in found]}  # fmt: skip
    return columns | {
        "raw_least": raw.mean(axis=0).tolist(),
        "best": (least >= least[:, :six].max(axis=1, keepdims=True) - ROOM).mean(axis=0).tolist(),
        "raw_best": (raw >= raw[:, :six].max(axis=1, keepdims=True) - ROOM).mean(axis=0).tolist(),
    }


def difference_table(groups: ScoredGroups, seed: int) -> Columns:
    """PF minus each other policy on the same groups: mean, standard error and paired interval, raw and relative."""
    others = [label for label in groups.labels if label != "PF"]
    places, fair = [groups.of(label) for label in others], groups.of("PF")
    measures = {name: groups.scores[:, :, place] for place, name in enumerate(SCORES)}
    measures |= {f"relative_{name}": groups.relative[:, :, place] for place, name in enumerate(SCORES)}
    measures |= {"raw_least": groups.scores.min(axis=2), "least": groups.least}
    rows: list[tuple[Any, ...]] = []
    for name, values in measures.items():
        found = intervals(values[:, [fair]] - values[:, places], seed)
        rows += [("PF", other, name, *one) for other, one in zip(others, found, strict=True)]
    return dict(zip(("policy", "minus", "measure", "mean", "se", "low", "high", "groups"),
                    map(list, zip(*rows, strict=True)), strict=True))  # fmt: skip


def breakdown_table(groups: ScoredGroups) -> Columns:
    """Every policy's scores, raw and relative, and the distances, for each value of each coordinate of the cells."""
    names = ("by", "value", "policy", "groups", *SCORES, *(f"relative_{name}" for name in SCORES), "least")
    relative, least, rows = groups.relative, groups.least, []
    for coordinate in ("agents", "arms", "favourites", "sets", "model"):
        values = np.array([str(getattr(cell, coordinate)) for cell in groups.cells])
        for value in dict.fromkeys(values.tolist()):
            mine = values == value
            for place, label in enumerate(groups.labels):
                kept = np.column_stack([relative[mine, place], least[mine, place]])
                means = groups.scores[mine, place].mean(axis=0).tolist()
                rows.append((coordinate, value, label, int(mine.sum()), *means, *_means(kept)))
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _means(values: np.ndarray) -> list[float]:
    """The mean of each column of what there is in it; NaN where there is nothing."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    return np.where(count > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan).tolist()


def distance_table(groups: ScoredGroups, seed: int) -> Columns:
    """How far PF's policy is from UT's and NSW's, in total variation, model by model."""
    models = np.array([cell.model for cell in groups.cells])
    columns: Columns = {"model": list(dict.fromkeys(models.tolist()))}
    for place, pair in enumerate(PAIRS):
        name = "_".join(pair)
        found = [intervals(groups.distances[models == model][:, [place]], seed)[0] for model in columns["model"]]
        columns |= {name: [one.mean for one in found], f"{name}_low": [one.low for one in found],
                    f"{name}_high": [one.high for one in found]}  # fmt: skip
    return columns

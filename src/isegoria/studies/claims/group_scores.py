"""Ten policies on the paper's 7,776 groups: their scores, raw and relative to the minimum, and their differences."""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np

from isegoria.analysis.scores import BestValues, Scores, score_batch
from isegoria.out_of_core.executors import Executor
from isegoria.profiles import Instance
from isegoria.rules import RULES, solve
from isegoria.rules.rule_sets import UTILITARIAN_WITHIN_FAIR
from isegoria.studies.bootstrap import bootstrap_intervals
from isegoria.studies.grid import Block, Cell, Grid
from isegoria.studies.policy_scores import resolve_tie_break
from isegoria.utils.formatting import SCORE_LABELS

Columns = dict[str, list[Any]]

PAPER_RULES = ("procedural", "inequality", "utilitarian", "egalitarian", "nash", "gini")
BASELINE_RULES = ("uniform", "random-dictatorship", "conditional-utilitarian")
POLICY_LABELS = (
    *(RULES[id].label for id in PAPER_RULES),
    *(RULES[id].label for id in BASELINE_RULES),
    UTILITARIAN_WITHIN_FAIR.label,
)
"""The labels of the paper's six policies, the uniform policy, random dictatorship, the conditional utilitarian rule,
and
the utilitarian optimum among the procedurally fair policies."""
DISTANCE_PAIRS = (("PF", "UT"), ("PF", "NSW"))
"""Pairs of policies whose distance the paper mentions."""
SCORE_TOLERANCE = 1e-9
"""Tolerance of scores. If no policy of a group scores below 1 - `SCORE_TOLERANCE`, that score cannot be lost there."""


@dataclass(frozen=True)
class ScoredGroups:
    """The scored groups of a grid.

    For each cell: `scores` (cells, policies, 3), the minimum scores of any policy `floors` (cells, 3), and the total
    variation `distances` (cells, pairs). `solving_seconds` is the processor time that the paper's six policies took.
    `labels` has the labels of the policies.
    """

    cells: list[Cell]
    scores: np.ndarray
    floors: np.ndarray
    distances: np.ndarray
    solving_seconds: float = 0.0
    labels: tuple[str, ...] = POLICY_LABELS

    @property
    def relative(self) -> np.ndarray:
        """Relative scores (cells, policies, 3), (score − floor)/(1 − floor); NaN where no policy can lose anything."""
        room = (1 - self.floors)[:, None, :]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(room > SCORE_TOLERANCE, (self.scores - self.floors[:, None, :]) / room, np.nan)

    @property
    def least(self) -> np.ndarray:
        """The minimum (cells, policies) of the three relative scores, a measure of balance; NaN in a trivial group."""
        lowest = np.where(np.isnan(self.relative), 1.0, self.relative).min(axis=2)
        return np.where(self.trivial[:, None], np.nan, lowest)

    @property
    def trivial(self) -> np.ndarray:
        """Whether (cells,) no policy can lose any of the three scores: every arm is a favourite of every agent."""
        return np.asarray((self.floors >= 1 - SCORE_TOLERANCE).all(axis=1))

    def of(self, label: str) -> int:
        """Return the index of a policy."""
        return self.labels.index(label)


def score_grid(grid: Grid, executor: Executor, finished: Any = lambda index: None) -> ScoredGroups:
    """Compute the `ScoredGroups` of a grid, block by block."""
    blocks = grid.blocks()
    found = executor.run(score_block, [(grid, block) for block in blocks], finished)
    *parts, seconds = zip(*found, strict=True)
    scores, floors, distances = map(np.concatenate, parts)
    cells = [cell for block in blocks for cell in grid.cells_of(block)]
    return ScoredGroups(cells, scores, floors, distances, sum(seconds))


def score_block(grid: Grid, block: Block) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Compute (scores, floors, distances, seconds for the six policies) of one block; this runs in a worker."""
    instances = [Instance(means) for means in grid.means_of(block)]
    start = process_time()
    solved = {id: [solve(each, RULES[id], resolve_tie_break(id)) for each in instances] for id in PAPER_RULES}
    seconds = process_time() - start
    columns = [[one.policy for one in each] for each in solved.values()]
    columns += [[solve(each, RULES[id]).policy for each in instances] for id in BASELINE_RULES]
    columns.append([solve(each, "utilitarian", within="fair").policy for each in instances])
    policies = [np.array(rows) for rows in zip(*columns, strict=True)]
    best = [BestValues(im.value, ut.value) for im, ut in zip(solved["inequality"], solved["utilitarian"], strict=True)]
    floors = [
        Scores(each, rows[0], known).lower_bounds for each, rows, known in zip(instances, policies, best, strict=True)
    ]
    pairs = [(POLICY_LABELS.index(one), POLICY_LABELS.index(two)) for one, two in DISTANCE_PAIRS]
    apart = [[0.5 * np.abs(rows[one] - rows[two]).sum() for one, two in pairs] for rows in policies]
    return score_batch(instances, policies, best), np.array(floors), np.array(apart), seconds


def relative_table(groups: ScoredGroups, seed: int) -> Columns:
    """Return each policy's mean scores, raw and relative, and their minima; relative ones with 95 % intervals."""
    least, raw = groups.least[~groups.trivial], groups.scores.min(axis=2)
    six = len(PAPER_RULES)
    columns: Columns = {"policy": list(groups.labels)}
    for place, name in enumerate(SCORE_LABELS):
        columns[name] = groups.scores[:, :, place].mean(axis=0).tolist()
    wanted = {f"relative_{name}": groups.relative[:, :, place] for place, name in enumerate(SCORE_LABELS)}
    for name, values in (wanted | {"least": groups.least}).items():
        found = bootstrap_intervals(values, seed)
        columns |= {
            name: [each.mean for each in found],
            f"{name}_low": [each.low for each in found],
            f"{name}_high": [each.high for each in found],
        }
    return columns | {
        "raw_least": raw.mean(axis=0).tolist(),
        "best": (least >= least[:, :six].max(axis=1, keepdims=True) - SCORE_TOLERANCE).mean(axis=0).tolist(),
        "raw_best": (raw >= raw[:, :six].max(axis=1, keepdims=True) - SCORE_TOLERANCE).mean(axis=0).tolist(),
    }


def difference_table(groups: ScoredGroups, seed: int) -> Columns:
    """Return PF minus each other policy on the same groups, raw and relative: mean, standard error, paired interval."""
    others = [label for label in groups.labels if label != "PF"]
    places, fair = [groups.of(label) for label in others], groups.of("PF")
    measures = {name: groups.scores[:, :, place] for place, name in enumerate(SCORE_LABELS)}
    measures |= {f"relative_{name}": groups.relative[:, :, place] for place, name in enumerate(SCORE_LABELS)}
    measures |= {"raw_least": groups.scores.min(axis=2), "least": groups.least}
    rows: list[tuple[Any, ...]] = []
    for name, values in measures.items():
        found = bootstrap_intervals(values[:, [fair]] - values[:, places], seed)
        rows += [("PF", other, name, *one) for other, one in zip(others, found, strict=True)]
    return dict(
        zip(
            ("policy", "minus", "measure", "mean", "se", "low", "high", "groups"),
            map(list, zip(*rows, strict=True)),
            strict=True,
        )
    )


def breakdown_table(groups: ScoredGroups) -> Columns:
    """Return every policy's scores, raw and relative, for each value of each coordinate of the cells."""
    names = ("by", "value", "policy", "groups", *SCORE_LABELS, *(f"relative_{name}" for name in SCORE_LABELS), "least")
    relative, least, rows = groups.relative, groups.least, []
    for coordinate in ("agents", "arms", "favourites", "sets", "model"):
        values = np.array([str(getattr(cell, coordinate)) for cell in groups.cells])
        for value in dict.fromkeys(values.tolist()):
            mine = values == value
            for place, label in enumerate(groups.labels):
                kept = np.column_stack([relative[mine, place], least[mine, place]])
                means = groups.scores[mine, place].mean(axis=0).tolist()
                rows.append((coordinate, value, label, int(mine.sum()), *means, *_nan_means(kept)))
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def _nan_means(values: np.ndarray) -> list[float]:
    """Return the mean of each column without its NaNs; NaN for a column without values."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    return np.where(count > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(count, 1), np.nan).tolist()


def distance_table(groups: ScoredGroups, seed: int) -> Columns:
    """Return the total variation between PF's policy and those of UT and NSW, by model."""
    models = np.array([cell.model for cell in groups.cells])
    columns: Columns = {"model": list(dict.fromkeys(models.tolist()))}
    for place, pair in enumerate(DISTANCE_PAIRS):
        name = "_".join(pair)
        found = [
            bootstrap_intervals(groups.distances[models == model][:, [place]], seed)[0] for model in columns["model"]
        ]
        columns |= {
            name: [one.mean for one in found],
            f"{name}_low": [one.low for one in found],
            f"{name}_high": [one.high for one in found],
        }
    return columns

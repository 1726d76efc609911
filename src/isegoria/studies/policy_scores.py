"""Solve every objective on many instances and compute the three scores, for the sweep and the Dots study.

An objective of another package that fails on an instance gets NaN scores there; other objectives are not affected.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from isegoria.analysis.scores import BestValues, score_batch
from isegoria.errors import IsegoriaWarning, unknown_name_error
from isegoria.profiles import Instance
from isegoria.rules import RULES, TIE_BREAKS, Solution, list_objectives, solve
from isegoria.studies.registry import FITTED_TIE_BREAK, TIE_BREAK_CHOICES

if TYPE_CHECKING:
    from isegoria.rules.literals import TieBreakName


def resolve_tie_break(objective: str, choice: str = FITTED_TIE_BREAK) -> TieBreakName:
    """Return the tie-break used for `objective` under one of `TIE_BREAK_CHOICES`; raise an error for an unknown choice.

    >>> resolve_tie_break("egalitarian"), resolve_tie_break("nash"), resolve_tie_break("nash", "vertex")
    ('vertex', 'centre', 'vertex')
    """
    if choice not in TIE_BREAK_CHOICES:
        raise unknown_name_error("tie-break", choice, TIE_BREAK_CHOICES)
    if choice != FITTED_TIE_BREAK:
        return cast("TieBreakName", choice)
    return "vertex" if objective == "egalitarian" else "centre"


def solve_all(instances: Sequence[Instance], choice: str = FITTED_TIE_BREAK) -> dict[str, list[Solution | None]]:
    """Solve every objective for all instances; None where an objective of another package failed.

    Each objective is solved for all instances before the next, so that its code stays in the processor's cache.
    """
    return {id: _solve_each(instances, id, resolve_tie_break(id, choice)) for id in list_objectives()}


def _solve_each(instances: Sequence[Instance], id: str, tie_break: TieBreakName) -> list[Solution | None]:
    if not RULES.origin(id):
        return [solve(each, RULES[id], tie_break) for each in instances]
    found: list[Solution | None] = []
    for each in instances:
        try:
            found.append(solve(each, RULES[id], tie_break))
        except Exception:  # any error: `left_out` reports the rule and the count
            found.append(None)
    return found


def compute_policies(instances: Sequence[Instance], choice: str = FITTED_TIE_BREAK) -> list[np.ndarray]:
    """Return the (objectives, K) policies of each instance; uniform where an objective failed."""
    return _stack_policies(instances, solve_all(instances, choice))


def _stack_policies(instances: Sequence[Instance], found: dict[str, list[Solution | None]]) -> list[np.ndarray]:
    arms = [len(each.arms) for each in instances]
    rows = zip(arms, zip(*found.values(), strict=True), strict=True)
    every = [np.full(k, 1 / k) if each is None else each.policy for k, row in rows for each in row]
    # one call for all, because the arrays are small
    flat, ends = np.concatenate(every), np.cumsum([0, *arms]) * len(found)
    bounds = zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    return [flat[start:end].reshape(len(found), -1) for start, end in bounds]


def compute_scores(instances: Sequence[Instance], choice: str = FITTED_TIE_BREAK) -> np.ndarray:
    """Compute (instances, objectives, 3) procedural, equality and utilitarian scores of each objective's policy.

    >>> compute_scores([Instance([[1, 0], [1, 0], [0, 1]])]).round(3)[0, 0].tolist()
    [1.0, 0.926, 0.833]
    """
    found = solve_all(instances, choice)
    known = (
        resolve_tie_break("inequality", choice) == TIE_BREAKS[0]
    )  # scores are normalised by the values under `centre`
    pairs = zip(found["inequality"], found["utilitarian"], strict=True)
    best = [BestValues(im.value, ut.value) for im, ut in pairs if im is not None and ut is not None]
    tables = score_batch(instances, _stack_policies(instances, found), best if known else None)
    for place, id in enumerate(found):
        if RULES.origin(id):  # only objectives of other packages can be None
            tables[[each is None for each in found[id]], place] = np.nan
    return tables


def drop_incomplete(scores: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return a mask (objectives,) and the ids of the objectives that have all (…, objectives, 3) scores.

    Objectives of other packages that failed on some instance are left out, with an `IsegoriaWarning` for each.
    """
    missed = np.isnan(scores).any(axis=-1).reshape(-1, scores.shape[-2])
    ids = list_objectives()
    for id, times in zip(ids, missed.sum(axis=0).tolist(), strict=True):
        if times:
            what = f"it had no answer for {times:,} of {len(missed):,} groups"
            warnings.warn(f"{id} ({RULES.origin(id)}) is left out: {what}.", IsegoriaWarning, stacklevel=3)
    kept = ~missed.any(axis=0)
    return kept, tuple(id for id, keep in zip(ids, kept.tolist(), strict=True) if keep)

"""Every objective's policy and its three scores on many instances: rows of the sweep, and a table of the Dots study.

An objective of another package that cannot answer on some instance has NaN for scores there, and breaks nobody else's.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from isegoria.errors import IsegoriaWarning, unknown
from isegoria.instance import Instance
from isegoria.rules import OBJECTIVES, RULES, TIE_BREAKS, Solution, solve
from isegoria.scores import Best, score_tables
from isegoria.studies.registry import CHOICES, FITTED


def tie_break_of(objective: str, choice: str = FITTED) -> str:
    """How the optimum of `objective` is chosen under one of `CHOICES`.

    >>> tie_break_of("egalitarian"), tie_break_of("nash"), tie_break_of("nash", "vertex")
    ('vertex', 'centre', 'vertex')
    """
    if choice not in CHOICES:
        raise unknown("tie-break", choice, CHOICES)
    if choice != FITTED:
        return choice
    return "vertex" if objective == "egalitarian" else "centre"


def solutions(instances: Sequence[Instance], choice: str = FITTED) -> dict[str, list[Solution | None]]:
    """The solutions of each objective for all instances; None where one of another package could not answer.

    One objective after the other for all instances, so that its code stays in the processor's cache.
    """
    return {id: _solved(instances, id, tie_break_of(id, choice)) for id in OBJECTIVES}


def _solved(instances: Sequence[Instance], id: str, tie_break: str) -> list[Solution | None]:
    if not RULES.origin(id):
        return [solve(each, id, tie_break) for each in instances]
    found: list[Solution | None] = []
    for each in instances:
        try:
            found.append(solve(each, id, tie_break))
        except Exception:  # whatever it was: `left_out` says which rule, and how often
            found.append(None)
    return found


def policies(instances: Sequence[Instance], choice: str = FITTED) -> list[np.ndarray]:
    """The (objectives, K) policies of each instance; even, where an objective could not answer."""
    return _policies(instances, solutions(instances, choice))


def _policies(instances: Sequence[Instance], found: dict[str, list[Solution | None]]) -> list[np.ndarray]:
    arms = [len(each.arms) for each in instances]
    rows = zip(arms, zip(*found.values(), strict=True), strict=True)
    every = [np.full(k, 1 / k) if each is None else each.policy for k, row in rows for each in row]
    flat, ends = np.concatenate(every), np.cumsum([0, *arms]) * len(found)  # at once: arrays are small, and calls dear
    bounds = zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)
    return [flat[start:end].reshape(len(found), -1) for start, end in bounds]


def scores(instances: Sequence[Instance], choice: str = FITTED) -> np.ndarray:
    """(instances, objectives, 3) procedural, equality and utilitarian scores of each objective's policy.

    >>> scores([Instance([[1, 0], [1, 0], [0, 1]])]).round(3)[0, 0].tolist()
    [1.0, 0.926, 0.833]
    """
    found = solutions(instances, choice)
    known = tie_break_of("inequality", choice) == TIE_BREAKS[0]  # the scores are measured by values of `centre`
    pairs = zip(found["inequality"], found["utilitarian"], strict=True)
    best = [Best(im.value, ut.value) for im, ut in pairs if im is not None and ut is not None]
    tables = score_tables(instances, _policies(instances, found), best if known else None)
    for place, id in enumerate(found):
        if RULES.origin(id):  # ours always answer
            tables[[each is None for each in found[id]], place] = np.nan
    return tables


def left_out(scores: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """(kept (objectives,), their ids) of (…, objectives, 3) scores: without the objectives of other packages that could
    not answer everywhere, each of which is said in a note."""
    missed = np.isnan(scores).any(axis=-1).reshape(-1, scores.shape[-2])
    for id, times in zip(OBJECTIVES, missed.sum(axis=0).tolist(), strict=True):
        if times:
            what = f"it had no answer for {times:,} of {len(missed):,} groups"
            warnings.warn(f"{id} ({RULES.origin(id)}) is left out: {what}.", IsegoriaWarning, stacklevel=3)
    kept = ~missed.any(axis=0)
    return kept, tuple(id for id, keep in zip(OBJECTIVES, kept.tolist(), strict=True) if keep)

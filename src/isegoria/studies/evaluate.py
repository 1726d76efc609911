"""Every objective's policy and its three scores on many instances: rows of the sweep, and a table of the Dots study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isegoria.errors import unknown
from isegoria.instance import Instance
from isegoria.rules import OBJECTIVES, TIE_BREAKS, Solution, solve
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


def solutions(instances: Sequence[Instance], choice: str = FITTED) -> dict[str, list[Solution]]:
    """The solutions of each objective for all instances.

    One objective after the other for all instances, so that its code stays in the processor's cache.
    """
    return {id: [solve(each, id, tie_break_of(id, choice)) for each in instances] for id in OBJECTIVES}


def policies(instances: Sequence[Instance], choice: str = FITTED) -> list[np.ndarray]:
    """The (objectives, K) policies of each instance."""
    return _policies(solutions(instances, choice))


def _policies(found: dict[str, list[Solution]]) -> list[np.ndarray]:
    return [np.array([each.policy for each in rows]) for rows in zip(*found.values(), strict=True)]


def scores(instances: Sequence[Instance], choice: str = FITTED) -> np.ndarray:
    """(instances, objectives, 3) procedural, equality and utilitarian scores of each objective's policy.

    >>> scores([Instance([[1, 0], [1, 0], [0, 1]])]).round(3)[0, 0].tolist()
    [1.0, 0.926, 0.833]
    """
    found = solutions(instances, choice)
    known = tie_break_of("inequality", choice) == TIE_BREAKS[0]  # the scores are measured by values of `centre`
    best = [Best(im.value, ut.value) for im, ut in zip(found["inequality"], found["utilitarian"], strict=True)]
    return score_tables(instances, _policies(found), best if known else None)

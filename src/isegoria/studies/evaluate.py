"""Six policies and their three scores on one instance: a row of the sweep, and a table of the Dots study."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isegoria.instance import Instance
from isegoria.objectives import OBJECTIVES, Solution, solve
from isegoria.scores import Best, score_tables

TIE_BREAKS = {"egalitarian": "vertex"}
"""Where the paper's tables need another choice among several optima than the default, "centre": its egalitarian
policies came from a linear program, which returns a vertex."""


def solutions(instances: Sequence[Instance]) -> dict[str, list[Solution]]:
    """The solutions of each objective for all instances, with the tie-breaks of the paper's tables.

    One objective after the other for all instances, so that its code stays in the processor's cache.
    """
    return {id: [solve(each, id, TIE_BREAKS.get(id, "centre")) for each in instances] for id in OBJECTIVES}


def policies(instances: Sequence[Instance]) -> list[np.ndarray]:
    """The (objectives, K) policies of each instance."""
    return _policies(solutions(instances))


def _policies(found: dict[str, list[Solution]]) -> list[np.ndarray]:
    return [np.array([each.policy for each in rows]) for rows in zip(*found.values(), strict=True)]


def scores(instances: Sequence[Instance]) -> np.ndarray:
    """(instances, objectives, 3) procedural, equality and utilitarian scores of each objective's policy.

    >>> scores([Instance([[1, 0], [1, 0], [0, 1]])]).round(3)[0, 0].tolist()
    [1.0, 0.926, 0.833]
    """
    found = solutions(instances)
    best = [Best(im.value, ut.value) for im, ut in zip(found["inequality"], found["utilitarian"], strict=True)]
    return score_tables(instances, _policies(found), best)

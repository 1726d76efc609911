"""Six policies and their three scores on one instance: a row of the sweep, and a table of the Dots study."""

from __future__ import annotations

import numpy as np

from isegoria.instance import Instance
from isegoria.objectives import OBJECTIVES, solve
from isegoria.scores import score_table

TIE_BREAKS = {"egalitarian": "vertex"}
"""Where the paper's tables need another choice among several optima than the default, "centre": its egalitarian
policies came from a linear program, which returns a vertex."""


def policies(instance: Instance) -> dict[str, np.ndarray]:
    """The (K,) policy of each objective, by id, with the tie-breaks of the paper's tables."""
    return {id: solve(instance, id, TIE_BREAKS.get(id, "centre")).policy for id in OBJECTIVES}


def scores(instance: Instance) -> np.ndarray:
    """(objectives, 3) procedural, equality and utilitarian scores of each objective's policy.

    >>> scores(Instance([[1, 0], [1, 0], [0, 1]])).round(3)[0].tolist()
    [1.0, 0.926, 0.833]
    """
    return score_table(instance, np.array(list(policies(instance).values())))

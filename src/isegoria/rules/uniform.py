"""Uniform: every arm alike, whatever anybody wants; a baseline."""

from __future__ import annotations

import numpy as np

from isegoria.instance import Instance
from isegoria.rules.solution import Solution, settled


def policy(instance: Instance) -> Solution:
    """1/K each."""
    return settled(np.full(len(instance.arms), 1 / len(instance.arms)), "uniform", "closed form")

"""Uniform: every arm is equally likely, regardless of preferences; a baseline."""

from __future__ import annotations

import numpy as np

from isegoria.profiles import Profile
from isegoria.rules.solution import Solution, direct_solution


def compute_policy(instance: Profile) -> Solution:
    """Return the policy that plays each arm with probability 1/K."""
    return direct_solution(np.full(len(instance.arms), 1 / len(instance.arms)), "uniform", "closed form")

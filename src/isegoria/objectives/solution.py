"""What an objective returns: a policy with its proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Solution:
    """A policy that is optimal for `objective`, up to a proved `gap`.

    - `policy`: (K,) an exact point of the simplex, read-only.
    - `value`: the objective's value at that policy.
    - `gap`: how far from optimal it can be at most, recomputed from the policy itself.
    - `tie_break`: how one of several optima was chosen: "centre", "vertex" or "utilitarian".
    - `tie_margin`: the smallest slack or singular value that was not counted as a tie (infinity: nothing was near).
    - `within`: None, or "procedural" when only procedurally fair policies were allowed.
    """

    policy: np.ndarray
    objective: str
    value: float
    gap: float
    tie_break: str = "centre"
    tie_margin: float = float("inf")
    within: str | None = None

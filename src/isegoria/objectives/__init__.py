"""What is fair, six ways: the table of objectives and `solve`, which asks one of them for a certified policy."""

from isegoria.objectives.objective import Objective
from isegoria.objectives.registry import OBJECTIVES, TIE_BREAKS, WITHIN
from isegoria.objectives.solution import Solution
from isegoria.objectives.solving import solve

__all__ = ["OBJECTIVES", "TIE_BREAKS", "WITHIN", "Objective", "Solution", "solve"]

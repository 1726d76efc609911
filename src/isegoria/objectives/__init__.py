"""What is fair, six ways: a registry of objectives and `solve`, which asks one of them for a certified policy."""

from isegoria.objectives.registry import Objective
from isegoria.objectives.solution import Solution

__all__ = ["Objective", "Solution"]

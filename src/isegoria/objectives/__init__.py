"""How each objective is optimised and evaluated: one module for each, under its id, loaded when first used.

The rows themselves, and `solve`, which asks them, are in `isegoria.rules`.
"""

from isegoria.rules import OBJECTIVES, TIE_BREAKS, WITHIN, Objective, Solution, solve

__all__ = ["OBJECTIVES", "TIE_BREAKS", "WITHIN", "Objective", "Solution", "solve"]

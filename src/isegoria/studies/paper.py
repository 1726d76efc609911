"""What the paper printed, so that every table of ours can stand beside it."""

from __future__ import annotations

from isegoria import tolerances
from isegoria.wording import SCORES

TABLE1 = {
    "procedural": ((1.00, 0.00), (0.98, 0.02), (0.97, 0.05)),
    "inequality": ((0.67, 0.30), (1.00, 0.00), (0.86, 0.12)),
    "utilitarian": ((0.78, 0.27), (0.97, 0.04), (1.00, 0.00)),
    "egalitarian": ((0.84, 0.20), (0.99, 0.02), (0.96, 0.05)),
    "nash": ((0.82, 0.24), (0.98, 0.02), (1.00, 0.01)),
    "gini": ((0.87, 0.20), (0.99, 0.02), (0.98, 0.03)),
}
"""Table 1: (mean, standard deviation) of each score in the order of SCORES, for each policy."""

TABLE2 = {
    "procedural": (1.00, 0.99, 0.90),
    "inequality": (0.74, 1.00, 0.80),
    "utilitarian": (0.38, 0.86, 1.00),
    "egalitarian": (0.74, 1.00, 0.80),
    "nash": (0.76, 0.95, 0.99),
    "gini": (0.74, 1.00, 0.80),
}
"""Table 2: each score of each policy on the 50 Dots voters."""


def tolerance(objective: str, score: str) -> float:
    """How far a mean of Table 1 may be from the paper's: its instances were others, drawn from the same laws."""
    if score == "procedural":
        return tolerances.TABLE1_PROCEDURAL
    if (objective, score) == ("inequality", "utilitarian"):
        return tolerances.TABLE1_INEQUALITY_UTILITY
    return tolerances.TABLE1_MEAN


def agrees(objective: str, score: str, mean: float, sd: float) -> bool:
    """Whether a cell of Table 1 is the paper's, up to the sampling of other instances and the printed two decimals."""
    printed_mean, printed_sd = TABLE1[objective][list(SCORES).index(score)]
    near = abs(mean - printed_mean) <= tolerance(objective, score)
    return near and abs(sd - printed_sd) <= tolerances.TABLE1_SD

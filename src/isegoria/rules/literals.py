# Written by docs/generate.py from the tables of the package; run `make docs` after a change there.
"""The names that functions take, as types: an editor completes them, and any other text is still allowed."""

from __future__ import annotations

from typing import Literal

RuleName = (
    Literal[
        "procedural",
        "inequality",
        "utilitarian",
        "egalitarian",
        "nash",
        "gini",
        "leximin",
        "conditional-utilitarian",
        "random-dictatorship",
        "random-priority",
        "sequential-utilitarian",
        "maximum-payment",
        "maximum-partial-consensus",
        "maximal-lottery",
        "uniform",
    ]
    | str
)
TieBreakName = Literal["centre", "vertex", "utilitarian"] | str
WithinName = Literal["procedural"] | str
PayoffName = Literal["utilities", "shares"] | str
CoreName = Literal["procedural", "outcome"] | str
AxisName = Literal["utilitarian", "equality"] | str
InputKind = Literal["favourites", "order", "ratings"]
StrategyproofClaim = Literal["", "shares", "utilities"]
SolutionProof = Literal[
    "certificate",
    "closed form",
    "dynamic programming",
    "stages",
    "sampled",
    "none",
]

# Written by docs/generate.py from the tables of the package; run `make docs` after a change there.
"""The names that functions take, as types: an editor completes them, and a type checker finds misspelt ones."""

from __future__ import annotations

from typing import Literal

RuleName = Literal[
    "procedural",
    "PF",
    "nmp",
    "inequality",
    "IM",
    "utilitarian",
    "UT",
    "util",
    "egalitarian",
    "EG",
    "maximin",
    "nash",
    "NSW",
    "mnw",
    "gini",
    "GGI",
    "leximin",
    "LEX",
    "egal",
    "conditional-utilitarian",
    "CUT",
    "cut",
    "random-dictatorship",
    "UES",
    "ues",
    "rd",
    "random-priority",
    "RP",
    "rp",
    "rsd",
    "random serial dictatorship",
    "sequential-utilitarian",
    "SUT",
    "sut",
    "fut",
    "maximum-payment",
    "MP",
    "mp",
    "majoritarian",
    "maximum-partial-consensus",
    "MaxParC",
    "maximal-lottery",
    "ML",
    "ml",
    "uniform",
    "UNI",
]
RuleSetName = Literal["paper", "fair", "baselines", "all"]
TieBreakName = Literal["centre", "vertex", "utilitarian"]
WithinName = Literal["fair"]
PayoffName = Literal["utilities", "shares"]
AxisName = Literal["utilitarian", "equality"]
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

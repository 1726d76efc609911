"""The table of axioms. A new one is a function beside this table, and one line in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from isegoria.registry import Table

Of = Literal["policy", "rule"]


@dataclass(frozen=True)
class Axiom:
    """A row: its id, the words for it in the literature, what it asks, where it comes from, and of what it is asked."""

    id: str
    label: str
    summary: str
    citation: str
    of: Of
    aliases: tuple[str, ...] = ()


AXIOMS: Table[Axiom] = Table(
    "axiom",
    [
        Axiom(
            "ifs",
            "IFS",
            "everyone's favourites have at least 1/N",
            "Bogomolnaia, Moulin and Stong 2005",
            "policy",
            ("individual fair share",),
        ),
        Axiom(
            "ufs",
            "UFS",
            "agents with the same favourites have their part there",
            "Bogomolnaia, Moulin and Stong 2005",
            "policy",
            ("unanimous fair share",),
        ),
        Axiom(
            "gfs",
            "GFS",
            "every group has its part of the arms that any of it wants",
            "Bogomolnaia, Moulin and Stong 2005",
            "policy",
            ("group fair share", "decomposable", "fair"),
        ),
        Axiom(
            "afs",
            "AFS",
            "who shares a favourite has on average the part of the group that they are",
            "Aziz, Bogomolnaia and Moulin 2020",
            "policy",
            ("average fair share",),
        ),
        Axiom(
            "cfs",
            "CFS",
            "no group does better with its own part of the lottery",
            "Aziz, Bogomolnaia and Moulin 2020",
            "policy",
            ("core", "core fair share"),
        ),
        Axiom(
            "efficient", "EFF", "no lottery is better for someone and worse for nobody", "Pareto", "policy", ("pareto",)
        ),
        Axiom(
            "ex-post",
            "ex-post",
            "no arm is played that another one beats for all",
            "Pareto",
            "policy",
            ("ex post efficient",),
        ),
        Axiom("strategyproof", "SP", "nobody gains by a false report", "Gibbard 1977", "rule", ("sp",)),
        Axiom(
            "excludable-strategyproof",
            "excl. SP",
            "nobody gains who enjoys only what she asked for",
            "Aziz, Bogomolnaia and Moulin 2020",
            "rule",
        ),
        Axiom("group-strategyproof", "group SP", "no small group gains by a joint report", "Gibbard 1977", "rule"),
        Axiom(
            "monotone",
            "mono.",
            "an arm does not lose by a new friend",
            "Brandl, Brandt, Peters and Stricker 2021",
            "rule",
            ("monotonicity",),
        ),
        Axiom(
            "participation", "part.", "nobody does better by staying away", "Brandl, Brandt and Hofbauer 2019", "rule"
        ),
        Axiom(
            "strict-participation",
            "strict part.",
            "everyone gains by taking part, or had her best anyway",
            "Brandl, Brandt and Hofbauer 2019",
            "rule",
        ),
        Axiom("anonymous", "anon.", "the order of agents does not matter, nor splitting rows", "May 1952", "rule"),
        Axiom("neutral", "neutral", "the names of arms do not matter", "May 1952", "rule"),
        Axiom("clone-proof", "clones", "a copy of an arm changes nobody's value", "Tideman 1987", "rule", ("cloning",)),
    ],
    names=("label", "aliases"),
)
"""Every axiom by its id, in the order of the table of rules and axioms; found by label and alias too, in any case."""

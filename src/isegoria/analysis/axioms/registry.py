"""The registry of axioms. To add one, write a function in this package and add an entry here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from isegoria.utils.registry import Registry

AxiomSubject = Literal["policy", "rule"]


@dataclass(frozen=True)
class Axiom:
    """A registry entry: id, label, summary, citation, aliases, and whether it is `of` policies or of rules."""

    id: str
    label: str
    summary: str
    citation: str
    of: AxiomSubject
    aliases: tuple[str, ...] = ()


AXIOMS: Registry[Axiom] = Registry(
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
            "agents with a common favourite have on average their fraction of the group",
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
            "efficient",
            "EFF",
            "no other lottery is better for someone and worse for nobody",
            "Pareto",
            "policy",
            ("pareto",),
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
            "nobody gains by a false report if everyone enjoys only what they reported",
            "Aziz, Bogomolnaia and Moulin 2020",
            "rule",
        ),
        Axiom("group-strategyproof", "group SP", "no small group gains by a joint report", "Gibbard 1977", "rule"),
        Axiom(
            "monotone",
            "mono.",
            "an arm does not lose probability when it gets a new supporter",
            "Brandl, Brandt, Peters and Stricker 2021",
            "rule",
            ("monotonicity",),
        ),
        Axiom("participation", "part.", "nobody gains by not taking part", "Brandl, Brandt and Hofbauer 2019", "rule"),
        Axiom(
            "strict-participation",
            "strict part.",
            "everyone gains by taking part, or had the maximum before",
            "Brandl, Brandt and Hofbauer 2019",
            "rule",
        ),
        Axiom("anonymous", "anon.", "the order of agents does not matter, nor splitting rows", "May 1952", "rule"),
        Axiom("neutral", "neutral", "the names of arms do not matter", "May 1952", "rule"),
        Axiom("clone-proof", "clones", "a copy of an arm changes nobody's value", "Tideman 1987", "rule", ("cloning",)),
    ],
    names=("label", "aliases"),
)
"""Every axiom by its id, in the order of the table of rules and axioms; labels and aliases also work as keys,
case-insensitively."""

"""A sentence of the paper, the numbers it stands or falls by, and the verdict that follows from them, and only them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from isegoria.errors import InputError

HOLDS = "holds"
ROUNDED = "holds after rounding"
DEPENDS = "depends"
FAILS = "does not hold"
VERDICTS = (HOLDS, ROUNDED, DEPENDS, FAILS)
CLOSE = 1e-6
"""Two ends this close are one value with room for rounding."""
MARKS = {True: "✓", False: "✗"}


class Bound(NamedTuple):
    """What is asked of one measured number: `words` for it, its name, and the least and the most that it may be."""

    words: str
    number: str
    least: float = -math.inf
    most: float = math.inf

    def met(self, numbers: Mapping[str, float]) -> bool:
        """Whether the number lies where it is asked to."""
        if self.number not in numbers:
            raise InputError(f"the claims ask for a number {self.number!r}, which was not measured; run them again.")
        return self.least <= numbers[self.number] <= self.most

    def __str__(self) -> str:
        """What is asked, in words.

        >>> print(Bound("score", "x", least=0.9))
        score ≥ 0.9
        """
        if self.most - self.least < CLOSE:
            return f"{self.words} = {(self.least + self.most) / 2:g}"
        ends = [f"≥ {self.least:g}"] * (self.least > -math.inf) + [f"≤ {self.most:g}"] * (self.most < math.inf)
        return f"{self.words} {' and '.join(ends)}"


def at_least(words: str, number: str, value: float) -> Bound:
    """The number is at least `value`."""
    return Bound(words, number, least=value)


def at_most(words: str, number: str, value: float) -> Bound:
    """The number is at most `value`."""
    return Bound(words, number, most=value)


class Case(NamedTuple):
    """A verdict, the bounds that must all be met for it, and what it depends on, or why, in words."""

    verdict: str
    bounds: tuple[Bound, ...]
    words: str = ""


class Judged(NamedTuple):
    """What became of a claim: the verdict with its words, what was measured, and what it takes to hold, each part of it
    marked."""

    verdict: str
    words: str
    measured: str
    asked: str


@dataclass(frozen=True)
class Claim:
    """One sentence: its `place` in the paper, what it `says` in a few words, how the measured numbers are told
    (`measured`, a format string), the `cases` in the order in which they are tried, the words for when none is met, and
    the `files` with the numbers behind it."""

    id: str
    place: str
    says: str
    measured: str
    cases: tuple[Case, ...]
    otherwise: str = ""
    files: tuple[str, ...] = ("numbers.csv",)

    def judge(self, numbers: Mapping[str, float]) -> Judged:
        """The verdict of the first case whose bounds are all met; if none is, the claim does not hold.

        >>> claim = Claim("c", "§1", "x is large", "{x:g}", (Case(HOLDS, (at_least("x", "x", 2),)),), "it is small")
        >>> claim.judge({"x": 3}).verdict, claim.judge({"x": 1}).verdict, claim.judge({"x": 1}).asked
        ('holds', 'does not hold', 'x ≥ 2 ✗')
        """
        told = self.measured.format_map(_Dotted(numbers))
        asked = "; ".join(f"{bound} {MARKS[bound.met(numbers)]}" for bound in self.cases[0].bounds)
        for case in self.cases:
            if all(bound.met(numbers) for bound in case.bounds):
                return Judged(case.verdict, case.words, told, asked)
        return Judged(FAILS, self.otherwise, told, asked)


class _Dotted(dict[str, float]):
    """Numbers by names with underscores, since a format string takes a dot for something else."""

    def __init__(self, numbers: Mapping[str, float]) -> None:
        super().__init__({name.replace(".", "_"): value for name, value in numbers.items()})

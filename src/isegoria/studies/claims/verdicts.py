"""Items of the paper, the bounds by which they are judged, and verdicts that depend on measured numbers only."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from isegoria.errors import InputError

VERDICT_HOLDS = "holds"
VERDICT_HOLDS_ROUNDED = "holds after rounding"
VERDICT_DEPENDS = "depends"
VERDICT_FAILS = "does not hold"
VERDICTS = (VERDICT_HOLDS, VERDICT_HOLDS_ROUNDED, VERDICT_DEPENDS, VERDICT_FAILS)
EQUAL_TOLERANCE = 1e-6
"""Two bounds closer than this are one value with a margin for rounding."""
CHECK_MARKS = {True: "✓", False: "✗"}


class NumberRequirement(NamedTuple):
    """A requirement on one measured number: `words` for it, its name, and its minimum and maximum."""

    words: str
    number: str
    least: float = -math.inf
    most: float = math.inf

    def met(self, numbers: Mapping[str, float]) -> bool:
        """Return whether the number is within the bound; raise `InputError` if it was not measured."""
        if self.number not in numbers:
            raise InputError(f"the claims ask for a number {self.number!r}, which was not measured; run them again.")
        return self.least <= numbers[self.number] <= self.most

    def __str__(self) -> str:
        """Format the requirement in words.

        >>> print(NumberRequirement("score", "x", least=0.9))
        score ≥ 0.9
        >>> print(NumberRequirement("score", "x", most=1 - 1e-9))
        score ≤ 1 − 1e-09
        """
        if self.most - self.least < EQUAL_TOLERANCE:
            return f"{self.words} = {(self.least + self.most) / 2:g}"
        ends = [f"≥ {_format_bound(self.least)}"] if self.least > -math.inf else []
        ends += [f"≤ {_format_bound(self.most)}"] if self.most < math.inf else []
        return f"{self.words} {' and '.join(ends)}"


def _format_bound(bound: float) -> str:
    """Format a bound; one that differs from a whole number by a tolerance shows it."""
    margin = bound - round(bound)
    if 0 < abs(margin) < EQUAL_TOLERANCE and round(bound):
        return f"{round(bound)} {'+' if margin > 0 else '−'} {abs(margin):.0e}"
    return f"{bound:g}"


class VerdictCase(NamedTuple):
    """A verdict, the bounds that must all be met for it, and words for its condition or reason."""

    verdict: str
    bounds: tuple[NumberRequirement, ...]
    words: str = ""


class ClaimVerdict(NamedTuple):
    """The result of judging a claim: verdict and words, what was measured, and the requirements, each marked."""

    verdict: str
    words: str
    measured: str
    asked: str


class PlantedFault(NamedTuple):
    """A planted fault: in `file` of the package the text `old` becomes `new`; `wrong` says what is then wrong."""

    file: str
    old: str
    new: str
    wrong: str


@dataclass(frozen=True)
class PaperItem:
    """One item of the paper that can be checked.

    It has its `place` in the paper, what it `says` in a few words, and a format string for the measured numbers
    (`measured`). `cases` are tried in order, `otherwise` has the words for when none is met, and `files` have the
    numbers behind it. `code` is where the package has it, `test` the test that pins it, and `fault` what that test must
    notice: a `PlantedFault`, or the name of one in tests/mutants. `example` is its file in examples/paper, if any.
    """

    id: str
    place: str
    says: str
    measured: str
    cases: tuple[VerdictCase, ...]
    code: str = ""
    test: str = ""
    fault: PlantedFault | str = ""
    otherwise: str = ""
    files: tuple[str, ...] = ("numbers.csv",)
    example: str = ""

    def judge(self, numbers: Mapping[str, float]) -> ClaimVerdict:
        """Return the verdict of the first case whose bounds are all met; if there is none, the item does not hold.

        >>> large = VerdictCase(VERDICT_HOLDS, (NumberRequirement("x", "x", least=2),))
        >>> item = PaperItem("c", "§1", "x is large", "{x:g}", (large,), otherwise="it is small")
        >>> item.judge({"x": 3}).verdict, item.judge({"x": 1}).verdict, item.judge({"x": 1}).asked
        ('holds', 'does not hold', 'x ≥ 2 ✗')
        """
        told = self.measured.format_map(_UnderscoredNames(numbers))
        asked = "; ".join(f"{bound} {CHECK_MARKS[bound.met(numbers)]}" for bound in self.cases[0].bounds)
        for case in self.cases:
            if all(bound.met(numbers) for bound in case.bounds):
                return ClaimVerdict(case.verdict, case.words, told, asked)
        return ClaimVerdict(VERDICT_FAILS, self.otherwise, told, asked)


class _UnderscoredNames(dict[str, float]):
    """Numbers by names with underscores instead of dots, because a dot has another meaning in a format string."""

    def __init__(self, numbers: Mapping[str, float]) -> None:
        super().__init__({name.replace(".", "_"): value for name, value in numbers.items()})

"""Inequality of a large table: see `solvers/variance/spread`, whose questions a pass over the files answers."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.errors import CertificationError
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.solvers.variance.spread import Varied, by_spread
from isegoria.tables.first_pass import FirstPass
from isegoria.tables.questions import Asking, Question, total, varied


def inequality(first: FirstPass, tie_break: str, direction: np.ndarray, fair: Fair | None) -> Asking[Answer]:
    """The policy of least D(P); value and gap come from the rows, not from the quadratic."""
    search = by_spread(first.spread, Selection(tie_break, direction, first.copies), fair)
    asked = next(search)
    while True:
        answers = yield Question(varied, asked)
        one, two, slopes = (total(part) for part in zip(*answers, strict=True))
        try:
            asked = search.send(Varied(float(one), float(two), slopes))
        except StopIteration as done:
            return _proved(done.value)


def _proved(answer: Answer) -> Answer:
    if answer.gap > tolerances.INEQUALITY_GAP:
        raise CertificationError(
            f"no policy could be proved optimal for 'inequality': the best one found may be off by {answer.gap:.3g}. "
            "Means that differ by many orders of magnitude cause this; rounding them to 9 decimals usually helps."
        )
    return answer

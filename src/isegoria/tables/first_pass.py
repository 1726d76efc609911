"""The first pass, added up: what everything else begins with."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isegoria.errors import InputError
from isegoria.rows.codes import pack, unpack
from isegoria.rows.equal_arms import Kinds
from isegoria.rows.merge import merge_codes, merge_rows
from isegoria.solvers.variance.spread import Spread, spread_of
from isegoria.tables.questions import AgentRows, Asking, Question, UnitSummary, joined, total, unit_summary

MOST_SETS = 1_000_000
"""Distinct favourite sets that are counted; beyond it a table says more than its sets."""


class FirstPass(NamedTuple):
    """Sums over all rows of a table of K arms.

    - `weight`: the number of agents W; `nothing`: how many of them have means that are all 0.
    - `gap`: the least distance from an agent's best that was no tie.
    - `sets`, `counts`: the distinct favourite sets, as codes (m,) or rows (m, K), and how many agents have each.
    - `means` (K,): what each arm gives on average; `spread`: how the agents vary, with the G of D(P) = pᵀGp.
    - `sample`, `worst`: some agents, and those who get least under the even policy.
    - `kinds`: which arms have the same means for everybody, None where no two are; where those were told once,
      `copies` (K,) is how many each stands for.
    """

    weight: int
    nothing: float
    gap: float
    sets: np.ndarray
    counts: np.ndarray
    means: np.ndarray
    spread: Spread
    sample: AgentRows
    worst: AgentRows
    kinds: Kinds | None = None
    copies: np.ndarray | None = None

    def told_once(self) -> FirstPass:
        """The same with equal arms told once."""
        assert self.kinds is not None
        arms = self.kinds.first
        rows = unpack(self.sets, len(self.means)) if self.sets.ndim == 1 else self.sets
        rows = np.ascontiguousarray(rows[:, arms])
        some, worst = (agents._replace(rows=agents.rows[:, arms]) for agents in (self.sample, self.worst))
        return self._replace(
            sets=rows.astype(float) if len(arms) > 64 else pack(rows.astype(bool)),
            means=self.means[arms],
            spread=Spread(self.weight, self.means[arms], self.spread.matrix[np.ix_(arms, arms)]),
            sample=some,
            worst=worst,
            kinds=None,
            copies=self.kinds.copies,
        )


def first_pass(tolerance: float) -> Asking[FirstPass]:
    """A generator that asks once, and returns `FirstPass`."""
    answers: list[UnitSummary] = yield Question(unit_summary, (tolerance,))
    weight = sum(unit.weight for unit in answers)
    means = total([part for unit in answers for part in (unit.high, unit.low)]) / weight
    lower = total([unit.moments for unit in answers])
    moments = np.tril(lower) + np.tril(lower, -1).T
    sets, counts = _merged(answers)
    return FirstPass(
        weight,
        float(total([unit.nothing for unit in answers])),
        min(unit.gap for unit in answers),
        sets,
        counts,
        means,
        spread_of(weight, means, moments),
        joined([unit.sample for unit in answers]),
        joined([unit.worst for unit in answers]),
        _kinds(np.array([unit.alike for unit in answers])),
    )


def _kinds(alike: np.ndarray) -> Kinds | None:
    """The kinds of arms: those that are alike in every unit, one row of `alike` (U, K) for each."""
    if (alike == np.arange(alike.shape[1])).all(axis=0).all():
        return None
    member = np.unique(alike, axis=1, return_inverse=True)[1].ravel()
    return Kinds.of(member) if member.max() + 1 < len(member) else None


def _merged(answers: list[UnitSummary]) -> tuple[np.ndarray, np.ndarray]:
    """The distinct favourite sets of all units, and their counts."""
    sets = np.concatenate([unit.sets for unit in answers])
    counts = np.concatenate([unit.counts for unit in answers])
    merged = merge_codes(sets, counts) if sets.ndim == 1 else merge_rows(np.ascontiguousarray(sets), counts)
    if len(merged[0]) > MOST_SETS:
        raise InputError(
            f"the table has {len(merged[0]):,} different favourite sets, more than {MOST_SETS:,}; ties at the top that "
            "differ from agent to agent cause this. Raise tie_tolerance, merge arms, or scan a sample of the rows."
        )
    return merged[0], merged[1]

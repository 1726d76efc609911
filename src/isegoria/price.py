"""The price of equal voice: the best utilitarian or equality score that a procedural score of at least ℓ leaves."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isegoria import display, tolerances
from isegoria.arguments import checked_instance
from isegoria.errors import CertificationError, InputError, unknown
from isegoria.instance import Instance
from isegoria.objectives.inequality import utility_variance
from isegoria.rows.simplex import simplex_point
from isegoria.rules import solve
from isegoria.rules.inputs import support
from isegoria.solvers.fair_set.polytope import ScoreFloor
from isegoria.solvers.variance.least_variance import least_heard_variance
from isegoria.wording import rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isegoria.comparison import Comparison
    from isegoria.rules.names import AxisName

EQUALITY_POINTS = 21
"""Levels of the equality curve when none are asked for: every 0.05."""


@dataclass(frozen=True, eq=False)
class Frontier:
    """A concave curve: at each level ℓ the best score that some policy with a procedural score of at least ℓ has.

    - `axis`: the score on the curve, "utilitarian" or "equality".
    - `levels`: (L,) ascending from 0 to 1; `values`: (L,) the best score at each; `policies`: (L, K) that have it.
    - `gaps`: (L,) how far below the best each value can be at most; 0 where it is exact.
    """

    axis: str
    levels: np.ndarray
    values: np.ndarray
    policies: np.ndarray
    gaps: np.ndarray

    @property
    def price(self) -> float:
        """What equal voice costs: 1 minus the score at the right end, where every voice is heard in full."""
        return max(0.0, 1.0 - float(self.values[-1]))

    def _repr_html_(self) -> str:
        """The curve for a notebook: what each level of voice leaves."""
        points = zip(self.levels.tolist(), self.values.tolist(), strict=True)
        rows = [[rounded(level), rounded(value)] for level, value in points]
        head = display.line(f"the best {self.axis} score when the procedural score is at least …", "Frontier")
        return display.box(head, display.table(["procedural score", f"{self.axis} score"], rows, words=0))

    def plot(self, ax: Axes | None = None, policies: Comparison | None = None) -> Axes:
        """Matplotlib axes with the curve, and the `policies` of a comparison on it or below it; new ones unless `ax` is
        given."""
        return cast("Axes", display.drawn("isegoria.figures.frontier:frontier_figure", self, policies, ax=ax))

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary for each point: procedural (the level ℓ), value, policy."""
        return [
            {"procedural": level, "value": value, "policy": policy}
            for level, value, policy in zip(
                self.levels.tolist(), self.values.tolist(), self.policies.tolist(), strict=True
            )
        ]


def frontier(instance: Instance, axis: AxisName = "utilitarian", points: int | None = None) -> Frontier:
    """The curve of the largest `axis` score ("utilitarian" or "equality") against the procedural score required.

    `points` asks for that many evenly spaced levels from 0 to 1. Without it the utilitarian curve is returned whole:
    it is piecewise linear, and its levels are 0 and its at most K breakpoints. The equality curve has 21 levels.

    >>> import isegoria as iso
    >>> curve = iso.frontier(iso.Instance([[1, 0], [1, 0], [0, 1]]))
    >>> curve.levels.round(3).tolist(), curve.values.round(3).tolist()
    ([0.0, 0.667, 1.0], [1.0, 1.0, 0.833])
    >>> curve.policies[-1].round(3).tolist()
    [0.667, 0.333]
    """
    checked_instance(instance, "frontier")
    if not isinstance(axis, str) or axis not in AXES:
        raise unknown("axis", axis, AXES)
    if points is not None and (isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 2):
        raise InputError(f"points is {points!r}; ask for a whole number of levels from 2 up, such as 21.")
    arrays = AXES[axis](instance, points)
    for array in arrays:
        array.setflags(write=False)
    return Frontier(axis, *arrays)


def _utilitarian(instance: Instance, points: int | None) -> tuple[np.ndarray, ...]:
    """The utilitarian curve, exactly: agents are heard in the order of what the best of their favourites is worth to
    the group. Its slope changes only where that worth does; whoever is tied is heard at the same pace."""
    types = instance.favourite_types
    worth = instance.arm_means.copy()
    best = worth.max()
    top = worth >= best - tolerances.OPTIMUM_TIE * max(1.0, best)
    worth[top] = best
    owner, arm = types.rows.nonzero()  # row by row
    starts = np.searchsorted(owner, np.arange(len(types.weights)))
    favourite_worth = np.maximum.reduceat(worth[arm], starts)
    _, turn = np.unique(-favourite_worth, return_inverse=True)
    wanted = worth[arm] == favourite_worth[owner]
    owner, arm = owner[wanted], arm[wanted]
    carried = np.zeros((turn.max() + 1, len(worth)))  # by each turn, to each arm
    np.add.at(carried, (turn.reshape(-1)[owner], arm), (types.weights / np.bincount(owner))[owner])
    carried /= instance.total_weight
    heard = np.cumsum(carried.sum(axis=1))
    heard[-1] = 1.0  # but for rounding
    levels = np.append(0.0, heard) if points is None else np.linspace(0.0, 1.0, points)
    pace = np.clip((levels[:, None] - heard) / np.diff(heard, prepend=0.0) + 1, 0, 1)
    policies = np.array([simplex_point(p) for p in pace @ carried + np.outer(1 - levels, top / top.sum())])
    values = np.minimum(policies @ worth / best, 1.0) if best > 0 else np.ones(len(levels))
    return levels, values, policies, np.zeros(len(levels))


def _equality(instance: Instance, points: int | None) -> tuple[np.ndarray, ...]:
    """The equality curve: at each level the least inequality D, certified."""
    types = instance.favourite_types
    shares = types.weights / instance.total_weight
    variance, direction = utility_variance(instance), instance.arm_means
    least = solve(instance, "inequality").value
    levels = np.linspace(0.0, 1.0, points or EQUALITY_POINTS)
    found = [least_heard_variance(variance, direction, ScoreFloor(types.rows, shares, level)) for level in levels]
    policies, spreads, gaps, _ = (np.array(column) for column in zip(*found, strict=True))
    if gaps.max() > tolerances.INEQUALITY_GAP:
        raise CertificationError(
            f"the least inequality at a procedural score of {levels[gaps.argmax()]:g} could be proved only to "
            f"{gaps.max():.3g}; rounding the means to 9 decimals usually helps."
        )
    values = 1 - np.maximum(spreads - least, 0.0)
    return levels, values, policies, gaps


def price(instance: Instance) -> float:
    """The part of the largest total utility that equal voice costs, in closed form: the best fair policy gives each
    voice to the one of its favourites that is worth most to the group, so 1 − Σ_i (w_i/W) max over F_i of c_k / max c.

    >>> import isegoria as iso
    >>> round(price(iso.Instance([[1, 0], [1, 0], [0, 1]])), 6)
    0.166667
    """
    worth, wants = instance.arm_means, support(checked_instance(instance, "price"))
    if worth.max() <= 0:
        return 0.0
    kept = float(wants.weights @ wants.largest(worth)) / instance.total_weight
    return max(0.0, 1.0 - kept / float(worth.max()))


class WorstPrice(NamedTuple):
    """What equal voice keeps at least, in any group of so many agents and arms, of the largest total."""

    utilities: float
    shares: float


def worst_price(agents: int, arms: int) -> WorstPrice:
    """The least part of the largest total that the best fair policy keeps in any group: of utilities 1/W, of decision
    shares 2/(√K + 1); docs/explanation/price-of-equal-voice.md has both proofs, and the groups in which it is so.

    >>> worst_price(10, 9)
    WorstPrice(utilities=0.1, shares=0.5)
    """
    return WorstPrice(1 / agents, 2 / (math.sqrt(arms) + 1))


AXES = {"utilitarian": _utilitarian, "equality": _equality}

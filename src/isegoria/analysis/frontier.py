"""Price of equal voice: the maximum utilitarian or equality score at a procedural score of at least ℓ."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isegoria.errors import CertificationError, InputError, unknown_name_error
from isegoria.profiles import Profile
from isegoria.rules import solve
from isegoria.rules.builtin.inequality import utility_variance
from isegoria.rules.inputs import support_graph
from isegoria.solvers.fair_set.polytope import MinimumScorePolytope
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.solvers.variance.least_variance import minimise_variance_at_score
from isegoria.utils import notebook, tolerances
from isegoria.utils.arguments import explain_keywords, require_profile
from isegoria.utils.arrays import count_labels
from isegoria.utils.formatting import format_number
from isegoria.utils.tabular import TabularResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isegoria.analysis.comparison import Comparison
    from isegoria.rules.literals import AxisName

DEFAULT_EQUALITY_POINTS = 21
"""Default number of levels of the equality curve: one every 0.05."""


@dataclass(frozen=True, eq=False)
class Frontier(TabularResult):
    """Concave curve: for each level ℓ, the maximum score of a policy whose procedural score is at least ℓ.

    - `axis`: the score on the curve, "utilitarian" or "equality".
    - `levels`: (L,) ascending from 0 to 1; `values`: (L,) the maximum at each; `policies`: (L, K) that reach it.
    - `gaps`: (L,) upper bounds on how far each value is below the maximum; 0 where it is exact.
    """

    axis: str
    levels: np.ndarray
    values: np.ndarray
    policies: np.ndarray
    gaps: np.ndarray

    @property
    def price(self) -> float:
        """The price of equal voice: 1 minus the score at level 1, where every agent's voice counts in full."""
        return max(0.0, 1.0 - float(self.values[-1]))

    def _repr_html_(self) -> str:
        """Return the curve as an HTML table for a notebook."""
        points = zip(self.levels.tolist(), self.values.tolist(), strict=True)
        rows = [[format_number(level), format_number(value)] for level, value in points]
        head = notebook.html_line(f"the best {self.axis} score when the procedural score is at least …", "Frontier")
        return notebook.html_box(head, notebook.html_table(["procedural score", f"{self.axis} score"], rows, words=0))

    def plot(self, ax: Axes | None = None, policies: Comparison | None = None) -> Axes:
        """Draw the curve, and the `policies` of a comparison on or below it, and return the Matplotlib axes.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; new axes by default.
        policies : Comparison, optional
            Policies to mark.

        Returns
        -------
        Axes
        """
        return cast(
            "Axes", notebook.draw_on_axes("isegoria.figures.frontier_figure:draw_frontier", self, policies, ax=ax)
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the curve as plain data: its axis and its points."""
        return {"axis": self.axis, "points": self.to_rows()}

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary per point: procedural (the level ℓ), value, policy."""
        return [
            {"procedural": level, "value": value, "policy": policy}
            for level, value, policy in zip(
                self.levels.tolist(), self.values.tolist(), self.policies.tolist(), strict=True
            )
        ]


@explain_keywords
def frontier(instance: Profile, axis: AxisName = "utilitarian", points: int | None = None) -> Frontier:
    """Compute the maximum `axis` score as a function of the procedural score that is required.

    Parameters
    ----------
    instance : Instance
        The profile.
    axis : {"utilitarian", "equality"}
        The score to maximise.
    points : int, optional
        Number of evenly spaced levels from 0 to 1. By default the utilitarian curve is exact: it is piecewise linear,
        and its levels are 0 and its at most K breakpoints. The equality curve has 21 levels by default.

    Returns
    -------
    Frontier

    Raises
    ------
    UnknownNameError
        If `axis` is unknown.
    InputError
        If `points` is not an integer from 2 up.
    CertificationError
        If a point of the equality curve cannot be proved.

    Examples
    --------
    >>> import isegoria as iso
    >>> curve = iso.frontier(iso.Instance([[1, 0], [1, 0], [0, 1]]))
    >>> curve.levels.round(3).tolist(), curve.values.round(3).tolist()
    ([0.0, 0.667, 1.0], [1.0, 1.0, 0.833])
    >>> curve.policies[-1].round(3).tolist()
    [0.667, 0.333]
    """
    require_profile(instance, "frontier")
    if not isinstance(axis, str) or axis not in AXIS_CURVES:
        raise unknown_name_error("axis", axis, AXIS_CURVES)
    if points is not None and (isinstance(points, bool) or not isinstance(points, (int, np.integer)) or points < 2):
        raise InputError(f"points is {points!r}; ask for a whole number of levels from 2 up, such as 21.")
    arrays = AXIS_CURVES[axis](instance, points)
    for array in arrays:
        array.setflags(write=False)
    return Frontier(axis, *arrays)


def _utilitarian_curve(instance: Profile, points: int | None) -> tuple[np.ndarray, ...]:
    """Compute the utilitarian curve exactly, adding agent types in order of their best favourite's mean utility.

    The slope changes only where that mean does; tied types are added at the same rate.
    """
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
    carried = np.zeros((turn.max() + 1, len(worth)))  # (turns, arms)
    np.add.at(carried, (turn.reshape(-1)[owner], arm), (types.weights / count_labels(owner))[owner])
    carried /= instance.total_weight
    heard = np.cumsum(carried.sum(axis=1))
    heard[-1] = 1.0  # the shares sum to 1 up to rounding
    levels = np.append(0.0, heard) if points is None else np.linspace(0.0, 1.0, points)
    pace = np.clip((levels[:, None] - heard) / np.diff(heard, prepend=0.0) + 1, 0, 1)
    policies = np.array([simplex_point(p) for p in pace @ carried + np.outer(1 - levels, top / top.sum())])
    values = np.minimum(policies @ worth / best, 1.0) if best > 0 else np.ones(len(levels))
    return levels, values, policies, np.zeros(len(levels))


def _equality_curve(instance: Profile, points: int | None) -> tuple[np.ndarray, ...]:
    """Compute the equality curve: at each level the minimum inequality D, certified."""
    types = instance.favourite_types
    shares = types.weights / instance.total_weight
    variance, direction = utility_variance(instance), instance.arm_means
    least = solve(instance, "inequality").value
    levels = np.linspace(0.0, 1.0, points or DEFAULT_EQUALITY_POINTS)
    found = [
        minimise_variance_at_score(variance, direction, MinimumScorePolytope(types.rows, shares, level))
        for level in levels
    ]
    policies, spreads, gaps, _ = (np.array(column) for column in zip(*found, strict=True))
    if gaps.max() > tolerances.INEQUALITY_GAP:
        raise CertificationError(
            f"the least inequality at a procedural score of {levels[gaps.argmax()]:g} could be proved only to "
            f"{gaps.max():.3g}; rounding the means to 9 decimals usually helps."
        )
    values = 1 - np.maximum(spreads - least, 0.0)
    return levels, values, policies, gaps


def price_of_equal_voice(instance: Profile) -> float:
    """Return the fraction of the maximum total utility that equal voice costs, in closed form.

    The best fair policy puts each agent's share on the favourite with the largest mean utility c_k, so the price is 1 −
    Σ_i (w_i/W) max over F_i of c_k / max c.

    >>> import isegoria as iso
    >>> round(price_of_equal_voice(iso.Instance([[1, 0], [1, 0], [0, 1]])), 6)
    0.166667
    """
    worth, wants = instance.arm_means, support_graph(require_profile(instance, "price"))
    if worth.max() <= 0:
        return 0.0
    kept = float(wants.weights @ wants.largest(worth)) / instance.total_weight
    return max(0.0, 1.0 - kept / float(worth.max()))


class WorstCaseRetention(NamedTuple):
    """Fraction of the maximum total that equal voice keeps at least, for given numbers of agents and arms."""

    utilities: float
    shares: float


def worst_case_retention(agents: int, arms: int) -> WorstCaseRetention:
    """Return the minimum fraction of the maximum total that the best fair policy keeps in any group.

    It is 1/W for utilities and 2/(√K + 1) for decision shares; docs/explanation/price-of-equal-voice.md has both
    proofs, and the groups that reach these bounds.

    >>> worst_case_retention(10, 9)
    WorstCaseRetention(utilities=0.1, shares=0.5)
    """
    return WorstCaseRetention(1 / agents, 2 / (math.sqrt(arms) + 1))


AXIS_CURVES = {"utilitarian": _utilitarian_curve, "equality": _equality_curve}

"""Dominance between two policies: on the three scores, or for the agents (Pareto)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from isegoria.analysis.efficiency import CLEAR_GAIN, LOSS_TOLERANCE
from isegoria.analysis.scores import score
from isegoria.errors import unknown_name_error
from isegoria.profiles import Profile, require_instance
from isegoria.profiles.policies import PolicyLike
from isegoria.rules.welfare import PAYOFF_NAMES
from isegoria.utils import tolerances
from isegoria.utils.arguments import explain_keywords, require_profile

if TYPE_CHECKING:
    from isegoria.rules import Rule, Solution
    from isegoria.rules.literals import PayoffName, RuleName


@explain_keywords
def score_dominates(instance: Profile, policy: PolicyLike | RuleName | Rule | Solution, other: Any) -> bool:
    """Return whether `policy` score-dominates `other` (Definition 10): as good on all three scores, better on one.

    Differences within rounding are ignored. This compares scores; `pareto_dominates` compares what agents get.

    Parameters
    ----------
    instance : Instance
        The profile.
    policy, other : array (K,) or mapping by arm
        The policies to compare.

    Returns
    -------
    bool

    Examples
    --------
    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0, 0.5], [0, 1, 0.5]])
    >>> iso.score_dominates(instance, [0.5, 0.5, 0], [0, 0, 1]), iso.score_dominates(instance, [0, 0, 1], [0.5, 0.5, 0])
    (True, False)
    """
    require_profile(instance, "score_dominates")
    points = {"one": score(instance, policy).values, "other": score(instance, other).values}
    return bool(find_outscored(points)["other"])


@explain_keywords
def pareto_dominates(
    instance: Profile,
    policy: PolicyLike | RuleName | Rule | Solution,
    other: PolicyLike | RuleName | Rule | Solution,
    payoff: PayoffName = "utilities",
) -> bool:
    """Return whether `policy` gives every agent at least as much as `other` and some agent more.

    Differences within rounding are ignored: less than 1e-9 is no gain, and less than 1e-12 no loss.

    Parameters
    ----------
    instance : Instance
        The profile.
    policy, other : array (K,) or mapping by arm
        The policies to compare.
    payoff : {"utilities", "shares"}
        What agents get: utilities or decision shares.

    Returns
    -------
    bool

    Raises
    ------
    UnknownNameError
        If `payoff` is neither.

    Examples
    --------
    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0.9, 0], [0, 0.9, 1]])
    >>> iso.pareto_dominates(instance, [0, 1, 0], [0.5, 0, 0.5])
    True
    >>> iso.pareto_dominates(instance, [0, 1, 0], [0.5, 0, 0.5], payoff="shares")
    False
    """
    require_profile(instance, "pareto_dominates")
    if payoff not in PAYOFF_NAMES:
        raise unknown_name_error("payoff", payoff, PAYOFF_NAMES)
    values = require_instance(instance, "utilities").utilities if payoff == "utilities" else instance.decision_shares
    one, two = values(policy), values(other)
    gains = one - two
    return bool(gains.min() >= -LOSS_TOLERANCE and gains.max() >= CLEAR_GAIN)


def find_outscored(points: Mapping[str, tuple[float, float, float]]) -> dict[str, tuple[str, ...]]:
    """Return for each name those whose three scores dominate its own: as good on each, and better on one.

    >>> find_outscored({"a": (1.0, 0.9, 1.0), "b": (0.8, 0.9, 1.0), "c": (1.0 - 1e-12, 0.9, 1.0)})
    {'a': (), 'b': ('a', 'c'), 'c': ()}
    """
    tie = tolerances.SCORE_DOMINANCE
    return {
        name: tuple(
            other
            for other, (x, y, z) in points.items()
            if x >= a - tie and y >= b - tie and z >= c - tie and (x > a + tie or y > b + tie or z > c + tie)
        )
        for name, (a, b, c) in points.items()
    }

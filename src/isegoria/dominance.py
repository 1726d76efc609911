"""Whether one policy is above another: on the three scores, or for the agents themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isegoria import tolerances
from isegoria.arguments import checked_instance
from isegoria.axioms.efficiency import GAIN, LOSS
from isegoria.errors import unknown
from isegoria.instance import Instance
from isegoria.instance.policies import PolicyLike
from isegoria.rules.welfare import OF
from isegoria.scores import score

if TYPE_CHECKING:
    from isegoria.rules.names import OfName


def score_dominates(instance: Instance, policy: PolicyLike, other: Any) -> bool:
    """Whether `policy` is above `other` on the scores (Definition 10): as good on each of the three, better on one.

    A difference of rounding counts as none. It is about scores; `pareto_dominates` asks the agents.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0, 0.5], [0, 1, 0.5]])
    >>> iso.score_dominates(instance, [0.5, 0.5, 0], [0, 0, 1]), iso.score_dominates(instance, [0, 0, 1], [0.5, 0.5, 0])
    (True, False)
    """
    checked_instance(instance, "score_dominates")
    return above(score(instance, policy).point, score(instance, other).point)


def pareto_dominates(instance: Instance, policy: PolicyLike, other: PolicyLike, of: OfName = "utilities") -> bool:
    """Whether `policy` gives every agent as much as `other` and some agent more, in utilities or in decision "shares".

    A difference of rounding counts as none: of less than 1e-9 as no gain, of less than 1e-12 as no loss.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0.9, 0], [0, 0.9, 1]])
    >>> iso.pareto_dominates(instance, [0, 1, 0], [0.5, 0, 0.5])
    True
    >>> iso.pareto_dominates(instance, [0, 1, 0], [0.5, 0, 0.5], of="shares")
    False
    """
    checked_instance(instance, "pareto_dominates")
    if of not in OF:
        raise unknown("of", of, OF)
    one, two = ((instance.utilities if of == "utilities" else instance.decision_shares)(p) for p in (policy, other))
    gains = one - two
    return bool(gains.min() >= -LOSS and gains.max() >= GAIN)


def above(better: tuple[float, ...], worse: tuple[float, ...]) -> bool:
    """Whether scores `better` are above scores `worse`: as good on each, and better on one.

    >>> above((1.0, 0.9), (0.8, 0.9)), above((1.0, 0.9), (1.0 - 1e-12, 0.9))
    (True, False)
    """
    gained = False
    for one, other in zip(better, worse, strict=True):
        if one < other - tolerances.DOMINANCE:
            return False
        gained = gained or one > other + tolerances.DOMINANCE
    return gained

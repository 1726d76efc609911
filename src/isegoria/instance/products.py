"""The plain products of Definitions 3 and 4, in logarithms, and exactly where the group is small."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.errors import InputError, unknown
from isegoria.lazy import computed_once
from isegoria.rows.views import dense

if TYPE_CHECKING:
    from isegoria.instance.instance import Instance

OF = ("utility", "shares")
SMALL = 100
"""Agents up to which a product is given exactly: beyond, its digits are of no use to anybody."""


@dataclass(frozen=True, eq=False)
class NashProduct:
    """Π_i U_i(P) (Definition 3) or Π_i β_i(P) (Definition 4) over all W agents, nobody left out.

    - `log`: its logarithm, -inf where it is 0; `value`: the product itself, which underflows to 0 for large groups.
    - `exact`: the product as a `Fraction`; None for more than 100 agents. Means and policy are taken for the shortest
      decimals that they are written as, or exactly where the policy is given in fractions.
    """

    log: float
    agents: int
    instance: Instance = field(repr=False)
    policy: Any = field(repr=False)
    of: str = field(repr=False)

    @property
    def value(self) -> float:
        """The product as a double."""
        return exp(self.log)

    @computed_once
    def exact(self) -> Fraction | None:
        """The product without any rounding, or None for a large group."""
        if self.agents > SMALL:
            return None
        policy, means = _fractions(self.instance, self.policy), dense(self.instance.means)
        tables = means.tolist() if self.of == "utility" else dense(self.instance.favourites).tolist()
        rows = [[Fraction(repr(float(entry))) for entry in row] for row in tables]
        if self.of == "shares":
            rows = [row if any(row) else [Fraction(1)] * len(row) for row in rows]
        values = [sum(map(Fraction.__mul__, row, policy), Fraction(0)) for row in rows]
        return prod((value**weight for value, weight in zip(values, self.instance.weights.tolist(), strict=True)))


def nash_product(instance: Instance, policy: Any, of: str = OF[0]) -> NashProduct:
    """The `NashProduct` of `policy`, of utilities or, with `of="shares"`, of decision shares."""
    if of not in OF:
        raise unknown("Nash product of", of, OF)
    values = instance.utilities(policy) if of == "utility" else instance.decision_shares(policy)
    with np.errstate(divide="ignore"):
        log = float(instance.weights @ np.log(values))
    return NashProduct(log, instance.total_weight, instance, policy, of)


def _fractions(instance: Instance, policy: Any) -> list[Fraction]:
    """The policy as fractions that sum to 1: as given, or the decimals of the checked one."""
    if isinstance(policy, Mapping):
        policy = [policy.get(arm, 0) for arm in instance.arms]
    if all(isinstance(entry, int | Fraction) and not isinstance(entry, bool) for entry in policy):
        if sum(policy) != 1:
            raise InputError(f"the policy sums to {sum(policy)}; fractions must sum to exactly 1.")
        return [Fraction(entry) for entry in policy]
    entries = [Fraction(repr(float(entry))) for entry in instance.check_policy(policy)]
    return [entry / sum(entries) for entry in entries]

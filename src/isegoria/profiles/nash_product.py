"""The plain products of Definitions 3 and 4, as logarithms, and exactly for small groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, prod
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.errors import InputError, unknown_name_error
from isegoria.utils.arrays import to_dense
from isegoria.utils.caching import lazy_property

if TYPE_CHECKING:
    from isegoria.profiles.instance import Instance

PAYOFF_NAMES = ("utilities", "shares")
MAX_EXACT_AGENTS = 100
"""Up to this many agents, a product is computed exactly; with more, its exact digits are of no use."""


@dataclass(frozen=True, eq=False)
class NashProduct:
    """`Π_i U_i(P)` (Definition 3) or `Π_i β_i(P)` (Definition 4) over all W agents, none left out.

    - `log`: its logarithm, -inf where it is 0; `value`: the product itself, which underflows to 0 for large groups.
    - `exact`: the product as a `Fraction`; None for more than 100 agents. Means and policy are read as the shortest
      decimals that represent them; a policy given in fractions is used exactly.
    """

    log: float
    agents: int
    instance: Instance = field(repr=False)
    policy: Any = field(repr=False)
    payoff: str = field(repr=False)

    @property
    def value(self) -> float:
        """The product as a double."""
        return exp(self.log)

    @lazy_property
    def exact(self) -> Fraction | None:
        """The product without any rounding, or None for a large group."""
        if self.agents > MAX_EXACT_AGENTS:
            return None
        policy, means = _to_fractions(self.instance, self.policy), to_dense(self.instance.means)
        tables = means.tolist() if self.payoff == "utilities" else to_dense(self.instance.favourites).tolist()
        rows = [[Fraction(repr(float(entry))) for entry in row] for row in tables]
        if self.payoff == "shares":
            rows = [row if any(row) else [Fraction(1)] * len(row) for row in rows]
        values = [sum(map(Fraction.__mul__, row, policy), Fraction(0)) for row in rows]
        return prod((value**weight for value, weight in zip(values, self.instance.weights.tolist(), strict=True)))


def compute_nash_product(instance: Instance, policy: Any, payoff: str = PAYOFF_NAMES[0]) -> NashProduct:
    """Return the `NashProduct` of `policy`, over utilities or, with `payoff="shares"`, over decision shares."""
    if payoff not in PAYOFF_NAMES:
        raise unknown_name_error("Nash product of", payoff, PAYOFF_NAMES)
    values = instance.utilities(policy) if payoff == "utilities" else instance.decision_shares(policy)
    with np.errstate(divide="ignore"):
        log = float(instance.weights @ np.log(values))
    return NashProduct(log, instance.total_weight, instance, policy, payoff)


def _to_fractions(instance: Instance, policy: Any) -> list[Fraction]:
    """Return the policy as fractions that sum to 1: as given, or from the decimals of the validated one."""
    if isinstance(policy, Mapping):
        policy = [policy.get(arm, 0) for arm in instance.arms]
    if all(isinstance(entry, int | Fraction) and not isinstance(entry, bool) for entry in policy):
        if sum(policy) != 1:
            raise InputError(f"the policy sums to {sum(policy)}; fractions must sum to exactly 1.")
        return [Fraction(entry) for entry in policy]
    entries = [Fraction(repr(float(entry))) for entry in instance.validate_policy(policy)]
    return [entry / sum(entries) for entry in entries]

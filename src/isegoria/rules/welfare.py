"""Custom welfare: a concave function of the agents' payoffs and its gradient, which the package maximises."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, SupportsFloat

from isegoria.errors import InputError, unknown_name_error
from isegoria.rules.objective import Objective
from isegoria.rules.solution import Solution, require_certificate

if TYPE_CHECKING:
    import numpy as np

    from isegoria.profiles import Profile

PAYOFF_NAMES = ("utilities", "shares")
"""The payoffs on which a welfare can be defined: utilities, or the probabilities of the agents' favourites."""

CERTIFIED_GAP = 1e-9
"""A welfare is certified if its gap is at most this, multiplied by the welfare if the welfare is above 1."""


class Welfare(Objective):
    """An objective given by a concave function `value(v, w)` and its gradient `gradient(v, w)` (N,).

    v (N,) is what each agent type gets, in "utilities" or in decision "shares" by `payoff`, and w (N,) how many
    agents that are. Gradients may be infinite at 0. The policy is the best among all, or with `within="fair"` among
    the fair ones, by fully corrective Frank-Wolfe. Its gap bounds the suboptimality *if the function is concave*,
    which `isegoria.testing.check_objective` examines. Of policies that give everybody the same it is the one of
    minimum norm; a `tie_margin` of 0 says that the function is flat there, and other utilities may be as good.

    >>> import numpy as np, isegoria as iso
    >>> root = iso.Welfare("root", value=lambda v, w: w @ np.sqrt(v), gradient=lambda v, w: w / (2 * np.sqrt(v)))
    >>> found = iso.solve(iso.Instance([[1, 0], [1, 0], [0, 1]]), root)
    >>> found.policy.round(6).tolist(), found.gap < 1e-9
    ([0.8, 0.2], True)
    """

    payoff: str = PAYOFF_NAMES[0]

    def __init__(
        self,
        id: str | None = None,
        label: str | None = None,
        summary: str | None = None,
        citation: str | None = None,
        *,
        value: Callable[[np.ndarray, np.ndarray], SupportsFloat] | None = None,
        gradient: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
        payoff: str | None = None,
        **attributes: Any,
    ):
        summary = summary or (None if type(self).summary or type(self) is not Welfare else "your own welfare function")
        super().__init__(id, label, summary, citation, value=value, gradient=gradient, payoff=payoff, **attributes)
        if self.payoff not in PAYOFF_NAMES:
            raise unknown_name_error(f"payoff in the welfare '{self.id}'", self.payoff, PAYOFF_NAMES)

    def value(self, v: np.ndarray, w: np.ndarray) -> float:
        """Return the welfare of the payoffs v (N,), where w (N,) agents get each."""
        raise NotImplementedError(f"the welfare '{self.id}' has no value(v, w)")

    def gradient(self, v: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Return the derivatives (N,) of the welfare in v."""
        raise NotImplementedError(f"the welfare '{self.id}' has no gradient(v, w)")

    def evaluate(self, instance: Any, policy: np.ndarray, *args: Any, **options: Any) -> float:
        """Return the welfare of a policy."""
        rows, weights = _payoff_rows(instance, self.payoff)
        return float(self.value(rows @ policy, weights))

    def optimise(self, instance: Any, *args: Any, **options: Any) -> Solution:
        """Return the policy of maximum welfare, certified if the function is concave."""
        from isegoria.rules.builtin.random_dictatorship import compute_policy as dictatorship
        from isegoria.rules.inputs import fair_polytope_within
        from isegoria.solvers.fair_set.frank_wolfe import maximise_concave

        tie_break, within = (*args, *[None] * (2 - len(args)))[:2]
        if tie_break not in (None, self.tie_break):
            raise InputError(f"{self.id} chooses the policy of least norm; leave tie_break out.")
        rows, weights = _payoff_rows(instance, self.payoff)
        start = dictatorship(instance).policy
        self._refuse_infinite(rows @ start, weights)
        found = maximise_concave(
            lambda v: float(self.value(v, weights)),
            lambda v: self.gradient(v, weights),
            rows,
            start,
            fair_polytope_within(instance, within),
        )
        solution = Solution(found.policy, self.id, found.value, found.gap, self.tie_break, found.margin, within)
        return require_certificate(solution, CERTIFIED_GAP * max(1.0, abs(found.value)))

    def _refuse_infinite(self, v: np.ndarray, w: np.ndarray) -> None:
        """Raise `InputError` if the welfare is not finite at payoffs under which every voice is heard."""
        import numpy as np

        with np.errstate(all="ignore"):
            finite = math.isfinite(float(self.value(v, w)))
        if not finite:
            raise InputError(
                f"{self.id} is not finite where every voice is heard; leave out agents who rate every arm 0."
            )


def _payoff_rows(instance: Profile, payoff: str) -> tuple[np.ndarray, np.ndarray]:
    """Return (rows (m, K), the number of agents of each): the means, or the favourites as 0 and 1."""
    from isegoria.profiles import require_instance
    from isegoria.utils.arrays import to_dense

    types = require_instance(instance).types if payoff == PAYOFF_NAMES[0] else instance.favourite_types
    return to_dense(types.rows).astype(float), types.weights.astype(float)

"""A welfare of one's own: a concave function of what everybody gets, and its gradient; the package maximises it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, SupportsFloat

from isegoria.errors import InputError, unknown
from isegoria.rules.objective import Objective
from isegoria.rules.solution import Solution, certified

if TYPE_CHECKING:
    import numpy as np

    from isegoria.instance import Instance

OF = ("utilities", "shares")
"""What a welfare is about: what agents get, or the chance of their favourites."""

GAP = 1e-9
"""A welfare is certified when its gap is at most this, times the welfare if that is above 1."""


class Welfare(Objective):
    """An objective given by a concave function `value(v, w)` and its gradient `gradient(v, w)` (N,).

    v (N,) is what each kind of agent gets, in "utilities" or in decision "shares" by `of`, and w (N,) how many agents
    that are. Gradients may be infinite at 0. The policy is the best among all, or `within="procedural"` among the fair,
    by fully corrective Frank-Wolfe; the gap that comes with it proves how near to the best it is *if the function is
    concave*, which `isegoria.testing.check_objective` looks into. Of policies that give everybody the same it is the
    one of least norm; a `tie_margin` of 0 says that the function is flat there, and other utilities may be as good.

    >>> import numpy as np, isegoria as iso
    >>> root = iso.Welfare("root", value=lambda v, w: w @ np.sqrt(v), gradient=lambda v, w: w / (2 * np.sqrt(v)))
    >>> found = iso.solve(iso.Instance([[1, 0], [1, 0], [0, 1]]), root)
    >>> found.policy.round(6).tolist(), found.gap < 1e-9
    ([0.8, 0.2], True)
    """

    of: str = OF[0]

    def __init__(
        self,
        id: str | None = None,
        label: str | None = None,
        summary: str | None = None,
        citation: str | None = None,
        *,
        value: Callable[[np.ndarray, np.ndarray], SupportsFloat] | None = None,
        gradient: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None,
        of: str | None = None,
        **claims: Any,
    ):
        own: dict[str, Any] = {"value": value, "gradient": gradient, "of": of}
        given = {name: each for name, each in own.items() if each is not None}
        summary = summary or (None if type(self).summary or type(self) is not Welfare else "a welfare of one's own")
        super().__init__(id, label, summary, citation, **given, **claims)
        if self.of not in OF:
            raise unknown(f"of in the welfare '{self.id}'", self.of, OF)

    def value(self, v: np.ndarray, w: np.ndarray) -> float:
        """The welfare of v (N,), where w (N,) agents get each."""
        raise NotImplementedError(f"the welfare '{self.id}' has no value(v, w)")

    def gradient(self, v: np.ndarray, w: np.ndarray) -> np.ndarray:
        """(N,) its derivatives in v."""
        raise NotImplementedError(f"the welfare '{self.id}' has no gradient(v, w)")

    def evaluate(self, instance: Instance, policy: np.ndarray, *args: Any, **options: Any) -> float:
        """The welfare of a policy."""
        rows, weights = _rows(instance, self.of)
        return float(self.value(rows @ policy, weights))

    def optimise(self, instance: Instance, *args: Any, **options: Any) -> Solution:
        """The policy of the largest welfare, certified if the function is concave."""
        from isegoria.rules.inputs import fair_policies
        from isegoria.rules.random_dictatorship import policy as dictatorship
        from isegoria.solvers.fair_set.concave import concave_optimum

        tie_break, within = (*args, *[None] * (2 - len(args)))[:2]
        if tie_break not in (None, self.tie_break):
            raise InputError(f"{self.id} chooses the policy of least norm; leave tie_break out.")
        rows, weights = _rows(instance, self.of)
        start = dictatorship(instance).policy
        self._refuse_infinite(rows @ start, weights)
        found = concave_optimum(
            lambda v: float(self.value(v, weights)),
            lambda v: self.gradient(v, weights),
            rows,
            start,
            fair_policies(instance, within),
        )
        solution = Solution(found.policy, self.id, found.value, found.gap, self.tie_break, found.margin, within)
        return certified(solution, GAP * max(1.0, abs(found.value)))

    def _refuse_infinite(self, v: np.ndarray, w: np.ndarray) -> None:
        """Refuse a group in which the welfare is not finite though everybody gets what there is to get."""
        import numpy as np

        with np.errstate(all="ignore"):
            finite = math.isfinite(float(self.value(v, w)))
        if not finite:
            raise InputError(
                f"{self.id} is not finite where every voice is heard; leave out agents who rate every arm 0."
            )


def _rows(instance: Instance, of: str) -> tuple[np.ndarray, np.ndarray]:
    """(rows (m, K), how many agents each stands for): of what they get, or of favourites as 0 and 1."""
    from isegoria.rows.views import dense

    types = instance.types if of == OF[0] else instance.favourite_types
    return dense(types.rows).astype(float), types.weights.astype(float)

"""What an objective is: a rule that gives every policy a value, and finds a policy of the best value."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.lazy import computed_once
from isegoria.rules.rule import Rule

if TYPE_CHECKING:
    import numpy as np

    from isegoria.instance import Instance
    from isegoria.instance.policies import PolicyLike
    from isegoria.rules.solution import Solution

BETTER = ("largest", "smallest")


class Objective(Rule):
    """A rule that maximises: a subclass that writes `evaluate` and `optimise`, or both given as functions.

    - `better` is "largest" or "smallest": which values of `evaluate` are wanted.
    - `tie_break` is its own choice among several optima; `solve(…, tie_break=…)` asks for another.
    - All else is as `Rule` has it.

    `solve`, `compare(rules=[…])` and the sweeps take it like one of the six; an entry point in the group
    `isegoria.rules` makes the command line know it too. `isegoria.testing.check_objective` checks it.

    >>> import numpy as np, isegoria as iso
    >>> class Approval(iso.Objective):
    ...     '''The most approved arm: a mean of at least 1/2 is an approval.'''
    ...     id, label = "approval", "AV"
    ...     def evaluate(self, instance, policy):
    ...         return float(instance.weights @ (instance.means >= 0.5) @ policy) / instance.total_weight
    ...     def optimise(self, instance, tie_break="centre", within=None):
    ...         best = np.zeros(len(instance.arms))
    ...         best[np.argmax(instance.weights @ (instance.means >= 0.5))] = 1
    ...         return best
    >>> table = iso.compare(iso.Instance([[0.9, 0.6], [0.1, 0.6]]), rules=["paper", Approval()])
    >>> table["approval"].solution.policy.tolist(), table["approval"].solution.value
    ([0.0, 1.0], 1.0)
    """

    better: str = BETTER[0]
    tie_break: str = "centre"

    def __init__(
        self,
        id: str | None = None,
        label: str | None = None,
        summary: str | None = None,
        citation: str | None = None,
        better: str | None = None,
        *,
        evaluate: Callable[..., float] | None = None,
        optimise: Callable[..., Solution | np.ndarray] | None = None,
        **claims: Any,
    ) -> None:
        given = {"id": id, "label": label, "summary": summary, "citation": citation, "better": better,
                 "evaluate": evaluate, "optimise": optimise}  # fmt: skip
        self._take({name: value for name, value in given.items() if value is not None} | claims)
        if self.better not in BETTER:
            raise InputError(f"better is {self.better!r} in the objective '{self.id}'; write largest or smallest.")

    def policy(self, instance: Instance, *args: Any, **options: Any) -> PolicyLike | Solution:
        """The policy of the best value: `optimise`."""
        return self.optimise(instance, *args, **options)

    def evaluate(self, instance: Instance, policy: np.ndarray, *args: Any, **options: Any) -> float:
        """The value of any policy (K,), which was checked before."""
        raise NotImplementedError(f"the objective '{self.id}' has no evaluate(instance, policy)")

    def optimise(self, instance: Instance, *args: Any, **options: Any) -> Solution | np.ndarray:
        """A policy of the best value: a `Solution` with its proved gap, or a bare policy (K,), whose gap is then NaN.

        Called as `optimise(instance, tie_break, within, **options)`. A `tie_break` or `within` that it has no answer
        for is best refused with an `InputError`.
        """
        raise NotImplementedError(f"the objective '{self.id}' has no optimise(instance, tie_break, within)")


class ModuleObjective(Objective):
    """A row of the table: the work is in the module of the same name as its `id`, loaded when first used."""

    @computed_once
    def searches(self) -> bool:
        """Whether equal arms are better told once: not where the best arm needs no search, nor for equal voice, to
        which arms are alike by who wants them."""
        return self.id not in ("procedural", "utilitarian")

    @computed_once
    def optimise(self) -> Callable[..., Solution]:
        """`optimise(instance, tie_break, within, **options)` returns a certified `Solution`."""
        return import_module(f"isegoria.objectives.{self.id}").optimise

    @computed_once
    def evaluate(self) -> Callable[..., float]:
        """`evaluate(instance, policy, **options)` returns the value of any policy."""
        return import_module(f"isegoria.objectives.{self.id}").evaluate

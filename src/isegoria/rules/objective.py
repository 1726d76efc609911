"""Objectives: rules that assign every policy a value and find a policy with the best value."""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError, unknown_name_error
from isegoria.rules.rule import TIE_BREAKS, Rule, SolveRequest
from isegoria.rules.solution import Solution, expand_merged_arms
from isegoria.solvers import method_limits
from isegoria.utils.caching import lazy_property

if TYPE_CHECKING:
    import numpy as np

    from isegoria.profiles import Profile
    from isegoria.profiles.policies import PolicyLike

OBJECTIVE_SENSES = ("maximise", "minimise")


class Objective(Rule):
    """A rule that maximises a value: a subclass that writes `evaluate` and `optimise`, or both given as functions.

    - `sense` is "maximise" or "minimise": which values of `evaluate` are wanted.
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

    sense: str = OBJECTIVE_SENSES[0]
    tie_break: str = "centre"

    def __init__(
        self,
        id: str | None = None,
        label: str | None = None,
        summary: str | None = None,
        citation: str | None = None,
        sense: str | None = None,
        **attributes: Any,
    ) -> None:
        super().__init__(id, label, summary, citation, sense=sense, **attributes)
        if self.sense not in OBJECTIVE_SENSES:
            raise InputError(f"sense is {self.sense!r} in the objective '{self.id}'; write maximise or minimise.")

    def solve(self, instance: Profile, request: SolveRequest) -> Solution:
        """Find a policy with the best value, validate it, and return it with its proof, as `Rule.solve` does."""
        tie_break = self._resolve_tie_break(request.tie_break)
        found = self.policy(instance, tie_break, request.within, **request.options)
        solution = self._to_solution(found, instance, request, tie_break)
        if math.isnan(solution.gap):
            solution.proof = "none"
        if not isinstance(found, Solution):
            solution.value = float(self.evaluate(instance, solution.policy, **request.options))
        return solution

    def _resolve_tie_break(self, tie_break: str | None) -> str:
        """Return the tie-break that is asked for, or the objective's own."""
        if tie_break is None:
            return self.tie_break
        if tie_break not in TIE_BREAKS:
            raise unknown_name_error("tie-break", tie_break, TIE_BREAKS)
        return tie_break

    def policy(self, instance: Any, *args: Any, **options: Any) -> PolicyLike | Solution:
        """Return a policy with the best value, by `optimise`."""
        return self.optimise(instance, *args, **options)

    def evaluate(self, instance: Any, policy: np.ndarray, *args: Any, **options: Any) -> float:
        """Return the value of a policy (K,) that was validated before."""
        raise NotImplementedError(f"the objective '{self.id}' has no evaluate(instance, policy)")

    def optimise(self, instance: Any, *args: Any, **options: Any) -> Solution | np.ndarray:
        """Return a policy with the best value: a `Solution` with its proved gap, or a bare policy (K,) (gap NaN).

        It is called as `optimise(instance, tie_break, within, **options)`. An implementation should raise an
        `InputError` for a `tie_break` or `within` that it does not support.
        """
        raise NotImplementedError(f"the objective '{self.id}' has no optimise(instance, tie_break, within)")


class BuiltinObjective(Objective):
    """A row of the table: the work is in the module of the same name as its `id`, loaded when first used."""

    @lazy_property
    def searches(self) -> bool:
        """Whether merging duplicate arms pays.

        It does not for the utilitarian objective, which needs no search, nor for the procedural one, for which
        duplicates are arms with the same supporters.
        """
        return self.id not in ("procedural", "utilitarian")

    @lazy_property
    def optimise(self) -> Callable[..., Solution]:
        """The function `optimise(instance, tie_break, within, **options)`, which returns a certified `Solution`."""
        return import_module(f"isegoria.rules.builtin.{self.id}").optimise

    @lazy_property
    def evaluate(self) -> Callable[..., float]:
        """The function `evaluate(instance, policy, **options)`, which returns the value of any policy."""
        return import_module(f"isegoria.rules.builtin.{self.id}").evaluate

    def solve(self, instance: Profile, request: SolveRequest) -> Solution:
        """Find a certified optimum; where merging duplicate arms pays, search without duplicates."""
        tie_break, within, options = request
        tie_break = self._resolve_tie_break(tie_break)
        if (self.searches or within is not None) and len(instance.arms) > method_limits.MERGE_ARMS_ABOVE:
            merged = instance.distinct
            if merged is not instance and not self._merges_itself(merged, within):
                return expand_merged_arms(self.optimise(merged, tie_break, within, **options), instance)
        return self.optimise(instance, tie_break, within, **options)

    def _merges_itself(self, merged: Profile, within: str | None) -> bool:
        """Return whether the search merges duplicates itself: that of the inequality over many distinct arms does."""
        return self.id == "inequality" and within is None and len(merged.arms) > method_limits.VARIANCE_ARMS

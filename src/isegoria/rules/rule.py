"""Rules: a policy for every instance, the properties that a rule claims, and the options it takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from isegoria.errors import InputError, unknown_name_error
from isegoria.utils import tolerances
from isegoria.utils.caching import lazy_property
from isegoria.utils.formatting import describe_type

if TYPE_CHECKING:
    import numpy as np

    from isegoria.profiles import Profile
    from isegoria.profiles.policies import PolicyLike
    from isegoria.rules.literals import InputKind, StrategyproofClaim, TieBreakName, WithinName
    from isegoria.rules.solution import Solution

INPUT_KINDS = ("favourites", "order", "ratings")
"""What a rule may depend on, in order of information: favourite sets, each agent's order of the arms, the means."""

STRATEGYPROOF_CLAIMS = ("", "shares", "utilities")
"""The payoff in which no agent can gain by a false report: not claimed, decision shares, or utilities."""

TIE_BREAKS: tuple[TieBreakName, ...] = ("centre", "vertex", "utilitarian")
"""How one of several optima is chosen: the one of minimum norm, a vertex of their set, or the one of maximum total."""

WITHIN_CHOICES: tuple[WithinName, ...] = ("fair",)
"""Sets of policies to which a search can be restricted: the procedurally fair ones."""

EVEN_TIE_BREAK = "even"
"""Tie-break of a rule that maximises nothing: equal arms get equal probabilities."""


class RuleOption(NamedTuple):
    """Keyword of `solve` that a rule takes: its `name`, the `value_type`, its `default`, one line of `help`.

    `validate(value)` returns the value as the rule needs it, or raises an `InputError`. A `value_type` of list is for
    numbers, comma-separated on the command line, and is validated by the rule.
    """

    name: str
    value_type: type = object
    default: Any = None
    validate: Callable[[Any], Any] | None = None
    help: str = ""

    def convert(self, value: Any) -> Any:
        """Validate `value` and return it as the rule needs it."""
        if self.value_type is int and (isinstance(value, bool) or not hasattr(value, "__index__")):
            raise InputError(f"{self.name} is {value!r}, {describe_type(value)}; give a whole number.")
        if self.value_type is float:
            try:
                value = float(value)
            except (TypeError, ValueError):
                raise InputError(f"{self.name} is {value!r}; give a number.") from None
        return self.validate(value) if self.validate else value


class SolveRequest(NamedTuple):
    """What a rule is asked for: `tie_break` and `within` (None: its own, and all policies), and valid `options`."""

    tie_break: str | None
    within: str | None
    options: dict[str, Any]


class Rule:
    """A rule: a subclass that writes `policy`, or that function passed as `policy=`.

    - `id` is its name in tables and on the command line, `label` its short form (the id, if there is none), `aliases`
      further names; all are found in upper or lower case.
    - `summary` says in one line what it is, `citation` where it comes from.
    - `input_kind` is what it may depend on: "favourites" (the favourite sets alone), "order" (each agent's ranking of
      the arms, ties included) or "ratings" (the means). It decides which false reports there are.
    - `fair` claims a procedural score of 1 on every instance; `strategyproof` claims that no single agent ever gains by
      a false report, in "shares" or in "utilities". `isegoria.testing.check_rule` looks for exceptions to both.
    - `options` are the keywords of `solve` that it takes, each an `RuleOption`; `tie_break` is how it settles ties.

    `solve` and `compare(rules=[…])` take it like one of ours; an entry point in the group `isegoria.rules` makes the
    command line know it too.

    >>> import numpy as np, isegoria as iso
    >>> class Plurality(iso.Rule):
    ...     '''The arm that is the favourite of most, alone.'''
    ...     id, label, input_kind = "plurality", "PL", "favourites"
    ...     def policy(self, instance):
    ...         supporters = instance.weights @ instance.favourites
    ...         best = supporters == supporters.max()
    ...         return best / best.sum()
    >>> iso.solve(iso.Instance([[1, 0], [1, 0], [0, 1]]), Plurality()).policy.tolist()
    [1.0, 0.0]
    """

    id: str = ""
    label: str = ""
    summary: str = ""
    citation: str = ""
    aliases: tuple[str, ...] = ()
    input_kind: InputKind = "ratings"
    fair: bool = False
    strategyproof: StrategyproofClaim = ""
    options: tuple[RuleOption, ...] = ()
    tie_break: str = EVEN_TIE_BREAK

    def __init__(
        self,
        id: str | None = None,
        label: str | None = None,
        summary: str | None = None,
        citation: str | None = None,
        **attributes: Any,
    ) -> None:
        for name, value in {"id": id, "label": label, "summary": summary, "citation": citation, **attributes}.items():
            if name.startswith("_") or not hasattr(type(self), name):
                raise unknown_name_error(f"keyword of {type(self).__name__}", name, _RULE_KEYWORDS)
            if value is not None:  # otherwise the attribute of the class holds
                setattr(self, name, value)
        if not isinstance(self.id, str) or not self.id:
            raise InputError(
                f"{type(self).__name__} has no id; give it one, such as id='{type(self).__name__.lower()}'."
            )
        for name, known in (("input_kind", INPUT_KINDS), ("strategyproof", STRATEGYPROOF_CLAIMS)):
            if getattr(self, name) not in known:
                raise unknown_name_error(f"{name} of the rule '{self.id}'", getattr(self, name), known)
        self.label = self.label or self.id
        self.summary = self.summary or (type(self).__doc__ or "").strip().partition("\n")[0]
        self.aliases = tuple(self.aliases)
        self.options = tuple(RuleOption(each) if isinstance(each, str) else each for each in self.options)

    def policy(self, instance: Any, *args: Any, **options: Any) -> PolicyLike | Solution:
        """Return the policy for `instance`: (K,) probabilities, or a `Solution` that states its proof."""
        raise NotImplementedError(f"the rule '{self.id}' has no policy(instance)")

    def solve(self, instance: Profile, request: SolveRequest) -> Solution:
        """Compute the policy for `instance` as `request` asks, validate it, and return it with its proof.

        Parameters
        ----------
        instance : Instance
            The profile.
        request : SolveRequest
            The tie-break, the set of policies to search, and the options.

        Returns
        -------
        Solution

        Raises
        ------
        InputError
            If the rule cannot do what is asked, or returns no policy.
        """
        return self._to_solution(self.policy(instance, **self._list_options(request)), instance, request)

    def _list_options(self, request: SolveRequest) -> dict[str, Any]:
        """Return the keywords of `policy`; raise `InputError` for a tie-break or `within` that the rule lacks."""
        if request.tie_break is not None and request.tie_break != self.tie_break:
            if request.tie_break not in TIE_BREAKS:
                raise unknown_name_error("tie-break", request.tie_break, TIE_BREAKS)
            how = "shares ties out evenly" if self.tie_break == EVEN_TIE_BREAK else f"settles ties by {self.tie_break}"
            raise InputError(f"{self.id} {how}; leave tie_break out.")
        if request.within is not None and self.option("within"):
            return {**request.options, "within": request.within}
        if request.within is not None and not self.fair:
            raise InputError(f"{self.id} does not search within the fair policies; leave within out.")
        return request.options

    def _to_solution(
        self, found: PolicyLike | Solution, instance: Profile, request: SolveRequest, tie_break: str | None = None
    ) -> Solution:
        """Validate what `policy` returned and make it a `Solution`; the gap of a bare policy is NaN (no proof)."""
        from isegoria.rules.solution import Solution

        bare: Any = found
        solution = found if isinstance(found, Solution) else Solution(bare, self.id, proof="none")
        try:
            policy = instance.validate_policy(solution.policy)
        except InputError as error:
            raise InputError(f"the rule '{self.id}' returned no policy: {error}") from error
        if request.within is not None and not _is_fair(instance, policy):
            raise InputError(f"the rule '{self.id}' does not keep within='{request.within}'; leave it out.")
        policy.setflags(write=False)
        return Solution(
            policy,
            self.id,
            float(solution.value),
            float(solution.gap),
            tie_break or self.tie_break,
            float(solution.tie_margin),
            request.within,
            solution.proof,
            float(solution.sampling_error),
        )

    def option(self, name: str) -> RuleOption | None:
        """Return the option of that name, or None."""
        return next((each for each in self.options if each.name == name), None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r}, {self.label!r}, {self.summary!r})"


_RULE_KEYWORDS = (
    *("id", "label", "summary", "citation", "aliases"),
    *("input_kind", "fair", "strategyproof", "options", "tie_break", "policy"),
)


def _is_fair(instance: Profile, policy: np.ndarray) -> bool:
    from isegoria.rules.inputs import flow_network
    from isegoria.solvers.flow.push_relabel import procedural_score

    return bool(procedural_score(*flow_network(instance), policy) >= 1 - tolerances.FAIRNESS_GAP)


class BuiltinRule(Rule):
    """A row of the table: the work is in the module of the same name as its `id`, loaded when first used."""

    @lazy_property
    def policy(self) -> Callable[..., Solution]:
        """The function `policy(instance, **options)`, which returns a `Solution` with its proof."""
        return import_module(f"isegoria.rules.builtin.{self.id.replace('-', '_')}").compute_policy

    def solve(self, instance: Profile, request: SolveRequest) -> Solution:
        """Compute the policy for `instance`; a rule that is always fair keeps any `within`."""
        solution = self.policy(instance, **self._list_options(request))
        return solution if request.within is None else replace(solution, within=request.within)

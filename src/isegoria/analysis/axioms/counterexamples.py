"""`find_counterexample`: search for a small group on which a rule fails an axiom."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement, permutations
from math import factorial
from typing import Any

import numpy as np

from isegoria.analysis.axioms.checking import check
from isegoria.analysis.axioms.registry import AXIOMS
from isegoria.analysis.axioms.verdict import Verdict
from isegoria.errors import InputError
from isegoria.profiles import Instance
from isegoria.rules.literals import PayoffName, RuleName
from isegoria.rules.registry import RULES
from isegoria.rules.rule import Rule
from isegoria.utils.arguments import explain_keywords
from isegoria.utils.notebook import NotebookView

ApprovalSets = tuple[int, ...]
"""Approvals of a group: one integer per agent, whose bit k is set if the agent approves arm k."""


@dataclass(frozen=True, eq=False)
class Counterexample(NotebookView):
    """A group on which a rule fails an axiom: the counterexample that `find_counterexample` returns.

    Attributes
    ----------
    instance : Instance
        The group.
    verdict : Verdict
        The failing verdict, with its witness.
    tried : int
        The number of groups tried.
    least : bool
        Whether it is a smallest one of all, by agents times arms. Otherwise it is locally minimal: no agent, arm or
        favourite can be removed.
    rule, payoff : str
        The id of the rule, and "shares" or "utilities".
    """

    instance: Instance
    verdict: Verdict
    profiles_tried: int
    is_minimal: bool
    rule: str = field(repr=False, default="")
    payoff: str = field(repr=False, default="shares")

    def view_lines(self) -> list[str]:
        """Return the sentence of the verdict."""
        return [f"{self.rule} fails {self.verdict.axiom} after {self.profiles_tried:,} groups", self.verdict.sentence]

    def view_rows(self) -> list[dict[str, Any]]:
        """Return the ratings of the group."""
        means = zip(self.instance.agents, self.instance.means.tolist(), strict=True)
        return [{"agent": name, **dict(zip(self.instance.arms, row, strict=True))} for name, row in means]

    def to_code(self) -> str:
        """Return Python code that reproduces the violation.

        >>> found = find_counterexample("leximin", "ufs")
        >>> print(found.to_code())
        import isegoria as iso
        group = iso.Instance.from_approvals(['a', 'a', 'b'])
        print(iso.axioms.check(group, 'leximin', 'ufs', search=True).sentence)
        """
        measured = "" if self.payoff == "shares" else f"payoff={self.payoff!r}, "
        asked = f"group, {self.rule!r}, {self.verdict.axiom!r}, {measured}search=True"
        return f"import isegoria as iso\ngroup = {self._group()}\nprint(iso.axioms.check({asked}).sentence)"

    def _group(self) -> str:
        """Format the group as an expression: approvals if the table is of 0 and 1 and has few arms, else its means."""
        means, liked = self.instance.means, self.instance.favourites
        weighted = f", weights={self.instance.weights.tolist()}" if self.instance.weights.max() > 1 else ""
        if means.shape[1] > len(ARM_LETTERS) or not ((means == liked).all() and liked.any(axis=1).all()):
            return f"iso.Instance({means.tolist()}{weighted})"
        sets = ["".join(arm_letter(arm) for arm in np.flatnonzero(row).tolist()) for row in liked]
        named = "" if liked.any(axis=0).all() else f", arms={list(self.instance.arms)}"
        return f"iso.Instance.from_approvals({sets}{named}{weighted})"


ARM_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def arm_letter(arm: int) -> str:
    """Return the name of an arm in small groups: a, b, c, …, and numbers after the letters."""
    return ARM_LETTERS[arm] if arm < len(ARM_LETTERS) else f"arm {arm + 1}"


def instance_from_sets(sets: Sequence[int], arms: int, weights: Sequence[int] | None = None) -> Instance:
    """Build the instance of a group of approval sets, with arms named by letters."""
    table = np.array([[float(own >> arm & 1) for arm in range(arms)] for own in sets])
    return Instance(table, arms=[arm_letter(arm) for arm in range(arms)], weights=weights)


def iter_small_profiles(agents: int = 4, arms: int = 3, least_arms: int = 2) -> Iterator[tuple[ApprovalSets, int]]:
    """Yield (sets, number of arms) for every group up to that size, one per renaming class, smallest first.

    >>> sum(1 for _ in iter_small_profiles())
    107
    """
    sizes = sorted((n * k, n, k) for n in range(1, agents + 1) for k in range(least_arms, arms + 1))
    for _, n, k in sizes:
        for sets in combinations_with_replacement(range(1, 2**k), n):
            if sets == canonical_form(sets, k):
                yield sets, k


def count_small_profiles(agents: int, arms: int, least_arms: int = 2) -> int:
    """Count the groups that `iter_small_profiles` yields, without enumerating them.

    By Burnside's lemma, the count is the mean number of groups that a renaming leaves unchanged.

    >>> count_small_profiles(4, 3)
    107
    """
    return sum(
        sum(sum(_count_invariant(order, agents)) for order in permutations(range(k))) // factorial(k)
        for k in range(least_arms, arms + 1)
    )


def _count_invariant(order: Sequence[int], agents: int) -> list[int]:
    """Count the groups of 1, 2, … agents that this renaming leaves unchanged: those made of whole cycles of sets."""
    counts, seen = [1] + [0] * agents, set[int]()
    for own in range(1, 2 ** len(order)):
        length = 0
        while own not in seen:
            seen.add(own)
            own, length = rename_arms(own, order), length + 1
        for n in range(length, agents + 1) if length else ():  # add this cycle once more
            counts[n] += counts[n - length]
    return counts[1:]


def canonical_form(sets: ApprovalSets, arms: int) -> ApprovalSets:
    """Return the first of all groups that equal this one after renaming the arms."""
    return min(tuple(sorted(rename_arms(own, order) for own in sets)) for order in permutations(range(arms)))


def rename_arms(own: int, order: Sequence[int]) -> int:
    """Return the set with arm k renamed to `order[k]`."""
    return sum(1 << name for arm, name in enumerate(order) if own >> arm & 1)


@explain_keywords
def find_counterexample(
    rule: RuleName | Rule,
    axiom: str,
    model: str = "approvals:0.4",
    *,
    agents: int = 8,
    arms: int = 5,
    tries: int = 1000,
    seed: int = 0,
    exhaustive: tuple[int, int] | None = (4, 3),
    payoff: PayoffName = "shares",
) -> Counterexample | None:
    """Search for a group on which `rule` fails `axiom`; return None if none was found.

    First try every group of at most `exhaustive` agents and arms, up to renaming, smallest first. A violation found
    there is a smallest one. Then try `tries` groups sampled from the preference `model`, and shrink the first
    violation: remove an agent, an arm or a favourite, or lower a weight, while the axiom still fails.

    Parameters
    ----------
    rule : str or Rule
        The rule, or its name in `RULES`.
    axiom : str
        The id, label or alias of an axiom.
    model : str
        The preference model to sample from.
    agents, arms : int
        The size of the sampled groups.
    tries : int
        The number of sampled groups.
    seed : int
        The seed of the samples.
    exhaustive : (int, int) or None
        The largest numbers of agents and arms to enumerate; None skips the enumeration.
    payoff : {"shares", "utilities"}
        Whether values are decision shares or utilities.

    Returns
    -------
    Violation or None

    Examples
    --------
    >>> found = find_counterexample("procedural", "strategyproof", exhaustive=(4, 3))
    >>> len(found.instance.agents), len(found.instance.arms), found.is_minimal
    (4, 3, True)
    """
    own, row = (rule if isinstance(rule, Rule) else RULES[rule]), AXIOMS[axiom]
    failing = _make_failure_test(own, row.id, payoff)
    tried = 0
    if exhaustive is not None:
        for sets, count in iter_small_profiles(*exhaustive):
            tried += 1
            instance = instance_from_sets(sets, count)
            verdict = failing(instance)
            if verdict is not None:
                return Counterexample(instance, verdict, tried, True, own.id, payoff)
    for instance in _sample_instances(model, agents, arms, tries, seed):
        tried += 1
        verdict = failing(instance)
        if verdict is not None:
            return replace(_shrink(instance, verdict, failing, tried), rule=own.id, payoff=payoff)
    return None


def _make_failure_test(rule: Rule, axiom: str, payoff: PayoffName) -> Callable[[Instance], Verdict | None]:
    def verdict(instance: Instance) -> Verdict | None:
        try:
            found = check(instance, rule, axiom, payoff, search=True)
        except InputError:
            return None  # the rule does not accept this group
        return found if found.holds is False else None

    return verdict


def _sample_instances(model: str, agents: int, arms: int, tries: int, seed: int) -> Iterator[Instance]:
    from isegoria.preferences import sample

    approving = model.partition(":")[0].strip() == "approvals"
    for place in range(tries):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place,)))
        drawn = sample(model, agents, arms, seed=rng)
        yield Instance(
            drawn if approving else _rankings_to_ratings(drawn), arms=[arm_letter(arm) for arm in range(arms)]
        )


def _rankings_to_ratings(rankings: np.ndarray) -> np.ndarray:
    """Convert rankings (each row the arms, best first) to ratings from 1 down to 0."""
    ratings = np.empty(rankings.shape)
    steps = np.linspace(1, 0, rankings.shape[1])
    np.put_along_axis(ratings, rankings, np.broadcast_to(steps, rankings.shape), axis=1)
    return ratings


def _shrink(
    instance: Instance, verdict: Verdict, failing: Callable[[Instance], Verdict | None], tried: int
) -> Counterexample:
    """Shrink the group step by step while the axiom still fails; take the first step that works each time."""
    smaller = True
    while smaller:
        smaller = False
        for other in _iter_smaller(instance):
            tried += 1
            found = failing(other)
            if found is not None:
                instance, verdict, smaller = other, found, True
                break
    return Counterexample(instance, verdict, tried, False)


def _iter_smaller(instance: Instance) -> Iterator[Instance]:
    """Yield the groups one step smaller: an agent, an arm or a favourite removed, or a weight lowered."""
    means, weights = instance.means, instance.weights
    n, k = means.shape
    names = [arm_letter(arm) for arm in range(k)]
    for agent in range(n if n > 1 else 0):
        yield Instance(np.delete(means, agent, 0), arms=names, weights=np.delete(weights, agent))
    for arm in range(k if k > 1 else 0):
        left = np.delete(means, arm, 1)
        if (left.max(axis=1) > 0).all():
            yield Instance(left, arms=names[: k - 1], weights=weights)
    for agent, arm in np.argwhere(instance.favourites).tolist():
        if instance.favourites[agent].sum() > 1:
            other = means.copy()
            other[agent, arm] = 0.0
            yield Instance(other, arms=names, weights=weights)
    for agent in np.flatnonzero(weights > 1).tolist():
        lower = weights.copy()
        lower[agent] -= 1
        yield Instance(means, arms=names, weights=lower)

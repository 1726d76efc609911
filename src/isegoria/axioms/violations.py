"""`find_violation`: a group on which a rule fails an axiom, as small as it can be made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement, permutations
from math import factorial

import numpy as np

from isegoria.axioms.checking import check_rule
from isegoria.axioms.registry import AXIOMS
from isegoria.axioms.verdict import Verdict
from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.rules.registry import RULES
from isegoria.rules.rule import Rule

Sets = tuple[int, ...]
"""A group of approvals: one number for each agent, whose bit k says that arm k is approved."""


@dataclass(frozen=True, eq=False)
class Violation:
    """A group on which an axiom fails: its `instance`, the `verdict`, how many groups were `tried`, and whether it is
    the `least` of all (by agents times arms); otherwise no agent, arm or favourite can be taken away from it."""

    instance: Instance
    verdict: Verdict
    tried: int
    least: bool
    rule: str = field(repr=False, default="")
    of: str = field(repr=False, default="shares")

    def code(self) -> str:
        """Lines that show it again.

        >>> found = find_violation("leximin", "ufs")
        >>> print(found.code())
        import isegoria as iso
        group = iso.Instance.from_approvals(['a', 'a', 'b'])
        print(iso.axioms.check_rule(group, 'leximin', 'ufs', search=True).sentence)
        """
        of = "" if self.of == "shares" else f"of={self.of!r}, "
        asked = f"group, {self.rule!r}, {self.verdict.axiom!r}, {of}search=True"
        return f"import isegoria as iso\ngroup = {self._group()}\nprint(iso.axioms.check_rule({asked}).sentence)"

    def _group(self) -> str:
        """The group as an expression: approvals where the table is of 0 and 1 and has few arms, else its means."""
        means, liked = self.instance.means, self.instance.favourites
        weighted = f", weights={self.instance.weights.tolist()}" if self.instance.weights.max() > 1 else ""
        if means.shape[1] > len(LETTERS) or not ((means == liked).all() and liked.any(axis=1).all()):
            return f"iso.Instance({means.tolist()}{weighted})"
        sets = ["".join(letter(arm) for arm in np.flatnonzero(row).tolist()) for row in liked]
        named = "" if liked.any(axis=0).all() else f", arms={list(self.instance.arms)}"
        return f"iso.Instance.from_approvals({sets}{named}{weighted})"


LETTERS = "abcdefghijklmnopqrstuvwxyz"


def letter(arm: int) -> str:
    """The name of an arm in small groups: a, b, c, …; numbers after the letters."""
    return LETTERS[arm] if arm < len(LETTERS) else f"arm {arm + 1}"


def approvals_of(sets: Sequence[int], arms: int, weights: Sequence[int] | None = None) -> Instance:
    """The instance of a group of sets, arms named by letters."""
    table = np.array([[float(own >> arm & 1) for arm in range(arms)] for own in sets])
    return Instance(table, arms=[letter(arm) for arm in range(arms)], weights=weights)


def small_groups(agents: int = 4, arms: int = 3, least_arms: int = 2) -> Iterator[tuple[Sets, int]]:
    """(sets, number of arms) of every group up to that size, one of each kind up to renaming, smallest first.

    >>> sum(1 for _ in small_groups())
    107
    """
    sizes = sorted((n * k, n, k) for n in range(1, agents + 1) for k in range(least_arms, arms + 1))
    for _, n, k in sizes:
        for sets in combinations_with_replacement(range(1, 2**k), n):
            if sets == canonical(sets, k):
                yield sets, k


def count_groups(agents: int, arms: int, least_arms: int = 2) -> int:
    """How many groups `small_groups` gives, without looking at them (Burnside: the mean of those a renaming keeps).

    >>> count_groups(4, 3)
    107
    """
    return sum(
        sum(sum(_kept(order, agents)) for order in permutations(range(k))) // factorial(k)
        for k in range(least_arms, arms + 1)
    )


def _kept(order: Sequence[int], agents: int) -> list[int]:
    """How many groups of 1, 2, … agents are the same after this renaming: those of whole cycles of sets."""
    counts, seen = [1] + [0] * agents, set[int]()
    for own in range(1, 2 ** len(order)):
        length = 0
        while own not in seen:
            seen.add(own)
            own, length = renamed(own, order), length + 1
        for n in range(length, agents + 1) if length else ():  # this cycle once more
            counts[n] += counts[n - length]
    return counts[1:]


def canonical(sets: Sets, arms: int) -> Sets:
    """The first of all groups that are this one with its arms renamed."""
    return min(tuple(sorted(renamed(own, order) for own in sets)) for order in permutations(range(arms)))


def renamed(own: int, order: Sequence[int]) -> int:
    """The set with arm k called `order[k]`."""
    return sum(1 << name for arm, name in enumerate(order) if own >> arm & 1)


def find_violation(
    rule: str | Rule, axiom: str, model: str = "approvals:0.4", *, agents: int = 8, arms: int = 5, tries: int = 1000,
    seed: int = 0, exhaustive: tuple[int, int] | None = (4, 3), of: str = "shares",
) -> Violation | None:  # fmt: skip
    """A group on which `rule` fails `axiom`, or None if none was found.

    First every group of at most `exhaustive` agents and arms, up to renaming, the smallest first: one found there is
    the least. Then `tries` groups of the preference `model`, and what is found is made smaller step by step: an agent
    dropped, an arm, one favourite, a weight lowered.

    >>> found = find_violation("procedural", "strategyproof", exhaustive=(4, 3))
    >>> len(found.instance.agents), len(found.instance.arms), found.least
    (4, 3, True)
    """
    own, row = (rule if isinstance(rule, Rule) else RULES[rule]), AXIOMS[axiom]
    failing = _failing(own, row.id, of)
    tried = 0
    if exhaustive is not None:
        for sets, count in small_groups(*exhaustive):
            tried += 1
            instance = approvals_of(sets, count)
            verdict = failing(instance)
            if verdict is not None:
                return Violation(instance, verdict, tried, True, own.id, of)
    for instance in _sampled(model, agents, arms, tries, seed):
        tried += 1
        verdict = failing(instance)
        if verdict is not None:
            return replace(_shrunk(instance, verdict, failing, tried), rule=own.id, of=of)
    return None


def _failing(rule: Rule, axiom: str, of: str) -> Callable[[Instance], Verdict | None]:
    def verdict(instance: Instance) -> Verdict | None:
        try:
            found = check_rule(instance, rule, axiom, of, search=True)
        except InputError:
            return None  # the rule refuses this group
        return found if found.holds is False else None

    return verdict


def _sampled(model: str, agents: int, arms: int, tries: int, seed: int) -> Iterator[Instance]:
    from isegoria.preferences import sample

    approving = model.partition(":")[0].strip() == "approvals"
    for place in range(tries):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(place,)))
        drawn = sample(model, agents, arms, seed=rng)
        yield Instance(drawn if approving else _as_ratings(drawn), arms=[letter(arm) for arm in range(arms)])


def _as_ratings(rankings: np.ndarray) -> np.ndarray:
    """Rankings (each row the arms, best first) as ratings from 1 down to 0."""
    ratings = np.empty(rankings.shape)
    steps = np.linspace(1, 0, rankings.shape[1])
    np.put_along_axis(ratings, rankings, np.broadcast_to(steps, rankings.shape), axis=1)
    return ratings


def _shrunk(
    instance: Instance, verdict: Verdict, failing: Callable[[Instance], Verdict | None], tried: int
) -> Violation:
    """The group made smaller while the axiom still fails: the first step that does, until none does."""
    smaller = True
    while smaller:
        smaller = False
        for other in _steps(instance):
            tried += 1
            found = failing(other)
            if found is not None:
                instance, verdict, smaller = other, found, True
                break
    return Violation(instance, verdict, tried, False)


def _steps(instance: Instance) -> Iterator[Instance]:
    """The groups one step smaller: an agent less, an arm less, a favourite less, a weight lower."""
    means, weights = instance.means, instance.weights
    n, k = means.shape
    names = [letter(arm) for arm in range(k)]
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

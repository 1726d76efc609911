"""Rules for the resolved agents of a learner: each share w_i/W is spent on the agent's own favourite set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from isegoria.analysis.attribution import compute_attribution
from isegoria.errors import InputError
from isegoria.profiles import Instance
from isegoria.rules import RULES, Rule, solve
from isegoria.solvers.nash.decision_shares import procedural_policy
from isegoria.utils import tolerances

PolicyOfSets = Callable[[np.ndarray, np.ndarray], np.ndarray]
RowsOfSets = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class SetRule:
    """A rule that reads favourite sets (n, K) and weights (n,).

    `policy(sets, weights)` is the policy (K,), and `rows(sets, weights, policy)` says how each agent spends its share,
    (n, K) with rows that sum to 1.
    """

    id: str
    policy: PolicyOfSets
    rows: RowsOfSets


_OWN_RULES: dict[str, SetRule] = {}
"""Rules given as objects in this process, so that a copied learner finds its own; other processes need `RULES.add`."""


def resolve_set_rule(rule: str | Rule) -> SetRule:
    """Return the rule of that name, or of an object; raise `InputError` if it does not keep shares on own favourites.

    >>> found = resolve_set_rule("CUT")
    >>> sets = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1], [1, 0, 0]], bool)
    >>> found.id, found.policy(sets, np.ones(4, int)).tolist()
    ('conditional-utilitarian', [0.75, 0.0, 0.25])
    """
    if rule in _OWN_RULES and rule not in RULES:
        return _OWN_RULES[str(rule)]
    entry = rule if isinstance(rule, Rule) else RULES[rule]
    if entry.id in SET_RULES and RULES[entry.id] is entry:
        return SET_RULES[entry.id]
    if entry.input_kind != "favourites" or not entry.fair:
        lack = "is not always fair" if entry.input_kind == "favourites" else "reads more than favourites"
        raise InputError(
            f"rule is '{entry.id}', which {lack}; a resolved agent's share must stay on its own favourites. Choose "
            f"{', '.join(SET_RULES)}, or a rule with input_kind='favourites' and fair=True."
        )

    def compute_policy(sets: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.array(solve(Instance(sets.astype(float), weights=weights), entry).policy)

    made = SetRule(entry.id, compute_policy, _attribute_rows)
    _OWN_RULES[entry.id] = made
    return made


def _attribute_rows(sets: np.ndarray, weights: np.ndarray, policy: np.ndarray) -> np.ndarray:
    told = compute_attribution(Instance(sets.astype(float), weights=weights), policy)
    if told.ratios.min() < 1 - tolerances.FAIRNESS_GAP:
        raise InputError("the rule of this learner returned an unfair policy, although it claims fair=True.")
    rows: Any = np.asarray(told.y)
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def _divide_policy(sets: np.ndarray, weights: np.ndarray, policy: np.ndarray) -> np.ndarray:
    """Spread each share over the set in proportion to the policy: the flow of the Nash product."""
    held = sets * policy
    return np.asarray(held / held.sum(axis=1, keepdims=True))


def _find_top_arms(sets: np.ndarray, weights: np.ndarray) -> np.ndarray:
    supporters = weights @ sets
    most = np.where(sets, supporters, -1).max(axis=1, keepdims=True)
    return np.asarray(sets & (supporters == most))


def _sum_even_shares(chosen: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return the policy of agents who spend evenly on `chosen`, in an order that does not depend on the agents'."""
    sizes = chosen.sum(axis=1)
    total = np.zeros(chosen.shape[1])
    for size in np.unique(sizes).tolist():
        alike = sizes == size
        total += (weights[alike] @ chosen[alike]) / size
    return np.asarray(total / weights.sum())


SET_RULES = {
    one.id: one
    for one in (
        SetRule("procedural", lambda sets, weights: np.array(procedural_policy(sets, weights)[0]), _divide_policy),
        SetRule(
            "conditional-utilitarian",
            lambda sets, weights: _sum_even_shares(_find_top_arms(sets, weights), weights),
            lambda sets, weights, policy: _divide_policy(
                _find_top_arms(sets, weights), weights, np.ones(sets.shape[1])
            ),
        ),
        SetRule(
            "random-dictatorship",
            _sum_even_shares,
            lambda sets, weights, policy: _divide_policy(sets, weights, np.ones(sets.shape[1])),
        ),
    )
}
"""The rules with a closed form of their own, by id."""

"""An audit in plain words: one sentence for each verdict, and one for each agent, or for each agent type in a crowd."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from isegoria.analysis.attribution import Attribution, NeglectedCoalition, Proportionality
from isegoria.analysis.core import CoreVerdict
from isegoria.analysis.efficiency import CLEAR_GAIN, Efficiency
from isegoria.profiles import Profile, is_streamed, require_instance
from isegoria.utils import tolerances
from isegoria.utils.formatting import (
    format_probabilities,
    format_share,
    format_upper_limit,
    join_names,
    pluralise,
    possessive,
)

MAX_NAMED_AGENTS = 20
"""With more rows than this, agents are described by type, the most neglected first: nobody reads 800 sentences."""

MAX_WRITTEN_SHARE = 100
"""With more agents than this, 1/N of the best possible is called an equal part of it."""

MAX_NAMED_ARMS = 4
"""Maximum number of arms of a lottery named in a sentence."""


def describe_agents(policy: np.ndarray, told: Attribution) -> list[str]:
    """Describe where each voice went: one sentence per row, in order.

    In a crowd there is one sentence per agent type, most neglected first.
    """
    instance, types = told.instance, told.instance.favourite_types
    names = instance.agents
    if not is_streamed(instance) and len(names) <= MAX_NAMED_AGENTS:
        silent = None if instance.stated is None else instance.stated.silent
        return [
            f"{name} stated nothing."
            if silent is not None and silent[i]
            else _describe_agent(
                instance,
                policy,
                name,
                int(instance.weights[i]),
                _sparse_row(told.y, i),
                _sparse_row(types.rows, types.member[i]),
            )
            for i, name in enumerate(names)
        ]
    named = np.unique(types.member, return_index=True)[1]
    return [
        _describe_agent(
            instance,
            policy,
            names[named[t]] if types.weights[t] == 1 and names is not None else None,
            int(types.weights[t]),
            _sparse_row(told.by_type, t),
            _sparse_row(types.rows, t),
        )
        for t in np.lexsort([-types.weights, told.type_ratios])
    ]


class SparseRow(NamedTuple):
    """The nonzero entries of a row: their `arms`, in order, and their values `parts`."""

    arms: np.ndarray
    parts: np.ndarray


def _sparse_row(table: Any, i: int) -> SparseRow:
    """Return row i of a dense or sparse table."""
    if isinstance(table, np.ndarray):
        arms = np.flatnonzero(table[i])
        return SparseRow(arms, table[i, arms])
    entries = slice(table.indptr[i], table.indptr[i + 1])
    return SparseRow(table.indices[entries], table.data[entries])


def _describe_agent(
    instance: Profile, policy: np.ndarray, name: str | None, weight: int, went: SparseRow, favoured: SparseRow
) -> str:
    """Describe one agent (by name) or one agent type (no name): what `went` to which arms, and its favourites."""
    due, share, carried = weight / instance.total_weight, format_share(weight, instance.total_weight), went.parts.sum()
    row = favoured.arms
    if carried >= due * (1 - tolerances.FAIRNESS_GAP):
        where = _list_destinations(instance, went)
        if name is not None:
            return f"{possessive(name)} {share} went to {where}."
        return (
            f"{pluralise(weight, 'agent')} favour {_list_favourites(instance, row, 'or')}; their {share} "
            f"went to {where}."
        )
    got, owed = format_probabilities(float(carried), due)
    alone = carried >= policy[row].sum() * (1 - tolerances.FAIRNESS_GAP)  # no other agent supports these favourites
    several = len(row) > 1
    got = "nothing" if float(got) == 0 else got
    if name is not None and alone:
        return f"{possessive(name)} favourite{'s get' if several else ' gets'} {got}; {owed} was due."
    if name is not None:
        return f"{possessive(name)} part of {_list_favourites(instance, row, 'and')} is {got}; {owed} was due."
    wants = f"{pluralise(weight, 'agent')} favour {_list_favourites(instance, row, 'or')}"
    if alone:
        return f"{wants}, which get{'' if several else 's'} {got}; {owed} was due."
    return f"{wants}; their part of {'them' if several else 'it'} is {got}; {owed} was due."


def _list_destinations(instance: Profile, went: SparseRow) -> str:
    """List the arms that a voice went to, largest part first; with the parts if there are several arms."""
    least = tolerances.FLOW_RESIDUAL * went.parts.sum()
    order = [j for j in np.argsort(-went.parts, kind="stable").tolist() if went.parts[j] > least]
    shown = format_probabilities(*(float(went.parts[j]) for j in order))
    names = [instance.arms[went.arms[j]] for j in order]
    return join_names(
        names if len(order) == 1 else [f"{name} ({part})" for name, part in zip(names, shown, strict=True)]
    )


def _list_favourites(instance: Profile, row: np.ndarray, last: str) -> str:
    if len(row) == len(instance.arms) > 1:
        return "every arm"
    return join_names([instance.arms[k] for k in row.tolist()], last)


def name_agents(instance: Profile, members: np.ndarray) -> str:
    """Name the agents in some rows (booleans or indices): by name, or where rows have weights by how many they are.

    >>> import isegoria as iso
    >>> name_agents(iso.Instance([[1, 0], [0, 1]], agents=["Ann", "Ben"], weights=[1, 100]), np.array([False, True]))
    '100 of 101 agents (Ben)'
    """
    rows = np.flatnonzero(members) if members.dtype == bool else members
    names = [instance.agents[i] for i in rows.tolist()]
    count = int(instance.weights[members].sum())
    if count == len(names):
        return join_names(names)
    some = f" ({', '.join(names)})" if len(names) <= MAX_NAMED_ARMS else ""
    return f"{count:,} of {pluralise(instance.total_weight, 'agent')}{some}"


def describe_fairness(instance: Profile, score: float, group: NeglectedCoalition | None) -> list[str]:
    """Say whether the policy is fair, and if not, who is owed the most."""
    if group is None:
        return ["The policy is fair: every voice is heard in full."]
    heard, _ = format_probabilities(score, 1.0)
    owed, got = format_probabilities(group.deserves, group.receives)
    deserve = "deserves" if len(group.agents) == 1 else "together deserve"
    get = "gets" if len(group.arms) == 1 else "together get"
    got = "nothing" if float(got) == 0 else got
    return [
        f"The policy is not fair: it carries {heard} of all voices.",
        f"Neglected: {name_agents(instance, group.members)} {deserve} {owed}; {join_names(group.arms)} {get} {got}.",
    ]


def describe_proportionality(instance: Profile, numbers: Proportionality) -> str:
    """Say whether everyone gets a proportional part of the best they could get."""
    total = instance.total_weight
    part = "" if total == 1 else f"1/{total} of " if total <= MAX_WRITTEN_SHARE else "an equal part of "
    lacks = {
        "in voice": numbers.shares < 1 - tolerances.FAIRNESS_GAP,
        "in outcome": numbers.utilities < 1 - tolerances.FAIRNESS_GAP,
    }
    if numbers.proportional:
        return f"Everyone gets at least {part}the best they could get, {' and '.join(lacks)}."
    missing = np.logical_or.reduce(list(lacks.values()))
    count = int(instance.weights[missing].sum()) if numbers.lacking is None else numbers.lacking
    everyone = pluralise(instance.total_weight, "agent")
    who = instance.agents[int(missing.argmax())] if count == 1 else f"{count:,} of {everyone}"
    where = " or ".join(name for name, lack in lacks.items() if lack.any())
    return f"{who} get{'s' if count == 1 else ''} less than {part}the best possible, {where}."


def describe_core(instance: Profile, verdict: CoreVerdict) -> str:
    """Say whether a group could do better by leaving with its share."""
    what, gain = {"shares": ("voice", "get more say"), "utilities": ("outcome", "do better")}[verdict.payoff]
    by = "" if verdict.bound is None else f" by more than {format_upper_limit(verdict.bound)} of a member's best"
    if verdict.stable is None:
        known = f", though none could{by}" if verdict.bound is not None and verdict.bound < 1 else ""
        return f"It is undecided whether a group could {gain} by leaving with its share{known}."
    if verdict.stable:
        return f"Stable in {what}: no group could {gain}{by} by leaving with its share."
    leaving = verdict.agents or ()
    if len(leaving) == len(instance.agents):
        everyone = "all agents together" if instance.total_weight > 1 else leaving[0]
        return f"Not stable in {what}: {everyone} could {gain} with another policy."
    share = format_probabilities(instance.weights[verdict.coalition].sum() / instance.total_weight)[0]
    who = join_names(leaving) if verdict.coalition is None else name_agents(instance, verdict.coalition)
    return f"Not stable in {what}: {who} could {gain} by leaving with a share of {share}."


def describe_efficiency(instance: Profile, found: Efficiency) -> str:
    """Say whether another policy is better for someone and worse for nobody."""
    if found.holds:
        return "No other policy is better for someone and worse for nobody."
    if found.better is None or found.gains is None:
        return "It is undecided whether another policy is better for someone and worse for nobody."
    other = describe_policy(instance, found.better)
    if found.for_all:
        return f"Everyone would do better with {other}: {describe_least_gain(instance, found)}."
    gainers = found.gains >= CLEAR_GAIN * require_instance(instance).best_means
    return f"{name_agents(instance, np.asarray(gainers))} would do better, and nobody worse, with {other}."


def describe_least_gain(instance: Profile, found: Efficiency) -> str:
    """Format how much everyone gains by a policy that is better for all, ignoring agents who can get nothing."""
    assert found.gains is not None
    gains = found.gains[require_instance(instance).best_means > 0]
    amount = format_probabilities(float(gains.min()))[0]
    alike = float(gains.max() - gains.min()) <= tolerances.NEAR_TIE
    return f"+{amount} each" if alike else f"at least +{amount} each"


def describe_policy(instance: Profile, policy: np.ndarray) -> str:
    """Format a policy for a sentence: the arms that it plays, likeliest first, with chances if there are several."""
    played = sorted(
        (k for k in range(len(policy)) if policy[k] > tolerances.NEVER_CHOSEN), key=lambda k: (-policy[k], k)
    )
    if len(played) == 1:
        return instance.arms[played[0]]
    shown = format_probabilities(*(float(policy[k]) for k in played))
    named = [f"{instance.arms[k]} {chance}" for k, chance in zip(played, shown, strict=True)]
    return join_names(named, most=MAX_NAMED_ARMS) if len(named) > MAX_NAMED_ARMS else ", ".join(named)

"""An audit in plain words: one sentence for each verdict, and one for each agent, or each kind of agent in a crowd."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.axioms.efficiency import GAIN, Efficiency
from isegoria.instance import Instance
from isegoria.stability import CoreVerdict
from isegoria.voice import Attribution, Neglected, Proportionality
from isegoria.wording import amounts, counted, fraction, limit, listing, possessive

CROWD = 20
"""More rows than this are told by type, most neglected first: nobody reads eight hundred sentences."""

MOST_ARMS = 4
"""Arms of a lottery that a sentence names."""


def voices(policy: np.ndarray, told: Attribution) -> list[str]:
    """Where each voice went: one sentence per row, in their order; in a crowd one per type, most neglected first."""
    instance, types = told.instance, told.instance.favourite_types
    names = instance.agent_names()
    if names is not None and len(names) <= CROWD:
        return [
            _voice(instance, policy, name, int(instance.weights[i]), _row(told.y, i), _row(types.rows, types.member[i]))
            for i, name in enumerate(names)
        ]
    named = np.unique(types.member, return_index=True)[1]
    return [
        _voice(
            instance,
            policy,
            names[named[t]] if types.weights[t] == 1 and names is not None else None,
            int(types.weights[t]),
            _row(told.by_type, t),
            _row(types.rows, t),
        )
        for t in np.lexsort([-types.weights, told.type_ratios])
    ]


class SparseRow(NamedTuple):
    """The `arms` of a row that are not 0, in their order, and its `parts` there."""

    arms: np.ndarray
    parts: np.ndarray


def _row(table: Any, i: int) -> SparseRow:
    """Row i of a table, dense or sparse."""
    if isinstance(table, np.ndarray):
        arms = np.flatnonzero(table[i])
        return SparseRow(arms, table[i, arms])
    entries = slice(table.indptr[i], table.indptr[i + 1])
    return SparseRow(table.indices[entries], table.data[entries])


def _voice(
    instance: Instance, policy: np.ndarray, name: str | None, weight: int, went: SparseRow, favoured: SparseRow
) -> str:
    """Of an agent (by name) or of a kind of agents (no name): what `went` to which arms, its favourites."""
    due, share, carried = weight / instance.total_weight, fraction(weight, instance.total_weight), went.parts.sum()
    row = favoured.arms
    if carried >= due * (1 - tolerances.FAIR):
        where = _destinations(instance, went)
        if name is not None:
            return f"{possessive(name)} {share} went to {where}."
        return f"{counted(weight, 'agent')} favour {_favourites(instance, row, 'or')}; their {share} went to {where}."
    got, owed = amounts(float(carried), due)
    alone = carried >= policy[row].sum() * (1 - tolerances.FAIR)  # nobody else lives off these favourites
    several = len(row) > 1
    got = "nothing" if float(got) == 0 else got
    if name is not None and alone:
        return f"{possessive(name)} favourite{'s get' if several else ' gets'} {got}; {owed} was due."
    if name is not None:
        return f"{possessive(name)} part of {_favourites(instance, row, 'and')} is {got}; {owed} was due."
    wants = f"{counted(weight, 'agent')} favour {_favourites(instance, row, 'or')}"
    if alone:
        return f"{wants}, which get{'' if several else 's'} {got}; {owed} was due."
    return f"{wants}; their part of {'them' if several else 'it'} is {got}; {owed} was due."


def _destinations(instance: Instance, went: SparseRow) -> str:
    """The arms that a voice went to, largest part first; with the parts, when there are several."""
    least = tolerances.FLOW * went.parts.sum()
    order = [j for j in np.argsort(-went.parts, kind="stable").tolist() if went.parts[j] > least]
    shown = amounts(*(float(went.parts[j]) for j in order))
    names = [instance.arms[went.arms[j]] for j in order]
    return listing(names if len(order) == 1 else [f"{name} ({part})" for name, part in zip(names, shown, strict=True)])


def _favourites(instance: Instance, row: np.ndarray, last: str) -> str:
    if len(row) == len(instance.arms) > 1:
        return "every arm"
    return listing([instance.arms[k] for k in row.tolist()], last)


def fairness(score: float, group: Neglected | None) -> list[str]:
    """Is the policy fair, and if not, who is owed the most."""
    if group is None:
        return ["The policy is fair: every voice is heard in full."]
    heard, _ = amounts(score, 1.0)
    owed, got = amounts(group.deserves, group.receives)
    deserve = "deserves" if len(group.agents) == 1 else "together deserve"
    get = "gets" if len(group.arms) == 1 else "together get"
    got = "nothing" if float(got) == 0 else got
    return [
        f"The policy is not fair: it carries {heard} of all voices.",
        f"Neglected: {listing(group.agents)} {deserve} {owed}; {listing(group.arms)} {get} {got}.",
    ]


def proportion(instance: Instance, numbers: Proportionality) -> str:
    """Does everyone get a proportional part of the best they could get."""
    part = "" if instance.total_weight == 1 else f"1/{instance.total_weight} of "
    lacks = {
        "in voice": numbers.shares < 1 - tolerances.FAIR,
        "in outcome": numbers.utilities < 1 - tolerances.FAIR,
    }
    if numbers.proportional:
        return f"Everyone gets at least {part}the best they could get, {' and '.join(lacks)}."
    missing = np.logical_or.reduce(list(lacks.values()))
    count = int(instance.weights[missing].sum()) if numbers.lacking is None else numbers.lacking
    everyone = counted(instance.total_weight, "agent")
    who = instance.agents[int(missing.argmax())] if count == 1 else f"{count:,} of {everyone}"
    where = " or ".join(name for name, lack in lacks.items() if lack.any())
    return f"{who} get{'s' if count == 1 else ''} less than {part}the best possible, {where}."


def stability(instance: Instance, verdict: CoreVerdict) -> str:
    """Could a group do better by leaving with its share."""
    what, gain = {"procedural": ("voice", "get more say"), "outcome": ("outcome", "do better")}[verdict.kind]
    by = "" if verdict.bound is None else f" by more than {limit(verdict.bound)} of a member's best"
    if verdict.stable is None:
        known = f", though none could{by}" if verdict.bound is not None and verdict.bound < 1 else ""
        return f"It is undecided whether a group could {gain} by leaving with its share{known}."
    if verdict.stable:
        return f"Stable in {what}: no group could {gain}{by} by leaving with its share."
    leaving = verdict.agents or ()
    if len(leaving) == len(instance.agents):
        everyone = "all agents together" if instance.total_weight > 1 else leaving[0]
        return f"Not stable in {what}: {everyone} could {gain} with another policy."
    share = amounts(instance.weights[verdict.coalition].sum() / instance.total_weight)[0]
    return f"Not stable in {what}: {listing(leaving)} could {gain} by leaving with a share of {share}."


def efficiency(instance: Instance, found: Efficiency) -> str:
    """Is there another policy that is better for someone and worse for nobody."""
    if found.holds:
        return "No other policy is better for someone and worse for nobody."
    if found.better is None or found.gains is None:
        return "It is undecided whether another policy is better for someone and worse for nobody."
    other = lottery(instance, found.better)
    if found.for_all:
        return f"Everyone would do better with {other}: {least_gain(instance, found)}."
    gainers = np.flatnonzero(found.gains >= GAIN * instance.best).tolist()
    return f"{listing([instance.agents[i] for i in gainers])} would do better, and nobody worse, with {other}."


def least_gain(instance: Instance, found: Efficiency) -> str:
    """How much everyone gains by a policy that is better for all, those aside who can get nothing."""
    assert found.gains is not None
    gains = found.gains[instance.best > 0]
    amount = amounts(float(gains.min()))[0]
    alike = float(gains.max() - gains.min()) <= tolerances.NEAR_TIE
    return f"+{amount} each" if alike else f"at least +{amount} each"


def lottery(instance: Instance, policy: np.ndarray) -> str:
    """A policy in a sentence: the arms that it plays, likeliest first, with their chances if there are several."""
    played = sorted((k for k in range(len(policy)) if policy[k] > tolerances.NEVER), key=lambda k: (-policy[k], k))
    if len(played) == 1:
        return instance.arms[played[0]]
    shown = amounts(*(float(policy[k]) for k in played))
    named = [f"{instance.arms[k]} {chance}" for k, chance in zip(played, shown, strict=True)]
    return listing(named, most=MOST_ARMS) if len(named) > MOST_ARMS else ", ".join(named)

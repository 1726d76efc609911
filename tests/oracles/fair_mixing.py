"""The rules of fair mixing once more, as sets of fractions: written from their definitions, and slow.

A group is a list of agents, each a tuple of classes of arms, best first; an agent of weight w is w agents.
"""

from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np


def to_weak_orders(instance):
    """Every single agent's weak order: tuples of frozensets of arms, best first."""
    spelled = []
    for row, weight in zip(np.asarray(instance.to_dense().means), instance.weights, strict=True):
        classes, left = [], set(range(len(row)))
        while left:
            best = max(row[k] for k in left)
            top = frozenset(k for k in left if row[k] >= best - instance.tie_tolerance)
            classes.append(top)
            left -= top
        spelled += [tuple(classes)] * int(weight)
    return spelled


def share_evenly(over, share, policy):
    for k in over:
        policy[k] += share / len(over)


def conditional_utilitarian(agents, arms):
    supporters = [sum(k in a[0] for a in agents) for k in range(arms)]
    policy = [Fraction(0)] * arms
    for a in agents:
        most = max(supporters[k] for k in a[0])
        share_evenly([k for k in a[0] if supporters[k] == most], Fraction(1, len(agents)), policy)
    return policy


def random_dictatorship(agents, arms):
    policy = [Fraction(0)] * arms
    for a in agents:
        share_evenly(a[0], Fraction(1, len(agents)), policy)
    return policy


def random_priority(agents, arms):
    """The mean over every order, one by one."""
    policy = [Fraction(0)] * arms
    for order in permutations(agents):
        left = frozenset(range(arms))
        for a in order:
            left = next(left & c for c in a if left & c)
        share_evenly(left, Fraction(1, factorial(len(agents))), policy)
    return policy


def maximum_payment(agents, arms):
    policy, unspent = [Fraction(0)] * arms, list(agents)
    while unspent:
        supporters = [sum(k in a[0] for a in unspent) for k in range(arms)]
        chosen = {k for k in range(arms) if supporters[k] == max(supporters)}
        for a in unspent:
            if a[0] & chosen:
                share_evenly(a[0] & chosen, Fraction(1, len(agents)), policy)
        unspent = [a for a in unspent if not a[0] & chosen]
    return policy


def sequential_utilitarian(agents, arms):
    policy, weight = [Fraction(0)] * arms, {}
    most = max(sum(k in a[0] for a in agents) for k in range(arms))
    waiting = set(range(len(agents)))
    while waiting:
        reach = {}
        for k in range(arms):
            unserved = sum(k in agents[i][0] for i in waiting)
            if unserved:
                served = sum(weight[i] for i in weight if k in agents[i][0])
                reach[k] = (most - served) / Fraction(unserved)
        level = min(reach.values())
        chosen = {k for k, at in reach.items() if at == level}
        for i in sorted(waiting):
            if agents[i][0] & chosen:
                share_evenly(agents[i][0] & chosen, Fraction(1, len(agents)), policy)
                weight[i] = level
        waiting -= set(weight)
    return policy


EXACT_RULES = {
    "conditional-utilitarian": conditional_utilitarian,
    "random-dictatorship": random_dictatorship,
    "random-priority": random_priority,
    "maximum-payment": maximum_payment,
    "sequential-utilitarian": sequential_utilitarian,
}

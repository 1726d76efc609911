"""Random priority: agents in random order, each keeping the best of what is left; what is left in the end is shared.

The mean over all orders needs no orders. Whoever has chosen is indifferent among what is left for ever; so what happens
next depends on the set that is left alone: among those who are not indifferent over it the next is drawn by weight. The
sets that can be left are far fewer than the orders, and are looked at from large to small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.rows.codes import unpack
from isegoria.rows.views import dense
from isegoria.rules.solution import Solution, settled

MOST_STATES = 1_000_000
"""Sets that are looked at before the rule gives up: the exact policy is #P-hard to compute in general."""

TOGETHER = 1 << 21
"""Sets times kinds of agents that are looked at in one step."""

DOUBT = 0.001
"""The chance that some probability of a sampled policy lies outside its interval."""


def policy(instance: Instance, samples: int | None = None, seed: int = 0) -> Solution:
    """The mean over all orders of the W agents; with `samples`, over so many that are drawn at random.

    >>> import isegoria as iso
    >>> iso.solve(iso.Instance.from_approvals(["a", "ab", "ac", "bd", "cd"]), "rp").policy.round(4).tolist()
    [0.4667, 0.1667, 0.1667, 0.2]
    """
    orders, weights = weak_orders(instance)
    arms = len(instance.arms)
    if samples is None:
        left, _ = expected(orders, weights, arms)
        return settled(left, "random-priority", "dynamic programming")
    rng = np.random.default_rng(seed)
    left = _sampled(orders, weights, arms, samples, rng)
    reach = math.sqrt(math.log(2 * arms / DOUBT) / (2 * samples))
    return settled(left, "random-priority", "sampled", interval=reach)


def weak_orders(instance: Instance) -> tuple[np.ndarray, np.ndarray]:
    """(orders (T, L), weights (T,)): the distinct rankings as sets of arms, best first, each a number whose bit k is
    arm k; and how many agents have each. Arms within the tie tolerance of the best of a set are tied."""
    rows, weights = dense(instance.types.rows), instance.types.weights
    order = np.argsort(-rows, axis=1, kind="stable")
    descending = np.take_along_axis(rows, order, axis=1)
    level, place, top = np.zeros(rows.shape, dtype=np.int64), np.zeros(len(rows), dtype=np.int64), descending[:, 0]
    for j in range(1, rows.shape[1]):
        below = descending[:, j] < top - instance.tie_tolerance
        top, place = np.where(below, descending[:, j], top), place + below
        level[:, j] = place
    sets = np.zeros((len(rows), int(place.max()) + 1), dtype=np.uint64 if rows.shape[1] <= 64 else object)
    for j in range(rows.shape[1]):
        sets[np.arange(len(rows)), level[:, j]] |= _bits(order[:, j], sets.dtype)
    return _merged(sets, weights)


def _bits(arms: np.ndarray, kind: Any) -> np.ndarray:
    """The set of each arm alone."""
    return np.array([1 << k for k in arms.tolist()], dtype=kind)


def _merged(sets: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Equal rankings as one, with the sum of their weights, in an order of their own."""
    found: dict[tuple[int, ...], int] = {}
    for row, weight in zip(map(tuple, sets.tolist()), weights.tolist(), strict=True):
        found[row] = found.get(row, 0) + weight
    keys = sorted(found)
    return np.array(keys, dtype=sets.dtype).reshape(len(keys), -1), np.array([found[key] for key in keys])


def expected(orders: np.ndarray, weights: np.ndarray, arms: int) -> tuple[np.ndarray, int]:
    """((K,) the mean over all orders of what is left, the number of sets that were looked at)."""

    def spread(sets: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        next_sets = chosen(orders, sets)
        active = next_sets != sets[:, None]
        total = active @ weights
        pace = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
        return next_sets[active], (pace[:, None] * weights)[active], total == 0

    return _descend(arms, orders, 1.0, spread, MOST_STATES)


def _sampled(orders: np.ndarray, weights: np.ndarray, arms: int, samples: int, rng: np.random.Generator) -> np.ndarray:
    """(K,) the mean over `samples` orders, drawn set by set: how many go on where is multinomial."""

    def spread(sets: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        next_sets = chosen(orders, sets)
        found, counts, settled = [], [], np.zeros(len(sets), dtype=bool)
        for i, row in enumerate(next_sets):
            active = row != sets[i]
            if not active.any():
                settled[i] = True
                continue
            some, member = np.unique(row[active], return_inverse=True)
            chance = np.bincount(member.reshape(-1), weights[active])
            found.append(some)
            counts.append(rng.multinomial(round(mass[i]), chance / chance.sum()))
        empty = np.zeros(0, dtype=sets.dtype), np.zeros(0)
        return (np.concatenate(found), np.concatenate(counts).astype(float), settled) if found else (*empty, settled)

    return _descend(arms, orders, float(samples), spread, math.inf)[0] / samples


Spread = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""From sets and the mass on each to the sets that come next, the mass on those, and which sets stay."""


def _descend(arms: int, orders: np.ndarray, mass: float, spread: Spread, most: float) -> tuple[np.ndarray, int]:
    """((K,) where the mass that begins on the set of all arms comes to lie, the number of sets it met on the way)."""
    layers: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
    layers[arms] = [(np.array([(1 << arms) - 1], dtype=orders.dtype), np.array([mass]))]
    left, seen, step = np.zeros(arms), 0, max(1, TOGETHER // len(orders))
    for size in range(arms, 0, -1):
        if size not in layers:
            continue
        parts = layers.pop(size)
        sets, masses = _summed(np.concatenate([s for s, _ in parts]), np.concatenate([m for _, m in parts]))
        seen += len(sets)
        if seen > most:
            raise InputError(
                f"random-priority would have to look at more than {most:,} sets of arms here; ask for a mean "
                "over random orders with samples=100000, seed=0 (--samples 100000 --seed 0), which says how far off "
                "it can be."
            )
        for start in range(0, len(sets), step):
            some, their = sets[start : start + step], masses[start : start + step]
            found, brings, stays = spread(some, their)
            left += (their[stays] / size) @ _members(some[stays], arms)
            _file(layers, *_summed(found, brings), arms)
    return left, seen


def chosen(orders: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """(S, T) the best of each of the `sets` for each ranking: its first class that is not empty there."""
    best = sets[:, None] & orders[None, :, 0]
    for level in range(1, orders.shape[1]):
        nothing = best == 0
        if not nothing.any():
            break
        best = np.where(nothing, sets[:, None] & orders[None, :, level], best)
    return best


def _summed(sets: np.ndarray, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct sets, in order, and the mass on each."""
    if sets.dtype != object and len(sets) and int(sets.max()) < 4 * len(sets):  # counting is quicker than sorting
        codes = sets.astype(np.int64)
        distinct = np.flatnonzero(np.bincount(codes))
        return distinct.astype(sets.dtype), np.bincount(codes, masses)[distinct]
    distinct, member = np.unique(sets, return_inverse=True)
    return distinct, np.bincount(member.reshape(-1), masses, minlength=len(distinct))


def _file(
    layers: dict[int, list[tuple[np.ndarray, np.ndarray]]], sets: np.ndarray, masses: np.ndarray, arms: int
) -> None:
    """Put sets with their mass to those of the same size."""
    sizes = _members(sets, arms).sum(axis=1)
    for size in np.unique(sizes).tolist():
        layers.setdefault(size, []).append((sets[sizes == size], masses[sizes == size]))


def _members(sets: np.ndarray, arms: int) -> np.ndarray:
    """(S, K) which arms are in each set."""
    if sets.dtype != object:
        return unpack(sets, arms)
    return np.array([[each >> k & 1 for k in range(arms)] for each in sets.tolist()], dtype=bool).reshape(-1, arms)

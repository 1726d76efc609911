"""Random priority (random serial dictatorship): agents in random order, each keeping the best of the remaining arms.

The arms that remain at the end share the probability. The mean over all orders does not require enumerating them. An
agent that has chosen is indifferent among what remains. So the next step depends only on the remaining set: the next
agent is drawn by weight among those who are not indifferent over it. The sets that can remain are far fewer than the
orders, and are processed from large to small.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from isegoria.errors import InputError
from isegoria.profiles import Profile, require_instance
from isegoria.rules.solution import Solution, direct_solution
from isegoria.solvers.rows.codes import unpack
from isegoria.utils.arrays import count_labels, to_dense

MAX_STATES = 1_000_000
"""Maximum number of sets visited before the rule gives up: the exact policy is #P-hard to compute in general."""

CHUNK_STATES = 1 << 21
"""Target number of sets times agent types processed per chunk."""

ERROR_PROBABILITY = 0.001
"""Probability that some entry of a sampled policy is outside its interval."""


def compute_policy(instance: Profile, samples: int | None = None, seed: int = 0) -> Solution:
    """Compute the mean over all orders of the W agents; with `samples`, over that many random orders.

    >>> import isegoria as iso
    >>> iso.solve(iso.Instance.from_approvals(["a", "ab", "ac", "bd", "cd"]), "rp").policy.round(4).tolist()
    [0.4667, 0.1667, 0.1667, 0.2]
    """
    orders, weights = extract_weak_orders(instance)
    arms = len(instance.arms)
    if samples is None:
        left, _ = expected_policy(orders, weights, arms)
        return direct_solution(left, "random-priority", "dynamic programming")
    rng = np.random.default_rng(seed)
    left = _sample_policy(orders, weights, arms, samples, rng)
    reach = math.sqrt(math.log(2 * arms / ERROR_PROBABILITY) / (2 * samples))
    return direct_solution(left, "random-priority", "sampled", sampling_error=reach)


def extract_weak_orders(instance: Profile) -> tuple[np.ndarray, np.ndarray]:
    """Return (orders (T, L), weights (T,)): the distinct rankings and how many agents have each.

    A ranking is a sequence of sets of arms, best first, each an integer whose bit k is arm k. Arms within the tie
    tolerance of the best of a set are tied.
    """
    types = require_instance(instance).types
    rows, weights = to_dense(types.rows), types.weights
    order = np.argsort(-rows, axis=1, kind="stable")
    descending = np.take_along_axis(rows, order, axis=1)
    level, place, top = np.zeros(rows.shape, dtype=np.int64), np.zeros(len(rows), dtype=np.int64), descending[:, 0]
    for j in range(1, rows.shape[1]):
        below = descending[:, j] < top - instance.tie_tolerance
        top, place = np.where(below, descending[:, j], top), place + below
        level[:, j] = place
    sets = np.zeros((len(rows), int(place.max()) + 1), dtype=np.uint64 if rows.shape[1] <= 64 else object)
    for j in range(rows.shape[1]):
        sets[np.arange(len(rows)), level[:, j]] |= _singleton_bits(order[:, j], sets.dtype)
    return _merge_rankings(sets, weights)


def _singleton_bits(arms: np.ndarray, kind: Any) -> np.ndarray:
    """Return the set that contains each arm alone."""
    return np.array([1 << k for k in arms.tolist()], dtype=kind)


def _merge_rankings(sets: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Merge equal rankings and add their weights, in sorted order."""
    found: dict[tuple[int, ...], int] = {}
    for row, weight in zip(map(tuple, sets.tolist()), weights.tolist(), strict=True):
        found[row] = found.get(row, 0) + weight
    keys = sorted(found)
    return np.array(keys, dtype=sets.dtype).reshape(len(keys), -1), np.array([found[key] for key in keys])


def expected_policy(orders: np.ndarray, weights: np.ndarray, arms: int) -> tuple[np.ndarray, int]:
    """Return ((K,) the mean over all orders of the final policy, the number of sets visited)."""

    def spread(sets: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        next_sets = best_subsets(orders, sets)
        active = next_sets != sets[:, None]
        total = active @ weights
        pace = np.divide(mass, total, out=np.zeros_like(mass), where=total > 0)
        return next_sets[active], (pace[:, None] * weights)[active], total == 0

    return _propagate_mass(arms, orders, 1.0, spread, MAX_STATES)


def _sample_policy(
    orders: np.ndarray, weights: np.ndarray, arms: int, samples: int, rng: np.random.Generator
) -> np.ndarray:
    """Return (K,) the mean over `samples` orders, drawn set by set: the counts of successors are multinomial."""

    def spread(sets: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        next_sets = best_subsets(orders, sets)
        found, counts, settled = [], [], np.zeros(len(sets), dtype=bool)
        for i, row in enumerate(next_sets):
            active = row != sets[i]
            if not active.any():
                settled[i] = True
                continue
            some, member = np.unique(row[active], return_inverse=True)
            chance = count_labels(member.reshape(-1), weights[active])
            found.append(some)
            counts.append(rng.multinomial(round(mass[i]), chance / chance.sum()))
        empty = np.zeros(0, dtype=sets.dtype), np.zeros(0)
        return (np.concatenate(found), np.concatenate(counts).astype(float), settled) if found else (*empty, settled)

    return _propagate_mass(arms, orders, float(samples), spread, math.inf)[0] / samples


TransitionFunction = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]
"""Maps sets and the mass on each to the next sets, the mass on those, and which sets stay."""


def _propagate_mass(
    arms: int, orders: np.ndarray, mass: float, spread: TransitionFunction, most: float
) -> tuple[np.ndarray, int]:
    """Move the mass from the set of all arms down; return ((K,) where it ends, the number of sets visited)."""
    layers: dict[int, list[tuple[np.ndarray, np.ndarray]]] = {}
    layers[arms] = [(np.array([(1 << arms) - 1], dtype=orders.dtype), np.array([mass]))]
    left, seen, step = np.zeros(arms), 0, max(1, CHUNK_STATES // len(orders))
    for size in range(arms, 0, -1):
        if size not in layers:
            continue
        parts = layers.pop(size)
        sets, masses = _sum_masses(np.concatenate([s for s, _ in parts]), np.concatenate([m for _, m in parts]))
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
            left += (their[stays] / size) @ _unpack_sets(some[stays], arms)
            _group_by_size(layers, *_sum_masses(found, brings), arms)
    return left, seen


def best_subsets(orders: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """Return (S, T) the best part of each of the `sets` for each ranking: its first class that is not empty there."""
    best = sets[:, None] & orders[None, :, 0]
    for level in range(1, orders.shape[1]):
        nothing = best == 0
        if not nothing.any():
            break
        best = np.where(nothing, sets[:, None] & orders[None, :, level], best)
    return best


def _sum_masses(sets: np.ndarray, masses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct sets, sorted, and the mass on each."""
    if sets.dtype != object and len(sets) and int(sets.max()) < 4 * len(sets):  # counting is faster than sorting
        codes = sets.astype(np.int64)
        distinct = np.flatnonzero(count_labels(codes))
        return distinct.astype(sets.dtype), count_labels(codes, masses)[distinct]
    distinct, member = np.unique(sets, return_inverse=True)
    return distinct, count_labels(member.reshape(-1), masses, minlength=len(distinct))


def _group_by_size(
    layers: dict[int, list[tuple[np.ndarray, np.ndarray]]], sets: np.ndarray, masses: np.ndarray, arms: int
) -> None:
    """Add sets with their mass to the layer of their size."""
    sizes = _unpack_sets(sets, arms).sum(axis=1)
    for size in np.unique(sizes).tolist():
        layers.setdefault(size, []).append((sets[sizes == size], masses[sizes == size]))


def _unpack_sets(sets: np.ndarray, arms: int) -> np.ndarray:
    """Return (S, K) booleans: which arms are in each set."""
    if sets.dtype != object:
        return unpack(sets, arms)
    return np.array([[each >> k & 1 for k in range(arms)] for each in sets.tolist()], dtype=bool).reshape(-1, arms)

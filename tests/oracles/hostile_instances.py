"""Hostile instances: all that makes a solver stumble, alone and together. Number s is always the same instance."""

from __future__ import annotations

import numpy as np

DECADES = 14  # of the entries
WEIGHT_DECADES = 6
NEAR_TIE_SIZES = (1e-13, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-5)  # sizes of differences that are almost none
DENORMAL = 5e-324


def make_hostile(number: int) -> tuple[np.ndarray, np.ndarray]:
    """(means (N, K), weights (N,)) of instance `number`: N up to 60, K up to 20."""
    rng = np.random.default_rng([2, number])
    agents = 1 if number % 50 == 7 else int(rng.integers(1, 61))
    arms = 1 if number % 50 == 13 else int(rng.integers(1, 21))
    means = ENTRY_MODELS[number % len(ENTRY_MODELS)](rng, (agents, arms))
    for trouble in DEGENERACIES:
        if rng.random() < 0.25:
            means = trouble(rng, means)
    return np.ascontiguousarray(means), _weights(rng, len(means))


def _uniform(rng, shape):
    return rng.random(shape)


def _decades(rng, shape):
    return 10 ** (-DECADES * rng.random(shape))


def _row_decades(rng, shape):
    """Agents who count in units of their own."""
    return rng.random(shape) * 10 ** (-DECADES * rng.random((shape[0], 1)))


def _levels(rng, shape):
    return rng.integers(0, rng.integers(2, 6), shape) / 5


def _binary(rng, shape):
    return (rng.random(shape) < rng.uniform(0.1, 0.9)).astype(float)


def _ranks(rng, shape):
    """Everybody ranks the arms, and gives each rank the same value."""
    values = np.sort(rng.random(shape[1]))
    return values[np.argsort(rng.random(shape), axis=1)]


def _easily_pleased(rng, shape):
    """A few agents, each with one best value for most arms: whole groups of columns are alike or nearly so."""
    agents = min(shape[0], int(rng.integers(2, 7)))
    best = rng.uniform(0.5, 1, (agents, 1))
    liked = rng.random((agents, shape[1])) < rng.uniform(0.5, 0.9)
    return np.where(liked, best, best * rng.random((agents, shape[1])))


def _duplicate_arms(rng, means):
    means = means.copy()
    source, target = rng.integers(0, means.shape[1], (2, 1 + means.shape[1] // 4))
    means[:, target] = means[:, source]
    return means


def _duplicate_agents(rng, means):
    means = means.copy()
    source, target = rng.integers(0, len(means), (2, 1 + len(means) // 4))
    means[target] = means[source]
    return means


def _near_arms(rng, means):
    """A column that is another one but for almost nothing."""
    means = means.copy()
    source, target = rng.integers(0, means.shape[1], 2)
    means[:, target] = np.clip(means[:, source] + rng.choice(NEAR_TIE_SIZES) * rng.standard_normal(len(means)), 0, 1)
    return means


def _near_agents(rng, means):
    means = means.copy()
    source, target = rng.integers(0, len(means), 2)
    means[target] = np.clip(means[source] + rng.choice(NEAR_TIE_SIZES) * rng.standard_normal(means.shape[1]), 0, 1)
    return means


def _near_favourites(rng, means):
    """A few agents for whom a second arm is almost the best."""
    means = means.copy()
    for agent in rng.integers(0, len(means), 1 + len(means) // 5):
        arm = rng.integers(means.shape[1])
        means[agent, arm] = np.clip(means[agent].max() - rng.choice(NEAR_TIE_SIZES) * rng.random(), 0, 1)
    return means


def _zero_rows(rng, means):
    means = means.copy()
    means[rng.integers(0, len(means), 1 + len(means) // 10)] = 0
    return means


def _zero_entries(rng, means):
    return means * (rng.random(means.shape) < 0.7)


def _denormals(rng, means):
    means = means.copy()
    tiny = rng.random(means.shape) < 0.1
    means[tiny] = DENORMAL * rng.integers(1, 1000, tiny.sum())
    return means


def _weights(rng, agents):
    kind = rng.integers(3)
    if kind == 0:
        return np.ones(agents, dtype=np.int64)
    if kind == 1:
        return rng.integers(1, 10, agents)
    return np.ceil(10 ** (WEIGHT_DECADES * rng.random(agents))).astype(np.int64)


ENTRY_MODELS = (_uniform, _decades, _row_decades, _levels, _binary, _ranks, _easily_pleased)
DEGENERACIES = (
    _duplicate_arms,
    _duplicate_agents,
    _near_arms,
    _near_agents,
    _near_favourites,
    _zero_rows,
    _zero_entries,
    _denormals,
)


MOST_ARMS = 600


def make_wide(number: int) -> tuple[np.ndarray, np.ndarray]:
    """(means (N, K), weights (N,)) of wide instance `number`: K from 65 to 600, N up to 120, some far fewer than K."""
    rng = np.random.default_rng([4, number])
    arms = int(np.exp(rng.uniform(np.log(65), np.log(MOST_ARMS + 1))))
    agents = int(rng.integers(2, 13)) if number % 3 == 0 else int(rng.integers(2, 121))
    means = WIDE_MODELS[number % len(WIDE_MODELS)](rng, (agents, min(arms, MOST_ARMS)))
    for trouble in (_duplicate_arms, _near_arms, _duplicate_agents, _zero_rows, _zero_arms, _liked_by_all):
        if rng.random() < 0.2:
            means = trouble(rng, means)
    return np.ascontiguousarray(means), _weights(rng, len(means))


def _sparse(rng, shape):
    """Each agent rates some five arms, in steps."""
    return np.where(rng.random(shape) < 5 / shape[1], rng.choice([0.25, 0.5, 1.0], shape), 0.0)


def _low_rank(rng, shape):
    inner = int(rng.integers(1, 6))
    return rng.random((shape[0], inner)) @ rng.random((inner, shape[1])) / inner


def _truncated(rng, shape):
    """Rankings of the first few places."""
    means = np.zeros(shape)
    for row in means:
        places = rng.permutation(shape[1])[: rng.integers(1, 15)]
        row[places] = 1 - np.arange(len(places)) / len(places)
    return means


def _zero_arms(rng, means):
    means = means.copy()
    means[:, rng.integers(0, means.shape[1], 1 + means.shape[1] // 3)] = 0
    return means


def _liked_by_all(rng, means):
    means = means.copy()
    means[:, rng.integers(means.shape[1])] = 1
    return means


WIDE_MODELS = (_sparse, _low_rank, _truncated, _uniform, _binary, _levels)


MANY_CLONES = 3_000


def make_clones(number: int) -> tuple[np.ndarray, np.ndarray]:
    """(means (N, K), weights (N,)) of instance `number` of clones: up to 8 kinds of arms, each 1 to 40 times, of which
    every third instance has some that are 1 ulp apart; party lists of thousands of arms among them."""
    rng = np.random.default_rng([6, number])
    if number % 40 == 39:
        party = np.arange(MANY_CLONES if number % 80 == 79 else MANY_CLONES // 5) % 10
        return (np.arange(10)[:, None] == party).astype(float), rng.integers(1, 10, 10)
    shape = int(rng.integers(1, 31)), int(rng.integers(1, 9))
    means = (_binary, _levels, _uniform, _ranks)[number % 4](rng, shape)
    means = means[:, rng.permutation(np.repeat(np.arange(shape[1]), rng.integers(1, 41, shape[1])))]
    if number % 3 == 0:
        nudged = rng.random(means.shape) < 0.1
        means = np.where(nudged, np.clip(np.nextafter(means, 2 * rng.random(means.shape)), 0, 1), means)
    return np.ascontiguousarray(means), _weights(rng, len(means))


def make_weighty(number: int) -> tuple[np.ndarray, np.ndarray]:
    """(means (N, K), weights (N,)) of instance `number` of weights over 8 to 12 decades: steps of 0 to 5, up to 90 ×
    100, and every other instance with more than 64 arms."""
    rng = np.random.default_rng([7, number])
    shape = int(rng.integers(3, 91)), int(rng.integers(65, 101) if number % 2 else rng.integers(2, 65))
    means = rng.integers(0, rng.integers(2, 7), shape) / 5
    return np.clip(means, 0, 1), np.ceil(10 ** (rng.integers(8, 13) * rng.random(shape[0]))).astype(np.int64)


def make_square(number: int) -> tuple[np.ndarray, np.ndarray]:
    """(means (N, K), weights (N,)) of square instance `number`: 130 to 170 agents and arms, of which many matter."""
    rng = np.random.default_rng([8, number])
    shape = int(rng.integers(130, 171)), int(rng.integers(130, 171))
    means = SQUARE_MODELS[number % len(SQUARE_MODELS)](rng, shape)
    for trouble in (_duplicate_arms, _near_arms, _near_agents, _duplicate_agents, _zero_arms):
        if rng.random() < 0.2:
            means = trouble(rng, means)
    return np.ascontiguousarray(means), _weights(rng, len(means))


def _cyclic(rng, shape):
    """Agent i likes some arms from i on, round the circle: chains of ballots, and ties everywhere."""
    return ((np.arange(shape[1]) - np.arange(shape[0])[:, None]) % shape[1] < rng.integers(2, 9)).astype(float)


SQUARE_MODELS = (_uniform, _levels, _binary, _ranks, _low_rank, _cyclic, _truncated)


def make_ordinary(number: int) -> tuple[np.ndarray, np.ndarray]:
    """(means (N, K), weights (N,)) of ordinary instance `number`: what groups look like, up to 60 x 120 or 6 x 900.

    Every family has many optima in some objective. Weights are 1, small, or span 1 to 1e9.
    """
    rng = np.random.default_rng([9, number])
    agents, arms = (3 + number % 4, int(rng.integers(200, 900))) if number % 5 == 4 else rng.integers(2, (61, 121))
    means = ORDINARY_MODELS[number % len(ORDINARY_MODELS)](rng, (int(agents), int(arms)))
    decades = (0, 1, 9)[number % 3]
    weights = np.ceil(10 ** (decades * rng.random(len(means)))).astype(np.int64)
    return np.ascontiguousarray(np.clip(means, 0, 1)), weights


def _single_peaked(rng, shape):
    """Agents and arms are points of a line."""
    return 1 - np.abs(rng.random((shape[0], 1)) - rng.random((1, shape[1])))


def _near_clones(rng, shape):
    """Arms in threes that differ by 1e-12."""
    kinds = np.repeat(rng.random((shape[0], -(-shape[1] // 3))), 3, axis=1)[:, : shape[1]]
    return kinds + 1e-12 * rng.standard_normal(shape)


def _kronecker(rng, shape):
    """Blocks of one pattern, scaled by another."""
    inner = rng.integers(1, 4), rng.integers(1, 9)
    outer = -(-shape[0] // int(inner[0])), -(-shape[1] // int(inner[1]))
    return np.kron(rng.integers(0, 4, outer) / 3, rng.random(inner))[: shape[0], : shape[1]]


def _intervals(rng, shape):
    """Agent i likes some arms in a row from its own on."""
    start = np.linspace(0, shape[1] - 1, shape[0]).astype(int)[:, None]
    beyond = np.arange(shape[1]) - start
    return ((beyond >= 0) & (beyond < rng.integers(2, 5))).astype(float)


def _few_rankings(rng, shape):
    """Many agents rank three or four arms, so that few rows differ."""
    values = np.sort(rng.random(int(rng.integers(3, 5))))
    return values[np.argsort(rng.random((8 * shape[0], len(values))), axis=1)]


def _parties(rng, shape):
    """Agents and arms belong to parties, and like their own."""
    count = int(rng.integers(2, 7))
    return (rng.integers(0, count, (shape[0], 1)) == rng.integers(0, count, (1, shape[1]))).astype(float)


ORDINARY_MODELS = (_single_peaked, _near_clones, _low_rank, _kronecker, _intervals, _few_rankings, _parties)

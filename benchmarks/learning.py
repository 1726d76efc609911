"""Learning: Algorithm 1 against bulk draws and a plain loop, ask and tell against cvxpy, two cores against one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import isegoria as iso
from benchmarks import cvxpy_rules
from benchmarks.harness import BenchmarkRow, time_alternately
from isegoria.datasets import load_dots_sample
from isegoria.solvers.nash.decision_shares import procedural_policy

ROUNDS, SEED, SD = 100_000, 7, 0.1
ASK_TELL_ROUNDS = 20_000


def rows() -> Iterator[BenchmarkRow]:
    """The Dots run against its floor and against a plain loop; ask and tell; a hundred seeds."""
    sample = load_dots_sample()
    world, learner = iso.BetaRewards(sample, SD), iso.ProceduralLearner(50, 4, seed=SEED)
    pulls = iso.simulate(learner, world, ROUNDS, seed=SEED).pulls[-1]

    def ours():
        iso.simulate(learner, world, ROUNDS, seed=SEED)

    floor = time_alternately(ours, lambda: draw_all_rewards(sample.means, pulls), rounds=5)
    yield BenchmarkRow(
        f"Algorithm 1 on the Dots voters, {ROUNDS:,} rounds; drawing its Betas", *floor, 1.7, faster=False
    )
    plain = time_alternately(ours, lambda: run_numpy_loop(sample.means, ROUNDS), rounds=1)
    yield BenchmarkRow("the same; a plain NumPy loop with the policy remembered", *plain, 5)
    yield ask_tell_row()
    yield from elimination_rows(world)
    yield from many_arms_rows()
    yield from large_group_rows()
    yield from saving_rows()
    yield many_seeds_row(iso.BetaRewards(sample, SD))


def draw_all_rewards(means: np.ndarray, pulls: np.ndarray) -> None:
    """All rewards of the run, drawn by NumPy with nothing else to do."""
    rng, (a, b) = np.random.default_rng(SEED), beta_shapes(means)
    for arm, count in enumerate(pulls):
        rng.beta(a[:, arm], b[:, arm], size=(count, len(means)))


def beta_shapes(means: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    size = means * (1 - means) / SD**2 - 1
    return means * size, (1 - means) * size


def run_numpy_loop(means: np.ndarray, rounds: int, gamma: float = 0.7) -> np.ndarray:
    """Algorithm 1 as one would write it: a round at a time in NumPy, with the policy of each pattern remembered."""
    rng, (a, b), (n, k) = np.random.default_rng(SEED), beta_shapes(means), means.shape
    sums = np.stack([rng.beta(a[:, arm], b[:, arm]) for arm in range(k)], axis=1)
    counts, known = np.ones(k), {}
    for t in range(k + 1, rounds + 1):
        explores = rng.random() < t ** (gamma - 1)
        estimates, radius = sums / counts, np.sqrt(2 * np.log(n * k * t) / counts)
        best = estimates.argmax(axis=1)
        sets = estimates + radius >= (estimates[np.arange(n), best] - radius[best])[:, None]
        key = sets.tobytes()
        if key not in known:
            known[key] = procedural_policy(sets)[0]
        arm = rng.integers(k) if explores else rng.choice(k, p=known[key])
        sums[:, arm] += rng.beta(a[:, arm], b[:, arm])
        counts[arm] += 1
    return known[key]


def ask_tell_row() -> BenchmarkRow:
    """A round of ask and tell through the public interface, against solving its Nash program once with cvxpy."""
    rng = np.random.default_rng(SEED)
    means = rng.uniform(0.1, 0.9, (10, 4))
    rewards = [np.clip(rng.normal(means.T, SD), 0, 1) for _ in range(2000)]

    def ours():
        learner = iso.ProceduralLearner(10, 4, seed=SEED)
        for index in range(ASK_TELL_ROUNDS):
            ticket = learner.ask()
            learner.tell(ticket, rewards[index % 2000][ticket.arm])

    favourites = (means >= means.max(axis=1, keepdims=True) - 0.2).astype(float)
    taken, once = time_alternately(ours, lambda: cvxpy_rules.nash(favourites), rounds=5)
    each = taken / ASK_TELL_ROUNDS
    return BenchmarkRow(f"ask and tell at (10, 4), {1 / each:,.0f} rounds/s; one Nash program", each, once, 200)


def elimination_rows(world) -> Iterator[BenchmarkRow]:
    """A round of the elimination learner against one of Algorithm 1: simulated, and asked and told."""
    elimination, procedural = iso.EliminationLearner(50, 4, seed=SEED), iso.ProceduralLearner(50, 4, seed=SEED)

    def simulated(learner):
        return lambda: iso.simulate(learner, world, ROUNDS, seed=SEED, records=10)

    def told(learner):
        def run():
            one, stream = learner.copy(), world.stream(SEED)
            for _ in range(2000):
                ticket = one.ask()
                one.tell(ticket, stream.pull(ticket.arm))

        return run

    for words, way in ((f"{ROUNDS:,} rounds simulated", simulated), ("2,000 rounds asked and told", told)):
        times = time_alternately(way(elimination), way(procedural), rounds=5)
        yield BenchmarkRow(
            f"the elimination learner on the Dots voters, {words}; Algorithm 1", *times, 1.5, faster=False
        )
    reward_fair, nash = (kind(50, 4, seed=SEED) for kind in (iso.RewardFairLearner, iso.NashUCBLearner))
    times = time_alternately(
        *(lambda one=one: iso.simulate(one, world, 500, seed=SEED, records=3) for one in (reward_fair, nash)), rounds=5
    )
    yield BenchmarkRow("reward-fair on the Dots voters, 500 rounds simulated; nash-ucb", *times, 3, faster=False)


def many_arms_rows() -> Iterator[BenchmarkRow]:
    """A round of two learners at 1,000 agents and 100 arms, against the step that it would cost if written plainly."""
    rng, rounds = np.random.default_rng(SEED), 200
    means = rng.random((1000, 100))
    world, won = iso.BernoulliRewards(means), np.floor(rng.random((100, 1000)) * 3)

    def drawn():
        for _ in range(rounds):
            order = np.lexsort((*won, *(2 - won)))
            rng.beta(1 + won[:, order], 3 - won[:, order]).argmax(axis=0)

    def simulated(learner):
        return lambda: iso.simulate(learner, world, rounds, seed=SEED, records=10)

    posterior = time_alternately(simulated(iso.ThompsonLearner(1000, 100, seed=SEED)), drawn, rounds=2)
    yield BenchmarkRow(f"posterior at (1000, 100), {rounds} rounds; drawing every mean in order", *posterior, 4)
    nash = time_alternately(
        simulated(iso.NashUCBLearner(1000, 100, seed=SEED)),
        lambda: [iso.solve(iso.Instance(means), "nash") for _ in range(rounds)],
        rounds=1,
    )
    yield BenchmarkRow(f"nash at (1000, 100), {rounds} rounds; a Nash policy for each", *nash, 1.2)


def large_group_rows() -> Iterator[BenchmarkRow]:
    """A round at 100,000 agents and 20 arms, its rewards drawn as well, in NumPy passes over the table of sums."""
    agents, arms, rounds = 100_000, 20, 1_000
    means = np.random.default_rng(SEED).permuted(np.tile(np.linspace(0.1, 0.9, arms), (agents, 1)), axis=1)
    world = iso.BernoulliRewards(means)
    sums = np.random.default_rng(SEED).random((agents, arms))
    for kind in (iso.ProceduralLearner, iso.EliminationLearner):
        learner = kind(agents, arms, seed=SEED)
        run = time_alternately(
            lambda learner=learner: iso.simulate(learner, world, rounds, seed=SEED, records=10),
            lambda: sums.max(axis=0),
            rounds=1,
        )
        words = f"a round of {kind.id} at ({agents:,}, {arms}), mean of {rounds:,}; a pass"
        yield BenchmarkRow(words, run[0] / rounds, run[1], 10, faster=False)


def saving_rows() -> Iterator[BenchmarkRow]:
    """The state of a large group in binary form, against JSON."""
    for kind in (iso.ProceduralLearner, iso.EliminationLearner):
        learner, rng = kind(100_000, 20, seed=SEED), np.random.default_rng(SEED)
        for _ in range(40):
            learner.tell(learner.ask(), rng.random(100_000))
        times = time_alternately(learner.to_bytes, learner.to_json, rounds=1)
        yield BenchmarkRow(f"saving {kind.id} at (100,000, 20), binary; JSON", *times, 20)


def many_seeds_row(world) -> BenchmarkRow:
    """A hundred seeds of the Dots run, cut short, on two cores and on one."""

    def on(workers: int):
        return lambda: iso.simulate_many(iso.ProceduralLearner(50, 4), world, 20_000, 100, workers, records=100)

    return BenchmarkRow(
        "100 seeds of 20,000 rounds on two cores; on one", *time_alternately(on(2), on(1), rounds=2), 1.7
    )

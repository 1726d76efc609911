"""The confidence sequence covers the mean at all times at once; the same test sees two planted faults."""

import numpy as np
import pytest

from isegoria.learning.sets import bernstein

LEVEL = 0.05
RUNS, DRAWS = 4000, 2000
COUNT, LOWER, UPPER = (bernstein.FIELD_NAMES.index(name) for name in ("count", "lower", "upper"))


class Reference:
    """The published formulas on whole histories, written apart from the kernel, with room for planted faults."""

    def __init__(self, runs: int, level: float, log_scale: float = 1.0, psi_scale: float = 1.0):
        self.log_term = np.log(2 / level)
        self.log_scale, self.psi_scale = log_scale, psi_scale
        self.t = 0
        self.mean, self.variance = np.full(runs, 1 / 2), np.full(runs, 1 / 4)
        self.sum, self.squares = np.zeros(runs), np.zeros(runs)
        self.bets, self.won, self.price = np.zeros(runs), np.zeros(runs), np.zeros(runs)
        self.lower, self.upper = np.zeros(runs), np.ones(runs)

    def observe(self, x):
        self.t += 1
        bet = np.minimum(0.75, np.sqrt(2 * self.log_term / (self.variance * self.t * np.log(1 + self.t))))
        self.price += 4 * (x - self.mean) ** 2 * self.psi_scale * (-np.log(1 - bet) - bet) / 4
        self.bets += bet
        self.won += bet * x
        self.sum += x
        self.mean = (1 / 2 + self.sum) / (self.t + 1)
        self.squares += (x - self.mean) ** 2
        self.variance = (1 / 4 + self.squares) / (self.t + 1)
        centre, radius = self.won / self.bets, (self.log_scale * self.log_term + self.price) / self.bets
        self.lower, self.upper = np.maximum(self.lower, centre - radius), np.minimum(self.upper, centre + radius)


class Kernel:
    """The compiled sequence, one pair for each run."""

    def __init__(self, runs: int, level: float):
        self.pairs = bernstein.unseen(1, runs)[0]
        self.log_terms = np.full(runs, np.log(2 / level))
        self.restarted = set()

    def observe(self, x):
        self.restarted.update(bernstein.observe_arm(self.pairs, x, self.log_terms))

    lower = property(lambda self: self.pairs[:, LOWER])
    upper = property(lambda self: self.pairs[:, UPPER])


def ever_missed(sequence, mean: float, seed: int = 0, draws: int = DRAWS) -> float:
    """The share of runs in which the true mean was outside the running intersection at some time."""
    rng = np.random.default_rng(seed)
    missed = np.zeros(RUNS, dtype=bool)
    for _ in range(draws):
        sequence.observe((rng.random(RUNS) < mean).astype(float))
        missed |= (mean < sequence.lower) | (mean > sequence.upper)
    return missed.mean()


@pytest.mark.parametrize("mean", [0.5, 0.1])
def test_the_mean_is_ever_missed_in_at_most_half_the_level(mean):
    assert ever_missed(Kernel(RUNS, LEVEL), mean) <= LEVEL / 2


@pytest.mark.parametrize("fault", [{"log_scale": 1 / 2}, {"psi_scale": 1 / 4}])
def test_the_coverage_test_sees_planted_faults(fault):
    rates = [ever_missed(Reference(RUNS, LEVEL, **fault), mean) for mean in (0.5, 0.1)]
    assert max(rates) > LEVEL / 2


@pytest.mark.parametrize("level", [0.05, 1e-9])
def test_the_kernel_is_the_published_formula(level):
    rng = np.random.default_rng(1)
    kernel, reference = Kernel(60, level), Reference(60, level)
    shapes = rng.uniform(0.5, 9, (2, 60))
    for _ in range(700):
        x = rng.beta(*shapes)
        kernel.observe(x)
        reference.observe(x)
    np.testing.assert_allclose(kernel.lower, np.clip(reference.lower, 0, 1), rtol=0, atol=1e-12)
    np.testing.assert_allclose(kernel.upper, np.clip(reference.upper, 0, 1), rtol=0, atol=1e-12)


def test_bounds_adapt_to_the_variance():
    rng = np.random.default_rng(2)
    calm, wild = Kernel(20, 1e-6), Kernel(20, 1e-6)
    for _ in range(500):
        calm.observe(rng.beta(50, 50, 20))
        wild.observe((rng.random(20) < 0.5).astype(float))
    assert np.all(calm.upper - calm.lower < (wild.upper - wild.lower) / 2)


def test_a_silent_agent_learns_nothing():
    pairs = bernstein.unseen(1, 3)[0]
    for x in (0.2, 0.4, 0.9):
        bernstein.observe_arm(pairs, np.array([x, np.nan, x]), np.full(3, 5.0))
    assert pairs[:, COUNT].tolist() == [3, 0, 3]
    assert pairs[1].tolist() == bernstein.unseen(1, 1)[0, 0].tolist()
    assert pairs[0].tolist() == pairs[2].tolist()


def test_an_empty_interval_restarts_the_pair_and_says_so():
    pairs, log_terms = bernstein.unseen(1, 2)[0], np.full(2, np.log(2 / LEVEL))
    restarted = []
    for t in range(1200):
        restarted += bernstein.observe_arm(pairs, np.array([0.1 if t < 600 else 0.9, 0.1]), log_terms)
    assert restarted == [0]
    assert np.all(pairs[:, LOWER] <= pairs[:, UPPER])
    assert pairs[0, COUNT] < 600
    assert pairs[0, LOWER] > 0.85

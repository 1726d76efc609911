"""Votes by the posterior: not everything is drawn, and the law is that of drawing everything."""

import numpy as np
import pytest
from scipy import stats

import isegoria as iso
from isegoria.learning.learners.row_hashes import row_hashes
from isegoria.learning.learners.thompson_votes import log_beta_functions, votes

AGENTS = 40_000
FALSE_ALARM = 1e-6


def kernel_votes(won, lost, seed):
    """How many of many agents, of whom all the same is known, vote for each arm."""
    sums = np.repeat(np.array(won, dtype=float)[:, None], AGENTS, axis=1)
    counts = sums + np.array(lost, dtype=float)[:, None]
    known = np.stack([log_beta_functions(*pair) for pair in zip(sums, counts, strict=True)])
    here = np.arange(len(won)), np.arange(AGENTS), np.ones(AGENTS)
    return votes(np.random.default_rng(seed), sums, counts, known, *here)


def plain_votes(won, lost, seed):
    draws = np.random.default_rng(seed).beta(1.0 + np.array(won), 1.0 + np.array(lost), size=(AGENTS, len(won)))
    return np.bincount(draws.argmax(axis=1), minlength=len(won))


@pytest.mark.parametrize(
    ("won", "lost"),
    [
        ([0, 0, 0], [0, 0, 0]),
        ([1, 0, 0.5], [0, 1, 0.5]),
        ([5, 4, 3, 0], [0, 1, 2, 5]),
        ([2.5, 2.4, 2.3, 2.2], [1.5, 1.6, 1.7, 1.8]),
        ([40, 39, 30, 10], [10, 11, 20, 40]),
        ([3, 300, 2], [1, 120, 0]),
        ([0.2, 0.1, 7], [6.8, 6.9, 30]),
        ([900, 0], [100, 0]),
    ],
)
def test_votes_have_the_law_of_drawing_every_mean(won, lost):
    ours, theirs = kernel_votes(won, lost, 5), plain_votes(won, lost, 6)
    kept = (ours + theirs) > 10
    assert stats.chi2_contingency([ours[kept], theirs[kept]]).pvalue > FALSE_ALARM
    assert ours.sum() == AGENTS


def test_a_wrong_law_would_be_noticed():
    ours, wrong = kernel_votes([5, 4, 3], [1, 2, 3], 5), plain_votes([5, 4, 3], [1.2, 2, 3], 6)
    assert stats.chi2_contingency([ours, wrong]).pvalue < FALSE_ALARM


def test_hashes_tell_agents_apart_and_do_not_know_their_places():
    rng = np.random.default_rng(3)
    table = rng.integers(0, 4, (6, 5000)).astype(float)
    order = rng.permutation(5000)
    arms, rows, ones = np.arange(6), np.arange(5000), np.ones(5000, dtype=np.int64)
    hashes = row_hashes(table, arms, rows, ones)
    assert np.array_equal(row_hashes(np.ascontiguousarray(table[:, order]), arms, rows, ones), hashes[order])
    assert np.array_equal(row_hashes(table, arms, order, ones), hashes[order])
    assert len(np.unique(hashes)) == len(np.unique(table, axis=1).T)
    assert len(np.unique(row_hashes(table, arms, rows, rng.integers(1, 3, 5000)))) > len(np.unique(hashes))


def test_nash_ucb_resolves_only_on_new_bounds(monkeypatch):
    solved = []
    honest = iso.NashUCBLearner._best
    monkeypatch.setattr(
        iso.NashUCBLearner, "_best", lambda self, *rest: solved.append(self.rounds) or honest(self, *rest)
    )
    learner = iso.NashUCBLearner(3, 2, horizon=1000, seed=1)
    world = iso.BernoulliRewards([[0.9, 0.1], [0.2, 0.8], [0.5, 0.6]])
    stream = world.stream(2)
    moved = 0
    for t in range(1500):
        ticket = learner.ask()
        upper = learner._upper((0, 1))
        assert learner.policy == pytest.approx(iso.solve(iso.Instance(upper.T), "nash").policy, abs=1e-6) or t < 2
        before = upper
        learner.tell(ticket, stream.pull(ticket.arm))
        moved += t > 1 and not np.array_equal(before, learner._upper((0, 1)))
    assert abs(len(solved) - moved) <= 2
    assert 0 < moved < 1500

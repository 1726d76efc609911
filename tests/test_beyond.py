"""The study beyond the paper: its groups are what it says, its claims can fail, its page says which version it is."""

from dataclasses import replace

import numpy as np
import pytest

from isegoria import BernoulliRewards, GuidedLearner
from isegoria.data import dots_sample
from isegoria.learning.runs.contest import contest
from isegoria.studies import beyond
from isegoria.studies.beyond import claims, coverage, worlds
from isegoria.studies.beyond.change import _delay
from isegoria.studies.beyond.information import information_bound
from isegoria.studies.record import read_record
from isegoria.studies.registry import STUDIES, Options
from isegoria.studies.sections.beyond import findings, read_claims, section

TINY = replace(
    beyond.LIGHT, seeds=1, samples=1, compared=1, hard=1, learners=("guided", "uniform"), contest_rounds=50,
    contest_seeds=2, noticing=("guided", beyond.FADING), noticing_seeds=1,
)  # fmt: skip


def test_the_groups_are_what_the_study_says():
    assert np.sort(worlds.hard(3).means, axis=1) == pytest.approx(np.tile(np.linspace(0.1, 0.9, 10), (10, 1)))
    assert worlds.tied(2).favourites.sum(axis=1).tolist() == [2] + [1] * 49
    assert worlds.tied(4).favourites.sum(axis=1).tolist() == [4] + [1] * 49
    assert all(worlds.all_tied(seed, 16).favourites.all() for seed in range(50))
    assert len({group.agents for group in worlds.other_samples(30)}) == 30


def test_no_favourite_is_lost_in_a_few_runs():
    assert coverage.lost_favourites(6, 600, error=None) == 0


def test_losses_on_exact_ties_are_as_rare_as_promised():
    for arms in (4, 16):
        lost = coverage.lost_favourites(150, 1500, coverage.LEVEL, arms)
        assert coverage.lower_limit(lost, 150) <= coverage.LEVEL


def test_a_learner_that_drops_favourites_is_seen(monkeypatch):
    monkeypatch.setattr(coverage, "_final_sets", lambda learner, group, rounds, run: ~group.favourites)
    assert coverage.lost_favourites(3, 100, error=None) == 3
    assert coverage.lower_limit(240, 4000) > coverage.LEVEL


@pytest.mark.parametrize("fault", list(coverage.FAULTS)[2:])
def test_planted_faults_are_seen(fault):
    assert coverage.lower_limit(coverage.lost_with(fault, 12, 1600), 12) > coverage.LEVEL


def test_a_threshold_that_forgets_the_arms_is_lower_for_every_pair():
    """Its losses show in hundreds of runs only (make study-beyond); that the fault is planted is seen at once."""
    learner = GuidedLearner(1, 16, error=0.05, seed=0)
    before = learner.pair_errors
    learner.tell(learner.ask(), [0.5])
    coverage.FAULTS["a threshold without K"](learner)
    np.testing.assert_allclose(learner.pair_errors, 16 * before)


def test_the_information_bound_is_the_known_one_on_dots():
    world = BernoulliRewards(dots_sample())
    assert information_bound(world, GuidedLearner(50, 4).error) == pytest.approx(523, abs=2)


def test_a_delay_is_counted_until_the_score_stays_good():
    rounds = np.array([5_000, 10_000, 12_000, 14_000, 16_000])
    assert _delay(rounds, np.array([1.0, 0.4, 1.0, 0.5, 1.0])) == 6_000
    assert _delay(rounds, np.array([1.0, 1.0, 1.0, 1.0, 0.5])) == float("inf")
    assert _delay(rounds, np.array([0.5, 1.0, 1.0, 1.0, 1.0])) == 0


def test_the_page_says_which_version_it_shows_and_keeps_the_full_one(tmp_path, monkeypatch):
    monkeypatch.setattr(claims, "ROUNDS", 300)
    monkeypatch.setattr("isegoria.studies.beyond.change.ROUNDS", 60)
    monkeypatch.setattr("isegoria.studies.beyond.change.CHANGE", 30)
    options = Options(pictures=False)
    assert beyond.produce(tmp_path, options, TINY)
    assert "light version" in section(tmp_path)
    assert [row[3] for row in read_claims(tmp_path)[1:]].count("NO") > 0  # 300 rounds are too few
    assert len(findings(tmp_path)) == len(read_claims(tmp_path)) - 1
    beyond.produce(tmp_path, options, replace(TINY, name="full"))
    beyond.produce(tmp_path, options, beyond.LIGHT)  # returns at once: the full one is there
    assert read_record(tmp_path)["settings"]["size"] == "full"
    assert "full version" in section(tmp_path)


def test_without_timing_a_contest_is_the_same_everywhere():
    from isegoria.learning import BetaRewards

    world = BetaRewards([[0.9, 0.1], [0.2, 0.8]])
    one, other = (contest(world, ["guided"], 100, 1, workers=1, timed=False).summary() for _ in range(2))
    assert one == other
    assert "cost" not in one


def test_it_is_a_study_like_the_others():
    assert STUDIES["beyond"].heading == "Beyond the paper"

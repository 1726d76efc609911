"""The study beyond the paper: its groups are what it says, its claims can fail, its page says which version it is."""

from dataclasses import replace

import numpy as np
import pytest

from isegoria import BernoulliRewards
from isegoria.datasets import load_dots_sample
from isegoria.learning.simulation.learner_comparison import compare_learners
from isegoria.studies import elimination
from isegoria.studies.elimination import coverage, guarantees, play_scores, rounds_to_resolve, study_instances
from isegoria.studies.elimination.information_bound import information_bound
from isegoria.studies.elimination.taste_changes import _detection_delay
from isegoria.studies.provenance import read_provenance
from isegoria.studies.registry import STUDIES, StudyOptions
from isegoria.studies.sections.elimination_section import findings, read_claims, section

TINY = replace(
    elimination.LIGHT_SIZE,
    seeds=1,
    worlds=("lunch, Beta",),
    instances=("3x3 cyclic",),
    rounds_seeds=2,
    groups=1,
    theorem=1,
    coverage_runs=1,
    fault_runs=1,
    drift_runs=1,
    quiet_runs=1,
    learners=("elimination", "uniform"),
    contest_rounds=50,
    contest_seeds=2,
    noticing=("elimination", elimination.MONITORING_LEARNER),
    noticing_seeds=1,
)


def test_the_groups_are_what_the_study_says():
    assert study_instances.make_lunch().favourites.sum() == 11
    assert all(
        len(np.unique(means.max(axis=1) - np.sort(means)[:, -2])) for means in study_instances.STUDY_INSTANCES.values()
    )
    for means in study_instances.STUDY_INSTANCES.values():
        assert (np.sort(means, axis=1)[:, -1] - np.sort(means, axis=1)[:, -2]).min() > 0.02
    assert all(3 <= len(study_instances.make_random_group(seed).means) <= 20 for seed in range(20))
    assert [world().n_agents for world in coverage.COVERAGE_ENVIRONMENTS.values()] == [1, 1, 1, 1, 2, 5, 1, 1, 1, 3]


def test_rounds_are_those_at_which_the_last_set_became_one_arm():
    found, right = rounds_to_resolve.run_until_resolution(study_instances.make_cyclic(), {"explore": 0.5}, seed=1)
    assert right
    assert found.min() > 10
    table = rounds_to_resolve.compute_table(3, 1, ("3x3 cyclic",))
    assert table["setting"] == list(rounds_to_resolve.LEARNER_SETTINGS)
    assert all(100 < mean < 3000 for mean in table["rounds"])


def test_waits_count_from_the_round_after_one_is_resolved():
    from types import SimpleNamespace

    truth = study_instances.make_starving()
    arms = np.array([2, 0, 0, 2, 0, 0, 0, 1])
    trace = SimpleNamespace(arms=arms, resolved_at=np.array([-1, 8, 1]))
    assert play_scores.longest_waits_after_resolution(trace, truth).tolist() == [0, 0, 4]


def test_a_favourite_that_is_lost_is_seen(monkeypatch):
    monkeypatch.setattr(coverage, "_lost_favourite", lambda learner, world: True)
    assert coverage.count_losses(coverage.COVERAGE_ENVIRONMENTS["two ties at .5"](), 3, 100) == 3


def test_offers_that_depend_on_rewards_lose_no_more():
    assert coverage.count_losses_with_offers(coverage.ARM_OFFERS["arm 1 only after a good arm 0"], 12, 500) <= 6


def test_the_information_bound_is_the_known_one_on_dots():
    world = BernoulliRewards(load_dots_sample())
    assert information_bound(world, 3 / 200**3) == pytest.approx(523, abs=2)


def test_a_delay_is_counted_until_the_score_stays_good():
    rounds = np.array([5_000, 10_000, 12_000, 14_000, 16_000])
    assert _detection_delay(rounds, np.array([1.0, 0.4, 1.0, 0.5, 1.0])) == 6_000
    assert _detection_delay(rounds, np.array([1.0, 1.0, 1.0, 1.0, 0.5])) == float("inf")
    assert _detection_delay(rounds, np.array([0.5, 1.0, 1.0, 1.0, 1.0])) == 0


@pytest.mark.slow
def test_the_page_says_which_version_it_shows_and_keeps_the_full_one(tmp_path, monkeypatch):
    for name, few in (
        ("CHANGE_STUDY_ROUNDS", 60),
        ("CHANGE_ROUND", 30),
        ("MOVE_ROUND", 1_000),
        ("ROUNDS_AFTER_MOVE", {"A": 1_000, "B": 1_000}),
    ):
        monkeypatch.setattr(f"isegoria.studies.elimination.taste_changes.{name}", few)
    monkeypatch.setattr(guarantees, "STARVED_ROUNDS", 300)
    options = StudyOptions(pictures=False)
    assert elimination.produce(tmp_path, options, TINY)
    assert "light version" in section(tmp_path)
    assert [row[3] for row in read_claims(tmp_path)[1:]].count("NO") > 0  # these rounds are too few
    assert len(findings(tmp_path)) == len(read_claims(tmp_path)) - 1
    elimination.produce(tmp_path, options, replace(TINY, name="full"))
    elimination.produce(tmp_path, options, elimination.LIGHT_SIZE)  # returns at once: the full one is there
    assert read_provenance(tmp_path)["settings"]["size"] == "full"
    assert "full version" in section(tmp_path)


def test_without_timing_a_contest_is_the_same_everywhere():
    from isegoria.learning import BetaRewards

    world = BetaRewards([[0.9, 0.1], [0.2, 0.8]])
    one, other = (compare_learners(world, ["elimination"], 100, 1, workers=1, timed=False).summary() for _ in range(2))
    assert one == other
    assert "cost" not in one


def test_it_is_a_study_like_the_others():
    assert STUDIES["beyond"].heading == "Beyond the paper"


def test_rounds_are_set_beside_what_they_were_and_may_be_too_many():
    row = {"instance": "100x20", "bound": 5_074.0, "setting": "½, lend 1", "runs": 200, "rounds": 48_000.0, "se": 300.0}
    found = {name: [value] for name, value in (row | {"half": 1.0, "wrong": 0}).items()}
    assert [claim.ok for claim in guarantees.check_rounds(found)] == [True, True, True]
    found |= {"rounds": [65_000.0], "wrong": [20]}
    assert [claim.ok for claim in guarantees.check_rounds(found)] == [False, False, False]
    found |= {"runs": [10], "wrong": [0]}
    assert guarantees.check_rounds(found)[0].asked == "told"


def test_bounds_are_those_that_the_instances_are_known_by():
    known = {
        "1x2 .6/.5": 419,
        "1x2 .95/.9": 461,
        "3x3 cyclic": 132,
        "1x10": 471,
        "10x4": 8_519,
        "30x8, one hard voter": 1_719,
        "100x20": 5_075,
    }
    found = {
        name: information_bound(BernoulliRewards(means), rounds_to_resolve.BETTING_ERROR)
        for name, means in study_instances.STUDY_INSTANCES.items()
    }
    assert {name: round(bound) for name, bound in found.items()} == known
    assert information_bound(BernoulliRewards([[1.0, 0.5]]), 0.05) == pytest.approx(9.5, abs=0.1)

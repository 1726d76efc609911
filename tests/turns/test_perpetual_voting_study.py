"""The study of turns: rivals as their definitions say, the same numbers on any executor, figures within their error."""

import numpy as np
import pytest

from isegoria.out_of_core.executors import close_after, make_executor
from isegoria.studies.perpetual_voting import PerpetualVotingSize, run
from isegoria.studies.perpetual_voting.ballot_models import BALLOT_MODELS, sample_clusters
from isegoria.studies.perpetual_voting.false_reports import (
    REPORT_STRATEGIES,
    best_response_debts,
    best_response_deterministic,
    count_wins,
)
from isegoria.studies.perpetual_voting.history_measures import measure_histories
from isegoria.studies.perpetual_voting.published_rules import PUBLISHED_RULES
from isegoria.studies.perpetual_voting.turn_rules import TURN_RULES

PUBLISHED = {"majority": 0.760, "unit-cost": 0.950, "consensus": 0.918, "quota": 0.956}
"""Compliance of the rivals on 10,000 other histories."""


@pytest.mark.parametrize("rule", list(PUBLISHED))
def test_rivals_keep_as_many_promises_as_published(rule):
    rng = np.random.default_rng(2)
    ballots = sample_clusters(rng, 1500)
    kept = measure_histories(ballots, PUBLISHED_RULES[rule][1](ballots, rng)).compliance
    assert kept.mean() == pytest.approx(PUBLISHED[rule], abs=0.004 + 3 * kept.std() / np.sqrt(len(kept)))


def test_quota_and_consensus_by_hand():
    """Three voters, two options: a majority of two must let the third have every third round."""
    ballots = np.tile(np.array([[True, False], [True, False], [False, True]]), (1, 6, 1, 1))
    rng = np.random.default_rng(0)
    assert PUBLISHED_RULES["quota"][1](ballots, rng)[0].tolist() == [0, 0, 1, 0, 0, 1]
    assert PUBLISHED_RULES["consensus"][1](ballots, rng)[0].tolist() == [0, 1, 0, 0, 1, 0]
    assert PUBLISHED_RULES["unit-cost"][1](ballots, rng)[0].tolist()[:3] == [0, 0, 1]
    assert PUBLISHED_RULES["majority"][1](ballots, rng)[0].tolist() == [0] * 6


def test_every_setting_has_ballots_that_are_never_empty():
    for _, draw in BALLOT_MODELS.values():
        assert draw(np.random.default_rng(1), 2).any(axis=-1).all()


def test_lies_are_about_own_favourites_and_never_empty():
    rng = np.random.default_rng(3)
    for ballots in sample_clusters(rng, 5).reshape(-1, 20, 5):
        for lie in REPORT_STRATEGIES.values():
            said = lie(ballots[0], ballots.mean(axis=0))
            assert said.any()
            assert not (said & ~ballots[0]).any()


def test_the_study_finds_its_figures():
    tables = run(7, PerpetualVotingSize("test", main=20, other=0, lies=0, informed=0), make_executor(1))
    rules = {name: row for row, name in enumerate(tables["rules"]["rule"])}
    kept, error = tables["rules"]["compliance"], tables["rules"]["compliance_se"]
    for name, figure in (("drawn-8", 0.885), ("deterministic", 0.945), ("lottery", 0.746)):
        assert kept[rules[name]] == pytest.approx(figure, abs=0.004 + 4 * error[rules[name]])
    assert kept[rules["deterministic"]] > kept[rules["drawn-8"]] > kept[rules["lottery"]]


@pytest.mark.slow
def test_workers_change_no_number():
    small = PerpetualVotingSize("test", main=2, other=0, lies=2, informed=0)
    with close_after(make_executor(2)) as two:
        assert run(7, small, two) == run(7, small, make_executor(1))


@pytest.mark.parametrize(
    ("cheat", "rule"), [(best_response_debts, "debts"), (best_response_deterministic, "deterministic")]
)
def test_a_member_who_sees_everything_has_a_best_reply_to_one_round(cheat, rule):
    history = sample_clusters(np.random.default_rng(4), 1)[0][:4]
    assert 0 <= cheat(history, 0) <= 4
    assert cheat(history[:1], 0) >= count_wins(history[:1], 0, TURN_RULES[rule][1](history[:1], 0, None))

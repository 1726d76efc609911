"""The study of turns: rivals as their definitions say, the same numbers on any executor, figures within their error."""

import numpy as np
import pytest

from isegoria.studies.turns import Size, run
from isegoria.studies.turns.lies import LIES, informed_debts, informed_settled, wins
from isegoria.studies.turns.measures import measured
from isegoria.studies.turns.ours import OURS
from isegoria.studies.turns.rivals import RIVALS
from isegoria.studies.turns.settings import SETTINGS, clusters
from isegoria.tables.executors import closing, executor_of

PUBLISHED = {"majority": 0.760, "unit-cost": 0.950, "consensus": 0.918, "quota": 0.956}
"""Compliance of the rivals on 10,000 other histories."""


@pytest.mark.parametrize("rule", list(PUBLISHED))
def test_rivals_keep_as_many_promises_as_published(rule):
    rng = np.random.default_rng(2)
    ballots = clusters(rng, 1500)
    kept = measured(ballots, RIVALS[rule][1](ballots, rng)).compliance
    assert kept.mean() == pytest.approx(PUBLISHED[rule], abs=0.004 + 3 * kept.std() / np.sqrt(len(kept)))


def test_quota_and_consensus_by_hand():
    """Three voters, two options: a majority of two must let the third have every third round."""
    ballots = np.tile(np.array([[True, False], [True, False], [False, True]]), (1, 6, 1, 1))
    rng = np.random.default_rng(0)
    assert RIVALS["quota"][1](ballots, rng)[0].tolist() == [0, 0, 1, 0, 0, 1]
    assert RIVALS["consensus"][1](ballots, rng)[0].tolist() == [0, 1, 0, 0, 1, 0]
    assert RIVALS["unit-cost"][1](ballots, rng)[0].tolist()[:3] == [0, 0, 1]
    assert RIVALS["majority"][1](ballots, rng)[0].tolist() == [0] * 6


def test_every_setting_has_ballots_that_are_never_empty():
    for _, draw in SETTINGS.values():
        assert draw(np.random.default_rng(1), 2).any(axis=-1).all()


def test_lies_are_about_own_favourites_and_never_empty():
    rng = np.random.default_rng(3)
    for ballots in clusters(rng, 5).reshape(-1, 20, 5):
        for lie in LIES.values():
            said = lie(ballots[0], ballots.mean(axis=0))
            assert said.any()
            assert not (said & ~ballots[0]).any()


def test_the_study_finds_its_figures():
    tables = run(7, Size("test", main=20, other=0, lies=0, informed=0), executor_of(1))
    rules = {name: row for row, name in enumerate(tables["rules"]["rule"])}
    kept, error = tables["rules"]["compliance"], tables["rules"]["compliance_se"]
    for name, figure in (("drawn-8", 0.885), ("settled", 0.945), ("lottery", 0.746)):
        assert kept[rules[name]] == pytest.approx(figure, abs=0.004 + 4 * error[rules[name]])
    assert kept[rules["settled"]] > kept[rules["drawn-8"]] > kept[rules["lottery"]]


def test_workers_change_no_number():
    small = Size("test", main=2, other=0, lies=2, informed=0)
    with closing(executor_of(2)) as two:
        assert run(7, small, two) == run(7, small, executor_of(1))


@pytest.mark.parametrize(("cheat", "rule"), [(informed_debts, "debts"), (informed_settled, "settled")])
def test_a_member_who_sees_everything_has_a_best_reply_to_one_round(cheat, rule):
    history = clusters(np.random.default_rng(4), 1)[0][:4]
    assert 0 <= cheat(history, 0) <= 4
    assert cheat(history[:1], 0) >= wins(history[:1], 0, OURS[rule][1](history[:1], 0, None))

"""Weak and plain PJR and EJR over time, against the definitions group by group."""

from itertools import combinations

import numpy as np
import pytest

import isegoria as iso
from isegoria.analysis.axioms.temporal import TEMPORAL_AXIOMS, check_over_time
from isegoria.record.turns.perpetual import Turns


def lacks_by_definition(ballots, decided):
    """Return {axiom: what the group that lacks most is short of}, from the definitions."""
    rounds, members, options = ballots.shape
    lack = dict.fromkeys(TEMPORAL_AXIOMS, 0)
    for size in range(1, members + 1):
        for group in combinations(range(members), size):
            agreed = sum(any(all(table[i, k] for i in group) for k in range(options)) for table in ballots)
            together = sum(any(table[i, k] for i in group) for table, k in zip(ballots, decided, strict=True))
            best = max(sum(table[i, k] for table, k in zip(ballots, decided, strict=True)) for i in group)
            due = agreed * size // members
            weak = due if agreed == rounds else 0
            found = {"weak-pjr": weak - together, "weak-ejr": weak - best, "pjr": due - together, "ejr": due - best}
            lack = {axiom: max(lack[axiom], int(found[axiom])) for axiom in TEMPORAL_AXIOMS}
    return lack


def test_verdicts_equal_the_definitions():
    rng = np.random.default_rng(2)
    seen = set()
    for _ in range(60):
        rounds, members, options = (int(rng.integers(1, most)) for most in (7, 6, 4))
        ballots = rng.random((rounds, members, options)) < rng.choice([0.3, 0.6])
        if rng.random() < 0.5:
            ballots[:] = ballots[0]
        decided = rng.integers(options, size=rounds)
        lack = lacks_by_definition(ballots, decided)
        verdicts = check_over_time(ballots, decided)
        assert {axiom: verdict.due - verdict.has for axiom, verdict in verdicts.items()} == lack
        assert {axiom: verdict.holds for axiom, verdict in verdicts.items()} == {a: n == 0 for a, n in lack.items()}
        seen |= {(axiom, verdict.holds) for axiom, verdict in verdicts.items()}
    assert len(seen) == 8  # each axiom held and failed


def test_witness_of_failure_is_a_group_that_agrees():
    ballots = np.tile([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 1]], (4, 1, 1)).astype(bool)
    verdict = check_over_time(ballots, [0, 0, 0, 0])["pjr"]
    assert verdict.group == (2, 3)
    assert verdict.sentence == (
        "Members 2, 3 agree in 4 of 4 rounds and are due 2 of the decisions, but approve together 0."
    )


def test_ejr_asks_for_one_member_where_pjr_does_not():
    ballots = np.tile([[1, 0, 1], [0, 1, 1]], (4, 1, 1)).astype(bool)
    verdicts = check_over_time(ballots, [0, 1, 0, 1])
    assert {axiom: verdict.holds for axiom, verdict in verdicts.items()} == {
        "weak-pjr": True,
        "weak-ejr": False,
        "pjr": True,
        "ejr": False,
    }
    assert verdicts["ejr"].sentence.endswith("due 4 of the decisions, but none of them approves more than 2.")


def test_deterministic_turns_represent_parties_of_one_option():
    table = iso.Instance(np.eye(3)[[0, 0, 0, 1, 1, 2]])
    turns, decided = Turns("deterministic"), []
    for round in range(12):
        decided.append(table.arms.index(turns.draw(turns.propose(table), f"{round}").option))
    ballots = np.tile(table.favourites, (12, 1, 1))
    assert all(verdict.holds for verdict in check_over_time(ballots, decided).values())


def test_more_than_sixteen_members_are_not_decided():
    verdicts = check_over_time(np.ones((2, 17, 2), bool), [0, 0])
    assert {verdict.holds for verdict in verdicts.values()} == {None}
    assert "17 members" in verdicts["ejr"].sentence
    assert check_over_time(np.ones((1, 16, 2), bool), [0])["ejr"].holds


@pytest.mark.parametrize("decided", [[0], [0, 2], [0, -1], [0.0, 1.0]])
def test_decisions_that_do_not_fit_are_refused(decided):
    with pytest.raises(iso.InputError, match="expected"):
        check_over_time(np.ones((2, 3, 2), bool), decided)

"""Long searches answer signals: each of these would take seconds, and a timer ends it."""

import signal

import numpy as np
import pytest

import isegoria as iso
from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.vertex import corner

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers on this system")


class TimerError(Exception):
    """What the timer raises."""


def play_large_game():
    play(RowCuts(np.random.default_rng(0).random((900, 900))))


def project_many_arms():
    rng, arms = np.random.default_rng(0), 1_500
    single_peaked = 1 - np.abs(rng.random((3, 1)) - rng.random((1, arms)))
    level = iso.solve(iso.Instance(single_peaked), "egalitarian").value - 1e-13
    Projection(arms, RowCuts(single_peaked), level).nearest(np.zeros(arms))


def walk_to_vertex():
    rng, arms = np.random.default_rng(0), 3_000
    rows = np.vstack([np.ones(arms), rng.random((400, arms))])
    point = np.full(arms, 1 / arms)
    corner(np.column_stack([rows, rows @ point]), point, arms)


@pytest.mark.parametrize("search", [play_large_game, project_many_arms, walk_to_vertex])
def test_timers_end_long_searches(search):
    def ring(*_):
        raise TimerError

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(TimerError):
            search()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

"""Long searches answer signals while they run: a timer rings several times, and only a later ring ends the search.

Rings that nobody asks for are one: a kernel that does not ask for signals hears a single ring when it has ended.
"""

import signal

import numpy as np
import pytest
from scipy.sparse import csr_array, random_array

import isegoria as iso
from isegoria.solvers.flow.attribution import fair_flow
from isegoria.solvers.flow.push_relabel import procedural_scores
from isegoria.solvers.maximin.cuts import RowCuts
from isegoria.solvers.maximin.revised_simplex import play
from isegoria.solvers.nash.log_sum import maximise
from isegoria.solvers.nash.sparse_rows import SparseRows
from isegoria.solvers.nash.subsampled_newton import maximise_rows
from isegoria.solvers.ties.face import pick
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.vertex import corner
from isegoria.solvers.variance.primal_active_set import Variance
from isegoria.utils import tolerances

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers on this system")
RINGS = 3  # of the timer, of which the last ends the search
SECONDS_BETWEEN_RINGS = 0.03  # of the processor, so that a busy machine changes nothing


class TimerError(Exception):
    """What the timer raises."""


def make_table(*shape):
    return np.random.default_rng(0).random(shape)


def play_large_game():
    return lambda: play(RowCuts(make_table(900, 900)))


def project_many_arms():
    rng, arms = np.random.default_rng(0), 1_500
    single_peaked = 1 - np.abs(rng.random((3, 1)) - rng.random((1, arms)))
    level = iso.solve(iso.Instance(single_peaked), "egalitarian").value - 1e-13
    polytope = Projection(arms, RowCuts(single_peaked), level)
    return lambda: polytope.nearest(np.zeros(arms))


def walk_to_vertex():
    arms = 3_000
    rows, point = np.vstack([np.ones(arms), make_table(400, arms)]), np.full(arms, 1 / arms)
    held = np.column_stack([rows, rows @ point])
    return lambda: corner(held, point, arms)


def maximise_product():
    rows, weights = make_table(900, 900), np.ones(900)
    return lambda: maximise(rows, weights)


def maximise_product_of_many_rows():
    rows = make_table(400_000, 60)
    return lambda: maximise_rows(rows)


def choose_from_hessian():
    arms = 700
    factor = make_table(300, arms)
    hessian, policy = factor.T @ factor + 1, np.full(arms, 1 / arms)
    return lambda: pick(hessian, policy, np.zeros(arms))


def minimise_variance():
    variance = Variance(make_table(1_500, 900))
    return lambda: variance.minimise(tolerances.SLOPE_TIE)


def descend_along_conjugate_gradients():
    table = csr_array(random_array((20_000, 3_000), density=0.01, rng=np.random.default_rng(0)))
    rows = SparseRows(table.indptr.astype(np.int64), table.indices.astype(np.int32), table.data, 3_000)
    curves, ridge, target = make_table(20_000), np.zeros(3_000), make_table(3_000)
    return lambda: rows.conjugate_gradients(curves, ridge, target, 0.0, 1_000_000)


def fit_claims():
    types = make_table(40_000, 800) < 0.1
    shares, policy = np.full(40_000, 1 / 40_000), make_table(800)
    return lambda: fair_flow(types, shares, policy / policy.sum())


def send_flows():
    agents, width = 100_000, 10
    places = np.arange(agents * width)
    links = csr_array((np.ones(agents * width, dtype=bool), (places // width, places // width + places % width)))
    shares, policies = np.full(agents, 1 / agents), make_table(10, agents + width - 1) ** 3
    return lambda: procedural_scores(links, shares, policies / policies.sum(axis=1, keepdims=True))


@pytest.mark.parametrize(
    "prepare",
    [
        play_large_game,
        project_many_arms,
        walk_to_vertex,
        maximise_product,
        maximise_product_of_many_rows,
        choose_from_hessian,
        minimise_variance,
        descend_along_conjugate_gradients,
        fit_claims,
        send_flows,
    ],
)
def test_timers_end_long_searches(prepare):
    search, rings = prepare(), 0

    def ring(*_):
        nonlocal rings
        rings += 1
        if rings == RINGS:
            raise TimerError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, SECONDS_BETWEEN_RINGS, SECONDS_BETWEEN_RINGS)
    try:
        with pytest.raises(TimerError):
            search()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_interrupted_kernels_can_be_used_again():
    variance = Variance(make_table(1_500, 900))

    def ring(*_):
        raise TimerError

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, SECONDS_BETWEEN_RINGS)
    try:
        with pytest.raises(TimerError):
            variance.minimise(tolerances.SLOPE_TIE)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    policy = np.full(900, 1 / 900)
    assert variance.values(policy[None])[0] == Variance(make_table(1_500, 900)).values(policy[None])[0]

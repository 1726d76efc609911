"""The kernels that answer for a unit, each against a few lines of NumPy."""

import numpy as np
import pytest

from isegoria.out_of_core.chunk_kernels import look, newton, vary, worst
from isegoria.out_of_core.column_chunk import Columns
from isegoria.solvers.rows.arena import fail_at

SIZES = [(1, 1), (3, 2), (511, 5), (1_300, 20), (700, 70)]
KINDS = [np.float64, np.float32, np.int8, np.uint8]


def make_chunk(rows, arms, kind=np.float64, weighted=False):
    """(columns, their doubles on [0, 1], their weights): some rows are all 0, some are repeated."""
    rng = np.random.default_rng([rows, arms])
    whole = np.issubdtype(kind, np.integer)
    table = rng.integers(1, 6, (rows, arms)) if whole else rng.random((rows, arms)).round(2)
    table[:: max(1, rows // 3)] = 1 if whole else 0
    table = table.astype(kind)
    weights = rng.integers(1, 9, rows) if weighted else None
    low, width = (1.0, 4.0) if whole else (0.0, 0.0)
    columns = Columns([np.ascontiguousarray(table[:, k]) for k in range(arms)], weights, low, width)
    doubles = (table.astype(float) - low) / (width or 1.0)
    return columns, doubles, np.ones(rows) if weights is None else weights.astype(float)


@pytest.fixture(params=SIZES, ids=lambda size: "×".join(map(str, size)))
def size(request):
    return request.param


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_first_look(size, kind, weighted):
    columns, table, weights = make_chunk(*size, kind, weighted)
    bad, gap, codes, high, low, moments, nothing = look(columns, 1e-12)
    best = table.max(axis=1, keepdims=True)
    wanted = table >= best - 1e-12
    apart = np.where(wanted, np.inf, best - table)
    shifted = table - 0.5
    assert bad == -1
    assert gap == apart.min()
    assert nothing == weights[table.max(axis=1) == 0].sum()
    if size[1] <= 64:
        np.testing.assert_array_equal(codes, wanted @ (np.uint64(1) << np.arange(size[1], dtype=np.uint64)))
    np.testing.assert_allclose(high + low, weights @ table, rtol=1e-14)
    np.testing.assert_allclose(np.tril(moments), np.tril((shifted * weights[:, None]).T @ shifted), atol=1e-10)


@pytest.mark.parametrize("entry", [-0.01, 1.01, np.nan, np.inf, -np.inf])
def test_the_first_entry_off_the_scale_is_told_by_its_place(entry):
    table = np.full((1_000, 3), 0.5)
    table[700, 1] = table[701, 0] = entry
    assert look(Columns([table[:, k].copy() for k in range(3)]), 0.0)[0] == 700 * 3 + 1


@pytest.mark.parametrize("kind", KINDS)
def test_how_utilities_vary(size, kind):
    columns, table, weights = make_chunk(*size, kind, weighted=True)
    policy = np.random.default_rng(1).dirichlet(np.ones(size[1]))
    apart = table @ policy - 0.3
    total, squares, slopes = vary(columns, policy, 0.3)
    np.testing.assert_allclose([total, squares], [weights @ apart, weights @ apart**2], atol=1e-9)
    np.testing.assert_allclose(slopes, (weights * apart) @ table, atol=1e-9)


def test_those_who_get_least(size):
    columns, table, _ = make_chunk(*size)
    policies = np.random.default_rng(2).dirichlet(np.ones(size[1]), 5)
    for policy, (utilities, places) in zip(policies, worst(columns, policies, 10), strict=True):
        expected = np.sort(table @ policy)[:10]
        np.testing.assert_allclose(utilities, expected, atol=1e-15)
        np.testing.assert_allclose(table[places] @ policy, utilities, atol=1e-15)
        assert len(set(places.tolist())) == len(places)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_slope_and_curvature_of_the_nash_welfare(size, weighted):
    columns, table, weights = make_chunk(*size, weighted=weighted)
    policy = np.random.default_rng(3).dirichlet(np.ones(size[1]))
    slope, curve, log, starved, ratios, places = newton(columns, policy, 4, True)
    some = table.max(axis=1) > 0
    utilities, rows = table[some] @ policy, table[some]
    scaled = rows / utilities[:, None]
    assert starved == 0
    np.testing.assert_allclose(slope, weights[some] @ scaled, rtol=1e-12)
    np.testing.assert_allclose(np.tril(curve), np.tril((scaled * weights[some, None]).T @ scaled), rtol=1e-11)
    assert log == pytest.approx(weights[some] @ np.log(utilities), rel=1e-12)
    np.testing.assert_allclose(ratios, np.sort(utilities / rows.max(axis=1))[: len(ratios)], rtol=1e-14)
    np.testing.assert_allclose(table[places] @ policy / table[places].max(axis=1), ratios, rtol=1e-14)


def test_rows_that_get_nothing_are_counted_apart():
    columns = Columns([np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])], np.array([2, 3, 5]))
    slope, _, log, starved, ratios, places = newton(columns, np.array([1.0, 0.0]), 2, False)
    assert (slope.tolist(), log, starved) == ([2.0, 0.0], 0.0, 3.0)
    assert (ratios.tolist(), places.tolist()) == ([0.0, 1.0], [1, 0])


def test_columns_that_cannot_be_looked_at_are_refused():
    with pytest.raises(TypeError, match="in one piece"):
        Columns([np.ones((4, 2))[:, 0]])
    with pytest.raises(TypeError, match="equally long"):
        Columns([np.ones(4), np.ones(3)])


def test_memory_that_cannot_be_had_is_said():
    columns, policies = make_chunk(20, 3)[0], np.full((1, 3), 1 / 3)
    fail_at(1)
    try:
        with pytest.raises(MemoryError):
            worst(columns, policies, 2)
    finally:
        fail_at(0)
    assert len(worst(columns, policies, 2)) == 1

"""The lexicographically largest corner of {x ≥ 0, Ex = e}: as much as can be of the first arm, then of the second, …

A simplex method on the tableau B⁻¹E, from any point of the polytope. Columns of what is positive join the basis first,
the largest pivot each time; while one of them depends on the others it moves along its null vector until something
reaches 0 (the highest index gives way, so that the lowest is kept). From the corner where that ends, a column enters if
the first arm that its direction moves would rise. The basis is an independent set of columns, so what comes back is a
corner by construction, and its numbers come from the equations themselves, refined in pairs of doubles.
"""

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy, memset

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.utils import tolerances
from isegoria.solvers.rows.arena cimport Arena, check_arena, close_arena, doubles, open_arena, places, zeros
from isegoria.solvers.rows.arrays cimport reals, vector
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.algebra.pair cimport add_multiple, dot, minus, pair, pair_of, times

cdef double DUST = tolerances.VERTEX_NEGLIGIBLE
cdef double RANK = tolerances.RANK_PIVOT
cdef double STILL = tolerances.FACE_SIMULTANEOUS
cdef int REFINED = 2           # times that what the equations miss is taken back
cdef int STALLED = 30          # pivots of no length before the lowest index decides (Bland), which cannot cycle

cdef struct Tableau:
    Py_ssize_t rows, n, arms   # the first `arms` of the n variables are arms, the others slacks
    double* T                  # (rows, n) B⁻¹E
    double* inverse            # (rows, rows) B⁻¹
    double* x                  # (n,)
    Py_ssize_t* basis          # (rows,) the variable of each row; -1: the row is one of the others over again
    Py_ssize_t* place          # (n,) the row of each variable, -1 if it is not in the basis
    double least               # the smallest number that was not taken as 0
    int* failed                # of the arena: set where a signal ends the search


cdef void _pivot(Tableau* it, Py_ssize_t row, Py_ssize_t column) noexcept nogil:
    """The variable `column` joins the basis in this row; whoever was there leaves."""
    cdef Py_ssize_t i, n = it.n, m = it.rows
    cdef double* own = it.T + row * n
    cdef double factor = 1 / own[column]
    for i in range(n):
        own[i] *= factor
    for i in range(m):
        it.inverse[row * m + i] *= factor
    own[column] = 1
    for i in range(m):
        factor = it.T[i * n + column]
        if i != row and factor != 0:
            add_multiple(it.T + i * n, -factor, own, n)
            add_multiple(it.inverse + i * m, -factor, it.inverse + row * m, m)
            it.T[i * n + column] = 0
    if it.basis[row] >= 0:
        it.place[it.basis[row]] = -1
    it.basis[row] = column
    it.place[column] = row


cdef void _gather(Tableau* it, bint positive) noexcept nogil:
    """Columns join the basis while rows are left, the largest pivot first: those of positive variables, or of all."""
    cdef Py_ssize_t i, j, row, column
    cdef double largest
    while not interrupted(it.failed, 3.0 * it.rows * (it.n + it.rows)):
        row = column = -1
        largest = RANK
        for i in range(it.rows):
            if it.basis[i] < 0:
                for j in range(it.n):
                    if it.place[j] < 0 and (not positive or it.x[j] > 0) and fabs(it.T[i * it.n + j]) > largest:
                        row, column, largest = i, j, fabs(it.T[i * it.n + j])
        if row < 0:
            return
        it.least = min(it.least, largest)
        _pivot(it, row, column)


cdef Py_ssize_t _blocking(Tableau* it, Py_ssize_t column, double sign, bint first, double* length) noexcept nogil:
    """The row whose variable reaches 0 first, if within `length` (which is shortened), where `column` moves by `sign`;
    up to rounding the largest pivot gives way or, with `first`, the lowest index. -1: none does."""
    cdef Py_ssize_t i, best = -1
    cdef double slope, reach = length[0]
    for i in range(it.rows):
        slope = sign * it.T[i * it.n + column]
        if it.basis[i] >= 0 and slope > RANK and it.x[it.basis[i]] < reach * slope:
            reach = it.x[it.basis[i]] / slope
            best = i
    if best < 0:
        return -1
    for i in range(it.rows):
        slope = sign * it.T[i * it.n + column]
        if it.basis[i] >= 0 and slope > RANK and it.x[it.basis[i]] <= (reach + STILL) * slope:
            if (it.basis[i] < it.basis[best]) if first else (slope > sign * it.T[best * it.n + column]):
                best = i
    length[0] = reach
    return best


cdef void _move(Tableau* it, Py_ssize_t column, double sign, double length, Py_ssize_t blocking) noexcept nogil:
    """x along the direction of `column`; whoever blocks is at 0 then, and gives way to it."""
    cdef Py_ssize_t i
    for i in range(it.rows):
        if it.basis[i] >= 0:
            it.x[it.basis[i]] = max(it.x[it.basis[i]] - sign * length * it.T[i * it.n + column], 0)
    it.x[column] = max(it.x[column] + sign * length, 0)
    if blocking >= 0:
        it.x[it.basis[blocking]] = 0
        _pivot(it, blocking, column)


cdef void _leave_the_inside(Tableau* it) noexcept nogil:
    """Variables that are positive but not in the basis go to 0, or into the basis for one that does."""
    cdef Py_ssize_t j, blocking
    cdef double length
    for j in range(it.n - 1, -1, -1):
        if interrupted(it.failed, 3.0 * it.rows * (it.n + it.rows)):
            return
        if it.place[j] < 0 and it.x[j] > 0:
            length = it.x[j]
            blocking = _blocking(it, j, -1, False, &length)
            _move(it, j, -1, length, blocking)


cdef Py_ssize_t _first_moved(Tableau* it, Py_ssize_t column, double* rate) noexcept nogil:
    """The first arm that moves if `column` rises from 0, and in `rate` how fast it rises; `arms` if none does."""
    cdef Py_ssize_t i, first = min(column, it.arms)
    rate[0] = 1 if column < it.arms else 0
    for i in range(it.rows):
        if 0 <= it.basis[i] < first and fabs(it.T[i * it.n + column]) > RANK:
            first = it.basis[i]
            rate[0] = -it.T[i * it.n + column]
    return first


cdef Py_ssize_t _entering(Tableau* it, bint first) noexcept nogil:
    """The column to enter: that which raises the earliest arm, and that the fastest (or, with `first`, the lowest index
    that raises any); -1 where there is none, which proves the corner."""
    cdef Py_ssize_t j, arm, best = -1, earliest = it.arms
    cdef double rate = 0, fastest = 0
    for j in range(it.n):
        if it.place[j] >= 0:
            continue
        arm = _first_moved(it, j, &rate)
        if arm == it.arms:
            continue
        it.least = min(it.least, fabs(rate))
        if rate > 0 and (arm < earliest or (arm == earliest and rate > fastest)):
            if first:
                return j
            best, earliest, fastest = j, arm, rate
    return best


cdef bint _climb(Tableau* it) noexcept nogil:
    """Pivot until no column enters; False if that does not end."""
    cdef Py_ssize_t turn, column, blocking, still = 0
    cdef double length
    for turn in range(20 * (it.n + it.rows) + 100):
        if interrupted(it.failed, 3.0 * it.rows * (it.n + it.rows)):
            return False
        column = _entering(it, still > STALLED)
        if column < 0:
            return True
        length = INFINITY
        blocking = _blocking(it, column, 1, still > STALLED, &length)
        if blocking < 0:
            return False
        still = 0 if length > DUST else still + 1
        _move(it, column, 1, length, blocking)
    return False


cdef bint _refine(Tableau* it, const double* held, double* missed) noexcept nogil:
    """x from the equations, by their inverse and by what they then miss; no dust is left. False if x is not feasible.
    """
    cdef Py_ssize_t i, j, m = it.rows, n = it.n
    cdef pair rest
    cdef int turn
    for turn in range(1 + REFINED):
        for i in range(m):
            rest = pair_of(held[i * (n + 1) + n])
            for j in range(n if turn else 0):
                if it.x[j] != 0:
                    rest = minus(rest, times(pair_of(held[i * (n + 1) + j]), pair_of(it.x[j])))
            missed[i] = rest.hi
        if turn == 0:
            memset(it.x, 0, n * sizeof(double))
        for i in range(m):
            if it.basis[i] >= 0:
                it.x[it.basis[i]] += dot(it.inverse + i * m, missed, m)
    for j in range(n):
        if it.x[j] < -RANK:
            return False
        if it.x[j] < DUST:
            it.x[j] = 0
        elif j < it.arms:
            it.least = min(it.least, it.x[j])
    return True


cdef double walk_to_corner(const double* held, Py_ssize_t rows, Py_ssize_t n, Py_ssize_t arms, double* x,
                           double* costs, Arena* arena) noexcept nogil:
    """x (n,), a point with held (rows, n + 1) · (x, −1) = 0, goes to the lexicographically largest corner of all such.

    The margin: the smallest number that was not taken as 0 on the way; 0 where the corner is not proved to be that one,
    and then x is the point that it was. In `costs` (n,), unless NULL, by how much the first variable falls where each
    other one rises.
    """
    cdef Tableau it
    cdef double* start = doubles(arena, n)
    cdef double* missed = doubles(arena, rows)
    cdef Py_ssize_t i, j
    cdef double size
    it.rows, it.n, it.arms, it.x, it.least = rows, n, arms, x, INFINITY
    it.T, it.inverse = doubles(arena, rows * n), zeros(arena, rows * rows)
    it.basis, it.place = places(arena, rows), places(arena, n)
    if arena.failed:
        return 0
    it.failed = &arena.failed
    memcpy(start, x, n * sizeof(double))
    for i in range(rows):
        size = 0
        for j in range(n):
            size = max(size, fabs(held[i * (n + 1) + j]))
        it.basis[i] = -1
        it.inverse[i * rows + i] = 1 / size if size > 0 else 1  # an equation counts alike in whatever unit it is told
        for j in range(n):
            it.T[i * n + j] = held[i * (n + 1) + j] * it.inverse[i * rows + i]
    for j in range(n):
        it.place[j] = -1
        if it.x[j] < DUST:
            it.x[j] = 0
    _gather(&it, True)
    _gather(&it, False)
    _leave_the_inside(&it)
    if _climb(&it) and _refine(&it, held, missed):
        for j in range(n if costs != NULL else 0):
            costs[j] = it.T[it.place[0] * n + j] if it.place[0] >= 0 and it.place[j] < 0 else 0
        return it.least
    memcpy(x, start, n * sizeof(double))
    return 0


def corner(ndarray held, ndarray point, Py_ssize_t arms):
    """Return (x (n,), margin, costs (n,)): the lexicographically largest vertex of {x ≥ 0, held · (x, −1) = 0}.

    `held` is (rows, n + 1), and `point` (n,) is a point of the set; the first `arms` variables count. A margin of 0
    means not proved, and x is the point. The costs are how much the first variable falls if each other one rises.

    >>> import numpy as np
    >>> corner(np.array([[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 0.5, 0.5]]), np.array([0.25, 0.25, 0.5]), 3)[0].tolist()
    [0.5, 0.5, 0.0]
    """
    cdef const double* equations = reals(held, 2)
    cdef Py_ssize_t n = PyArray_DIM(point, 0), rows = PyArray_DIM(held, 0)
    cdef ndarray found = vector(n), costs = vector(n)
    cdef double* x = <double*>PyArray_DATA(found)
    cdef double* cost = <double*>PyArray_DATA(costs)
    cdef double margin
    cdef Arena arena
    memcpy(x, reals(point), n * sizeof(double))
    with nogil:
        open_arena(&arena)
        margin = walk_to_corner(equations, rows, n, arms, x, cost, &arena)
    try:
        check_arena(&arena)
    finally:
        close_arena(&arena)
    return found, margin, costs

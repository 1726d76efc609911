"""The policy p that makes the lowest cut c·p as high as can be: a matrix game, whose rows an oracle supplies.

Revised simplex on the dual game: least z with Σ_j y_j c_jk ≤ z for every arm k, y a mixture of cuts. Its basis has
K + 1 columns, each a cut, the slack of an arm, or z; the prices of the arms are the policy, and a cut enters while it
lies below the price of the mixture. The policy that comes back is a vertex, and the mixture bounds the value.
"""

from libc.math cimport INFINITY, fabs
from libc.string cimport memcpy

from numpy cimport PyArray_DATA, ndarray

from isegoria.utils import tolerances
from isegoria.solvers.rows.arena cimport (
    Arena, check_arena, check_side, close_arena, each_integers, each_zeros, open_arena, zeros,
)
from isegoria.solvers.rows.arrays cimport vector
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.rows.simplex cimport exact
from isegoria.solvers.algebra.gauss_jordan cimport invert
from isegoria.solvers.algebra.pair cimport add_multiple, clear, dot
from isegoria.solvers.result import make_result
from isegoria.solvers.maximin.cuts cimport Cuts

cdef double PRICE = tolerances.REDUCED_COST
cdef double PIVOT = tolerances.GAME_PIVOT
cdef double NEAR_TIE = tolerances.NEAR_TIE
cdef int REFRESH = 40          # pivots between fresh inverses: rounding has not grown by then
cdef int STALLED = 30          # pivots without progress before the lowest index decides (Bland), which cannot cycle

cdef int Z = -1                # the column of z; 0 … K−1 are slacks of arms; K is any cut
cdef int NONE = -2


cdef struct Game:
    int arms, size             # K, K + 1
    Py_ssize_t width           # the length of a cut with its trace
    double* columns            # (K + 1, K + 1): column b of the basis, one per row here
    double* carried            # (K + 1, width): the cut behind column b
    double* inverse            # (K + 1, K + 1)
    double* price              # (K + 1): the policy and v
    double* entering
    double* direction
    double* cut
    int* kind
    int* exchanged             # (K + 1): the rows that changed places while it was inverted


cdef void _column(Game* it, int kind, double* column) noexcept nogil:
    """The column of z, of a slack, or of the cut in `it.cut`."""
    cdef int k
    for k in range(it.arms):
        column[k] = 1 if kind == Z else (-1 if kind == k else 0) if kind < it.arms else -it.cut[k]
    column[it.arms] = 1 if kind == it.arms else 0


cdef void _place(Game* it, int slot, int kind) noexcept nogil:
    it.kind[slot] = kind
    _column(it, kind, it.columns + slot * it.size)
    if kind == it.arms:
        memcpy(it.carried + slot * it.width, it.cut, it.width * sizeof(double))


cdef bint _invert(Game* it) noexcept nogil:
    """The inverse of the basis; False if it has none."""
    cdef int m = it.size, i, j
    for i in range(m):
        for j in range(m):
            it.inverse[i * m + j] = it.columns[j * m + i]
    if not invert(it.inverse, m, it.exchanged):
        return False
    _prices(it)
    return True


cdef void _prices(Game* it) noexcept nogil:
    """The row of z in the inverse: the policy, and v."""
    cdef int m = it.size, b
    for b in range(m):
        if it.kind[b] == Z:
            memcpy(it.price, it.inverse + b * m, m * sizeof(double))


cdef int _enter(Game* it, Cuts cuts, bint first) noexcept nogil:
    """The kind of the column to enter: the lowest-priced, or with `first` a slack before a cut."""
    cdef int k, kind = NONE
    cdef double least = -PRICE
    for k in range(it.arms):
        if it.price[k] < least:
            least = it.price[k]
            kind = k
            if first:
                return kind
    return it.arms if cuts.lowest(it.price, it.cut) - it.price[it.arms] < least else kind


cdef int _leave(Game* it, int kind, bint first) noexcept nogil:
    """The slot that gives way: among those that reach 0 first, up to rounding, the largest pivot (or lowest index)."""
    cdef int m = it.size, b, best = -1
    cdef double reach = INFINITY
    _column(it, kind, it.entering)
    for b in range(m):
        it.direction[b] = dot(it.inverse + b * m, it.entering, m)
    for b in range(m):
        if it.kind[b] != Z and it.direction[b] > PIVOT:
            reach = min(reach, (max(it.inverse[b * m + m - 1], 0) + PRICE) / it.direction[b])
    for b in range(m):
        if it.kind[b] != Z and it.direction[b] > PIVOT and it.inverse[b * m + m - 1] <= reach * it.direction[b]:
            if best < 0 or (not first and it.direction[b] > it.direction[best]):
                best = b
    return best


cdef void _pivot(Game* it, int slot, int kind) noexcept nogil:
    cdef int m = it.size, b, j
    cdef double factor = 1 / it.direction[slot]
    cdef double* row = it.inverse + slot * m
    for j in range(m):
        row[j] *= factor
    for b in range(m):
        if b != slot and it.direction[b] != 0:
            add_multiple(it.inverse + b * m, -it.direction[b], row, m)
    _place(it, slot, kind)
    _prices(it)


cdef void _start(Game* it, Cuts cuts) noexcept nogil:
    """The first basis: the lowest cut at the uniform policy, its best arm played, the slacks of the others, and z."""
    cdef int k, best = 0
    for k in range(it.arms):
        it.price[k] = 1.0 / it.arms
    cuts.lowest(it.price, it.cut)
    for k in range(it.arms):
        if it.cut[k] > it.cut[best]:
            best = k
    for k in range(it.arms):
        _place(it, k, Z if k == best else k)
    _place(it, it.arms, it.arms)


cdef bint _play(Game* it, Cuts cuts, int limit, int patience, Arena* arena) noexcept nogil:
    """Pivot from the first basis until nothing enters; whether the policy that this leads to is sound."""
    cdef double work = 4.0 * it.size * it.size + <double> cuts.agents * cuts.arms
    cdef int turn, kind, slot, fresh = 0, still = 0
    cdef double before
    _start(it, cuts)
    if not _invert(it):
        return False
    for turn in range(limit):
        if interrupted(&arena.failed, work):
            return False
        before = it.price[it.arms]
        kind = _enter(it, cuts, still > patience)
        slot = _leave(it, kind, still > patience) if kind != NONE else -1
        if slot >= 0:
            _pivot(it, slot, kind)
            fresh += 1
            still = still + 1 if fabs(it.price[it.arms] - before) <= PRICE else 0
        elif fresh == 0:
            break
        if slot < 0 or fresh >= REFRESH:
            fresh = 0
            if not _invert(it):
                return False
    return _sound(it)


cdef void _mixture(Game* it, double* mixture) noexcept nogil:
    """The mixture of cuts Σ_j y_j c_j, with y ≥ 0 scaled to sum 1."""
    cdef int m = it.size, b, k
    cdef double total = 0, y
    clear(mixture, it.width)
    for b in range(m):
        y = it.inverse[b * m + m - 1]
        if it.kind[b] == it.arms and y > 0:
            total += y
            add_multiple(mixture, y, it.carried + b * it.width, it.width)
    for k in range(it.width):
        mixture[k] /= total


cdef bint _sound(Game* it) noexcept nogil:
    """Whether the policy is a number in every entry, plays something, and some cut has a weight."""
    cdef int m = it.size, b
    cdef double total = 0, played = 0, y = 0
    for b in range(m):
        total += fabs(it.price[b])
        if b < it.arms:
            played = max(played, it.price[b])
        if it.kind[b] == it.arms:
            y = max(y, it.inverse[b * m + m - 1])
    return total < INFINITY and played > 0 and 0 < y < INFINITY


cdef int _open(Game* it, Cuts cuts, Arena* arena) except -1:
    """Room for a game of these cuts."""
    cdef Py_ssize_t m = cuts.arms + 1, width = cuts.width
    check_side(m)
    it.arms, it.size, it.width = cuts.arms, cuts.arms + 1, width
    each_zeros(arena, m * m, &it.columns, &it.inverse)
    each_zeros(arena, m, &it.price, &it.entering, &it.direction)
    each_integers(arena, m, &it.kind, &it.exchanged)
    it.carried, it.cut = zeros(arena, m * width), zeros(arena, width)
    return check_arena(arena)


def play(Cuts cuts, int pivots=0):
    """Return (answer, mixture): a vertex policy, the value of its lowest cut, and a mixture of cuts that bounds it.

    No policy is worth more than `mixture[:K].max()`; the trace of the cuts follows that. The margin is 0 unless the
    policy is the only optimum: each cut of the basis holds it, and each arm that is not played is worth less. Then it
    is the minimum of these and of an estimate of the smallest squared singular value of the basis. After `pivots`
    pivots, if given, the bound may not be tight.
    """
    cdef int K = cuts.arms, b, limit = pivots or 200 * K + 1200
    cdef double largest = 0, loose = INFINITY, value, bound
    cdef bint sound
    cdef Game it
    cdef Arena arena
    cdef ndarray policy = vector(K), mixture = vector(cuts.width)
    cdef double* p = <double*>PyArray_DATA(policy)
    cdef double* mixed = <double*>PyArray_DATA(mixture)
    open_arena(&arena)
    try:
        _open(&it, cuts, &arena)
        with nogil:
            sound = _play(&it, cuts, limit, STALLED, &arena)
            if sound or _play(&it, cuts, limit, -1, &arena):  # one fell apart: by the lowest index
                _mixture(&it, mixed)
                memcpy(p, it.price, K * sizeof(double))
                exact(p, K)
                for b in range(it.size * it.size):
                    largest = max(largest, fabs(it.inverse[b]))
                for b in range(it.size):
                    loose = min(loose, it.inverse[b * it.size + K] if it.kind[b] != Z else INFINITY)
            else:  # a bound that is true but not tight, for the caller to tighten
                for b in range(K):
                    p[b] = 1.0 / K
                cuts.lowest(p, mixed)
                exact(p, K)
                largest = INFINITY
            value, bound = cuts.exact(p), mixed[0]
            for b in range(1, K):
                bound = max(bound, mixed[b])
        check_arena(&arena)
    finally:
        close_arena(&arena)
    cdef double margin = min(loose, 1 / (largest * largest)) if loose > NEAR_TIE else 0
    return make_result((policy, value, max(bound - value, 0.0), margin)), mixture

"""pᵀGp = 2/(W − 1) Σ_i w_i (u_i − ū)², twice the variance of u = Ap over agents of weights w: matrix, value, slopes.

From the K × K matrix G in doubles, or from the rows themselves in pairs of doubles, which keep what G has lost.
"""

from libc.string cimport memset

from isegoria.solvers.algebra.pair cimport (
    pair, pair_apart, pair_gather_rows, pair_minus, pair_of, pair_over, pair_scaled, pair_settled,
    pair_times, pair_total, pair_utilities,
)

from isegoria.solvers.rows.interrupt cimport interrupted

cdef extern from "solvers/rows/lanes.h" nogil:
    void lanes_combine(const double* A, Py_ssize_t m, Py_ssize_t K, const double* x, double* d)
    void lanes_hessian(const double* A, Py_ssize_t m, const Py_ssize_t* arms, Py_ssize_t size, const double* d,
                       const double* u, double* H)
    void lanes_transpose(const double* rows, Py_ssize_t stride, Py_ssize_t count, Py_ssize_t K, double* A)

cdef enum:
    BLOCK = 248  # agents whose centred rows stay in a near cache, and do not all fall on the same lines of it

cdef struct Program:
    const double* rows       # A, (N, K)
    double* weights          # w, (N,)
    int agents, arms, size   # N, K, and the number of arms in play
    double total             # W, the sum of the weights
    pair scale               # 2 / (W − 1), or 0 for a single agent, who has no one to differ from
    double* G                # (K, K)
    double* factor           # (K, K) Cholesky factor L of G + 11ᵀ on the support, of which the first `known` rows hold
    int known
    double* p                # (K,)
    double* best             # (K,) the policy of least gap so far
    double* step             # (K,)
    double* ones             # (K,) L⁻¹ 1
    double* high             # (K,) digits of the slopes while they are summed
    double* low              # (K,)
    pair* slope              # (K,) ∇ = 2 G p
    double* utility          # (N,) u = A p, then w (u − ū),
    double* rest             # (N,) and its further digits
    int* support             # (K,)
    int* failed              # of the arena
    Py_ssize_t* places       # (K,) 0, 1, 2, …, and then room to list arms
    unsigned char* free      # (K,) whether an arm is played
    double* columns          # (K, BLOCK) the centred rows of some agents, arm by arm, or of all if they are fewer


cdef inline void mean_row(const Program* it, double* mean) noexcept nogil:
    """ā (K,), the mean row."""
    cdef Py_ssize_t k
    lanes_combine(it.rows, it.arms, it.agents, it.weights, mean)
    for k in range(it.arms):
        mean[k] /= it.total


cdef inline void moments(Program* it) noexcept nogil:
    """G = 2/(W − 1) Σ_i w_i (a_i − ā)(a_i − ā)ᵀ, by blocks of agents."""
    cdef Py_ssize_t first = 0, count, i, k, K = it.arms
    cdef double* mean = it.step
    memset(it.G, 0, K * K * sizeof(double))
    mean_row(it, mean)
    for i in range(it.agents):
        it.utility[i], it.rest[i] = it.scale.hi * it.weights[i], 1
    for k in range(K):
        it.places[k] = k
    while first < it.agents:
        count = min(it.agents - first, BLOCK)
        if interrupted(it.failed, 0.5 * count * K * K):
            return
        lanes_transpose(it.rows + first * K, K, count, K, it.columns)
        for k in range(K):
            for i in range(k * count, (k + 1) * count):
                it.columns[i] -= mean[k]
        lanes_hessian(it.columns, count, it.places, K, it.rest, it.utility + first, it.G)
        first += count
    for k in range(K):
        for i in range(k):
            it.G[i * K + k] = it.G[k * K + i]


cdef inline double value_at(Program* it) noexcept nogil:
    """pᵀGp from the rows in pairs of doubles; w (u − ū) in `utility` and `rest`."""
    cdef pair mean
    pair_utilities(it.rows, it.arms, it.agents, it.arms, it.p, it.utility, it.rest)
    mean = pair_over(pair_total(it.weights, it.utility, it.rest, it.agents), pair_of(it.total))
    return pair_times(it.scale, pair_apart(it.weights, mean, it.agents, it.utility, it.rest)).hi


cdef inline double exact_slopes(Program* it) noexcept nogil:
    """The value pᵀGp, and ∇ in `slope`, from the rows in pairs of doubles."""
    cdef double value = value_at(it)
    cdef int k
    pair_gather_rows(it.utility, it.rest, it.rows, it.agents, it.arms, it.high, it.low)
    for k in range(it.arms):
        it.slope[k] = pair_scaled(pair_times(pair_settled(it.high[k], it.low[k]), it.scale), 2)
    return value


cdef inline void rough_slopes(Program* it) noexcept nogil:
    """∇ = 2 G p in `slope`, over the support only."""
    cdef int j, k, s, K = it.arms
    cdef double total
    for k in range(K):
        total = 0
        for s in range(it.size):
            j = it.support[s]
            total += it.G[k * K + j] * it.p[j]
        it.slope[k] = pair_of(2 * total)


cdef inline double apart(Program* it, int k) noexcept nogil:
    """How far the slope of arm k is from that of the first in play: what both share would drown it in rounding."""
    return pair_minus(it.slope[k], it.slope[it.support[0]]).hi


cdef inline double mean_slope(Program* it) noexcept nogil:
    """The policy's mean slope, relative to the same."""
    cdef double level = 0
    cdef int k
    for k in range(it.arms):
        level += it.p[k] * apart(it, k)
    return level


cdef inline double gap_at(Program* it) noexcept nogil:
    """p·∇ − min ∇: how far from the least value p can be at most, by the slopes at hand."""
    cdef pair least = it.slope[0]
    cdef double level = 0
    cdef int k
    for k in range(it.arms):
        if pair_minus(it.slope[k], least).hi < 0:
            least = it.slope[k]
    for k in range(it.arms):
        level += it.p[k] * pair_minus(it.slope[k], least).hi
    return level


cdef inline void begin(Program* it) noexcept nogil:
    """Play the arm of least variance alone, once G is known."""
    cdef int k, best = 0, K = it.arms
    for k in range(K):
        it.p[k] = 0
        if it.G[k * K + k] < it.G[best * K + best]:
            best = k
    it.p[best] = 1
    it.support[0] = best
    it.size, it.known = 1, 0

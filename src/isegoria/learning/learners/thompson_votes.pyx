"""Votes by a draw from each agent's posterior, without drawing arms that cannot win.

Each agent draws a mean for every arm from its Beta posterior and votes for the largest. Drawn directly, these are N · K
Betas a round. Here each agent first draws its empirically best arm, x. Any other arm matters only if its draw exceeds
x. Beyond its mode the density f of a Beta falls, so P(X > x) ≤ (1 − x) f(x). With that probability a point y is drawn
uniformly above x and kept with probability f(y)/f(x), which is exactly a draw of X where it exceeds x. Only arms whose
mode is above x, or for which that bound is above 1, are drawn in full (Cheng 1978). The votes have the same
distribution as if everything were drawn.
"""

import numpy as np

from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.math cimport exp, lgamma, log, log1p, pow, sqrt
from numpy.random cimport bitgen_t

cdef double SIXTH = 1.0 / 6.0
cdef double LARGEST = 1.0 - 1e-15       # below 1, so that ln(1 − x) is finite


cdef inline double uniform(bitgen_t* bits) noexcept nogil:
    return bits.next_double(bits.state)


cdef double beta(bitgen_t* bits, double a, double b) noexcept nogil:
    """Draw from Beta(a, b) for a and b of at least 1: Cheng's algorithm BB, and closed forms where one of them is 1."""
    cdef double low, high, total, scale, lift, u, v, w, z, r, s, t
    if b <= 1.0:
        return pow(uniform(bits), 1.0 / a)
    if a <= 1.0:
        return 1.0 - pow(uniform(bits), 1.0 / b)
    low, high, total = min(a, b), max(a, b), a + b
    scale = sqrt((total - 2.0) / (2.0 * low * high - total))
    lift = low + 1.0 / scale
    while True:
        u, v = uniform(bits), uniform(bits)
        if u <= 0.0:
            continue
        z = u * u * v
        v = scale * log(u / (1.0 - u))
        w = low * exp(v)
        r = lift * v - 1.3862943611198906       # ln 4
        s = low + r - w
        if s + 2.6094379124341003 >= 5.0 * z:   # 1 + ln 5: a chord of the logarithm, which saves most of them
            break
        t = log(z) if z > 0.0 else -1e300
        if s >= t or r + total * log(total / (high + w)) >= t:
            break
    return w / (high + w) if a == low else high / (high + w)


cdef inline bint beaten(bitgen_t* bits, double won, double lost, double log_beta, double x, double log_x,
                        double log_rest, double* y) noexcept nogil:
    """Return whether a draw of Beta(1 + won, 1 + lost), whose mode is not above `x`, exceeds `x`; store it in `y`."""
    cdef double u = uniform(bits), rest = 1.0 - x, bound
    cdef double depth = log_beta - won * log_x - lost * log_rest        # −ln f(x)
    if depth > 0.0 and u * (1.0 + depth * (1.0 + depth * (0.5 + SIXTH * depth))) > rest:
        return False        # e^depth is more than that sum of its first terms
    bound = rest * exp(-depth)
    if bound > 1.0:         # no bound on a probability: the arm is drawn as it stands
        y[0] = beta(bits, 1.0 + won, 1.0 + lost)
        return y[0] > x
    if u >= bound:
        return False
    y[0] = min(x + rest * uniform(bits), LARGEST)
    return log(uniform(bits) + 1e-300) <= won * (log(y[0]) - log_x) + lost * (log1p(-y[0]) - log_rest)


def log_beta_functions(const double[::1] sums, const double[::1] counts):
    """Return ln B(1 + Σ r, 1 + Σ (1 − r)) (n,) for sums and counts of rewards.

    >>> log_beta_functions(np.zeros(1), np.zeros(1)).tolist()
    [0.0]
    """
    cdef Py_ssize_t i, n = sums.shape[0]
    cdef double lost
    found = np.empty(n)
    cdef double[::1] out = found
    for i in range(n):
        lost = max(counts[i] - sums[i], 0.0)
        out[i] = lgamma(1.0 + sums[i]) + lgamma(1.0 + lost) - lgamma(2.0 + sums[i] + lost)
    return found


def votes(generator, const double[:, ::1] sums, const double[:, ::1] counts, const double[:, ::1] log_betas,
          const Py_ssize_t[::1] arms, const Py_ssize_t[::1] rows, const double[::1] weights):
    """Return the total weight (|arms|,) of the agents `rows` whose draw is largest for each of `arms`.

    `sums`, `counts` and `log_betas` are (K, N). For each arm, agents draw in the order of `rows`.

    >>> rng = np.random.default_rng(7)
    >>> sums, counts = np.array([[90.0], [10.0]]), np.full((2, 1), 100.0)
    >>> known = np.stack([log_beta_functions(*pair) for pair in zip(sums, counts)])
    >>> votes(rng, sums, counts, known, np.arange(2), np.arange(1), np.ones(1)).tolist()
    [1.0, 0.0]
    """
    bit_generator = generator.bit_generator     # keeps the capsule alive
    cdef bitgen_t* bits = <bitgen_t*> PyCapsule_GetPointer(bit_generator.capsule, "BitGenerator")
    cdef Py_ssize_t a, i, k, row, n = rows.shape[0]
    cdef double won, lost, y
    found, best, logs = np.zeros(arms.shape[0]), np.empty(n), np.empty((2, n))
    leaders = leading(sums, counts, arms, rows)
    cdef double[::1] out = found, x = best
    cdef double[:, ::1] log_x = logs
    cdef Py_ssize_t[::1] leader = leaders, first = leaders.copy()
    with nogil:
        for i in range(n):
            k = arms[first[i]]
            won = sums[k, rows[i]]
            rise(&x[i], &log_x[0, i], &log_x[1, i], beta(bits, 1.0 + won, 1.0 + max(counts[k, rows[i]] - won, 0.0)))
        for a in range(arms.shape[0]):
            k = arms[a]
            for i in range(n):
                if first[i] == a:
                    continue
                row = rows[i]
                won = sums[k, row]
                lost = max(counts[k, row] - won, 0.0)
                if lost == 0.0:
                    y = uniform(bits)
                    if y <= 1.0 + (1.0 + won) * log_x[0, i]:
                        continue        # below x^(1 + won), which is more than that
                    y = pow(y, 1.0 / (1.0 + won))
                    if y <= x[i]:
                        continue
                elif won * (1.0 - x[i]) > lost * x[i]:
                    y = beta(bits, 1.0 + won, 1.0 + lost)
                    if y <= x[i]:
                        continue
                elif not beaten(bits, won, lost, log_betas[k, row], x[i], log_x[0, i], log_x[1, i], &y):
                    continue
                rise(&x[i], &log_x[0, i], &log_x[1, i], y)
                leader[i] = a
        for i in range(n):
            out[leader[i]] += weights[i]
    return found


cdef void rise(double* x, double* log_x, double* log_rest, double y) noexcept nogil:
    """Continue with the larger draw y."""
    x[0] = min(max(y, 1e-300), LARGEST)
    log_x[0], log_rest[0] = log(x[0]), log1p(-x[0])


def leading(const double[:, ::1] sums, const double[:, ::1] counts, const Py_ssize_t[::1] arms,
            const Py_ssize_t[::1] rows):
    """Return each agent's arm with the largest posterior mean (n,), as a position in `arms`; the first of ties."""
    cdef Py_ssize_t a, i, n = rows.shape[0]
    found, best = np.zeros(n, np.intp), np.full(n, -1.0)
    cdef Py_ssize_t[::1] leader = found
    cdef double[::1] mean = best
    cdef double one
    with nogil:
        for a in range(arms.shape[0]):
            for i in range(n):
                one = (1.0 + sums[arms[a], rows[i]]) / (2.0 + counts[arms[a], rows[i]])
                if one > mean[i]:
                    mean[i] = one
                    leader[i] = a
    return found

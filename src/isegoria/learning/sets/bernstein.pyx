"""Bounds on a mean that hold at all times at once and adapt to the variance: an empirical-Bernstein sequence.

For rewards x_1, x_2, … in [0, 1] with mean μ, and a probability α of ever being wrong (Waudby-Smith and Ramdas,
"Estimating means of bounded random variables by betting", 2024, the predictable plug-in of their Theorem 2):

    λ_t = min(c, √(2 ln(2/α) / (σ̂²_{t−1} t ln(1 + t))))
    μ̂_t = (1/2 + Σ x_i) / (t + 1),   σ̂²_t = (1/4 + Σ (x_i − μ̂_i)²) / (t + 1)
    v_i = 4 (x_i − μ̂_{i−1})²,   ψ(λ) = (−ln(1 − λ) − λ) / 4
    μ is in  Σ λ_i x_i / Σ λ_i  ±  (ln(2/α) + Σ v_i ψ(λ_i)) / Σ λ_i   for every t, with probability at least 1 − α,

and so in the intersection of all these intervals. `log_term` is ln(2/α) throughout. What is known of a pair (agent,
arm) is a row of `FIELDS` numbers, and of all pairs an array (arms, agents, FIELDS).
"""

from libc.math cimport isnan, log1p, sqrt

import numpy as np

cdef double LARGEST_BET = 0.75     # c: below 1, so that no single reward can cost everything; one the authors use
cdef double PRICE_OF_LARGEST = -log1p(-LARGEST_BET) - LARGEST_BET     # 4 ψ(c)
cdef double PRIOR_MEAN = 0.5       # one imagined reward before the first: the middle of [0, 1] …
cdef double PRIOR_VARIANCE = 0.25  # … and the largest variance that [0, 1] allows

FIELD_NAMES = ("count", "sum", "spread", "bets", "won", "price", "lower", "upper")


def unseen(int n_arms, int n_agents):
    """(arms, agents, FIELDS) numbers of pairs that have seen no reward: all that is known is the interval [0, 1].

    >>> unseen(2, 3)[1, 2].tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    pairs = np.zeros((n_arms, n_agents, FIELDS))
    pairs[..., UPPER] = 1.0
    return pairs


def observe_arm(double[:, ::1] pairs, const double[::1] rewards, const double[::1] log_terms):
    """The agents whose interval became empty, after one reward each for one arm; `pairs` (agents, FIELDS) moves on.

    NaN stands for an agent that said nothing. An empty interval disproves the model (such rewards come from one
    distribution with probability at most α), so that pair has restarted from no data.

    >>> import numpy as np
    >>> pairs = unseen(1, 2)
    >>> for _ in range(2000):
    ...     _ = observe_arm(pairs[0], np.array([0.8, np.nan]), np.full(2, np.log(2 / 0.05)))
    >>> pairs[0, :, 6:].round(2).tolist()
    [[0.79, 0.81], [0.0, 1.0]]
    """
    cdef Py_ssize_t i
    empty = []
    for i in range(pairs.shape[0]):
        if not isnan(rewards[i]) and observe(&pairs[i, 0], rewards[i], log_terms[i]):
            empty.append(i)
    return empty


cdef bint observe(double* pair, double x, double log_term) noexcept nogil:
    """Whether the interval became empty, and the pair therefore restarted, after the reward x."""
    cdef double t = pair[COUNT] + 1.0
    cdef double spread = PRIOR_VARIANCE + pair[SPREAD]      # t σ̂²_{t−1}
    cdef double square = 2.0 * log_term / (spread * log1p(t))
    cdef double off = x - (PRIOR_MEAN + pair[SUM]) / t
    cdef double size = LARGEST_BET, price = PRICE_OF_LARGEST, lower, upper
    if square < LARGEST_BET * LARGEST_BET:
        size = sqrt(square)
        price = -log1p(-size) - size
    pair[BETS] += size
    pair[WON] += size * x
    pair[PRICE] += off * off * price
    pair[COUNT] = t
    pair[SUM] += x
    off = x - (PRIOR_MEAN + pair[SUM]) / (t + 1.0)
    pair[SPREAD] += off * off
    interval(pair, log_term, &lower, &upper)
    if lower > pair[LOWER]:
        pair[LOWER] = lower
    if upper < pair[UPPER]:
        pair[UPPER] = upper
    if pair[LOWER] <= pair[UPPER]:
        return False
    restart(pair)
    return True


cdef void interval(const double* pair, double log_term, double* lower, double* upper) noexcept nogil:
    """The interval of the sums alone, cut to [0, 1]."""
    cdef double bets = pair[BETS]
    cdef double centre, radius
    lower[0] = 0.0
    upper[0] = 1.0
    if bets > 0.0:
        centre = pair[WON] / bets
        radius = (log_term + pair[PRICE]) / bets
        if centre - radius > 0.0:
            lower[0] = centre - radius
        if centre + radius < 1.0:
            upper[0] = centre + radius


cdef void fade(double* pair, double share, double log_term) noexcept nogil:
    """Of all that was observed the `share` stays. The bounds are then those of the faded sums alone: no running
    intersection, and no guarantee. This is for tastes that change."""
    cdef int field
    for field in range(LOWER):
        pair[field] *= share
    interval(pair, log_term, &pair[LOWER], &pair[UPPER])


cdef void restart(double* pair) noexcept nogil:
    """Back to no data."""
    cdef int field
    for field in range(FIELDS):
        pair[field] = 0.0
    pair[UPPER] = 1.0

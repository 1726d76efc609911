"""Claims on arms, cut down to what the arms have: which of several attributions with the same row sums is meant.

Every type spreads its mass over its arms in proportion to the policy. Where that overspends an arm, all claims on it
are cut by one common factor e^{v_k} ≤ 1 and made up elsewhere. The result y_τk = r_τ p_k e^{v_k} / Σ_j p_j e^{v_j} is
the attribution nearest to those first claims (least relative entropy), and v minimises the convex function

    f(v) = Σ_τ r_τ log Σ_{k ∈ τ} p_k e^{v_k} − Σ_k p_k v_k,    v_k ≤ 0 unless the arm is tight,

found by a few proportional fittings and then Newton's method. An arm is tight when it must be used up.
"""

from libc.math cimport INFINITY, exp, fabs, fmax, fmin, log
from libc.string cimport memcpy, memset

from isegoria.utils import tolerances
from isegoria.solvers.rows.arena cimport Arena, check_arena, close_arena, open_arena
from isegoria.solvers.rows.interrupt cimport interrupted
from isegoria.solvers.algebra.cholesky cimport factorise, solve_both
from isegoria.solvers.flow.claims cimport Claims, balance, choose, collect, open_claims

cdef double FITTED = tolerances.CLAIMS_RESIDUAL
cdef double RIDGE = tolerances.CLAIMS_RIDGE
cdef double ENOUGH = tolerances.FLOW_RESIDUAL
cdef enum:
    FITTINGS = 8
    NEWTON_STEPS = 200
    HALVINGS = 40
cdef double LONGEST_STEP = 8.0  # in v, a factor of e^8: further than that the quadratic model says nothing
cdef double FARTHEST = 300.0    # of v from 0: where masses miss the policy by rounding, all factors drift off together


cdef void spread(Claims *c) noexcept nogil:
    """Set the claims, y and the columns at the present v."""
    cdef Py_ssize_t t, k
    cdef int e
    cdef double total
    for k in range(c.arms):
        c.column[k] = c.given[k]
        c.claim[k] = c.policy[k] * exp(c.v[k])
    for t in range(c.types):
        total = 0.0
        for e in range(c.first[t], c.first[t + 1]):
            c.y[e] = c.claim[c.arm[e]]
            total += c.y[e]
        total = c.mass[t] / total if total > 0.0 else 0.0
        for e in range(c.first[t], c.first[t + 1]):
            c.y[e] *= total
            c.column[c.arm[e]] += c.y[e]


cdef double value(Claims *c, const double *v) noexcept nogil:
    """f(v)."""
    cdef Py_ssize_t t, k
    cdef int e
    cdef double total, f = 0.0
    for t in range(c.types):
        total = 0.0
        for e in range(c.first[t], c.first[t + 1]):
            total += c.policy[c.arm[e]] * exp(v[c.arm[e]])
        if total > 0.0:
            f += c.mass[t] * log(total)
    for k in range(c.arms):
        f -= (c.policy[k] - c.given[k]) * v[k]
    return f


cdef bint is_uncut(Claims *c, Py_ssize_t k, double margin) noexcept nogil:
    """Whether arm k stays at no cut at all: it has nothing, or less than it has is claimed of it within `margin`."""
    if c.policy[k] <= 0.0:
        return True
    return not c.tight[k] and c.column[k] <= c.policy[k] and c.v[k] + margin >= 0.0


cdef double worst(Claims *c) noexcept nogil:
    """The largest slope of f at the present v: 0 when every claim is settled."""
    cdef Py_ssize_t k
    cdef double largest = 0.0
    for k in range(c.arms):
        if not is_uncut(c, k, 0.0):
            largest = fmax(largest, fabs(c.column[k] - c.policy[k]))
    return largest


cdef double clip_factor(Claims *c, Py_ssize_t k, double v) noexcept nogil:
    """The nearest that v_k may be: at most 0 unless the arm is tight, and no further off than numbers can tell."""
    return fmax(-FARTHEST, fmin(v, FARTHEST if c.tight[k] else 0.0))


cdef void fitting(Claims *c) noexcept nogil:
    """One proportional fitting: every arm's factor is set so that its present claims would just fit."""
    cdef Py_ssize_t k
    for k in range(c.arms):
        if c.policy[k] > 0.0 and c.column[k] > 0.0:
            c.v[k] = clip_factor(c, k, c.v[k] + log(c.policy[k] / c.column[k]))
    spread(c)


cdef void curvature(Claims *c) noexcept nogil:
    """The Hessian diag(Σ_τ y_τ) − Σ_τ y_τ y_τᵀ / r_τ (the identity at fixed arms), and the downhill slope as step."""
    cdef Py_ssize_t t, k, n = c.arms
    cdef int e, g
    cdef double scaled
    memset(c.hessian, 0, n * n * sizeof(double))
    for t in range(c.types):
        if c.mass[t] <= 0.0:
            continue
        for e in range(c.first[t], c.first[t + 1]):
            scaled = c.y[e] / c.mass[t]
            if scaled > 0.0:
                for g in range(c.first[t], e + 1):
                    c.hessian[c.arm[e] * n + c.arm[g]] -= scaled * c.y[g]
    for k in range(n):
        c.hessian[k * n + k] += (c.column[k] - c.given[k]) + RIDGE
        c.step[k] = c.policy[k] - c.column[k]
        if c.fixed[k]:
            for t in range(n):
                c.hessian[k * n + t] = 0.0
                c.hessian[t * n + k] = 0.0
            c.hessian[k * n + k] = 1.0
            c.step[k] = -c.v[k]


cdef void newton_step(Claims *c) noexcept nogil:
    """Set the Newton step with the arms fixed that would only leave their bound: those that one more fitting would
    free of any cut, then those that the step itself would."""
    cdef Py_ssize_t k, n = c.arms
    cdef double longest
    cdef bint again = True
    for k in range(n):
        c.fixed[k] = is_uncut(c, k, log(c.policy[k] / c.column[k]) if c.column[k] > 0.0 else INFINITY)
    while again:
        curvature(c)
        factorise(c.hessian, 0, n, n, 0, 0)  # a pivot lost to rounding leaves its arm where it is
        solve_both(c.hessian, n, n, c.step)
        longest = 0.0
        for k in range(n):
            longest = fmax(longest, fabs(c.step[k]))
        if longest > LONGEST_STEP:
            for k in range(n):
                c.step[k] *= LONGEST_STEP / longest
        again = False
        for k in range(n):
            if not c.fixed[k] and not c.tight[k] and c.v[k] >= 0.0 and c.step[k] > 0.0:
                c.fixed[k] = again = True


cdef bint descend(Claims *c) noexcept nogil:
    """One Newton step, halved until it is better: the largest slope is halved, or f falls, or f stays to rounding and
    the largest slope falls. False when it never is."""
    cdef Py_ssize_t k
    cdef int halving
    cdef double slope = worst(c), length = 1.0, change
    newton_step(c)
    memcpy(c.trial, c.v, c.arms * sizeof(double))
    for halving in range(HALVINGS):
        for k in range(c.arms):
            c.v[k] = clip_factor(c, k, c.trial[k] + length * c.step[k])
        spread(c)
        if worst(c) <= 0.5 * slope:
            return True
        change = value(c, c.v) - value(c, c.trial)
        if change < -FITTED or (change <= FITTED and worst(c) < slope):
            return True
        length *= 0.5
    memcpy(c.v, c.trial, c.arms * sizeof(double))
    spread(c)
    return False


cdef double settle(Claims *c) noexcept nogil:
    """Fit, then Newton until every claim is settled, or steps no longer help; what is overspent of the worst arm."""
    cdef int turn
    cdef double before
    spread(c)
    for turn in range(FITTINGS):
        if worst(c) <= FITTED or interrupted(c.failed, 4.0 * c.first[c.types]):
            return worst(c)
        fitting(c)
    for turn in range(NEWTON_STEPS):
        before = worst(c)
        if before <= FITTED or interrupted(c.failed, 1.0 * c.arms * c.arms * c.arms) or not descend(c):
            break
        if before <= ENOUGH and worst(c) > 0.5 * before:
            break
    return worst(c)


cdef double fit(Network network, const unsigned char *kept, const double *mass, const double *policy,
                const unsigned char *tight, double *y) except -1:
    """Fill `y`, one number for each link, with the settled claims; what is still overspent of the worst arm. Only the
    links that are `kept` may carry anything; those of type t carry all of `mass[t]`."""
    cdef Claims c
    cdef Arena arena
    cdef double left
    open_arena(&arena)
    try:
        open_claims(&c, network, &arena)
        c.tight = tight
        memcpy(c.policy, policy, c.arms * sizeof(double))
        choose(&c, network, kept, mass)
        left = balance(&c, ENOUGH)
        left += settle(&c)
        check_arena(&arena)
        collect(&c, network, kept, mass, y)
    finally:
        close_arena(&arena)
    return left

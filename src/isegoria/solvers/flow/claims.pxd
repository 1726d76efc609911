"""Claims of types on arms: those that leave a choice, taken in from the links of a network, and given back to them."""

from libc.math cimport fabs, fmax

from isegoria.solvers.rows.arena cimport Arena, check_arena, each_integers, each_zeros, flags, integers, zeros
from isegoria.solvers.flow.network cimport Network


cdef struct Claims:
    Py_ssize_t types, arms
    int *first         # type t may use the links first[t] … first[t + 1] − 1
    int *arm           # the arm of each link,
    int *origin        # its place among the caller's links
    double *y          # and what it carries
    int *group         # (arms,) the first arm that each is linked with
    double *mass       # (types,)
    double *policy     # (arms,) and so the rest: what there is; where all must be used up, exactly what is claimed
    const unsigned char *tight
    double *given      # what types with a single usable link carry of each arm
    double *v
    double *claim      # p_k e^{v_k}, to which the claims on arm k are in proportion
    double *column     # what is claimed of each arm
    double *step
    double *trial
    double *hessian
    unsigned char *fixed  # arms that this step leaves, or puts, at no cut
    int *failed           # of the arena


cdef inline int open_claims(Claims *c, Network network, Arena *arena) except -1:
    """Room for the claims of a network; no type is taken in yet."""
    cdef Py_ssize_t types = network.types, arms = network.arms, links = network.edges
    c.types, c.arms, c.failed = 0, arms, &arena.failed
    c.first, c.group, c.fixed = integers(arena, types + 1), integers(arena, arms), flags(arena, arms)
    each_integers(arena, links, &c.arm, &c.origin)
    each_zeros(arena, arms, &c.policy, &c.given, &c.v, &c.claim, &c.column, &c.step, &c.trial)
    c.y, c.mass, c.hessian = zeros(arena, links), zeros(arena, types), zeros(arena, arms * arms)
    return check_arena(arena)


cdef inline double balance(Claims *c, double enough) noexcept nogil:
    """Scale the policy on linked arms that must all be used up to what is claimed of them; the most that an arm gains.

    They differ by rounding, `enough` at most; but without this no claims would fit, and the search would never end.
    """
    cdef int *group = c.group
    cdef Py_ssize_t t, k, j
    cdef int e
    cdef bint again = True, spare
    cdef double claimed, there, gained, most = 0.0
    for k in range(c.arms):
        group[k] = k
    while again:
        again = False
        for t in range(c.types):
            for e in range(c.first[t] + 1, c.first[t + 1]):
                j, k = group[c.arm[e - 1]], group[c.arm[e]]
                if j != k:
                    group[c.arm[e - 1]] = group[c.arm[e]] = min(j, k)
                    again = True
    for j in range(c.arms):
        claimed, there, spare = 0.0, 0.0, False
        for k in range(c.arms):
            if group[k] == j:
                claimed += c.given[k]
                there += c.policy[k]
                spare = spare or (c.policy[k] > 0.0 and not c.tight[k])
        for t in range(c.types):
            if group[c.arm[c.first[t]]] == j:
                claimed += c.mass[t]
        if spare or not (claimed > 0.0 and fabs(claimed - there) <= enough * there):
            continue
        for k in range(c.arms):
            if group[k] == j:
                gained = c.policy[k] * (claimed / there - 1)
                c.policy[k] += gained
                most = fmax(most, gained)
    return most


cdef inline void choose(Claims *c, Network network, const unsigned char *kept, const double *mass) noexcept nogil:
    """Take in the types that have a choice, link by link; what the others carry is given."""
    cdef Py_ssize_t t
    cdef int e, usable, size = 0
    for t in range(network.types):
        usable = 0
        c.first[c.types] = size
        for e in range(network.first[t], network.first[t + 1]):
            if kept[e]:
                c.arm[size + usable] = network.arm[e]
                c.origin[size + usable] = e
                usable += 1
        if usable == 1:
            c.given[c.arm[size]] += mass[t]
        elif usable > 1:
            c.mass[c.types] = mass[t]
            c.types += 1
            size += usable
    c.first[c.types] = size


cdef inline void collect(Claims *c, Network network, const unsigned char *kept, const double *mass,
                         double *y) noexcept nogil:
    """Write what every link carries into y: all of the mass where there was no choice, else what was settled."""
    cdef int e
    for e in range(network.edges):
        y[e] = mass[network.owner[e]] if kept[e] and c.policy[network.arm[e]] > 0.0 else 0.0
    for e in range(c.first[c.types]):
        y[c.origin[e]] = c.y[e]

"""The procedural score as a maximum flow: shares run from types of agents through their favourites into the policy.

A type τ (agents with one favourite set) sends at most its share s_τ, an arm k takes at most p_k, and only favourites
are linked. Dinic's algorithm runs on whole multiples of 2^-60, so nothing is lost or gained on the way: the flow is
maximal exactly, and the cut that proves it is read off the last search.
"""

from libc.string cimport memset

from math import fsum

import numpy as np

from numpy cimport NPY_BOOL, PyArray_DATA, PyArray_DIM, ndarray

from isegoria import tolerances
from isegoria.rows.arrays cimport reals, vector
from isegoria.solvers.flow.network cimport Network, mass, network_of, units, whole
from isegoria.solvers.flow.network import on_links

cdef double WIDENING = tolerances.FLOW_WIDENING


cdef void start_with(Network network, int degree_limit) noexcept nogil:
    """Let types with at most `degree_limit` favourites take what is free: a start that leaves little to mend."""
    cdef Py_ssize_t t
    cdef int e
    cdef units taken
    for t in range(network.types):
        if network.first[t + 1] - network.first[t] > degree_limit:
            continue
        for e in range(network.first[t], network.first[t + 1]):
            if network.left[t] == 0:
                break
            if network.arm_block[network.arm[e]] != network.type_block[t]:
                continue
            taken = min(network.left[t], network.room[network.arm[e]])
            network.carried[e] += taken
            network.left[t] -= taken
            network.room[network.arm[e]] -= taken


cdef bint layer(Network network) noexcept nogil:
    """Number types and arms by distance from an unheard share; True when an arm with room is among them."""
    cdef Py_ssize_t t, head = 0, tail = 0
    cdef int node, e, i, other, reached = -1
    memset(network.type_level, -1, network.types * sizeof(int))
    memset(network.arm_level, -1, network.arms * sizeof(int))
    for t in range(network.types):
        if network.left[t] > 0:
            network.type_level[t] = 0
            network.queue[tail] = t
            tail += 1
    while head < tail:
        node = network.queue[head]
        head += 1
        if node < network.types:
            if reached >= 0 and network.type_level[node] >= reached:
                break
            for e in range(network.first[node], network.first[node + 1]):
                other = network.arm[e]
                if network.arm_level[other] >= 0 or network.arm_block[other] != network.type_block[node]:
                    continue
                network.arm_level[other] = network.type_level[node] + 1
                if network.room[other] > 0:
                    reached = network.arm_level[other]
                network.queue[tail] = network.types + other
                tail += 1
        elif reached < 0:
            node -= network.types
            for i in range(network.arm_first[node], network.arm_first[node + 1]):
                other = network.owner[network.arm_edge[i]]
                if network.type_level[other] < 0 and network.carried[network.arm_edge[i]] > 0:
                    network.type_level[other] = network.arm_level[node] + 1
                    network.queue[tail] = other
                    tail += 1
    return reached >= 0


cdef bint deeper(Network network, int depth) noexcept nogil:
    """Take one step on from the end of the path, if its cursor finds one; whether it did."""
    cdef int node = network.path[depth], e, other
    cdef units wanted = network.asked[depth] - network.sent[depth], step
    if depth % 2 == 0:  # a type, which goes on to an arm: into its room, then in place of others
        while network.type_cursor[node] < network.first[node + 1]:
            other = network.arm[network.type_cursor[node]]
            if network.arm_level[other] == network.type_level[node] + 1:
                if network.arm_block[other] == network.type_block[node]:
                    step = min(wanted, network.room[other])
                    network.room[other] -= step
                    network.path[depth + 1], network.asked[depth + 1], network.sent[depth + 1] = other, wanted, step
                    return True
            network.type_cursor[node] += 1
        return False
    while network.arm_cursor[node] < network.arm_first[node + 1]:  # an arm, whose guests may go elsewhere
        e = network.arm_edge[network.arm_cursor[node]]
        other = network.owner[e]
        if network.carried[e] > 0 and network.type_level[other] == network.arm_level[node] + 1:
            network.path[depth + 1], network.sent[depth + 1] = other, 0
            network.asked[depth + 1] = min(wanted, network.carried[e])
            return True
        network.arm_cursor[node] += 1
    return False


cdef units send_from(Network network, int t, units amount) noexcept nogil:
    """Send up to `amount` from a type along the layers; what was sent.

    A path may lead through every type and arm, so it lies in arrays of the network: a stack of calls would overflow.
    """
    cdef int depth = 0, node
    cdef units step
    network.path[0], network.asked[0], network.sent[0] = t, amount, 0
    while True:
        if network.sent[depth] < network.asked[depth] and deeper(network, depth):
            depth += 1
            continue
        step = network.sent[depth]
        if depth == 0:
            return step
        depth -= 1
        node = network.path[depth]
        network.sent[depth] += step
        if depth % 2 == 0:
            network.carried[network.type_cursor[node]] += step
            network.type_cursor[node] += network.sent[depth] < network.asked[depth]
        else:
            network.carried[network.arm_edge[network.arm_cursor[node]]] -= step
            network.arm_cursor[node] += network.sent[depth] < network.asked[depth]


cdef void saturate(Network network) noexcept nogil:
    """Send all that can be sent (Dinic). Afterwards the levels ≥ 0 mark what an unheard share can reach."""
    cdef Py_ssize_t t, k
    while layer(network):
        for t in range(network.types):
            network.type_cursor[t] = network.first[t]
        for k in range(network.arms):
            network.arm_cursor[k] = network.arm_first[k]
        for t in range(network.types):
            if network.left[t] > 0:
                network.left[t] -= send_from(network, t, network.left[t])


cdef void saturate_anew(Network network) noexcept nogil:
    """The same from no flow at all; types with one favourite take from it first."""
    memset(network.carried, 0, network.edges * sizeof(units))
    start_with(network, 1)
    start_with(network, <int> network.arms)
    saturate(network)


cdef void widen(Network network, const double *room) noexcept nogil:
    """Give each arm a rounding's worth more room and send again, so that ties in exact numbers stay ties."""
    cdef Py_ssize_t k
    for k in range(network.arms):
        network.room[k] += whole(room[k] * WIDENING)
    saturate(network)


cdef double _send(Network network, const double* shares, const double* policy) noexcept nogil:
    """Replace the flow on the network by a maximum flow of these shares into this policy; its value."""
    cdef units total = 0
    cdef Py_ssize_t t, k
    network.join_blocks()
    for t in range(network.types):
        network.left[t] = whole(shares[t])
    for k in range(network.arms):
        network.room[k] = whole(policy[k])
    saturate_anew(network)
    for t in range(network.types):
        total += whole(shares[t]) - network.left[t]
    return min(1.0, mass(total))


def cut_value(type_rows, type_shares, policy, cut_arms):
    """The capacity of a cut: the shares of types not inside `cut_arms`, and the probability of those arms."""
    outside = type_rows @ ~cut_arms if isinstance(type_rows, ndarray) else type_rows.astype(float) @ ~cut_arms > 0
    return fsum(type_shares[outside].tolist() + policy[cut_arms].tolist())


def procedural_score(types, ndarray type_shares, ndarray policy):
    """The largest total of shares that fits into the policy, PF(μ, P), as a float in [0, 1].

    `types` (m, K) booleans, or their `Network`; `type_shares` (m,) summing to 1, `policy` (K,).

    >>> procedural_score(np.array([[True, False], [False, True]]), np.array([2 / 3, 1 / 3]), np.array([0.5, 0.5]))
    0.8333...
    """
    return _send(network_of(types), reals(type_shares), reals(policy))


def procedural_scores(types, ndarray type_shares, ndarray policies):
    """(P,) the procedural score of each row of `policies` (P, K), on one network."""
    cdef const double* shares = reals(type_shares)
    cdef const double* policy = reals(policies, 2)
    cdef Network network = network_of(types)
    cdef Py_ssize_t row, count = PyArray_DIM(policies, 0)
    cdef ndarray scores = vector(count)
    cdef double* score = <double *> PyArray_DATA(scores)
    for row in range(count):
        score[row] = _send(network, shares, policy + row * network.arms)
    return scores


def max_flow(types, ndarray type_shares, ndarray policy):
    """A maximum flow with its proof: (flow, cut, y (m, K), cut arms (K,), reachable types (m,)).

    `types` are booleans (m, K), a sparse table, or a `Network` of either. `flow` is the total of `y`; `cut` is the
    capacity of the cut at `cut arms` and bounds every flow from above; they agree to 1e-12. The reachable types are the
    smallest group whose shares exceed its favourites the most; `cut arms` are those favourites.

    >>> flow, cut, y, arms, types = max_flow(np.eye(2, dtype=bool), np.array([2 / 3, 1 / 3]), np.array([0.5, 0.5]))
    >>> arms.tolist(), types.tolist()
    ([True, False], [True, False])
    """
    cdef Network network = network_of(types)
    cdef double flow = _send(network, reals(type_shares), reals(policy))
    cdef ndarray carried = vector(network.edges), arms = vector(network.arms, NPY_BOOL)
    cdef ndarray reachable = vector(network.types, NPY_BOOL)
    cdef Py_ssize_t i
    for i in range(network.edges):
        (<double *> PyArray_DATA(carried))[i] = mass(network.carried[i])
    y = on_links(network.rows, carried)
    widen(network, reals(policy))
    for i in range(network.arms):
        (<unsigned char *> PyArray_DATA(arms))[i] = network.arm_level[i] >= 0
    for i in range(network.types):
        (<unsigned char *> PyArray_DATA(reachable))[i] = network.type_level[i] >= 0
    return flow, max(flow, cut_value(network.rows, type_shares, policy, arms)), y, arms, reachable

"""The procedural score as a maximum flow: shares run from types of agents through their favourites into the policy.

A type τ (agents with one favourite set) sends at most its share s_τ, an arm k takes at most p_k, and only favourites
are linked. The flow runs on whole multiples of 2^-60, so nothing is lost or gained on the way: it is maximal exactly,
and the cut that proves it is read off the last search.

It is found by pushing and relabelling (Goldberg and Tarjan 1988), a wave at a time: labels are exact distances to an
arm with room, and every wave pushes all unheard shares towards it, the farthest first. Paths of all lengths are
served in one wave, while Dinic's algorithm needs a phase for each length: 2.1 s for a chain of 8,000 agents.
"""

from libc.string cimport memset

from math import fsum

import numpy as np

from numpy cimport NPY_BOOL, PyArray_DATA, PyArray_DIM, ndarray

from isegoria.utils import tolerances
from isegoria.solvers.rows.arrays cimport reals, vector
from isegoria.solvers.rows.interrupt cimport interrupted
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


cdef void reach(Network network) noexcept nogil:
    """Number types and arms by distance from an unheard share, and all others -1: what it can reach is the cut."""
    cdef Py_ssize_t t, head = 0, tail = 0
    cdef int node, e, i, other
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
            for e in range(network.first[node], network.first[node + 1]):
                other = network.arm[e]
                if network.arm_level[other] < 0 and network.arm_block[other] == network.type_block[node]:
                    network.arm_level[other] = network.type_level[node] + 1
                    network.queue[tail] = network.types + other
                    tail += 1
        else:
            node -= network.types
            for i in range(network.arm_first[node], network.arm_first[node + 1]):
                other = network.owner[network.arm_edge[i]]
                if network.type_level[other] < 0 and network.carried[network.arm_edge[i]] > 0:
                    network.type_level[other] = network.arm_level[node] + 1
                    network.queue[tail] = other
                    tail += 1


cdef Py_ssize_t relabel(Network network) noexcept nogil:
    """Global relabelling: number types and arms by their distance to an arm with room, and all others -1.

    They are queued in that order; how many. `space` (arms,) is what an arm can take in this wave: its room or, where it
    has none, what it can move on to types that are nearer.
    """
    cdef Py_ssize_t k, head = 0, tail = 0
    cdef int node, e, i, other
    memset(network.type_level, -1, network.types * sizeof(int))
    memset(network.arm_level, -1, network.arms * sizeof(int))
    for k in range(network.arms):
        network.space[k] = network.room[k]
        if network.room[k] > 0:
            network.arm_level[k] = 0
            network.queue[tail] = network.types + k
            tail += 1
    while head < tail:
        node = network.queue[head]
        head += 1
        if node >= network.types:
            node -= network.types
            for i in range(network.arm_first[node], network.arm_first[node + 1]):
                other = network.owner[network.arm_edge[i]]
                if network.type_level[other] < 0 and network.type_block[other] == network.arm_block[node]:
                    network.type_level[other] = network.arm_level[node] + 1
                    network.queue[tail] = other
                    tail += 1
        else:
            for e in range(network.first[node], network.first[node + 1]):
                other = network.arm[e]
                if network.carried[e] <= 0:
                    continue
                if network.arm_level[other] < 0:
                    network.arm_level[other] = network.type_level[node] + 1
                    network.queue[tail] = network.types + other
                    tail += 1
                if network.arm_level[other] == network.type_level[node] + 1:
                    network.space[other] += network.carried[e]
    return tail


cdef void push(Network network, Py_ssize_t reached) noexcept nogil:
    """Push every unheard share one arm and one type nearer to room, the farthest first, so that all move in one wave.

    What a type cannot push on stays with it: its distance has grown by the next wave.
    """
    cdef Py_ssize_t place
    cdef int node, e, i, other
    cdef units step
    memset(network.excess, 0, network.arms * sizeof(units))
    for place in range(reached - 1, -1, -1):
        node = network.queue[place]
        if node < network.types:
            for e in range(network.first[node], network.first[node + 1]):
                if network.left[node] == 0:
                    break
                other = network.arm[e]
                if network.arm_level[other] == network.type_level[node] - 1 and (
                    network.arm_block[other] == network.type_block[node]
                ):
                    step = min(network.left[node], network.space[other])
                    network.left[node] -= step
                    network.space[other] -= step
                    network.excess[other] += step
                    network.carried[e] += step
        elif network.excess[node - network.types] > 0:
            node -= network.types
            if network.arm_level[node] == 0:
                network.room[node] -= network.excess[node]
                continue
            for i in range(network.arm_first[node], network.arm_first[node + 1]):
                e = network.arm_edge[i]
                other = network.owner[e]
                if network.carried[e] > 0 and network.type_level[other] == network.arm_level[node] - 1:
                    step = min(network.excess[node], network.carried[e])
                    network.carried[e] -= step
                    network.excess[node] -= step
                    network.left[other] += step
                    if network.excess[node] == 0:
                        break


cdef bint waiting(Network network) noexcept nogil:
    """Whether an unheard share can still reach room, as the labels say."""
    cdef Py_ssize_t t
    for t in range(network.types):
        if network.left[t] > 0 and network.type_level[t] >= 0:
            return True
    return False


cdef void saturate(Network network) noexcept nogil:
    """Send all that can be sent (Goldberg and Tarjan 1988). Then levels ≥ 0 mark what an unheard share reaches."""
    cdef Py_ssize_t reached = relabel(network)
    while not interrupted(&network.arena.failed, 8.0 * (network.edges + network.types)) and waiting(network):
        push(network, reached)
        reached = relabel(network)
    reach(network)


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


cdef int check_flow(Network network) except -1:
    """Raise what a signal has raised in the search for a flow; the network can be used again."""
    if network.arena.failed:
        network.arena.failed = 0
        return -1
    return 0


def cut_value(type_rows, type_shares, policy, cut_arms):
    """Return the capacity of a cut: the shares of types not inside `cut_arms`, plus the probability of those arms."""
    outside = type_rows @ ~cut_arms if isinstance(type_rows, ndarray) else type_rows.astype(float) @ ~cut_arms > 0
    return fsum(type_shares[outside].tolist() + policy[cut_arms].tolist())


def procedural_score(types, ndarray type_shares, ndarray policy):
    """Return the maximum total of shares that fits into the policy, PF(μ, P), as a float in [0, 1].

    `types` (m, K) booleans, or their `Network`; `type_shares` (m,) summing to 1, `policy` (K,).

    >>> procedural_score(np.array([[True, False], [False, True]]), np.array([2 / 3, 1 / 3]), np.array([0.5, 0.5]))
    0.8333...
    """
    cdef Network network = network_of(types)
    cdef double score = _send(network, reals(type_shares), reals(policy))
    check_flow(network)
    return score


def procedural_scores(types, ndarray type_shares, ndarray policies):
    """Return the procedural score (P,) of each row of `policies` (P, K), on one network."""
    cdef const double* shares = reals(type_shares)
    cdef const double* policy = reals(policies, 2)
    cdef Network network = network_of(types)
    cdef Py_ssize_t row, count = PyArray_DIM(policies, 0)
    cdef ndarray scores = vector(count)
    cdef double* score = <double *> PyArray_DATA(scores)
    for row in range(count):
        score[row] = _send(network, shares, policy + row * network.arms)
        check_flow(network)
    return scores


def max_flow(types, ndarray type_shares, ndarray policy):
    """Return a maximum flow with its proof: (flow, cut, y (m, K), cut arms (K,), reachable types (m,)).

    `types` are booleans (m, K), a sparse table, or a `Network` of either. `flow` is the total of `y`; `cut` is the
    capacity of the cut at `cut arms` and bounds every flow from above; they agree to 1e-12. The reachable types are the
    smallest group whose shares exceed the probability of its favourites the most; `cut arms` are those favourites.

    >>> flow, cut, y, arms, types = max_flow(np.eye(2, dtype=bool), np.array([2 / 3, 1 / 3]), np.array([0.5, 0.5]))
    >>> arms.tolist(), types.tolist()
    ([True, False], [True, False])
    """
    cdef Network network = network_of(types)
    cdef double flow = _send(network, reals(type_shares), reals(policy))
    check_flow(network)
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

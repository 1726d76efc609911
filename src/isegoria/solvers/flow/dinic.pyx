"""The procedural score as a maximum flow: shares run from types of agents through their favourites into the policy.

A type τ (agents with one favourite set) sends at most its share s_τ, an arm k takes at most p_k, and only favourites
are linked. Dinic's algorithm runs on whole multiples of 2^-60, so nothing is lost or gained on the way: the flow is
maximal exactly, and the cut that proves it is read off the last search.
"""

from libc.math cimport llrint
from libc.stdint cimport int64_t
from libc.string cimport memset

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria import tolerances
from isegoria.rows.arena cimport Arena, carve, check_arena, close_arena, integers, open_arena
from isegoria.rows.arrays cimport booleans, reals, vector
from isegoria.solvers.algebra.pair cimport pair, pair_and, pair_of

cdef double UNIT = 2.0**-60
cdef double PER_UNIT = 2.0**60
cdef double WIDENING = tolerances.FLOW_WIDENING


cdef units* amounts(Arena* arena, Py_ssize_t count) noexcept nogil:
    """An array (count,) from the arena."""
    return <units*> carve(arena, count, sizeof(units))


cdef units whole(double mass) noexcept nogil:
    """A probability as a whole number of units."""
    return llrint(mass * PER_UNIT)


cdef double mass(units amount) noexcept nogil:
    """A whole number of units as a probability."""
    return amount * UNIT


cdef class Network:
    """Types linked to their favourite arms; `carried` holds the flow on each link, in units.

    Links of a type are contiguous (`first`, `arm`), links of an arm are listed (`arm_first`, `arm_edge`). Only links
    within one block (`type_block`, `arm_block`; all 0 at first) are used, so that disjoint parts can flow at once.
    The types come as booleans (m, K), or as a sparse table (CSR) whose entries are the links. A network can be used
    again: whoever sends a flow joins the blocks and forgets the flow before it.
    """

    def __cinit__(self, type_rows):
        cdef bint dense = isinstance(type_rows, ndarray)
        cdef const unsigned char* rows = booleans(type_rows, 2) if dense else NULL
        cdef Py_ssize_t m = type_rows.shape[0], k = type_rows.shape[1], t, edges = 0
        if dense:
            for t in range(m * k):
                edges += rows[t] != 0
        else:
            edges = type_rows.nnz
        self.rows, self.types, self.arms, self.edges = type_rows, m, k, edges
        open_arena(&self.arena)
        self.carried = amounts(&self.arena, edges)
        self.left = amounts(&self.arena, m)
        self.room = amounts(&self.arena, k)
        self.first = integers(&self.arena, m + 1)
        self.arm = integers(&self.arena, edges)
        self.owner = integers(&self.arena, edges)
        self.arm_edge = integers(&self.arena, edges)
        self.arm_first = integers(&self.arena, k + 1)
        self.type_block = integers(&self.arena, m)
        self.arm_block = integers(&self.arena, k)
        self.type_level = integers(&self.arena, m)
        self.arm_level = integers(&self.arena, k)
        self.type_cursor = integers(&self.arena, m)
        self.arm_cursor = integers(&self.arena, k)
        self.queue = integers(&self.arena, m + k)
        check_arena(&self.arena)
        if dense:
            self.list_types(rows)
        else:
            self.copy_types(type_rows.indptr.astype(np.int64), type_rows.indices.astype(np.int64))
        self.link()

    def __dealloc__(self):
        close_arena(&self.arena)

    cdef void list_types(self, const unsigned char* rows) noexcept nogil:
        """List the links of every type from its row of booleans."""
        cdef Py_ssize_t t, a
        cdef int e = 0
        for t in range(self.types):
            self.first[t] = e
            for a in range(self.arms):
                if rows[t * self.arms + a]:
                    self.arm[e] = a
                    e += 1
        self.first[self.types] = e

    cdef void copy_types(self, const int64_t[::1] starts, const int64_t[::1] items) noexcept nogil:
        """The links of every type as a sparse table has them."""
        cdef Py_ssize_t t, e
        for t in range(self.types + 1):
            self.first[t] = <int> starts[t]
        for e in range(self.edges):
            self.arm[e] = <int> items[e]

    cdef void link(self) noexcept nogil:
        """List the links of every arm, and whose each is."""
        cdef Py_ssize_t t, a
        cdef int e
        memset(self.arm_first, 0, (self.arms + 1) * sizeof(int))
        for t in range(self.types):
            for e in range(self.first[t], self.first[t + 1]):
                self.owner[e] = t
                self.arm_first[self.arm[e] + 1] += 1
        for a in range(self.arms):
            self.arm_first[a + 1] += self.arm_first[a]
            self.arm_cursor[a] = self.arm_first[a]
        for e in range(self.edges):
            a = self.arm[e]
            self.arm_edge[self.arm_cursor[a]] = e
            self.arm_cursor[a] += 1

    cdef void join_blocks(self) noexcept nogil:
        """Put everyone into one block."""
        memset(self.type_block, 0, self.types * sizeof(int))
        memset(self.arm_block, 0, self.arms * sizeof(int))

    cdef void start_with(self, int degree_limit) noexcept nogil:
        """Let types with at most `degree_limit` favourites take what is free: a start that leaves little to mend."""
        cdef Py_ssize_t t
        cdef int e
        cdef units taken
        for t in range(self.types):
            if self.first[t + 1] - self.first[t] > degree_limit:
                continue
            for e in range(self.first[t], self.first[t + 1]):
                if self.left[t] == 0:
                    break
                if self.arm_block[self.arm[e]] != self.type_block[t]:
                    continue
                taken = min(self.left[t], self.room[self.arm[e]])
                self.carried[e] += taken
                self.left[t] -= taken
                self.room[self.arm[e]] -= taken

    cdef bint layer(self) noexcept nogil:
        """Number types and arms by distance from an unheard share; True when an arm with room is among them."""
        cdef Py_ssize_t t, head = 0, tail = 0
        cdef int node, e, i, other, reached = -1
        memset(self.type_level, -1, self.types * sizeof(int))
        memset(self.arm_level, -1, self.arms * sizeof(int))
        for t in range(self.types):
            if self.left[t] > 0:
                self.type_level[t] = 0
                self.queue[tail] = t
                tail += 1
        while head < tail:
            node = self.queue[head]
            head += 1
            if node < self.types:
                if reached >= 0 and self.type_level[node] >= reached:
                    break
                for e in range(self.first[node], self.first[node + 1]):
                    other = self.arm[e]
                    if self.arm_level[other] >= 0 or self.arm_block[other] != self.type_block[node]:
                        continue
                    self.arm_level[other] = self.type_level[node] + 1
                    if self.room[other] > 0:
                        reached = self.arm_level[other]
                    self.queue[tail] = self.types + other
                    tail += 1
            elif reached < 0:
                node -= self.types
                for i in range(self.arm_first[node], self.arm_first[node + 1]):
                    other = self.owner[self.arm_edge[i]]
                    if self.type_level[other] < 0 and self.carried[self.arm_edge[i]] > 0:
                        self.type_level[other] = self.arm_level[node] + 1
                        self.queue[tail] = other
                        tail += 1
        return reached >= 0

    cdef units from_type(self, int t, units amount) noexcept nogil:
        """Send up to `amount` from a type along the layers; what was sent."""
        cdef units sent = 0, step
        cdef int e, k
        while self.type_cursor[t] < self.first[t + 1]:
            e = self.type_cursor[t]
            k = self.arm[e]
            if self.arm_level[k] == self.type_level[t] + 1 and self.arm_block[k] == self.type_block[t]:
                step = self.from_arm(k, amount - sent)
                self.carried[e] += step
                sent += step
                if sent == amount:
                    break
            self.type_cursor[t] += 1
        return sent

    cdef units from_arm(self, int k, units amount) noexcept nogil:
        """Take up to `amount` into an arm: into its room, then in place of others who can go elsewhere."""
        cdef units sent = min(amount, self.room[k]), step
        cdef int e, t
        self.room[k] -= sent
        while sent < amount and self.arm_cursor[k] < self.arm_first[k + 1]:
            e = self.arm_edge[self.arm_cursor[k]]
            t = self.owner[e]
            if self.carried[e] > 0 and self.type_level[t] == self.arm_level[k] + 1:
                step = self.from_type(t, min(amount - sent, self.carried[e]))
                self.carried[e] -= step
                sent += step
                if sent == amount:
                    break
            self.arm_cursor[k] += 1
        return sent

    cdef void saturate(self) noexcept nogil:
        """Send all that can be sent (Dinic). Afterwards the levels ≥ 0 mark what an unheard share can reach."""
        cdef Py_ssize_t t, k
        while self.layer():
            for t in range(self.types):
                self.type_cursor[t] = self.first[t]
            for k in range(self.arms):
                self.arm_cursor[k] = self.arm_first[k]
            for t in range(self.types):
                if self.left[t] > 0:
                    self.left[t] -= self.from_type(t, self.left[t])

    cdef void widen(self, const double *room) noexcept nogil:
        """Give each arm a rounding's worth more room and send again, so that ties in exact numbers stay ties."""
        cdef Py_ssize_t k
        for k in range(self.arms):
            self.room[k] += whole(room[k] * WIDENING)
        self.saturate()


cdef Network network_of(types):
    """The network of these types; one that was made before, as it is."""
    return <Network> types if isinstance(types, Network) else Network(types)


cdef Network _saturated(types, const double* shares, const double* policy):
    """The network of these types with a maximum flow on it."""
    cdef Network network = network_of(types)
    _send(network, shares, policy)
    return network


cdef void _send(Network network, const double* shares, const double* policy) noexcept nogil:
    """Replace the flow on the network by a maximum flow of these shares into this policy."""
    cdef Py_ssize_t t, k
    network.join_blocks()
    memset(network.carried, 0, network.edges * sizeof(units))
    for t in range(network.types):
        network.left[t] = whole(shares[t])
    for k in range(network.arms):
        network.room[k] = whole(policy[k])
    network.start_with(1)
    network.start_with(network.arms)
    network.saturate()


cdef double _sent(Network network, const double* shares) noexcept nogil:
    """The value of the flow: all shares, less what is left."""
    cdef units total = 0
    cdef Py_ssize_t t
    for t in range(network.types):
        total += whole(shares[t]) - network.left[t]
    return min(1.0, mass(total))


def cut_value(type_rows, const double[::1] type_shares, const double[::1] policy, cut_arms):
    """The capacity of a cut: the shares of types not inside `cut_arms`, and the probability of those arms."""
    outside = type_rows @ ~cut_arms if isinstance(type_rows, np.ndarray) else type_rows.astype(float) @ ~cut_arms > 0
    inside = ~outside
    cdef const unsigned char[::1] within = inside.view(np.uint8), cut = cut_arms.view(np.uint8)
    cdef pair total = pair_of(0)
    cdef Py_ssize_t t, k
    for t in range(within.shape[0]):
        if not within[t]:
            total = pair_and(total, type_shares[t])
    for k in range(cut.shape[0]):
        if cut[k]:
            total = pair_and(total, policy[k])
    return total.hi + total.lo


def procedural_score(types, ndarray type_shares, ndarray policy):
    """The largest total of shares that fits into the policy, PF(μ, P), as a float in [0, 1].

    `types` (m, K) booleans, or their `Network`; `type_shares` (m,) summing to 1, `policy` (K,).

    >>> procedural_score(np.array([[True, False], [False, True]]), np.array([2 / 3, 1 / 3]), np.array([0.5, 0.5]))
    0.8333...
    """
    return _sent(_saturated(types, reals(type_shares), reals(policy)), reals(type_shares))


def procedural_scores(types, ndarray type_shares, ndarray policies):
    """(P,) the procedural score of each row of `policies` (P, K), on one network."""
    cdef const double* shares = reals(type_shares)
    cdef const double* policy = reals(policies, 2)
    cdef Network network = network_of(types)
    cdef Py_ssize_t row, count = PyArray_DIM(policies, 0)
    cdef ndarray scores = vector(count)
    cdef double* score = <double *> PyArray_DATA(scores)
    for row in range(count):
        _send(network, shares, policy + row * network.arms)
        score[row] = _sent(network, shares)
    return scores


def on_links(type_rows, carried):
    """(m, K) what is `carried` (edges,) on the links of the types, row by row; in the form in which they are given."""
    if isinstance(type_rows, np.ndarray):
        y = np.zeros(type_rows.shape)
        y[type_rows] = carried
        y.setflags(write=False)
        return y
    y = type_rows.astype(float)
    y.data = carried
    y.data.setflags(write=False)
    return y


def max_flow(types, ndarray type_shares, ndarray policy):
    """A maximum flow with its proof: (flow, cut, y (m, K), cut arms (K,), reachable types (m,)).

    `types` are booleans (m, K), a sparse table, or a `Network` of either. `flow` is the total of `y`; `cut` is the
    capacity of the cut at `cut arms` and bounds every flow from above; they agree to 1e-12. The reachable types are the
    smallest group whose shares exceed its favourites the most; `cut arms` are those favourites.

    >>> flow, cut, y, arms, types = max_flow(np.eye(2, dtype=bool), np.array([2 / 3, 1 / 3]), np.array([0.5, 0.5]))
    >>> arms.tolist(), types.tolist()
    ([True, False], [True, False])
    """
    cdef Network network = _saturated(types, reals(type_shares), reals(policy))
    cdef double flow = _sent(network, reals(type_shares))
    carried = np.asarray(<units[:network.edges]> network.carried) * UNIT if network.edges else np.zeros(0)
    y = on_links(network.rows, carried)
    network.widen(reals(policy))
    arms = np.asarray(<int[:network.arms]> network.arm_level) >= 0
    reachable = np.asarray(<int[:network.types]> network.type_level) >= 0
    return flow, max(flow, cut_value(network.rows, type_shares, policy, arms)), y, arms, reachable

"""Types of agents linked to their favourite arms: the network through which shares run into a policy."""

from libc.limits cimport INT_MAX
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

import numpy as np

from numpy cimport PyArray_DATA, PyArray_DIM, ndarray

from isegoria.errors import InputError
from isegoria.solvers.rows.arena cimport check_arena, close_arena, each_integers, integers, open_arena
from isegoria.solvers.rows.arrays cimport booleans, counts, frozen, reals, table


cdef class Network:
    """Types linked to their favourite arms; `carried` holds the flow on each link, in units.

    Links of a type are contiguous (`first`, `arm`), links of an arm are listed (`arm_first`, `arm_edge`). Only links
    within one block (`type_block`, `arm_block`) are used, so that disjoint parts can flow at once. The types come as
    booleans (m, K), or as a sparse table (CSR) whose entries are the links. A network can be used again.
    """

    def __cinit__(self, type_rows):
        cdef bint dense = isinstance(type_rows, ndarray)
        cdef const unsigned char* rows = booleans(type_rows, 2) if dense else NULL
        cdef Py_ssize_t m = type_rows.shape[0], k = type_rows.shape[1], t, edges = 0
        cdef Arena* arena = &self.arena
        cdef ndarray starts, items
        if dense:
            for t in range(m * k):
                edges += rows[t] != 0
        else:
            edges = type_rows.nnz
        open_arena(arena)
        if max(edges, m + k) > INT_MAX:
            raise InputError(
                f"{edges:,} favourites of {m:,} kinds of agents are more than a flow can number ({INT_MAX:,}). Ask "
                "about a part of the agents, or lower tie_tolerance, so that fewer arms are favourites."
            )
        self.rows, self.types, self.arms, self.edges = type_rows, m, k, edges
        self.carried, self.left, self.room = amounts(arena, edges), amounts(arena, m), amounts(arena, k)
        self.first, self.arm_first, self.queue = integers(arena, m + 1), integers(arena, k + 1), integers(arena, m + k)
        self.space, self.excess = amounts(arena, k), amounts(arena, k)
        each_integers(arena, edges, &self.arm, &self.owner, &self.arm_edge)
        each_integers(arena, m, &self.type_block, &self.type_level)
        each_integers(arena, k, &self.arm_block, &self.arm_level, &self.arm_cursor)
        check_arena(arena)
        if dense:
            list_types(self, rows)
        else:
            starts, items = type_rows.indptr.astype(np.intc), type_rows.indices.astype(np.intc)
            memcpy(self.first, PyArray_DATA(starts), (m + 1) * sizeof(int))
            memcpy(self.arm, PyArray_DATA(items), edges * sizeof(int))
        link(self)

    def __dealloc__(self):
        close_arena(&self.arena)

    cdef void join_blocks(self) noexcept nogil:
        """Put everyone into one block."""
        memset(self.type_block, 0, self.types * sizeof(int))
        memset(self.arm_block, 0, self.arms * sizeof(int))


cdef void list_types(Network network, const unsigned char* rows) noexcept nogil:
    """List the links of every type from its row of booleans."""
    cdef Py_ssize_t t, a
    cdef int e = 0
    for t in range(network.types):
        network.first[t] = e
        for a in range(network.arms):
            if rows[t * network.arms + a]:
                network.arm[e] = a
                e += 1
    network.first[network.types] = e


cdef void link(Network network) noexcept nogil:
    """List the links of every arm, and whose each is."""
    cdef Py_ssize_t t, a
    cdef int e
    memset(network.arm_first, 0, (network.arms + 1) * sizeof(int))
    for t in range(network.types):
        for e in range(network.first[t], network.first[t + 1]):
            network.owner[e] = t
            network.arm_first[network.arm[e] + 1] += 1
    for a in range(network.arms):
        network.arm_first[a + 1] += network.arm_first[a]
        network.arm_cursor[a] = network.arm_first[a]
    for e in range(network.edges):
        a = network.arm[e]
        network.arm_edge[network.arm_cursor[a]] = e
        network.arm_cursor[a] += 1


cdef Network network_of(types):
    """The network of these types; one that was made before, as it is."""
    return <Network> types if isinstance(types, Network) else Network(types)


def on_links(type_rows, ndarray carried):
    """Return what is `carried` (edges,) on the links as (m, K), in the form in which the types are given."""
    if not isinstance(type_rows, ndarray):
        listed = type_rows.astype(float)
        listed.data = frozen(carried)
        return listed
    cdef ndarray y = table(PyArray_DIM(type_rows, 0), PyArray_DIM(type_rows, 1))
    cdef const unsigned char *linked = booleans(type_rows, 2)
    cdef const double *given = reals(carried)
    cdef double *own = <double *> PyArray_DATA(y)
    cdef Py_ssize_t place, e = 0
    for place in range(type_rows.size):
        own[place] = given[e] if linked[place] else 0.0
        e += linked[place] != 0
    return frozen(y)


def split(by_type, ndarray type_weights, ndarray member, ndarray weights=None):
    """Split the rows of `by_type` (m, K), dense or sparse, among the members of each type, by weight or evenly (N, K).

    >>> split(np.array([[0.75, 0.0]]), np.array([3]), np.array([0, 0]), np.array([1, 2])).tolist()
    [[0.25, 0.0], [0.5, 0.0]]
    """
    if not isinstance(by_type, ndarray):
        handed = by_type[member]
        handed.data *= np.repeat((1 if weights is None else weights) / type_weights[member], np.diff(handed.indptr))
        frozen(handed.data)
        return handed
    cdef const double *carried = reals(by_type, 2)
    cdef const int64_t *type_weight = counts(type_weights)
    cdef const int64_t *of = counts(member)
    cdef const int64_t *weight = NULL if weights is None else counts(weights)
    cdef Py_ssize_t i, k, n = PyArray_DIM(member, 0), arms = PyArray_DIM(by_type, 1)
    cdef ndarray y = table(n, arms)
    cdef double *own = <double *> PyArray_DATA(y)
    cdef const double *row
    cdef double part
    for i in range(n):
        part = <double> (weight[i] if weight != NULL else 1) / <double> type_weight[of[i]]
        row = carried + of[i] * arms
        for k in range(arms):
            own[k] = part * row[k]
        own += arms
    return frozen(y)

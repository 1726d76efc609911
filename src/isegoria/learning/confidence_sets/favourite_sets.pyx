"""Estimated favourite sets as bit codes, and the policy that gives each of them an equal voice."""

import numpy as np

from libc.stdint cimport int64_t, uint64_t

from isegoria.utils import tolerances
from isegoria.errors import CertificationError
from isegoria.solvers.nash.decision_shares import policy_of_rows, procedural_policy
from isegoria.solvers.nash.decision_shares cimport procedural_from_codes

cdef Py_ssize_t LARGE = 20_000      # agents times arms: from here on the solver starts from the last policy
cdef Py_ssize_t ARMS_IN_A_CODE = 64


cdef class FavouriteSets:
    """Sets of `n` agents over `arms` arms. A subclass computes them and reports whether any has changed."""

    def __cinit__(self, Py_ssize_t agents, Py_ssize_t arms, *args):
        self.n, self.arms, self.words = agents, arms, (arms + ARMS_IN_A_CODE - 1) // ARMS_IN_A_CODE
        self.codes = full(agents, arms)
        self.code = self.codes
        self.known = False
        self.weigh(np.ones(agents, np.int64))

    def weigh(self, weights):
        """Set the agents' `weights` (n,); the policy computed before is no longer valid."""
        self.weights = None if (weights == 1).all() else np.array(weights, np.int64)
        self.known = False
        self.weight = NULL
        cdef const int64_t[::1] view
        if self.weights is not None:
            view = self.weights
            self.weight = &view[0]

    def __len__(self):
        return self.n

    def adopt(self, codes):
        """Restore the sets of an earlier round, so that only differences from them count as a change (None: all)."""
        self.known = codes is not None
        known = np.array(codes, np.uint64).reshape(self.words, self.n) if self.known else full(self.n, self.arms)
        self.codes[:] = known

    def mark(self):
        """Return what `adopt` restores."""
        return self.codes.copy() if self.known else None

    def matrix(self):
        """Return the sets as booleans (n, K)."""
        return unpack_sets(self.codes, self.arms)

    def policy(self, last):
        """Compute the certified policy (K,) with the largest product of decision shares (line 13).

        Of several optima it is the one of minimum norm.

        In large groups the search starts from the `last` policy, which is close; in small groups that would gain
        nothing.
        """
        cdef int warm = self.n * self.arms >= LARGE
        if self.words > 1:
            return procedural_policy(self.matrix(), self.weights)[0]
        policy = np.array(last, dtype=np.float64)
        cdef double[::1] p = policy
        cdef double margin, gap
        with nogil:
            gap = procedural_from_codes(&self.code[0, 0], self.weight, self.n, self.arms, warm, &p[0], &margin)
        if not gap <= tolerances.NASH_GAP:
            raise CertificationError(f"the policy of this round could not be certified: its gap is {gap:.3g}.")
        return policy

    def policy_by(self, tie_break, direction):
        """Compute the policy (K,) as `policy` does, with ties between optima broken by `tie_break`."""
        rows = self.matrix()
        weights = np.ones(self.n, dtype=np.int64) if self.weights is None else self.weights
        order = np.lexsort((weights, *rows.T))      # so that not even rounding depends on the order of the agents
        return policy_of_rows(rows[order], weights[order], tie_break, direction).policy

    cdef bint differ(self, const uint64_t[:, ::1] truth) noexcept nogil:
        """Return whether some set differs from that of `truth`."""
        cdef Py_ssize_t w, i
        for w in range(self.words):
            for i in range(self.n):
                if self.code[w, i] != truth[w, i]:
                    return True
        return False

    cdef uint64_t digest(self) noexcept nogil:
        """Return a 64-bit multiplicative hash of the pattern of sets (patterns are counted, not protected)."""
        cdef uint64_t h = 0x9E3779B97F4A7C15
        cdef Py_ssize_t w, i
        for w in range(self.words):
            for i in range(self.n):
                h = (h ^ self.code[w, i]) * <uint64_t> 0xD6E8FEB86659FD93
                h ^= h >> 32
        return h


def pack_sets(sets):
    """Pack the sets (n, K) into bit codes (words, n).

    >>> pack_sets(np.array([[True, False, True], [False, True, False]])).tolist()
    [[5, 2]]
    """
    bits = np.packbits(sets, axis=1, bitorder="little")
    padded = np.zeros((len(sets), -(-sets.shape[1] // ARMS_IN_A_CODE) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(padded.view(np.uint64).T)


def unpack_sets(codes, Py_ssize_t arms):
    """Unpack bit codes into sets (n, K) of booleans.

    >>> unpack_sets(np.array([[5, 2]], dtype=np.uint64), 3).tolist()
    [[True, False, True], [False, True, False]]
    """
    bits = np.arange(arms, dtype=np.uint64)
    words = codes[(bits >> np.uint64(6)).astype(np.intp)]
    return np.ascontiguousarray(((words >> (bits & np.uint64(63))[:, None]) & np.uint64(1)).T.astype(bool))


def full(Py_ssize_t agents, Py_ssize_t arms):
    """Return the bit codes (words, n) of agents whose sets hold every arm."""
    return pack_sets(np.ones((1, arms), dtype=bool)).repeat(agents, axis=1)

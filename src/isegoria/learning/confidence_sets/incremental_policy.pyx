"""The incremental policy of the elimination learner: agents in doubt explore with their own voice, others play fairly.

P = Σ_i (w_i/W) y_i. The voice y_i of an agent in doubt is 1 − explore on its leader and explore/(c − 1) on each other
candidate. The resolved agents have the procedural policy of their sets alone. A change of leader moves two entries of
P, so the weights behind it are kept as sums of integers: by leader, and by arm and size of set. Rounding then depends
only on the current candidates and leaders. `voices` computes the same for all agents at once, and for rounds in which
some arm is not available.
"""

import numpy as np

from libc.stdint cimport int64_t, uint64_t

from isegoria.utils import tolerances
from isegoria.errors import CertificationError
from isegoria.learning.confidence_sets.favourite_sets import unpack_sets
from isegoria.solvers.nash.decision_shares import procedural_policy
from isegoria.learning.confidence_sets.betting_sets cimport BettingSets
from isegoria.learning.confidence_sets.matched_pairs cimport lowest_bit
from isegoria.solvers.nash.decision_shares cimport procedural_from_codes

cdef Py_ssize_t LARGE = 20_000      # agents times arms: from here on the solver starts from the last policy

cdef class OwnVoices:
    """The running policy of `sets` for the agents present, with `weights` (n,), with every arm available."""

    def __cinit__(self, BettingSets sets, weights, double explore, double lend, double trickle, rule=None):
        cdef Py_ssize_t i, n = sets.n, K = sets.arms, lines = min(n, K) + 1
        self.sets, self.explore, self.lend, self.trickle, self.rule = sets, explore, lend, trickle, rule
        self.weights = np.ascontiguousarray(weights, dtype=np.int64)
        self.weight, self.total = self.weights, self.weights.sum()
        place = np.full(sets.agents, -1, np.intp)
        place[np.asarray(sets.rows)] = np.arange(n)
        self.place = place
        self.lead, self.beside = np.zeros(K, np.int64), np.zeros((lines, K), np.int64)
        self.line, self.users = np.full(K + 1, -1, np.intp), np.zeros(lines, np.int64)
        self.shown_leader, self.shown_size = np.zeros(n, np.intp), np.zeros(n, np.intp)
        self.shown, self.touched = np.zeros((n, sets.words), np.uint64), np.ones(K, np.uint8)
        self.policy, self.resolved_policy = np.zeros(K), np.full(K, 1.0 / K)
        self.trickled, self.p = np.zeros(K), self.policy
        self.share, self.p_resolved = 0.0, self.resolved_policy
        self.version, self.any_touched, self.stale = 0, True, False
        for i in range(n):
            self.apply(i, sets.rows[i])
        sets.movers = 0
        sets.moved[:] = 0
        self.stale = self.resolved > 0

    def renew(self):
        """Update P to the current sets; `version` shows whether it has changed."""
        self.refresh()

    def solved(self):
        """Return whether `resolved_policy` is that of the agents who are resolved now."""
        cdef Py_ssize_t m, i
        if self.stale:
            return False
        for m in range(self.sets.movers):
            i = self.sets.mover[m]
            if self.place[i] >= 0 and (self.shown_leader[self.place[i]] < 0 or not self.sets.doubt[i]):
                return False
        return True

    def go_on_from(self, policy, bint solved):
        """Start the next search at `policy` (K,), or use it as it is if it was `solved` for these very sets."""
        self.resolved_policy = np.array(policy, dtype=float)
        if self.resolved_policy.shape != (self.p.shape[0],):
            raise ValueError("the policy of the resolved does not fit the arms")
        if solved:
            self.settle_on(policy)

    def tried(self):
        """Return the arms that an agent in doubt may still try, as of the last `renew`."""
        cdef Py_ssize_t k, size
        cdef bint found
        arms = []
        for k in range(self.p.shape[0]):
            found = self.lead[k] > 0
            for size in range(2, self.line.shape[0]):
                found = found or (self.line[size] >= 0 and self.beside[self.line[size], k] > 0)
            if found:
                arms.append(k)
        return tuple(arms)

    def settle_on(self, policy):
        """Use `policy` (K,) as that of the resolved agents; it must have been computed for the same sets."""
        self.resolved_policy = np.array(policy, dtype=float)
        self.p_resolved, self.stale = self.resolved_policy, False
        self.trickled, spread_out = self._trickle()
        self.share = (self.resolved - self.trickle * spread_out) / <double> self.total

    def _trickle(self):
        """Return ((K,) Σ w η/(K − c) over the resolved agents whose set lacks the arm, total weight of those who pay).

        Set sizes are counted separately, in integers, so that rounding does not depend on the order of the agents.
        """
        cdef Py_ssize_t K = self.p.shape[0]
        spent = np.zeros(K)
        if self.trickle == 0.0:
            return spent, 0
        pays = (np.asarray(self.shown_leader) < 0) & (np.asarray(self.shown_size) < K)
        outside, sizes = ~unpack_sets(np.ascontiguousarray(np.asarray(self.shown)[pays].T), K), self.shown_size
        sizes, weights = np.asarray(sizes)[pays], self.weights[pays]
        for size in np.unique(sizes):
            spent += self.trickle / (K - size) * (weights[sizes == size] @ outside[sizes == size])
        return spent, weights.sum()

    cdef int refresh(self) except -1:
        """Update P to the current sets; return 1 if it has changed."""
        cdef Py_ssize_t m, i, k
        cdef double before
        cdef bint changed = False
        for m in range(self.sets.movers):
            i = self.sets.mover[m]
            self.sets.stir[i] = 0
            if self.place[i] >= 0:
                self.apply(self.place[i], i)
        self.sets.movers = 0
        if self.stale:
            self.solve()
        if self.any_touched:
            for k in range(self.p.shape[0]):
                if self.touched[k]:
                    before = self.p[k]
                    self.mix(k)
                    changed |= self.p[k] != before
                    self.touched[k] = 0
            self.any_touched = False
        self.version += changed
        return changed

    cdef void apply(self, Py_ssize_t i, Py_ssize_t row) noexcept nogil:
        """Replace what the sums hold of agent i (its `row` among all) by its current state."""
        cdef Py_ssize_t w, before = self.shown_leader[i]
        cdef Py_ssize_t now = self.sets.book.leader[row] if self.sets.doubt[row] else -1
        cdef bint same = self.shown_size[i] > 0
        for w in range(self.sets.words):
            same &= self.shown[i, w] == self.sets.book.keep[w * self.sets.agents + row]
        if same and before >= 0 and now >= 0:
            w = self.line_of(self.shown_size[i])
            self.lead[before] -= self.weight[i]
            self.lead[now] += self.weight[i]
            self.beside[w, before] += self.weight[i]
            self.beside[w, now] -= self.weight[i]
            self.touched[before] = self.touched[now] = self.any_touched = 1
        elif not same or before != now:
            if self.shown_size[i] > 0:
                self.add(i, -self.weight[i])
            for w in range(self.sets.words):
                self.shown[i, w] = self.sets.book.keep[w * self.sets.agents + row]
            self.shown_leader[i], self.shown_size[i] = now, self.sets.size(row)
            self.add(i, self.weight[i])
        self.shown_leader[i] = now

    cdef void add(self, Py_ssize_t i, int64_t weight) noexcept nogil:
        """Add agent i, as it is shown, to the sums; a negative weight removes it."""
        cdef Py_ssize_t w, k, line
        cdef uint64_t here
        if self.shown_leader[i] < 0:
            self.resolved += weight
            self.stale = True
            return
        line = self.line_of(self.shown_size[i])
        self.in_doubt += weight
        self.lead[self.shown_leader[i]] += weight
        for w in range(self.shown.shape[1]):
            here = self.shown[i, w]
            while here:
                k = (w << 6) + lowest_bit(here)
                here &= here - 1
                if k != self.shown_leader[i]:
                    self.beside[line, k] += weight
                self.touched[k] = 1
        self.any_touched = True
        if self.lend > 0.0:
            self.touched[:] = 1     # the doubters' mean has another weight
        self.users[line] += 1 if weight > 0 else -1
        if self.users[line] == 0:
            self.line[self.shown_size[i]] = -1

    cdef Py_ssize_t line_of(self, Py_ssize_t size) noexcept nogil:
        """Return the line of `beside` for sets of this size: the one in use, or else a free one."""
        cdef Py_ssize_t line = self.line[size]
        if line < 0:
            line = 0
            while self.users[line] > 0:
                line += 1
            self.line[size] = line
        return line

    cdef int solve(self) except -1:
        """Compute the procedural policy of the resolved agents present."""
        cdef Py_ssize_t m = 0, K = self.p.shape[0]
        cdef double gap, margin
        cdef uint64_t[::1] codes
        cdef int64_t[::1] weights
        cdef double[::1] p
        cdef int warm = self.sets.n * K >= LARGE
        self.stale = False
        self.touched[:] = 1
        self.any_touched = True
        if self.resolved == 0:
            return 0
        chosen = np.asarray(self.shown_leader) < 0
        if self.rule is not None:
            sets = unpack_sets(np.ascontiguousarray(np.asarray(self.shown)[chosen].T), K)
            self.settle_on(self.rule(sets, self.weights[chosen]))
            return 0
        policy = np.array(self.resolved_policy)
        if self.sets.words > 1:
            sets = unpack_sets(np.ascontiguousarray(np.asarray(self.shown)[chosen].T), K)
            policy = procedural_policy(sets, self.weights[chosen])[0]
        else:
            codes, weights, p = np.asarray(self.shown)[chosen, 0], self.weights[chosen], policy
            m = codes.shape[0]
            gap = procedural_from_codes(&codes[0], &weights[0], m, K, warm, &p[0], &margin)
            if not gap <= tolerances.NASH_GAP:
                raise CertificationError(f"the policy of this round could not be certified: its gap is {gap:.3g}.")
        self.settle_on(policy)
        return 0

    cdef void mix(self, Py_ssize_t k) noexcept nogil:
        """Compute P_k from the sums, with sizes in their order."""
        cdef Py_ssize_t size
        cdef double doubters = 0.0, all_of_it
        for size in range(2, self.line.shape[0]):
            if self.line[size] >= 0:
                doubters += <double> self.beside[self.line[size], k] / (size - 1)
        doubters = (1.0 - self.explore) * self.lead[k] + self.explore * doubters
        all_of_it = doubters / self.total
        if self.resolved > 0:
            all_of_it += self.share * self.p_resolved[k] + self.trickled[k] / self.total
        if self.lend > 0.0 and self.in_doubt > 0:
            all_of_it = (1.0 - self.lend) * all_of_it + self.lend * (doubters / self.in_doubt)
        self.p[k] = all_of_it

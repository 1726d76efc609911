"""Which arms may still be an agent's favourite, by bets that only a favourite is sure to survive.

For agent i and arm k the hypothesis is "k is a favourite of i". Exploration goes in sweeps. At the start of a sweep
its arms S, each agent's leader j (the empirically best of its candidates in S) and the bets λ_ik are fixed; it ends
when every arm of S was pulled once and those tickets are closed. Then capital_ik is multiplied by
1 + λ_ik (x_ij − x_ik) where the agent answered both, and k is dropped when its capital has reached 1/α. Under the
hypothesis E[x_ij − x_ik] ≤ 0 for every j, so the capital is a non-negative supermartingale over sweeps, and it ever
reaches 1/α with probability at most α (Ville). `docs/explanation/guided.md` has the proof, and what it needs.
"""

import numpy as np

from libc.math cimport NAN, isnan
from libc.stdint cimport int64_t, uint64_t

from isegoria.learning.sets.capital cimport PRIOR_MEAN, PRIOR_VARIANCE, Capital
from isegoria.learning.sets.tally cimport Tally

cdef double LARGEST_BET = 0.98      # below 1, so that no sweep can cost everything


cdef class BettingSets(Capital):
    """The sets of `Capital`, and the sweep that is running."""

    def __cinit__(self, Py_ssize_t present, Py_ssize_t n_arms, rows, Tally tally, *rest, **more):
        cdef Py_ssize_t agents = tally.agents
        self.swept, self.pulled = np.zeros(n_arms, np.uint8), np.zeros(n_arms, np.int64)
        self.told, self.scope = np.zeros(n_arms, np.uint8), np.zeros(n_arms, np.uint8)
        self.doubtful = np.zeros(n_arms, np.intp)
        self.best, self.scatter, self.members = np.zeros(agents), np.zeros(agents), np.zeros(agents, np.int32)
        self.leaders = np.full(agents, -1, np.int32)
        self.state, self.running = UNRESOLVED, False
        self.bets, self.waiting = np.zeros((n_arms, agents)), np.full((n_arms, agents), np.nan)
        self.bet, self.wait = self.bets, self.waiting
        self.sweep, self.first, self.done, self.leader = self.swept, self.pulled, self.told, self.leaders

    def grow_from(self, BettingSets old):
        """Take over what is known of those who were there before, the running sweep included."""
        cdef Py_ssize_t K = old.arms, N = old.tally.agents
        Capital.grow_from(self, old)
        self.running, self.state = old.running, old.state
        for mine, its in ((self.swept, old.swept), (self.pulled, old.pulled), (self.told, old.told),
                          (self.leaders, old.leaders)):
            mine[: len(its)] = its
        self.bets[:K, :N], self.waiting[:K, :N] = old.bets, old.waiting

    def sweep_state(self):
        """The running sweep as data and arrays; None when there is none."""
        if not self.running:
            return None
        arms = np.flatnonzero(self.swept)
        return {
            "state": self.state,
            "arms": arms.tolist(),
            "pulled": self.pulled[arms].tolist(),
            "told": self.told[arms].tolist(),
            "leaders": self.leaders,
            "bets": self.bets[arms],
            "waiting": self.waiting[arms],
        }

    def resume_sweep(self, saved, unpacked):
        """Go on with the sweep that `sweep_state` described."""
        self.running = saved is not None
        if not self.running:
            return
        arms = np.array(saved["arms"], dtype=np.intp)
        if len(arms) == 0 or arms.min() < 0 or arms.max() >= self.arms:
            raise ValueError("its sweep has arms that do not exist")
        self.state = int(saved["state"])
        self.swept[arms], self.pulled[arms], self.told[arms] = 1, saved["pulled"], saved["told"]
        self.leaders[:] = unpacked(saved["leaders"])
        if self.leaders.min() < -1 or self.leaders.max() >= self.arms:
            raise ValueError("its sweep has leaders that do not exist")
        self.bets[arms], self.waiting[arms] = unpacked(saved["bets"]), unpacked(saved["waiting"])

    def exploration(self, arms):
        """(state, the arms that are worth a pull now): of the running sweep those not yet pulled, else of the next one.
        """
        self.arms_of(arms)
        cdef int state = self.look()
        return state, tuple([self.doubtful[a] for a in range(self.doubts)])

    def settled(self, arms, int64_t t, Py_ssize_t arm, bint forced):
        """Take note that round `t` pulls `arm`; a sweep starts with it when none is running."""
        self.arms_of(arms)
        self.settle(t, arm, forced)

    def closed(self, int64_t t, Py_ssize_t arm, const double[::1] rewards, rows):
        """Take note that the ticket of round `t` is closed; it may have been the last one that its sweep waited for."""
        if self.running and self.sweep[arm] and self.first[arm] == t:
            self.close_ticket(t, arm, &rewards[0], self.rows if rows is self.present else rows)

    cdef int look(self) noexcept nogil:
        """The state, and in `doubtful` the available arms that are worth a pull, of which there are `doubts`."""
        cdef Py_ssize_t a, k
        cdef int state = self.state
        cdef bint wanted
        self.doubts = 0
        if self.certain:
            return CERTAIN
        if not self.running:
            self.mask()
            state = self.spot()
        for a in range(self.here.shape[0]):
            k = self.here[a]
            wanted = self.sweep[k] != 0 and self.first[k] == 0 if self.running else self.scope[k] != 0
            if wanted:
                self.doubtful[self.doubts] = k
                self.doubts += 1
        return state if self.doubts else CERTAIN

    cdef int spot(self) noexcept nogil:
        """The state of the agents present, and in `scope` the available candidates of those who are in that state."""
        cdef Py_ssize_t i, k, w
        cdef int state = CERTAIN, one
        cdef bint several = False
        self.scope[:] = 0
        for i in range(self.n):
            if self.size(self.rows[i], False) < 2:
                continue
            several = True
            one = TIED if self.close[self.rows[i]] else UNRESOLVED
            if one < state or self.size(self.rows[i], True) < 2:
                continue
            for k in range(self.arms):
                w = k >> 6
                self.scope[k] = (self.scope[k] if one == state else 0) | (
                    ((self.keep[w, self.rows[i]] & self.open_arms[w]) >> (k & 63)) & 1)
            state = one
        self.certain = not several and not self.fading
        return state

    cdef void settle(self, int64_t t, Py_ssize_t arm, bint forced) noexcept nogil:
        cdef Py_ssize_t k, a
        cdef bint stuck = self.running, open_ticket = False, waits = False
        if self.running:
            for k in range(self.arms):
                if self.sweep[k] and self.first[k] == 0:
                    waits = True
                elif self.sweep[k] and not self.done[k]:
                    open_ticket = True
            for a in range(self.here.shape[0]):
                if self.sweep[self.here[a]] and self.first[self.here[a]] == 0:
                    stuck = False
            if stuck and waits and not open_ticket:
                self.end()      # what it waits for cannot be had today: it ends with what it has
                return
        elif not forced and not self.certain:
            self.mask()
            self.state = self.spot()
            if self.state != CERTAIN:
                self.start()
        if self.running and self.sweep[arm] and self.first[arm] == 0:
            self.first[arm] = t

    cdef void start(self) noexcept nogil:
        cdef Py_ssize_t k
        for k in range(self.arms):
            self.sweep[k] = self.scope[k]
            self.first[k] = 0
            self.done[k] = 0
        self.leader[:] = -1
        self.choose_leaders()
        for k in range(self.arms):
            if self.sweep[k]:
                self.place_bets(k)
        self.running = True

    cdef void choose_leaders(self) noexcept nogil:
        """The empirically best of each agent's candidates in the sweep, with its mean and its estimated variance."""
        cdef Py_ssize_t i, k, row
        cdef double mean
        for i in range(self.n):
            self.members[self.rows[i]] = 0
            self.best[self.rows[i]] = -1.0
        for k in range(self.arms):  # here and below the outer loop: one arm's numbers lie side by side
            if not self.sweep[k]:
                continue
            for i in range(self.n):
                row = self.rows[i]
                if (self.keep[k >> 6, row] >> (k & 63)) & 1:
                    mean = (self.total[k, row] + PRIOR_MEAN) / (self.seen[k, row] + 1.0)
                    self.members[row] += 1
                    if mean > self.best[row]:
                        self.best[row] = mean
                        self.leader[row] = <int> k
        for i in range(self.n):
            row = self.rows[i]
            if self.members[row] < 2:
                self.leader[row] = -1
            else:
                k = self.leader[row]
                self.scatter[row] = (self.V[k, row] + PRIOR_VARIANCE) / (self.seen[k, row] + 1.0)

    cdef void place_bets(self, Py_ssize_t k) noexcept nogil:
        """λ = m / (v + m²) on each agent's leader against arm `k`, where that is a candidate."""
        cdef Py_ssize_t i, row
        cdef double share, lead, size
        for i in range(self.n):
            row = self.rows[i]
            if self.leader[row] < 0:
                continue
            self.wait[k, row] = NAN
            self.bet[k, row] = 0.0
            if k == self.leader[row] or not (self.keep[k >> 6, row] >> (k & 63)) & 1:
                continue
            share = 1.0 / (self.seen[k, row] + 1.0)
            lead = self.best[row] - (self.total[k, row] + PRIOR_MEAN) * share
            size = lead / (self.scatter[row] + (self.V[k, row] + PRIOR_VARIANCE) * share + lead * lead)
            self.bet[k, row] = min(max(size, 0.0), LARGEST_BET)

    cdef void close_ticket(self, int64_t t, Py_ssize_t arm, const double* rewards,
                           const Py_ssize_t[::1] rows) noexcept nogil:
        cdef Py_ssize_t i, k
        if not self.running or not self.sweep[arm] or self.first[arm] != t:
            return
        for i in range(rows.shape[0]):
            if self.leader[rows[i]] >= 0:
                self.wait[arm, rows[i]] = rewards[i]
        self.done[arm] = 1
        for k in range(self.arms):
            if self.sweep[k] and not self.done[k]:
                return
        self.end()

    cdef void end(self) noexcept nogil:
        """Pay out the bets, drop what they have disproved, and see who is resolved. Sets change here only."""
        cdef Py_ssize_t i, k, agents = self.leader.shape[0]
        self.running = False
        self.fresh = False
        for i in range(agents):
            self.best[i] = self.wait[self.leader[i], i] if self.leader[i] >= 0 else NAN
        for k in range(self.arms):
            if self.sweep[k]:
                self.pay(k)
        for i in range(agents):
            if self.leader[i] >= 0:
                self.judge(i)

    cdef void pay(self, Py_ssize_t k) noexcept nogil:
        """What the bets against arm `k` have won or lost; `best` holds what the leaders brought."""
        cdef Py_ssize_t i
        for i in range(self.leader.shape[0]):
            if self.leader[i] < 0 or self.bet[k, i] == 0.0 or isnan(self.best[i]) or isnan(self.wait[k, i]):
                continue
            self.wealth[k, i] *= 1.0 + self.bet[k, i] * (self.best[i] - self.wait[k, i])
            if self.wealth[k, i] >= self.cost[k, i]:
                self.keep[k >> 6, i] &= ~((<uint64_t> 1) << (k & 63))

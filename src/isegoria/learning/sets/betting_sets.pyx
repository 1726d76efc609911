"""Which arms may still be an agent's favourite, by bets that only a favourite is sure to survive.

For agent i and arm k the hypothesis is "k is a favourite of i". Exploration goes in sweeps. At the start of a sweep
its arms S, each agent's leader j (the empirically best of its candidates in S) and the bets λ_ik are fixed; it ends
when every arm of S was pulled once and those tickets are closed. Then capital_ik is multiplied by
1 + λ_ik (x_ij − x_ik) where the agent answered both, and k is dropped when its capital has reached 1/α. Under the
hypothesis E[x_ij − x_ik] ≤ 0 for every j, so the capital is a non-negative supermartingale over sweeps, and it ever
reaches 1/α with probability at most α (Ville). `docs/explanation/guided.md` has the proof, and what it needs.

How close the candidates that remain are to each other is told by bounds on their means (`bounds`), which need no state
of their own.
"""

import numpy as np

from libc.math cimport INFINITY, NAN, isnan, log, log1p, pow
from libc.stdint cimport int64_t, uint64_t

from isegoria.learning.sets.favourite_sets import full
from isegoria.learning.sets.favourite_sets cimport FavouriteSets
from isegoria.learning.sets.tally cimport Tally

cdef double LARGEST_BET = 0.98      # below 1, so that no sweep can cost everything
cdef double PRIOR_MEAN = 0.5        # one imagined reward before the first: the middle of [0, 1] …
cdef double PRIOR_VARIANCE = 0.25   # … and the largest variance that [0, 1] allows
cdef enum:
    SCALES = 16                     # the λ of the bounds: 0.75 · 2^-g for g below this
cdef double FIRST_SCALE = 0.75
cdef double SIDES = 2.0 * SCALES    # events that share a pair's α: every λ, from above and from below
cdef double RETURN = 0.5            # where the past fades, a dropped arm is back at this share of its log capital
cdef double[SCALES] SCALE, LOSS     # λ_g, and −ln(1 − λ_g) − λ_g

cdef int _g
for _g in range(SCALES):
    SCALE[_g] = FIRST_SCALE * 2.0 ** -_g
    LOSS[_g] = -log1p(-SCALE[_g]) - SCALE[_g]


cdef extern from *:
    int popcount "__builtin_popcountll"(uint64_t code) nogil


cdef class BettingSets(FavouriteSets):
    """The capitals of all pairs, the sweep that is running, and each agent's candidates.

    `rows` are the agents present. `price` (K, N) is 1/α of each pair, for its bets and once more for its bounds.
    Rewards are counted by `tally`.
    """

    def __cinit__(self, Py_ssize_t present, Py_ssize_t n_arms, rows, Tally tally, price, double resolution,
                  bint fading=False):
        cdef Py_ssize_t agents = tally.agents
        self.present, self.rows, self.every_arm = rows, rows, np.arange(n_arms)
        self.arms_of(self.every_arm)
        self.tally, self.price, self.resolution, self.fading = tally, price, resolution, fading
        self.faded = np.zeros((2, n_arms, agents)) if fading else None
        self.swept, self.pulled = np.zeros(n_arms, np.uint8), np.zeros(n_arms, np.int64)
        self.told, self.scope = np.zeros(n_arms, np.uint8), np.zeros(n_arms, np.uint8)
        self.doubtful = np.zeros(n_arms, np.intp)
        self.best, self.scatter, self.members = np.zeros(agents), np.zeros(agents), np.zeros(agents, np.int32)
        self.least_log = log(SIDES * price.min())
        self.leaders = np.full(agents, -1, np.int32)
        self.open_arms = np.zeros(self.words, np.uint64)
        self.state, self.running = UNRESOLVED, False
        shape = n_arms, agents
        self.take(np.zeros(shape), np.ones(shape), full(agents, n_arms), np.zeros(agents, np.uint8))
        self.bets, self.waiting = np.zeros(shape), np.full(shape, np.nan)
        self.bet, self.wait = self.bets, self.waiting
        self.sweep, self.first, self.done, self.leader = self.swept, self.pulled, self.told, self.leaders

    def take(self, spread, capital, kept, resolved):
        """Go on from these numbers of all pairs and agents."""
        self.spread = np.array(spread, dtype=np.float64, order="C")
        self.capital = np.array(capital, dtype=np.float64, order="C")
        self.kept = np.array(kept, dtype=np.uint64, order="C")
        self.resolved = np.array(resolved, dtype=np.uint8)
        shape = self.arms, self.tally.agents
        if self.spread.shape != shape or self.capital.shape != shape or self.kept.shape != (self.words, shape[1]):
            raise ValueError(f"what is known of the pairs is not of shape {shape}")
        self.V, self.wealth, self.keep, self.close = self.spread, self.capital, self.kept, self.resolved
        self.cost = self.price
        if self.fading:
            self.seen, self.total = self.faded[0], self.faded[1]
        else:
            self.seen, self.total = self.tally.n, self.tally.s
        self.fresh = self.certain = False

    def adopt(self, codes):
        """Take over the sets of an earlier round."""
        FavouriteSets.adopt(self, codes)
        self.fresh = False

    def grow_from(self, BettingSets old):
        """Take over what is known of those who were there before, the running sweep included."""
        cdef Py_ssize_t K = old.arms, N = old.tally.agents
        spread, capital = np.zeros((self.arms, self.tally.agents)), np.ones((self.arms, self.tally.agents))
        spread[:K, :N], capital[:K, :N] = old.spread, old.capital
        kept, before = full(self.tally.agents, self.arms), full(N, K)
        kept[: old.words, :N] &= ~before | old.kept     # a new arm is everyone's candidate
        resolved = np.zeros(self.tally.agents, np.uint8)
        if self.arms == K:
            resolved[:N] = old.resolved
        if self.fading:
            self.faded[:, :K, :N] = old.faded
        self.take(spread, capital, kept, resolved)
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

    # -- as asked and told ---------------------------------------------------------------------------------------------

    cdef int arms_of(self, arms) except -1:
        """Turn to the available `arms` of a round, an array of indices; usually those of the round before."""
        if arms is not self.available:
            self.available, self.here = arms, arms
        return 0

    def update(self, arms):
        """Whether any set over the available `arms` changed."""
        self.arms_of(arms)
        return self.refresh()

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

    def heard(self, Py_ssize_t arm, const double[::1] rewards, rows):
        """Learn how much these rewards, which the tally has counted already, scatter; NaN is no answer."""
        self.record(arm, &rewards[0], self.rows if rows is self.present else rows)

    def closed(self, int64_t t, Py_ssize_t arm, const double[::1] rewards, rows):
        """Take note that the ticket of round `t` is closed; it may have been the last one that its sweep waited for."""
        if self.running and self.sweep[arm] and self.first[arm] == t:
            self.close_ticket(t, arm, &rewards[0], self.rows if rows is self.present else rows)

    def fade(self, double share):
        """Let everything fade to this share."""
        self.fade_all(share)

    def intervals(self):
        """(lower, upper), each (N, K): the bounds on the means."""
        cdef Py_ssize_t k, i
        lower, upper = np.empty((self.tally.agents, self.arms)), np.empty((self.tally.agents, self.arms))
        cdef double[:, ::1] low = lower, high = upper
        for i in range(self.tally.agents):
            for k in range(self.arms):
                self.bounds(k, i, &low[i, k], &high[i, k])
        return lower, upper

    # -- a round -------------------------------------------------------------------------------------------------------

    cdef bint refresh(self) noexcept nogil:
        """Bring the sets of the agents present to what is known; True when any changed.

        Where some candidate is not available, its drops may have been proved against arms that are missing too: then
        the agent's set is every available arm whose upper bound reaches the largest available lower one.
        """
        cdef Py_ssize_t i, w
        cdef bint changed = not self.known, all_arms = self.here.shape[0] == self.arms, whole
        cdef uint64_t now
        if all_arms and self.fresh and self.known:
            return False
        self.mask()
        for i in range(self.n):
            whole = True
            for w in range(self.words):
                whole &= (self.keep[w, self.rows[i]] & ~self.open_arms[w]) == 0
            if whole:
                for w in range(self.words):
                    now = self.keep[w, self.rows[i]]
                    changed |= self.code[w, i] != now
                    self.code[w, i] = now
            else:
                changed |= self.by_bounds(self.rows[i], i)
        self.known, self.fresh = True, all_arms
        return changed

    cdef void mask(self) noexcept nogil:
        cdef Py_ssize_t a, w
        for w in range(self.words):
            self.open_arms[w] = 0
        for a in range(self.here.shape[0]):
            self.open_arms[self.here[a] >> 6] |= (<uint64_t> 1) << (self.here[a] & 63)

    cdef bint by_bounds(self, Py_ssize_t row, Py_ssize_t i) noexcept nogil:
        cdef Py_ssize_t a, w
        cdef double best = -1.0, lower, upper
        cdef bint changed = False
        cdef uint64_t now
        for a in range(self.here.shape[0]):
            self.bounds(self.here[a], row, &lower, &upper)
            best = max(best, lower)
        a = 0
        for w in range(self.words):
            now = 0
            while a < self.here.shape[0] and self.here[a] >> 6 == w:
                self.bounds(self.here[a], row, &lower, &upper)
                if upper >= best:
                    now |= (<uint64_t> 1) << (self.here[a] & 63)
                a += 1
            changed |= self.code[w, i] != now
            self.code[w, i] = now
        return changed

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

    cdef int size(self, Py_ssize_t i, bint available) noexcept nogil:
        """How many candidates agent `i` has, or how many of them are available."""
        cdef Py_ssize_t w
        cdef int members = 0
        for w in range(self.words):
            members += popcount(self.keep[w, i] & self.open_arms[w] if available else self.keep[w, i])
        return members

    cdef int spot(self) noexcept nogil:
        """The state of the agents present, and in `scope` the available candidates of those who are in that state."""
        cdef Py_ssize_t i, k, w
        cdef int state = CERTAIN, one
        cdef bint several = False
        for k in range(self.arms):
            self.scope[k] = 0
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

    # -- sweeps --------------------------------------------------------------------------------------------------------

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
        cdef Py_ssize_t i, k
        for k in range(self.arms):
            self.sweep[k] = self.scope[k]
            self.first[k] = 0
            self.done[k] = 0
        for i in range(self.leader.shape[0]):
            self.leader[i] = -1
        self.choose_leaders()
        for k in range(self.arms):
            if self.sweep[k]:
                self.place_bets(k)
        self.running = True

    cdef void choose_leaders(self) noexcept nogil:
        """The empirically best of each agent's candidates in the sweep, with its mean and its estimated variance.

        Here and below arms are the outer loop: one arm's numbers lie side by side.
        """
        cdef Py_ssize_t i, k, row
        cdef double mean
        for i in range(self.n):
            self.members[self.rows[i]] = 0
            self.best[self.rows[i]] = -1.0
        for k in range(self.arms):
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

    cdef void record(self, Py_ssize_t arm, const double* rewards, const Py_ssize_t[::1] rows) noexcept nogil:
        """V, after the tally has counted: the distance is from the running mean before the reward."""
        cdef Py_ssize_t i, row
        cdef double off
        for i in range(rows.shape[0]):
            if isnan(rewards[i]):
                continue
            row = rows[i]
            if self.fading:
                self.seen[arm, row] += 1.0
                self.total[arm, row] += rewards[i]
            off = rewards[i] - (self.total[arm, row] - rewards[i] + PRIOR_MEAN) / self.seen[arm, row]
            self.V[arm, row] += off * off

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

    cdef void judge(self, Py_ssize_t i) noexcept nogil:
        """An agent is resolved when its candidates are known to be within the resolution of each other; it stays so."""
        cdef Py_ssize_t k
        cdef double low = 1.0, high = 0.0, lower, upper
        if self.fading:
            self.close[i] = 0
        if self.close[i] or self.size(i, False) < 2:
            return
        for k in range(self.arms):
            if (self.keep[k >> 6, i] >> (k & 63)) & 1:
                if self.seen[k, i] * self.resolution * FIRST_SCALE < self.least_log:
                    return      # too few rewards: its bounds are wider than that, whatever they were
                self.bounds(k, i, &lower, &upper)
                low, high = min(low, lower), max(high, upper)
                if high - low > self.resolution:
                    return
        self.close[i] = 1

    cdef void bounds(self, Py_ssize_t k, Py_ssize_t i, double* lower, double* upper) noexcept nogil:
        """Σx/n ± min_g (ln(32/α) + h(λ_g) V) / (λ_g n), cut to [0, 1]; both sides hold at all times at once."""
        cdef double n = self.seen[k, i], radius = INFINITY, one, centre
        cdef double log_term = log(SIDES * self.cost[k, i])
        cdef int g
        lower[0], upper[0] = 0.0, 1.0
        if n <= 0.0:
            return
        for g in range(SCALES):
            one = (log_term + LOSS[g] * self.V[k, i]) / SCALE[g]
            if one > radius:
                break           # the price falls and then rises with g: its least was found
            radius = one
        centre, radius = self.total[k, i] / n, radius / n
        lower[0], upper[0] = max(0.0, centre - radius), min(1.0, centre + radius)

    cdef void fade_all(self, double share) noexcept nogil:
        """Of counts, sums, scatter and log capitals the `share` stays. Nothing is promised then."""
        cdef Py_ssize_t k, i
        for k in range(self.arms):
            for i in range(self.seen.shape[1]):
                self.seen[k, i] *= share
                self.total[k, i] *= share
                self.V[k, i] *= share
                self.wealth[k, i] = pow(self.wealth[k, i], share)
                if not (self.keep[k >> 6, i] >> (k & 63)) & 1 and self.wealth[k, i] < pow(self.cost[k, i], RETURN):
                    self.keep[k >> 6, i] |= (<uint64_t> 1) << (k & 63)
                    self.close[i] = 0
                    self.fresh = False
        self.certain = False

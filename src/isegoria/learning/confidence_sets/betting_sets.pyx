"""Candidate sets by betting: an arm is dropped when bets on matched pairs refute that it is a favourite.

For agent i and arm k the hypothesis is "k is a favourite of i". While i is in doubt, each of its candidates except the
leader is paired with the leader (`matched_pairs`). When a pair is full, with y the difference of the two mean rewards,
two wealths are multiplied by 1 + λ y. Arm k is dropped when their mean reaches c · part / bet (`prices`), where c is
the number of candidates. Under the hypothesis the wealths are supermartingales under any rule that picks arms, so that
the probability that one ever reaches x is at most 1/x (Ville). A pair that has seen a reward is never discarded: one
that cannot be filled is closed with worst-case values. `docs/explanation/elimination.md` has the proof.

A resolved agent is watched for changes. Pairs of the arms it has dropped, against its leader, gather evidence that they
are better after all. An alarm resets the agent.
"""

import numpy as np

from libc.math cimport INFINITY, isnan
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from isegoria.learning.confidence_sets.favourite_sets import full
from isegoria.learning.confidence_sets.matched_pairs import unheard, unknown_pairs
from isegoria.learning.confidence_sets.matched_pairs cimport (
    Heard,
    Pair,
    ask_for,
    count_reward,
    fill_pairs,
    follow_leader,
    heard_of,
    is_candidate,
    lead_again,
    lowest_bit,
    pair_of,
    share_out,
    shut_pair,
)
from isegoria.learning.confidence_sets.mean_bounds cimport MeanBounds
from isegoria.learning.confidence_sets.simd cimport all_told
from isegoria.learning.confidence_sets.change_detection cimport Clocks, gather

cdef double FIRST_SCALE = 0.75
cdef enum:
    LOOK_AHEAD = 8      # agents to prefetch ahead


cdef class BettingSets(MeanBounds):
    """The bounds of `MeanBounds`, the wealth won on matched pairs, and which agents are in doubt.

    `resolution` is the maximum distance between the candidates of an agent that is called close.
    """

    def __cinit__(self, Py_ssize_t present, Py_ssize_t n_arms, rows, Py_ssize_t agents, prices, double resolution):
        self.resolution, self.part, self.alarm, self.bet_error = resolution, prices.part, prices.alarm, prices.bet
        self.watched, self.clocks = bool(np.isfinite(prices.alarm).all()), Clocks(n_arms, agents, self.words)
        self.mover, self.alarmed_at = np.zeros(agents, np.intp), np.zeros(agents, np.int64)
        self.alarm_at, self.unfit = self.alarmed_at, np.zeros(agents, np.int32)
        self.misfit, self.news, self.paying = self.unfit, False, np.zeros(agents, np.uint8)
        self.judge_from(np.zeros(agents, np.uint8), np.full(agents, -1 if n_arms > 1 else 0))

    def judge_from(self, close, resolved_at):
        """Restore which agents are close (N,) and since which rounds (N,) they are resolved."""
        cdef Py_ssize_t i
        self.close, self.resolved_at = np.array(close, np.uint8), np.array(resolved_at, np.int64)
        self.doubting, self.moved = np.zeros(self.agents, np.uint8), np.zeros(self.agents, np.uint8)
        self.near, self.settled_at, self.doubt, self.stir = self.close, self.resolved_at, self.doubting, self.moved
        self.movers, self.richest = 0, np.full(self.agents, INFINITY)
        for i in range(self.agents):
            self.doubt[i] = not self.near[i] and self.size(i) > 1

    def hold(self, pairs, heard, kept):
        """Restore `pairs` (K, N), the statistics `heard` (K, N) and the candidates `kept` (words, N)."""
        MeanBounds.hold(self, pairs, heard, kept)
        self.clocks = Clocks(self.arms, self.agents, self.words)

    def write_down(self):
        """Write what the clocks hold into `pairs`, so that `pairs` is complete."""
        cdef Py_ssize_t i
        for i in range(self.agents):
            self.clocks.leave(&self.book, i, True)

    def grow_from(self, BettingSets old):
        """Copy what is known from the sets `old` of a smaller group; a new arm is everyone's candidate."""
        old.write_down()
        pairs, kept = unknown_pairs(self.arms, self.agents), full(self.agents, self.arms)
        before, heard = full(old.agents, old.arms), unheard(self.arms, self.agents)
        pairs[: old.arms, : old.agents], heard[: old.arms, : old.agents] = old.pairs, old.heard
        kept[: old.words, : old.agents] &= ~before | old.kept
        close, resolved_at = np.zeros(self.agents, np.uint8), np.full(self.agents, -1)
        if self.arms == old.arms:
            close[: old.agents], resolved_at[: old.agents] = old.close, old.resolved_at
        self.hold(pairs, heard, kept)
        self.judge_from(close, resolved_at)
        self.alarmed_at[: old.agents], self.unfit[: old.agents] = old.alarmed_at, old.unfit
        self.news, self.book.whole = old.news, old.book.whole

    def hear(self, int64_t t, Py_ssize_t arm, const double[::1] rewards, rows, const double[::1] shares):
        """Learn the rewards of `arm` that the agents `rows` reported (NaN: none), when `t` rounds were decided.

        `shares` (K,) say how often each arm is played, fixed before these rewards were seen (after `count_votes`, as
        integers). They determine only how many rewards of each arm a pair takes.
        """
        self.hear_all(t, arm, &rewards[0], self.rows if rows is self.present else rows, &shares[0])

    def close_pairs(self, Py_ssize_t i):
        """Close the open pairs of agent `i`, which leaves, with worst-case values."""
        cdef Py_ssize_t k
        self.clocks.leave(&self.book, i, True)
        for k in range(self.arms):
            if pair_of(&self.book, k, i).leader >= 0:
                if is_candidate(&self.book, i, k):
                    self.pay(i, k, True)
                else:
                    self.pay_watch(i, k, True)

    cdef void hear_all(self, int64_t t, Py_ssize_t a, const double* rewards, const Py_ssize_t[::1] rows,
                       const double* shares) noexcept nogil:
        """Open and fill pairs, count, pay, drop, judge and update the leaders.

        Each step is done for all agents before the next; the agents are independent of each other.
        """
        cdef bint everyone = rows.shape[0] == self.agents and all_told(rewards, self.agents)
        cdef bint together = everyone or self.all_listed_answer(rewards, rows)
        cdef bint some = not (everyone and self.clocks.whole_members == self.agents), apart = False
        share_out(&self.book, shares)
        if some:
            apart = self.fill_all(a, rewards, rows, together)
        self.count_all(a, rewards, rows, everyone)
        if some:
            self.settle_all(t, a, rewards, rows)
        if together and self.clocks.listed > 0:
            self.turn_clocks(t, a, self.clocks.told)
        if apart and self.watched:
            self.join_clocks(rewards, rows)

    cdef bint all_listed_answer(self, const double* rewards, const Py_ssize_t[::1] rows) noexcept nogil:
        """Return whether every agent on a clock has answered."""
        cdef Py_ssize_t r, found = 0
        if self.clocks.listed == 0:
            return True
        if rows.shape[0] < self.clocks.listed:
            return False
        for r in range(rows.shape[0]):
            found += not isnan(rewards[r]) and self.clocks.place[rows[r]] >= 0
        return found == self.clocks.listed

    cdef bint fill_all(self, Py_ssize_t a, const double* rewards, const Py_ssize_t[::1] rows,
                       bint together) noexcept nogil:
        """Open and fill the pairs that are not on a clock; return whether some resolved agent could join a clock."""
        cdef Py_ssize_t r, i
        cdef bint apart = False
        for r in range(rows.shape[0]):
            if r + LOOK_AHEAD < rows.shape[0]:
                i = rows[r + LOOK_AHEAD]
                if self.book.leader[i] == a and self.doubt[i]:
                    ask_for(&self.book, i)
            i = rows[r]
            if isnan(rewards[r]) or (together and self.clocks.whole[i]):
                continue
            if self.doubt[i]:
                self.paying[i] = fill_pairs(&self.book, i, a, rewards[r], True)
                continue
            if not together:
                self.clocks.leave(&self.book, i, True)
            apart = apart or not self.near[i]
            self.paying[i] = self.watched and fill_pairs(&self.book, i, a, rewards[r], False)
        return apart

    cdef void count_all(self, Py_ssize_t a, const double* rewards, const Py_ssize_t[::1] rows,
                        bint everyone) noexcept nogil:
        """Count the rewards of arm `a` of the agents who answered; `everyone` says that all did."""
        cdef Py_ssize_t r
        if everyone:
            memcpy(self.clocks.told, rewards, self.agents * sizeof(double))
            for r in range(self.agents):
                count_reward(&self.book, r, a, rewards[r])
            return
        for r in range(rows.shape[0]):
            if not isnan(rewards[r]):
                self.clocks.told[rows[r]] = rewards[r]
                count_reward(&self.book, rows[r], a, rewards[r])

    cdef void settle_all(self, int64_t t, Py_ssize_t a, const double* rewards,
                         const Py_ssize_t[::1] rows) noexcept nogil:
        """Pay the full pairs and update the leaders."""
        cdef Py_ssize_t r, i
        for r in range(rows.shape[0]):
            i = rows[r]
            if isnan(rewards[r]) or self.clocks.whole[i]:
                continue
            if self.doubt[i]:
                if self.paying[i]:
                    self.pay_doubter(t, i)
                if follow_leader(&self.book, i, a):
                    self.move(i)
            elif not (self.paying[i] and self.alarms_one(t, i)) and self.near[i]:
                follow_leader(&self.book, i, a)

    cdef void turn_clocks(self, int64_t t, Py_ssize_t a, const double* told) noexcept nogil:
        """Advance the clocks by a round of arm `a`, and reset the agents that raise an alarm."""
        cdef Py_ssize_t r
        self.clocks.turn(&self.book, a, told)
        for r in range(self.clocks.alarms):
            if not self.doubt[self.clocks.alarmed[r]]:
                self.start_anew(t, self.clocks.alarmed[r])

    cdef void join_clocks(self, const double* rewards, const Py_ssize_t[::1] rows) noexcept nogil:
        """Put the agents who answered and are resolved on the clocks."""
        cdef Py_ssize_t r, i
        for r in range(rows.shape[0]):
            i = rows[r]
            if not (isnan(rewards[r]) or self.doubt[i] or self.near[i] or self.clocks.whole[i]):
                self.clocks.join(&self.book, i, self.alarm[i])

    cdef void pay_doubter(self, int64_t t, Py_ssize_t i) noexcept nogil:
        """Pay the full pairs of an agent in doubt, drop refuted arms, and decide whether it is resolved."""
        cdef Py_ssize_t w
        cdef uint64_t here
        for w in range(self.words):
            here = self.book.filled[i * self.words + w]
            while here:
                self.pay(i, (w << 6) + lowest_bit(here), False)
                here &= here - 1
        self.drop(i)
        self.judge(t, i)

    cdef bint alarms_one(self, int64_t t, Py_ssize_t i) noexcept nogil:
        """Pay the full watch pairs of a resolved agent; reset it and return True if they raise an alarm."""
        cdef Py_ssize_t w
        cdef uint64_t here
        for w in range(self.words):
            here = self.book.filled[i * self.words + w]
            while here:
                if self.pay_watch(i, (w << 6) + lowest_bit(here), False) >= self.alarm[i]:
                    self.start_anew(t, i)
                    return True
                here &= here - 1
        return False

    cdef void move(self, Py_ssize_t i) noexcept nogil:
        """Note that the voice of agent `i` has changed."""
        if not self.stir[i]:
            self.stir[i] = 1
            self.mover[self.movers] = i
            self.movers += 1

    cdef void pay(self, Py_ssize_t i, Py_ssize_t k, bint worst) noexcept nogil:
        """Pay out agent i's pair of its candidate `k`.

        With `worst`, each missing reward counts as 0 for the arm in front and as 1 for `k`.
        """
        cdef Pair* pair = pair_of(&self.book, k, i)
        cdef double own = pair.own, y
        if worst:
            own = own + (pair.own_size - pair.own_seen)
        y = pair.ahead / pair.ahead_size - own / pair.own_size
        pair.capital[0] *= 1.0 + pair.bet[0] * y
        pair.capital[1] *= 1.0 + pair.bet[1] * y
        self.richest[i] = max(self.richest[i], (pair.capital[0] + pair.capital[1]) / 2.0)
        shut_pair(&self.book, i, k)

    cdef double pay_watch(self, Py_ssize_t i, Py_ssize_t k, bint worst) noexcept nogil:
        """Pay one more pair of arm `k`, which agent i has dropped, and return the evidence so far.

        Here `k` is the arm in front, and the agent's leader is the one behind.
        """
        cdef Pair* pair = pair_of(&self.book, k, i)
        cdef double behind = pair.ahead, found
        if worst:
            behind = behind + (pair.ahead_size - pair.ahead_seen)
        found = gather(pair, behind, self.resolution if self.near[i] else 0.0)
        shut_pair(&self.book, i, k)
        return found

    cdef void drop(self, Py_ssize_t i) noexcept nogil:
        """Drop, in their order, the refuted candidates; never the leader, and none whose pair is open."""
        cdef Py_ssize_t w, k
        cdef uint64_t here
        cdef Pair* pair
        cdef int left = self.size(i)
        cdef double capital, most = 0.0
        if self.richest[i] < left * self.part[i] / self.bet_error:
            return
        self.richest[i] = 0.0
        for w in range(self.words):
            here = self.book.keep[w * self.agents + i]
            while here:
                k = (w << 6) + lowest_bit(here)
                here &= here - 1
                pair = pair_of(&self.book, k, i)
                capital = (pair.capital[0] + pair.capital[1]) / 2.0
                if left > 1 and k != self.book.leader[i] and pair.leader < 0 and (
                        capital >= left * self.part[i] / self.bet_error):
                    self.remove(i, k)
                    left -= 1
                else:
                    most = max(most, capital)
        self.richest[i] = max(self.richest[i], most)    # what was paid on the way counts too

    cdef void remove(self, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
        """Drop arm `k`: close pairs against it with worst-case values, and free its own pair for change detection."""
        cdef Py_ssize_t w, m
        cdef uint64_t here
        cdef Pair* pair = pair_of(&self.book, k, i)
        self.book.keep[(k >> 6) * self.agents + i] &= ~((<uint64_t> 1) << (k & 63))
        self.fresh = False
        for w in range(self.words):
            here = self.book.opened[i * self.words + w] & self.book.keep[w * self.agents + i]
            while here:
                m = (w << 6) + lowest_bit(here)
                here &= here - 1
                if pair_of(&self.book, m, i).leader == k:
                    self.pay(i, m, True)
        pair.capital[0] = pair.capital[1] = 0.0
        pair.paid = 0
        lead_again(&self.book, i)
        self.move(i)

    cdef void judge(self, int64_t t, Py_ssize_t i) noexcept nogil:
        """Mark agent `i` as resolved if it has one candidate, or if all of them are known to be close."""
        if self.size(i) > 1:
            if not self.candidates_are_near(i):
                return
            self.near[i] = 1
        self.doubt[i] = 0
        self.settled_at[i] = t
        self.news = True
        self.move(i)

    cdef bint candidates_are_near(self, Py_ssize_t i) noexcept nogil:
        """Return whether the largest upper bound exceeds the smallest lower one by at most the resolution."""
        cdef Py_ssize_t w, k
        cdef uint64_t here
        cdef double low = 1.0, high = 0.0, lower, upper
        for w in range(self.words):
            here = self.book.keep[w * self.agents + i]
            while here:
                k = (w << 6) + lowest_bit(here)
                here &= here - 1
                if heard_of(&self.book, k, i).n * self.resolution * FIRST_SCALE < self.width[i]:
                    return False        # too few rewards: its bounds are wider than that, whatever they were
                self.bounds(k, i, &lower, &upper)
                low, high = min(low, lower), max(high, upper)
                if high - low > self.resolution:
                    return False
        return True

    cdef void start_anew(self, int64_t t, Py_ssize_t i) noexcept nogil:
        """Reset agent `i` after an alarm: discard its statistics and make every arm a candidate again."""
        cdef Py_ssize_t w, k
        cdef Pair* pair
        cdef Heard* heard
        self.clocks.leave(&self.book, i, False)
        self.alarm_at[i], self.misfit[i] = t, self.book.leader[i]
        for k in range(self.arms):
            pair = pair_of(&self.book, k, i)
            pair.capital[0] = pair.capital[1] = 1.0
            pair.leader, pair.paid = -1, 0
            heard = heard_of(&self.book, k, i)
            heard.n = heard.total = heard.spread = 0.0
            heard.mean = 0.5
            self.book.keep[(k >> 6) * self.agents + i] |= (<uint64_t> 1) << (k & 63)
            for w in range(self.words):
                self.book.lacking[(k * self.agents + i) * self.words + w] = 0
        for w in range(self.words):
            self.book.opened[i * self.words + w] = self.book.awaited[i * self.words + w] = 0
        self.near[i], self.doubt[i], self.settled_at[i], self.richest[i] = 0, self.arms > 1, -1, 1.0
        self.news, self.fresh = True, False
        lead_again(&self.book, i)
        self.move(i)

"""The watch of those who are resolved: what it gathers, and clocks by which many agents' pairs run together.

When a pair opens, fills and is full is decided by the arms that are played, never by rewards. So agents with the same
favourite whose pairs of an arm are in the same state stay in it together, for as long as all of them answer. Such a
state is kept once, on a clock; what each one's rewards add up to, and what its watch has gathered, remains its own. An
agent goes by clocks arm by arm, as soon as its state is the clock's, and leaves them when it does not answer with the
others. Nothing but speed depends on who goes by one.
"""

from libc.math cimport log
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free

from isegoria.learning.sets.matched_pairs cimport Book, Pair, lowest_bit, pair_of, size_up

cdef double SLOW_BET = 0.25, QUICK_BET = 0.75
cdef double STAKE = 0.9                             # Σ_s STAKE / ((s + 2) ln²(s + 2)) is below 1
cdef enum:
    TABLED = 65536
cdef double[TABLED] STAKES
cdef double[9] PART                                 # 1/b: what one of b rewards counts for in a mean
cdef int _s
for _s in range(1, 9):
    PART[_s] = 1.0 / _s
for _s in range(TABLED):
    STAKES[_s] = STAKE / ((_s + 2.0) * log(_s + 2.0) * log(_s + 2.0))


cdef inline double stake(int s) noexcept nogil:
    """γ_s: what is staked on a change at the s-th full pair."""
    if s < TABLED:
        return STAKES[s]
    return STAKE / ((s + 2.0) * log(s + 2.0) * log(s + 2.0))


cdef inline double paid_out(Pair* pair, double z, double quick) noexcept nogil:
    cdef double start
    pair.paid += 1
    start = stake(pair.paid)
    pair.capital[0] = (pair.capital[0] + start) * (1.0 + SLOW_BET * z)
    pair.capital[1] = (pair.capital[1] + start) * (1.0 + quick * z)
    return (pair.capital[0] + pair.capital[1]) / 2.0


cdef double gather(Pair* pair, double behind, double slack) noexcept nogil:
    """What the watch of a dropped arm has gathered after one more pair, in which its leader's rewards add up to
    `behind`; here the dropped arm is the one in front. `slack` is how much better it may be."""
    cdef double z = pair.own * PART[pair.own_size] - behind * PART[pair.ahead_size] - slack
    return paid_out(pair, z, QUICK_BET / (1.0 + slack))


cdef class Clocks:
    """The clocks of a group of `agents` agents and `arms` arms; nobody goes by one at first."""

    def __cinit__(self, Py_ssize_t arms, Py_ssize_t agents, Py_ssize_t words):
        cdef Py_ssize_t i
        self.arms, self.agents, self.words, self.listed, self.alarms = arms, agents, words, 0, 0
        self.clock = <Clock*> calloc(arms * arms, sizeof(Clock))
        self.member = <int32_t*> calloc(arms * agents, sizeof(int32_t))
        self.alarmed = <int32_t*> calloc(arms * agents, sizeof(int32_t))
        self.count = <int32_t*> calloc(arms, sizeof(int32_t))
        self.place = <int32_t*> calloc(agents, sizeof(int32_t))
        self.told, self.whole = <double*> calloc(agents, sizeof(double)), <unsigned char*> calloc(agents, 1)
        if not (self.whole and self.clock and self.member and self.count and self.place and self.alarmed and self.told):
            raise MemoryError
        for i in range(agents):
            self.place[i] = -1

    def __dealloc__(self):
        free(self.clock)
        free(self.member)
        free(self.count)
        free(self.place)
        free(self.alarmed)
        free(self.told)
        free(self.whole)

    cdef void join(self, Book* book, Py_ssize_t i) noexcept nogil:
        """Let agent `i`, of one candidate, go by the clocks that are where its pairs are, or by which nobody goes."""
        cdef Py_ssize_t w, k, f = book.leader[i]
        cdef uint64_t here, bit
        cdef Clock* clock
        cdef Pair* pair
        self.whole[i] = True
        for w in range(self.words):
            here = book.every[w] & ~book.keep[w * self.agents + i] & ~book.apart[i * self.words + w]
            while here:
                bit = here & -here
                k = (w << 6) + lowest_bit(here)
                here &= here - 1
                clock, pair = &self.clock[f * self.arms + k], pair_of(book, k, i)
                if pair.leader >= 0 and pair.leader != f:
                    self.whole[i] = False
                    continue
                if clock.members == 0:
                    clock.is_open = pair.leader >= 0
                    clock.ahead_size, clock.own_size = pair.ahead_size, pair.own_size
                    clock.ahead_seen, clock.own_seen = pair.ahead_seen, pair.own_seen
                elif clock.is_open != (pair.leader >= 0) or (clock.is_open and (
                        clock.ahead_size != pair.ahead_size or clock.own_size != pair.own_size
                        or clock.ahead_seen != pair.ahead_seen or clock.own_seen != pair.own_seen)):
                    self.whole[i] = False
                    continue
                clock.members += 1
                book.apart[i * self.words + w] |= bit
                book.opened[i * self.words + w] &= ~bit
                book.lacking[(f * self.agents + i) * self.words + w] &= ~bit
                if self.place[i] < 0:
                    self.place[i] = self.count[f]
                    self.member[f * self.agents + self.count[f]] = <int32_t> i
                    self.count[f] += 1
                    self.listed += 1

    cdef void leave(self, Book* book, Py_ssize_t i, bint write_down) noexcept nogil:
        """Let agent `i` go by no clock any more; its pairs are as the clocks say, if that is to be written down."""
        cdef Py_ssize_t w, f = book.leader[i]
        cdef uint64_t here
        cdef int32_t last
        self.whole[i] = False
        if self.place[i] < 0:
            return
        for w in range(self.words):
            here = book.apart[i * self.words + w]
            book.apart[i * self.words + w] = 0
            while here:
                self.leave_arm(book, i, (w << 6) + lowest_bit(here), write_down)
                here &= here - 1
        self.count[f] -= 1
        last = self.member[f * self.agents + self.count[f]]
        self.member[f * self.agents + self.place[i]] = last
        self.place[last] = self.place[i]
        self.place[i] = -1
        self.listed -= 1

    cdef void leave_arm(self, Book* book, Py_ssize_t i, Py_ssize_t k, bint write_down) noexcept nogil:
        cdef Py_ssize_t f = book.leader[i], w = k >> 6
        cdef Clock* clock = &self.clock[f * self.arms + k]
        cdef Pair* pair = pair_of(book, k, i)
        cdef uint64_t bit = (<uint64_t> 1) << (k & 63)
        clock.members -= 1
        pair.leader = -1
        if write_down and clock.is_open:
            pair.leader = <int32_t> f
            pair.ahead_size, pair.own_size = clock.ahead_size, clock.own_size
            pair.ahead_seen, pair.own_seen = clock.ahead_seen, clock.own_seen
            book.opened[i * self.words + w] |= bit
            if pair.ahead_seen < pair.ahead_size:
                book.lacking[(f * self.agents + i) * self.words + w] |= bit

    cdef void turn(self, Book* book, Py_ssize_t a, const double[::1] alarm) noexcept nogil:
        """Bring the rewards `told` of arm `a` to the pairs of all who go by a clock, and note who is alarmed."""
        cdef Py_ssize_t f, k
        self.alarms = 0
        for f in range(self.arms):
            if self.count[f] == 0:
                continue
            if f != a:
                self.tick(book, f, a, False, alarm)
                continue
            for k in range(self.arms):
                self.tick(book, f, k, True, alarm)

    cdef void tick(self, Book* book, Py_ssize_t f, Py_ssize_t k, bint front, const double[::1] alarm) noexcept nogil:
        """One more reward of the favourite `f` (in `front`) or of arm `k`, for all who go by that clock."""
        cdef Clock* clock = &self.clock[f * self.arms + k]
        cdef Py_ssize_t r, i, w = k >> 6
        cdef bint opens = not clock.is_open, full, everyone = clock.members == self.count[f]
        cdef Pair* pairs = pair_of(book, k, 0)
        cdef Pair* pair
        cdef const int32_t* member = &self.member[f * self.agents]
        cdef double ahead, own
        if clock.members == 0:
            return
        if opens:
            if book.sizes[f * self.arms + k].stamp != book.stamp:
                size_up(book, f, k)
            clock.is_open, clock.ahead_seen, clock.own_seen = True, 0, 0
            clock.ahead_size, clock.own_size = book.sizes[f * self.arms + k].ahead, book.sizes[f * self.arms + k].own
        if (clock.ahead_seen == clock.ahead_size) if front else (clock.own_seen == clock.own_size):
            return
        clock.ahead_seen += front
        clock.own_seen += not front
        full = clock.ahead_seen == clock.ahead_size and clock.own_seen == clock.own_size
        clock.is_open, ahead, own = not full, PART[clock.ahead_size], PART[clock.own_size]
        for r in range(self.count[f]):
            i = member[r]
            if not everyone and not (book.apart[i * self.words + w] >> (k & 63)) & 1:
                continue
            pair = &pairs[i]
            if opens:
                pair.ahead = pair.own = 0.0
            if front:
                pair.ahead += self.told[i]
            else:
                pair.own += self.told[i]
            if full and paid_out(pair, pair.own * own - pair.ahead * ahead, QUICK_BET) >= alarm[i]:
                self.alarmed[self.alarms] = <int32_t> i
                self.alarms += 1

"""Change detection for resolved agents: the evidence it gathers, and clocks that advance many agents' pairs together.

When a pair opens, fills and is full is decided by the arms that are played, never by rewards. So agents with the same
favourite whose pairs of an arm are in the same state stay in it together, as long as all of them answer. Such a state
is stored once, on a clock; each agent keeps its own sums of rewards and its own evidence. An agent joins clocks arm by
arm, as soon as its state equals the clock's, and leaves them when it does not answer with the others. Agents with the
same favourite are a group, whose sums are contiguous in memory while they are on its clocks. Clocks affect only speed.
"""

from libc.math cimport log
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from isegoria.learning.confidence_sets.matched_pairs cimport Book, Pair, Sizes, lowest_bit, pair_of, size_up
from isegoria.learning.confidence_sets.simd cimport add_told, pay_told

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
    """Return γ_s, the stake on a change at the s-th full pair."""
    if s < TABLED:
        return STAKES[s]
    return STAKE / ((s + 2.0) * log(s + 2.0) * log(s + 2.0))


cdef double gather(Pair* pair, double behind, double slack) noexcept nogil:
    """Return the evidence for a dropped arm after one more pair, in which its leader's rewards add up to `behind`.

    Here the dropped arm is the one in front. `slack` is how much better it may be without counting as evidence.
    """
    cdef double z = pair.own * PART[pair.own_size] - behind * PART[pair.ahead_size] - slack, start
    pair.paid += 1
    start = stake(pair.paid)
    pair.capital[0] = (pair.capital[0] + start) * (1.0 + SLOW_BET * z)
    pair.capital[1] = (pair.capital[1] + start) * (1.0 + QUICK_BET / (1.0 + slack) * z)
    return (pair.capital[0] + pair.capital[1]) / 2.0


cdef bint make_room(Group* group, Py_ssize_t arms) noexcept nogil:
    """Make room for one more member of the group; return False if there is no memory."""
    cdef Group grown
    cdef Py_ssize_t part, room = group.room + group.room // 4 + 8
    if group.count < group.room:
        return True
    grown.count, grown.room = group.count, room
    grown.block = <double*> calloc((3 + 4 * arms) * room, sizeof(double))
    grown.member = <int32_t*> calloc((1 + arms) * room, sizeof(int32_t))
    if not (grown.block and grown.member):
        free(grown.block)
        free(grown.member)
        return False
    point(&grown, arms)
    for part in range(3 + 4 * arms if group.count else 0):
        memcpy(grown.block + part * room, group.block + part * group.room, group.count * sizeof(double))
    for part in range(1 + arms if group.count else 0):
        memcpy(grown.member + part * room, group.member + part * group.room, group.count * sizeof(int32_t))
    free(group.block)
    free(group.member)
    group[0] = grown
    return True


cdef inline void point(Group* group, Py_ssize_t arms) noexcept nogil:
    group.told, group.start, group.limit = group.block, group.block + group.room, group.block + 2 * group.room
    group.ahead = group.block + 3 * group.room
    group.own = group.ahead + arms * group.room
    group.slow, group.quick = group.own + arms * group.room, group.own + 2 * arms * group.room
    group.paid = group.member + group.room


cdef class Clocks:
    """The clocks of a group of `agents` agents and `arms` arms; at first no agent is on one."""

    def __cinit__(self, Py_ssize_t arms, Py_ssize_t agents, Py_ssize_t words):
        cdef Py_ssize_t i
        self.arms, self.agents, self.words, self.listed, self.alarms = arms, agents, words, 0, 0
        self.clock, self.group = <Clock*> calloc(arms * arms, sizeof(Clock)), <Group*> calloc(arms, sizeof(Group))
        self.alarmed = <int32_t*> calloc(arms * agents, sizeof(int32_t))
        self.place = <int32_t*> calloc(agents, sizeof(int32_t))
        self.told, self.whole = <double*> calloc(agents, sizeof(double)), <unsigned char*> calloc(agents, 1)
        if not (self.whole and self.clock and self.group and self.place and self.alarmed and self.told):
            raise MemoryError
        for i in range(agents):
            self.place[i] = -1

    def __dealloc__(self):
        cdef Py_ssize_t f
        for f in range(self.arms if self.group else 0):
            free(self.group[f].block)
            free(self.group[f].member)
        free(self.group)
        free(self.clock)
        free(self.place)
        free(self.alarmed)
        free(self.told)
        free(self.whole)

    cdef void join(self, Book* book, Py_ssize_t i, double limit) noexcept nogil:
        """Put agent `i`, which has one candidate, on the clocks that match its pairs or have no members."""
        cdef Py_ssize_t w
        cdef uint64_t here, bit
        cdef bint whole = True
        for w in range(self.words):
            here = book.every[w] & ~book.keep[w * self.agents + i] & ~book.apart[i * self.words + w]
            while here:
                bit = here & -here
                here &= here - 1
                if self.fits(book, i, (w << 6) + lowest_bit(bit)) and self.listing(book, i, limit):
                    self.join_arm(book, i, (w << 6) + lowest_bit(bit))
                else:
                    whole = False
        if whole:
            self.whole[i] = True
            self.whole_members += 1

    cdef bint fits(self, Book* book, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
        """Return whether the clock of arm `k` matches agent i's pair; a clock without members is set to it."""
        cdef Py_ssize_t f = book.leader[i]
        cdef Clock* clock = &self.clock[f * self.arms + k]
        cdef Pair* pair = pair_of(book, k, i)
        if pair.leader >= 0 and pair.leader != f:
            return False
        if clock.members == 0:
            clock.is_open = pair.leader >= 0
            clock.ahead_size, clock.own_size = pair.ahead_size, pair.own_size
            clock.ahead_seen, clock.own_seen = pair.ahead_seen, pair.own_seen
            return True
        return clock.is_open == (pair.leader >= 0) and (not clock.is_open or (
            clock.ahead_size == pair.ahead_size and clock.own_size == pair.own_size
            and clock.ahead_seen == pair.ahead_seen and clock.own_seen == pair.own_seen))

    cdef bint listing(self, Book* book, Py_ssize_t i, double limit) noexcept nogil:
        """List agent `i` in the group of its favourite, if it is not listed yet; return whether it is listed."""
        cdef Group* group = &self.group[book.leader[i]]
        if self.place[i] >= 0:
            return True
        if not make_room(group, self.arms):
            return False
        self.place[i] = <int32_t> group.count
        group.member[group.count], group.limit[group.count] = <int32_t> i, limit
        group.count += 1
        self.listed += 1
        return True

    cdef void join_arm(self, Book* book, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
        cdef Py_ssize_t f = book.leader[i], w = k >> 6, at
        cdef Group* group = &self.group[f]
        cdef Pair* pair = pair_of(book, k, i)
        cdef uint64_t bit = (<uint64_t> 1) << (k & 63)
        self.clock[f * self.arms + k].members += 1
        book.apart[i * self.words + w] |= bit
        book.opened[i * self.words + w] &= ~bit
        book.awaited[i * self.words + w] &= ~bit
        at = k * group.room + self.place[i]
        group.ahead[at], group.own[at] = pair.ahead, pair.own
        group.slow[at], group.quick[at], group.paid[at] = pair.capital[0], pair.capital[1], pair.paid

    cdef void leave(self, Book* book, Py_ssize_t i, bint write_down) noexcept nogil:
        """Remove agent `i` from all clocks; with `write_down`, copy the state on the clocks back to its pairs."""
        cdef Py_ssize_t w, part, place = self.place[i], last
        cdef Group* group = &self.group[book.leader[i]]
        cdef uint64_t here
        self.whole_members -= self.whole[i]
        self.whole[i] = False
        if place < 0:
            return
        for w in range(self.words):
            here = book.apart[i * self.words + w]
            book.apart[i * self.words + w] = 0
            while here:
                self.leave_arm(book, i, (w << 6) + lowest_bit(here), write_down)
                here &= here - 1
        group.count -= 1
        last = group.count
        self.place[group.member[last]] = <int32_t> place
        for part in range(3 + 4 * self.arms):
            group.block[part * group.room + place] = group.block[part * group.room + last]
        for part in range(1 + self.arms):
            group.member[part * group.room + place] = group.member[part * group.room + last]
        self.place[i] = -1
        self.listed -= 1

    cdef void leave_arm(self, Book* book, Py_ssize_t i, Py_ssize_t k, bint write_down) noexcept nogil:
        cdef Py_ssize_t f = book.leader[i], w = k >> 6, at
        cdef Group* group = &self.group[f]
        cdef Clock* clock = &self.clock[f * self.arms + k]
        cdef Pair* pair = pair_of(book, k, i)
        cdef uint64_t bit = (<uint64_t> 1) << (k & 63)
        clock.members -= 1
        pair.leader = -1
        if not write_down:
            return
        at = k * group.room + self.place[i]
        pair.ahead, pair.own = group.ahead[at], group.own[at]
        pair.capital[0], pair.capital[1], pair.paid = group.slow[at], group.quick[at], group.paid[at]
        if clock.is_open:
            pair.leader = <int32_t> f
            pair.ahead_size, pair.own_size = clock.ahead_size, clock.own_size
            pair.ahead_seen, pair.own_seen = clock.ahead_seen, clock.own_seen
            book.opened[i * self.words + w] |= bit
            if pair.ahead_seen < pair.ahead_size:
                book.awaited[i * self.words + w] |= bit

    cdef void turn(self, Book* book, Py_ssize_t a, const double* told) noexcept nogil:
        """Add the rewards `told` (N,) of arm `a` to the pairs of all agents on a clock, and note who is alarmed."""
        cdef Py_ssize_t f, k, r
        cdef Group* group
        self.alarms = 0
        for f in range(self.arms):
            group = &self.group[f]
            if group.count == 0 or (f != a and not self.ticks(f, a, False)):
                continue
            for r in range(group.count):
                group.told[r] = told[group.member[r]]
            if f != a:
                self.tick(book, f, a, False)
                continue
            for k in range(self.arms):
                if self.ticks(f, k, True):
                    self.tick(book, f, k, True)

    cdef bint ticks(self, Py_ssize_t f, Py_ssize_t k, bint front) noexcept nogil:
        """Return whether a reward of the favourite `f` (in `front`) or of arm `k` advances their clock."""
        cdef Clock* clock = &self.clock[f * self.arms + k]
        return clock.members > 0 and (not clock.is_open or (
            clock.ahead_seen < clock.ahead_size if front else clock.own_seen < clock.own_size))

    cdef void tick(self, Book* book, Py_ssize_t f, Py_ssize_t k, bint front) noexcept nogil:
        """Count one more reward of the favourite `f` (in `front`) or of arm `k`, for all agents on that clock.

        The sums of group members that are not on this clock are meaningless here: theirs are in the book.
        """
        cdef Clock* clock = &self.clock[f * self.arms + k]
        cdef Group* group = &self.group[f]
        cdef Py_ssize_t at = k * group.room
        cdef bint opens = not clock.is_open
        cdef const Sizes* sizes = &book.sizes[f * self.arms + k]
        if opens:
            if sizes.stamp != book.stamp:
                size_up(book, f, k)
            clock.is_open, clock.ahead_seen, clock.own_seen = True, 0, 0
            clock.ahead_size, clock.own_size = sizes.ahead, sizes.own
            memset((group.own if front else group.ahead) + at, 0, group.count * sizeof(double))
        add_told(group.told, group.count, opens, (group.ahead if front else group.own) + at)
        clock.ahead_seen += front
        clock.own_seen += not front
        if clock.ahead_seen == clock.ahead_size and clock.own_seen == clock.own_size:
            clock.is_open = False
            self.pay_out(book, f, k)

    cdef void pay_out(self, Book* book, Py_ssize_t f, Py_ssize_t k) noexcept nogil:
        """Pay the full pairs of a clock, and note who is alarmed."""
        cdef Clock* clock = &self.clock[f * self.arms + k]
        cdef Group* group = &self.group[f]
        cdef Py_ssize_t r, i, at = k * group.room
        for r in range(group.count):
            group.paid[at + r] += 1
            group.start[r] = stake(group.paid[at + r])
        if not pay_told(group.own + at, PART[clock.own_size], group.ahead + at, PART[clock.ahead_size], group.start,
                        group.limit, group.count, SLOW_BET, QUICK_BET, group.slow + at, group.quick + at):
            return
        for r in range(group.count):
            i = group.member[r]
            if (book.apart[i * self.words + (k >> 6)] >> (k & 63)) & 1 and (
                    (group.slow[at + r] + group.quick[at + r]) / 2.0 >= group.limit[r]):
                self.alarmed[self.alarms] = <int32_t> i
                self.alarms += 1

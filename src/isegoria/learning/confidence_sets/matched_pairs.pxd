"""Matched pairs: some next rewards of one arm against some next rewards of another, of the same agent.

A pair of agent i's arm k is against the arm that leads when it opens. That arm, the bets and the two sizes are fixed
before the first reward of the pair is seen. The next rewards of both arms fill it, whenever they come and whatever is
pulled in between, so that its outcome shows only which of the two is better. It keeps its arm in front when another
takes the lead. The modules that use pairs define what full pairs pay (`betting_sets`).
"""

from libc.stdint cimport int32_t, uint32_t, uint64_t


cdef struct Pair:                       # the matched pair of an agent's arm, and what such pairs have won
    double[2] capital                   # won against "a favourite"; of a dropped arm: what the watch has gathered
    double[2] bet                       # λ of the matched pair that is open …
    double ahead, own                   # … and Σ of its rewards so far: of the arm in front, and of this one
    int32_t leader                      # the arm in front; -1: no pair is open
    int32_t paid                        # full pairs of the watch so far
    unsigned char ahead_size, own_size, ahead_seen, own_seen

cdef struct Heard:                      # what an agent's rewards of an arm say
    double n, total, spread             # how many, Σx, and V = Σ (x − the mean before it)²
    double mean                         # (Σx + ½)/(n + 1)

cdef struct Sizes:                      # how many rewards two arms bring to a pair, by how often they are played
    uint32_t stamp                      # the shares that it is for
    unsigned char ahead, own

cdef struct Book:                       # the pairs of all agents, and what follows from them
    Py_ssize_t arms, agents, words
    Pair* pair                          # (K, N)
    Heard* heard                        # (K, N)
    int32_t* leader                     # (N,) each one's candidate of largest mean, the lowest index on ties
    double* best                        # (N,) the leader's mean, of those in doubt and those who are close …
    double* scatter                     # (N,) … its variance …
    double* second                      # (N,) … and no other candidate's mean is above this
    uint64_t* keep                      # (words, N) the candidates, as bits
    uint64_t* opened                    # (N, words) the arms whose pair is open
    uint64_t* awaited                   # (N, words) the arms whose open pair still waits for rewards of the leader …
    uint64_t* lacking                   # (K, N, words) … and of arm k, where another one leads now
    uint64_t* apart                     # (N, words) the arms whose pair goes by a clock (`watch`), apart from all this
    uint64_t* filled                    # (N, words) the arms whose pair the last reward made full
    uint64_t* every                     # (words,) all arms
    Sizes* sizes                        # (K, K) by the arm in front
    double* shares                      # (K,) how often each arm is played …
    uint32_t stamp                      # … and how often that has changed
    bint whole                          # … in whole numbers of votes: sizes are then their exact quotients

cdef extern from *:
    int lowest_bit "__builtin_ctzll"(uint64_t code) nogil
    int count_bits "__builtin_popcountll"(uint64_t code) nogil
    void fetch "__builtin_prefetch"(const void* place) nogil

cdef void share_out(Book* book, const double* shares) noexcept nogil
cdef void size_up(Book* book, Py_ssize_t j, Py_ssize_t k) noexcept nogil
cdef void lead_again(Book* book, Py_ssize_t i) noexcept nogil


cdef inline Pair* pair_of(Book* book, Py_ssize_t k, Py_ssize_t i) noexcept nogil:
    return &book.pair[k * book.agents + i]


cdef inline Heard* heard_of(Book* book, Py_ssize_t k, Py_ssize_t i) noexcept nogil:
    return &book.heard[k * book.agents + i]


cdef inline uint64_t* waiting_for(Book* book, Py_ssize_t j, Py_ssize_t i) noexcept nogil:
    """Return the arms (words,) whose open pair of agent `i` still waits for rewards of arm `j`."""
    if j == book.leader[i]:
        return &book.awaited[i * book.words]
    return &book.lacking[(j * book.agents + i) * book.words]


cdef inline bint is_candidate(Book* book, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    return (book.keep[(k >> 6) * book.agents + i] >> (k & 63)) & 1


cdef inline double variance(const Heard* heard) noexcept nogil:
    """Return the variance estimate (V + ¼)/(n + 1) of the rewards."""
    return (heard.spread + 0.25) / (heard.n + 1.0)


cdef inline void open_pair(Book* book, Py_ssize_t i, Py_ssize_t k, bint bets) noexcept nogil:
    """Open agent i's pair of arm `k` against its leader: set the sizes by the shares of both arms, and two bets."""
    cdef Py_ssize_t j = book.leader[i]
    cdef Pair* mine = pair_of(book, k, i)
    cdef Sizes* sizes = &book.sizes[j * book.arms + k]
    cdef double lead, scatter, size
    if sizes.stamp != book.stamp:
        size_up(book, j, k)
    mine.leader = <int> j
    mine.ahead_size, mine.own_size = sizes.ahead, sizes.own
    mine.ahead, mine.own, mine.ahead_seen, mine.own_seen = 0.0, 0.0, 0, 0
    book.opened[i * book.words + (k >> 6)] |= (<uint64_t> 1) << (k & 63)
    book.awaited[i * book.words + (k >> 6)] |= (<uint64_t> 1) << (k & 63)
    if bets:
        lead = book.best[i] - heard_of(book, k, i).mean
        scatter = book.scatter[i] / mine.ahead_size + variance(heard_of(book, k, i)) / mine.own_size
        size = max(0.0, lead / (scatter + lead * lead))
        mine.bet[0], mine.bet[1] = min(size, 0.98), min(size, 0.5)  # below 1, and where growth is sure


cdef inline void shut_pair(Book* book, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    """Close the pair of agent i's arm `k`."""
    cdef Pair* pair = pair_of(book, k, i)
    cdef uint64_t bit = (<uint64_t> 1) << (k & 63)
    book.opened[i * book.words + (k >> 6)] &= ~bit
    if pair.ahead_seen < pair.ahead_size:
        waiting_for(book, pair.leader, i)[k >> 6] &= ~bit
    pair.leader = -1


cdef inline void ask_for(Book* book, Py_ssize_t i) noexcept nogil:
    """Prefetch what a reward of its leader will change for agent `i`, since it is far apart in memory."""
    cdef Py_ssize_t w, k
    cdef uint64_t here
    for w in range(book.words):
        here = book.keep[w * book.agents + i] & (
            ~book.opened[i * book.words + w] | book.awaited[i * book.words + w])
        while here:
            k = (w << 6) + lowest_bit(here)
            fetch(heard_of(book, k, i))
            fetch(pair_of(book, k, i))
            here &= here - 1


cdef inline uint64_t fill_word(Book* book, Py_ssize_t i, Py_ssize_t a, Py_ssize_t w, double reward,
                               bint inside) noexcept nogil:
    """Add a reward of arm `a` to agent i's pairs of the arms in word `w`, and return those that are full now.

    The pairs are those of its candidates, or (not `inside`) of the other arms. Pairs that can open with it open first.
    """
    cdef uint64_t keep = book.keep[w * book.agents + i], full = 0, here, bit
    cdef uint64_t mine = keep if inside else book.every[w] & ~keep & ~book.apart[i * book.words + w]
    cdef uint64_t* opened = &book.opened[i * book.words + w]
    cdef uint64_t* lacking = waiting_for(book, a, i) + w
    cdef Py_ssize_t k
    cdef Pair* pair
    bit = (<uint64_t> 1) << (a & 63) if a >> 6 == w else 0
    if a == book.leader[i]:
        here = mine & ~opened[0] & ~bit
        while here:
            open_pair(book, i, (w << 6) + lowest_bit(here), inside)
            here &= here - 1
    elif mine & bit & ~opened[0]:
        open_pair(book, i, a, inside)
    here = lacking[0] & mine
    while here:
        k = (w << 6) + lowest_bit(here)
        pair = pair_of(book, k, i)
        pair.ahead += reward
        pair.ahead_seen += 1
        if pair.ahead_seen == pair.ahead_size:
            lacking[0] &= ~(here & -here)
            if pair.own_seen == pair.own_size:
                full |= here & -here
        here &= here - 1
    if mine & bit & opened[0]:
        pair = pair_of(book, a, i)
        if pair.own_seen < pair.own_size:
            pair.own += reward
            pair.own_seen += 1
            if pair.own_seen == pair.own_size and pair.ahead_seen == pair.ahead_size:
                full |= bit
    return full


cdef inline bint fill_pairs(Book* book, Py_ssize_t i, Py_ssize_t a, double reward, bint inside) noexcept nogil:
    """Call `fill_word` for all arms; return whether some pair is full now, and store which in `filled`."""
    cdef Py_ssize_t w
    cdef uint64_t any_full = 0
    for w in range(book.words):
        book.filled[i * book.words + w] = fill_word(book, i, a, w, reward, inside)
        any_full |= book.filled[i * book.words + w]
    return any_full != 0


cdef inline void count_reward(Book* book, Py_ssize_t i, Py_ssize_t k, double reward) noexcept nogil:
    """Count a reward; its deviation is from the mean before it."""
    cdef Heard* heard = heard_of(book, k, i)
    cdef double off = reward - heard.mean
    heard.spread += off * off
    heard.n += 1.0
    heard.total += reward
    heard.mean = (heard.total + 0.5) / (heard.n + 1.0)


cdef inline void let_lead(Book* book, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Make arm `j` the leader of agent i."""
    cdef Py_ssize_t w
    cdef uint64_t* before = &book.lacking[(book.leader[i] * book.agents + i) * book.words]
    cdef uint64_t* now = &book.lacking[(j * book.agents + i) * book.words]
    cdef Heard* heard = heard_of(book, j, i)
    if j != book.leader[i]:
        for w in range(book.words):
            before[w], book.awaited[i * book.words + w], now[w] = book.awaited[i * book.words + w], now[w], 0
    book.leader[i], book.best[i], book.scatter[i] = <int> j, heard.mean, variance(heard)


cdef inline bint follow_leader(Book* book, Py_ssize_t i, Py_ssize_t a) noexcept nogil:
    """Update the leader after the mean of arm `a` changed; return whether it is another arm.

    `second` is not lowered when the arm that had it falls: it only shows when a falling leader must be compared.
    """
    cdef Py_ssize_t before = book.leader[i]
    cdef double mean = heard_of(book, a, i).mean
    if a == before:
        book.best[i], book.scatter[i] = mean, variance(heard_of(book, a, i))
        if mean <= book.second[i]:
            lead_again(book, i)
    elif mean >= book.best[i]:
        if is_candidate(book, i, a) and (mean > book.best[i] or a < before):
            book.second[i] = max(book.second[i], book.best[i])
            let_lead(book, i, a)
        elif is_candidate(book, i, a):
            book.second[i] = max(book.second[i], mean)
    elif mean > book.second[i] and is_candidate(book, i, a):
        book.second[i] = mean
    return book.leader[i] != before

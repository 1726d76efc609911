"""Matched pairs: some next rewards of one arm against some next rewards of another, the same agent's.

A pair of agent i's arm k is against the arm that leads when it opens; that arm, the bets and the two sizes are fixed
before the first reward of the pair is looked at. The next rewards of both fill it, whenever they come and whatever is
pulled in between, so that its outcome says nothing but which of the two is better. It stays with its arm in front when
another takes the lead. What full pairs pay is said by those who use them (`betting_sets`).
"""

from libc.math cimport floor
from libc.stdint cimport int32_t, uint32_t, uint64_t


cdef struct Pair:                       # what one agent's answers say about one arm
    double n, total, spread             # its rewards: how many, Σx, and V = Σ (x − the mean before it)²
    double variance                     # (V + ¼)/(n + 1), kept while the agent is in doubt
    double[2] capital                   # won against "a favourite"; of a dropped arm: what the watch has gathered
    double[2] bet                       # λ of the matched pair that is open …
    double ahead, own                   # … and Σ of its rewards so far: of the arm in front, and of this one
    int32_t leader                      # the arm in front; -1: no pair is open
    int32_t paid                        # full pairs of the watch so far
    unsigned char ahead_size, own_size, ahead_seen, own_seen

cdef struct Sizes:                      # how many rewards two arms bring to a pair, by how often they are played
    uint32_t stamp                      # the shares that it is for
    unsigned char ahead, own

cdef struct Book:                       # the pairs of all agents, and what follows from them
    Py_ssize_t arms, agents, words
    Pair* pair                          # (K, N)
    double* mean                        # (N, K) (Σx + ½)/(n + 1)
    int32_t* leader                     # (N,) each one's candidate of largest mean, the lowest index on ties
    double* second                      # (N,) no other candidate's mean is above it
    uint64_t* keep                      # (words, N) the candidates, as bits
    uint64_t* opened                    # (N, words) the arms whose pair is open
    uint64_t* lacking                   # (K, N, words) the arms whose open pair still waits for rewards of arm k
    uint64_t* apart                     # (N, words) the arms whose pair goes by a clock (`watch`), apart from all this
    uint64_t* filled                    # (words,) the arms whose pair the last reward made full
    uint64_t* every                     # (words,) all arms
    Sizes* sizes                        # (K, K) by the arm in front
    double* shares                      # (K,) how often each arm is played …
    uint32_t stamp                      # … and how often that has changed
    bint whole                          # … in whole numbers of votes: sizes are then their exact quotients

cdef extern from *:
    int lowest_bit "__builtin_ctzll"(uint64_t code) nogil
    int count_bits "__builtin_popcountll"(uint64_t code) nogil

cdef void share_out(Book* book, const double* shares) noexcept nogil
cdef void size_up(Book* book, Py_ssize_t j, Py_ssize_t k) noexcept nogil
cdef void lead_again(Book* book, Py_ssize_t i) noexcept nogil


cdef inline Pair* pair_of(Book* book, Py_ssize_t k, Py_ssize_t i) noexcept nogil:
    return &book.pair[k * book.agents + i]


cdef inline bint is_candidate(Book* book, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    return (book.keep[(k >> 6) * book.agents + i] >> (k & 63)) & 1


cdef inline void open_pair(Book* book, Py_ssize_t i, Py_ssize_t k, bint bets) noexcept nogil:
    """Open agent i's pair of arm `k` against its leader: sizes by the shares of both arms, and two bets."""
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
    book.lacking[(j * book.agents + i) * book.words + (k >> 6)] |= (<uint64_t> 1) << (k & 63)
    if bets:
        lead = book.mean[i * book.arms + j] - book.mean[i * book.arms + k]
        scatter = pair_of(book, j, i).variance / mine.ahead_size + mine.variance / mine.own_size
        size = max(0.0, lead / (scatter + lead * lead))
        mine.bet[0], mine.bet[1] = min(size, 0.98), min(size, 0.5)  # below 1, and where growth is sure


cdef inline void shut_pair(Book* book, Py_ssize_t i, Py_ssize_t k) noexcept nogil:
    """No pair of agent i's arm `k` is open any more."""
    cdef Pair* pair = pair_of(book, k, i)
    cdef uint64_t bit = (<uint64_t> 1) << (k & 63)
    book.opened[i * book.words + (k >> 6)] &= ~bit
    book.lacking[(pair.leader * book.agents + i) * book.words + (k >> 6)] &= ~bit
    pair.leader = -1


cdef inline uint64_t fill_word(Book* book, Py_ssize_t i, Py_ssize_t a, Py_ssize_t w, double reward,
                               bint inside) noexcept nogil:
    """Bring a reward of arm `a` to agent i's pairs of the arms in word `w`: those of its candidates, or (not `inside`)
    of the rest. Pairs that can open with it do so first; what comes back are the ones that are full now."""
    cdef uint64_t keep = book.keep[w * book.agents + i], full = 0, here, bit
    cdef uint64_t mine = keep if inside else book.every[w] & ~keep & ~book.apart[i * book.words + w]
    cdef uint64_t* opened = &book.opened[i * book.words + w]
    cdef uint64_t* lacking = &book.lacking[(a * book.agents + i) * book.words + w]
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
    """`fill_word` for all arms: True if some pair is full now, and `filled` says which."""
    cdef Py_ssize_t w
    cdef bint any_full = False
    for w in range(book.words):
        book.filled[w] = fill_word(book, i, a, w, reward, inside)
        any_full = any_full or book.filled[w] != 0
    return any_full


cdef inline void count_reward(Book* book, Py_ssize_t i, Py_ssize_t k, double reward, bint doubts) noexcept nogil:
    """Count a reward; its distance is from the mean before it."""
    cdef Pair* pair = pair_of(book, k, i)
    cdef double off = reward - book.mean[i * book.arms + k]
    pair.spread += off * off
    pair.n += 1.0
    pair.total += reward
    book.mean[i * book.arms + k] = (pair.total + 0.5) / (pair.n + 1.0)
    if doubts:
        pair.variance = (pair.spread + 0.25) / (pair.n + 1.0)


cdef inline bint follow_leader(Book* book, Py_ssize_t i, Py_ssize_t a) noexcept nogil:
    """See who leads after the mean of arm `a` moved; True when it is another one.

    `second` is not lowered when the arm that had it falls: it only says when a falling leader must be compared.
    """
    cdef Py_ssize_t before = book.leader[i]
    cdef double mean = book.mean[i * book.arms + a], best
    if a == before:
        if mean <= book.second[i]:
            lead_again(book, i)
    elif is_candidate(book, i, a):
        best = book.mean[i * book.arms + before]
        if mean > best or (mean == best and a < before):
            book.leader[i] = <int> a
            book.second[i] = max(book.second[i], best)
        elif mean > book.second[i]:
            book.second[i] = mean
    return book.leader[i] != before

"""Matched pairs in memory, their sizes, and the leaders; the inlined functions are in `matched_pairs.pxd`."""

import numpy as np

from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memcpy

cdef double LARGEST_SIZE = 8.0
cdef double LEAST_SHARE = 1e-9      # quotients of shares: no smaller denominator …
cdef double NUDGE = 1e-9            # … and as much added before rounding down, so that 3.0 is 3 however it was computed

PAIR = np.dtype(
    [("capital", "f8", 2), ("bet", "f8", 2), ("ahead", "f8"), ("own", "f8"), ("leader", "i4"), ("paid", "i4"),
     ("ahead_size", "u1"), ("own_size", "u1"), ("ahead_seen", "u1"), ("own_seen", "u1")], align=True)
"""One pair of an agent and an arm, as `Pair` lies in memory."""
HEARD = np.dtype([("n", "f8"), ("total", "f8"), ("spread", "f8"), ("mean", "f8")])
"""What was heard of one agent about one arm, as `Heard` lies in memory."""
SIZES = np.dtype([("stamp", "u4"), ("ahead", "u1"), ("own", "u1")], align=True)
"""The sizes of one pair, as `Sizes` lies in memory."""


def unknown_pairs(Py_ssize_t arms, Py_ssize_t agents):
    """Return new pairs (K, N): none is open, and all wealths are 1."""
    pairs = np.zeros((arms, agents), PAIR)
    pairs["capital"], pairs["leader"] = 1.0, -1
    return pairs


def unheard(Py_ssize_t arms, Py_ssize_t agents):
    """Return statistics (K, N) of agents without feedback; the mean starts at 0.5, as if from one imagined reward."""
    heard = np.zeros((arms, agents), HEARD)
    heard["mean"] = 0.5
    return heard


def pair_sizes(double front, double behind, bint whole=False):
    """Return how many rewards the arm in front and the other arm bring to a pair, given how often both are played.

    The arm that is played more often brings as many times more, from 1 to 8. With `whole` the shares are numbers of
    votes.

    >>> pair_sizes(0.6, 0.2), pair_sizes(0.2, 0.25), pair_sizes(3, 0, whole=True)
    ((3, 1), (1, 1), (8, 1))
    """
    return times(front, behind, whole), times(behind, front, whole)


cdef unsigned char times(double mine, double other, bint whole) noexcept nogil:
    cdef double found
    if whole:
        found = LARGEST_SIZE if other == 0.0 else mine / other
    else:
        found = mine / max(other, LEAST_SHARE) + NUDGE
    return <unsigned char> min(max(found, 1.0), LARGEST_SIZE)       # which rounds down


cdef void share_out(Book* book, const double* shares) noexcept nogil:
    """Set the shares in which arms are played from now on."""
    if memcmp(book.shares, shares, book.arms * sizeof(double)) != 0:
        memcpy(book.shares, shares, book.arms * sizeof(double))
        book.stamp += 1


cdef void size_up(Book* book, Py_ssize_t j, Py_ssize_t k) noexcept nogil:
    """Compute the sizes of pairs of arm `k` against arm `j` for the current shares."""
    cdef Sizes* sizes = &book.sizes[j * book.arms + k]
    sizes.ahead = times(book.shares[j], book.shares[k], book.whole)
    sizes.own = times(book.shares[k], book.shares[j], book.whole)
    sizes.stamp = book.stamp


cdef void lead_again(Book* book, Py_ssize_t i) noexcept nogil:
    """Find the candidate with the largest mean, and the mean that no other candidate exceeds."""
    cdef Py_ssize_t w, k, best = 0
    cdef uint64_t here
    cdef double mean, first = -1.0, second = -1.0
    for w in range(book.words):
        here = book.keep[w * book.agents + i]
        while here:
            k = (w << 6) + lowest_bit(here)
            here &= here - 1
            mean = heard_of(book, k, i).mean
            if mean > first:
                first, second, best = mean, first, k
            elif mean > second:
                second = mean
    book.second[i] = second
    let_lead(book, i, best)

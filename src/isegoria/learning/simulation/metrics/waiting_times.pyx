"""How often, and with what gaps, the arms of some sets are played."""

import numpy as np


def waits(const Py_ssize_t[::1] arms, const unsigned char[:, ::1] sets):
    """Return hits and gaps (4, S) for the rounds that played `arms` and each of the `sets` (S, K).

    The rows are: how many rounds played an arm of the set; the first and the last such round (the number of rounds, and
    -1, if none); and the maximum number of consecutive rounds between two of them.

    >>> waits(np.array([1, 0, 0, 1, 1, 0]), np.array([[0, 1], [0, 0]], np.uint8)).tolist()
    [[3, 0], [0, 6], [4, -1], [2, 0]]
    """
    cdef Py_ssize_t s, t, T = arms.shape[0], count, first, last, longest
    found = np.empty((4, sets.shape[0]), np.intp)
    cdef Py_ssize_t[:, ::1] told = found
    for s in range(sets.shape[0]):
        count, first, last, longest = 0, T, -1, 0
        for t in range(T):
            if sets[s, arms[t]]:
                if count == 0:
                    first = t
                elif t - last - 1 > longest:
                    longest = t - last - 1
                count, last = count + 1, t
        told[0, s], told[1, s], told[2, s], told[3, s] = count, first, last, longest
    return found

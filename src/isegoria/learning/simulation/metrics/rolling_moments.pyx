"""Rolling means and standard deviations, from stretches over which values are constant."""

import numpy as np

from libc.math cimport sqrt


def rolling(const Py_ssize_t[::1] starts, const double[:, ::1] values, const Py_ssize_t[::1] ends, Py_ssize_t window):
    """Return (means, sds), each (len(ends), C), over the rounds e − window + 1 … e for every e in `ends`.

    `values[s]` (C,) holds from round `starts[s]` to the next start; rounds before the first start are left out. The
    standard deviation is that of the population (ddof 0), in two passes, so that a constant has exactly 0.

    >>> means, sds = rolling(np.array([1, 3]), np.array([[0.0], [1.0]]), np.array([2, 4, 9]), 4)
    >>> means.ravel().tolist(), sds.ravel().tolist()
    ([0.0, 0.5, 1.0], [0.0, 0.5, 0.0])
    """
    cdef Py_ssize_t C = values.shape[1], e, s, c, low, last
    cdef double length, total
    means, sds = np.zeros((ends.shape[0], C)), np.zeros((ends.shape[0], C))
    cdef double[:, ::1] mean = means, sd = sds
    for e in range(ends.shape[0]):
        low = max(ends[e] - window + 1, starts[0])
        total = ends[e] - low + 1
        last = starts.shape[0] - 1
        while starts[last] > ends[e]:
            last -= 1
        s = last
        if starts[s] <= low:
            for c in range(C):
                mean[e, c] = values[s, c]
            continue
        while True:
            length = span(starts, s, last, low, ends[e])
            for c in range(C):
                mean[e, c] += length * values[s, c] / total
            if starts[s] <= low:
                break
            s -= 1
        for s in range(s, last + 1):
            length = span(starts, s, last, low, ends[e])
            for c in range(C):
                sd[e, c] += length * (values[s, c] - mean[e, c]) ** 2 / total
        for c in range(C):
            sd[e, c] = sqrt(sd[e, c])
    return means, sds


cdef double span(const Py_ssize_t[::1] starts, Py_ssize_t s, Py_ssize_t last, Py_ssize_t low,
                 Py_ssize_t end) noexcept nogil:
    """Return how many rounds of stretch `s` are between `low` and `end`."""
    return (end if s == last else starts[s + 1] - 1) - max(starts[s], low) + 1

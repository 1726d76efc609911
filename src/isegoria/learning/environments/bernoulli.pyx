"""Bernoulli rewards from uniform draws."""


def toss(double[:, ::1] draws, const double[::1] means):
    """Replace uniform `draws` (pulls, N) from [0, 1) in place: 1 where they are below `means` (N,), 0 elsewhere.

    >>> import numpy as np
    >>> draws = np.array([[0.1, 0.7], [0.5, 0.2]])
    >>> toss(draws, np.array([0.5, 0.6]))
    >>> draws.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    cdef Py_ssize_t t, i, N = draws.shape[1]
    cdef double* row
    cdef const double* mean = &means[0] if N else NULL
    for t in range(draws.shape[0]):
        row = &draws[t, 0]
        for i in range(N):
            row[i] = 1.0 if row[i] < mean[i] else 0.0

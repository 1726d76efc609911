cdef extern from "solvers/rows/pair.h" nogil:
    ctypedef struct pair:
        double hi
        double lo
    pair pair_of(double x)
    pair pair_and(pair total, double x)


cdef inline void exact(double* p, int arms) noexcept nogil:
    """Clip `p` at 0 and scale it to sum 1; the rounding that is left goes to the largest entry."""
    cdef pair total = pair_of(0)
    cdef int k, largest = 0
    cdef double over
    for k in range(arms):
        if not p[k] > 0:
            p[k] = 0
        total = pair_and(total, p[k])
    over = total.lo / total.hi
    for k in range(arms):
        p[k] = p[k] / total.hi * (1 - over)
        if p[k] > p[largest]:
            largest = k
    total = pair_of(1)
    for k in range(arms):
        if k != largest:
            total = pair_and(total, -p[k])
    p[largest] = total.hi + total.lo

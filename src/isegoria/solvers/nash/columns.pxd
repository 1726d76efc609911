from isegoria.solvers.algebra.pair cimport real

cdef struct Columns:
    Py_ssize_t m          # rows
    Py_ssize_t K          # arms, one column each
    const double* dense   # (K, m) column by column, or NULL for a table of 0 and 1 that is mostly 0:
    const int* items      # the arms of row after row, ascending
    const int* starts     # (m + 1,) where each row begins in items
    int* place            # (K,) room to note where an arm stands in a list


cdef inline double largest(const double* row, Py_ssize_t K) noexcept nogil:
    """The largest entry (K,), and 0 if none is above it."""
    cdef double best = 0
    cdef Py_ssize_t k
    for k in range(K):
        best = row[k] if row[k] > best else best
    return best


cdef Columns dense_columns(const double* dense, Py_ssize_t m, Py_ssize_t K) noexcept nogil
cdef Py_ssize_t load_scaled(const double* rows, Py_ssize_t N, Py_ssize_t K, const double* weights, double* A, double* w,
                            double* shift, double* total) noexcept nogil
cdef void combine(const Columns* A, const real* x, real* d) noexcept nogil
cdef double gradient(const Columns* A, const double* w, const real* x, real* d, real* u, real* s) noexcept nogil
cdef void hessian(const Columns* A, const Py_ssize_t* arms, Py_ssize_t size, const real* d, const real* u,
                  real* H) noexcept nogil
cdef void mirror(real* H, Py_ssize_t size) noexcept nogil

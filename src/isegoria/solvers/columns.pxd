from isegoria.solvers.nonneg_quadratic cimport real

cdef void combine(const double* A, Py_ssize_t m, Py_ssize_t K, const real* x, real* d) noexcept nogil
cdef double gradient(const double* A, const double* w, Py_ssize_t m, Py_ssize_t K, const real* x,
                     real* d, real* u, real* s) noexcept nogil
cdef void hessian(const double* A, Py_ssize_t m, const Py_ssize_t* arms, Py_ssize_t size, const real* d, const real* u,
                  real* H, real* scratch) noexcept nogil
cdef void mirror(real* H, Py_ssize_t size) noexcept nogil

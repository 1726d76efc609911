cdef void write_probabilities(const double* deficit, const double* policy, const Py_ssize_t[::1] arms, Py_ssize_t K,
                              double floor, double* chances) noexcept nogil
cdef void settle(double* deficit, const double* policy, Py_ssize_t K, Py_ssize_t arm) noexcept nogil

"""Cutting claims down to what the arms have, for the compiled rooms beside `proportional_fitting`."""

cdef double fit(
    Py_ssize_t types, Py_ssize_t arms, const int *first, const int *arm, const unsigned char *kept,
    const double *mass, const double *policy, const unsigned char *tight, double *y,
) except -1

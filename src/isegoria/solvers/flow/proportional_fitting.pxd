from isegoria.solvers.flow.network cimport Network

cdef double fit(Network network, const unsigned char *kept, const double *mass, const double *policy,
                const unsigned char *tight, double *y) except -1

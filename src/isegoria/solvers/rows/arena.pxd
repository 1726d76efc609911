"""Workspaces for kernels: typed arrays carved from an arena that is opened, checked once, and closed (`arena.h`)."""

from libc.stdint cimport int64_t

cdef extern from "solvers/rows/arena.h" nogil:
    ctypedef struct Arena:
        int failed
    void arena_open(Arena* arena, long* countdown)
    void* carve "arena_carve" (Arena* arena, Py_ssize_t count, size_t size)
    void* carve_zeros "arena_zeros" (Arena* arena, Py_ssize_t count, size_t size)
    void each_doubles "ARENA_DOUBLES" (Arena* arena, Py_ssize_t count, ...)  # several, each named by its address
    void each_zeros "ARENA_ZEROS" (Arena* arena, Py_ssize_t count, ...)
    void each_integers "ARENA_INTEGERS" (Arena* arena, Py_ssize_t count, ...)
    void close_arena "arena_close" (Arena* arena)

cdef void open_arena(Arena* arena) noexcept nogil
cdef bint has_raised() noexcept nogil
cdef int check_arena(Arena* arena) except -1
cdef int check_signal(int failed) except -1
cdef int check_side(Py_ssize_t side) except -1


cdef inline double* doubles(Arena* arena, Py_ssize_t count) noexcept nogil:
    return <double*> carve(arena, count, sizeof(double))


cdef inline int* integers(Arena* arena, Py_ssize_t count) noexcept nogil:
    return <int*> carve(arena, count, sizeof(int))


cdef inline Py_ssize_t* places(Arena* arena, Py_ssize_t count) noexcept nogil:
    return <Py_ssize_t*> carve(arena, count, sizeof(Py_ssize_t))


cdef inline int64_t* whole_numbers(Arena* arena, Py_ssize_t count) noexcept nogil:
    return <int64_t*> carve(arena, count, sizeof(int64_t))


cdef inline unsigned char* flags(Arena* arena, Py_ssize_t count) noexcept nogil:
    return <unsigned char*> carve(arena, count, 1)


cdef inline double* zeros(Arena* arena, Py_ssize_t count) noexcept nogil:
    return <double*> carve_zeros(arena, count, sizeof(double))

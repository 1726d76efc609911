"""The arena of every kernel: one place where memory is asked for, checked, and given back."""

cdef extern from "rows/arena.h" nogil:
    enum: GUARDED
    long arena_countdown
    void* arena_carve(Arena* arena, Py_ssize_t count, size_t size)
    void arena_close(Arena* arena)


cdef void open_arena(Arena* arena) noexcept nogil:
    """An arena without arrays, which costs nothing; whatever it held before is not released."""
    memset(arena, 0, sizeof(Arena))


cdef void close_arena(Arena* arena) noexcept nogil:
    """Release every array; the arena is as new."""
    arena_close(arena)


cdef void* carve(Arena* arena, Py_ssize_t count, size_t size) noexcept nogil:
    """An array of `count` things of `size` bytes, not filled in; NULL once memory was short or `count` negative."""
    return arena_carve(arena, count, size)


cdef int check_arena(Arena* arena) except -1:
    """Raise MemoryError if some array could not be had."""
    if arena.failed:
        raise MemoryError("no memory for the workspace of a kernel")
    return 0


def guarded():
    """Whether this build puts guard words around every array."""
    return bool(GUARDED)


def fail_at(long allocation):
    """Let the `allocation`-th block that kernels ask for from now on be refused (0: none): for tests of that case."""
    global arena_countdown
    arena_countdown = allocation


def carved(counts, bint overrun=False):
    """What some arrays of doubles of the lengths given add up to, each filled with its own number, all side by side.

    With `overrun`, the last is written past its end: a build with guard words ends there.

    >>> carved([1, 2, 1])
    [0.0, 2.0, 2.0]
    """
    cdef Arena arena
    cdef Py_ssize_t i, count = 0
    cdef double* found = NULL
    arrays = []
    open_arena(&arena)
    try:
        for number, count in enumerate(counts):
            found = doubles(&arena, count)
            check_arena(&arena)
            for i in range(count + overrun):
                found[i] = number
            arrays.append((<Py_ssize_t> found, count))
        return [sum((<double*> <Py_ssize_t> start)[i] for i in range(length)) for start, length in arrays]
    finally:
        close_arena(&arena)

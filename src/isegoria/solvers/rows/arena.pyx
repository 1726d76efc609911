"""The arena of every kernel: one place where memory is asked for, checked, and given back."""

from cpython.object cimport PyObject

from isegoria.errors import InputError

cdef extern from "solvers/rows/arena.h" nogil:
    enum: GUARDED

cdef extern from "Python.h":
    PyObject* PyErr_Occurred()

cdef long countdown = 0
cdef Py_ssize_t MOST_SIDE = 46_340  # a kernel adds one column of its own, and 46,341² is above 2³¹


cdef void open_arena(Arena* arena) noexcept nogil:
    """An arena without arrays; it is closed in the end, whatever happens."""
    arena_open(arena, &countdown)


cdef bint has_raised() noexcept nogil:
    """Whether a signal has raised an exception: `failed` may say since then that no array could be had."""
    with gil:
        return PyErr_Occurred() != NULL


cdef int check_arena(Arena* arena) except -1:
    """Raise MemoryError if some array could not be had; what a signal raised is raised already, and then forgotten."""
    if arena.failed and has_raised():
        arena.failed = 0
        return -1
    if arena.failed:
        raise MemoryError("no memory for the workspace of a kernel")
    return 0


cdef int check_signal(int failed) except -1:
    """Raise what a signal has raised in a search without an arena, which has noted it in `failed`."""
    return -1 if failed else 0


cdef int check_side(Py_ssize_t side) except -1:
    """Refuse a square table that is too large to be counted in it with an int: it would take 17 GB."""
    if side >= MOST_SIDE:
        raise InputError(
            f"{side:,} arms are too many for this question: it needs a square table of them, and {MOST_SIDE - 1:,} "
            "is the most. Leave out arms that nobody rates, or rates alike, or ask without within= or tie_break=."
        )
    return 0


def has_guard_words():
    """Whether this build puts guard words around every array."""
    return bool(GUARDED)


def fail_at(long allocation):
    """Let the `allocation`-th block that kernels ask for from now on be refused (0: none): for tests of that case."""
    global countdown
    countdown = allocation


def sum_test_arrays(counts, bint overrun=False):
    """What some arrays of doubles of the lengths given add up to, each filled with its own number, all side by side.

    With `overrun`, the last is written past its end: a build with guard words ends there.

    >>> sum_test_arrays([1, 2, 1])
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

"""Ask for signals in a long search, so that Ctrl-C and timeouts can end it."""

cdef extern from *:
    """
    enum { INTERRUPTED = 2, WORK_BETWEEN_CHECKS = 20000000 }; /* operations: some hundredths of a second */

    static double work_since_check = 0;

    /* Whether a signal has raised an exception: every so much work. `failed` is that of an arena, which says so to
       whoever checks it; the exception is set then. */
    static int interrupted(int *failed, double work)
    {
        PyGILState_STATE state;
        work_since_check += work;
        if (work_since_check < WORK_BETWEEN_CHECKS || *failed)
            return *failed;
        work_since_check = 0;
        state = PyGILState_Ensure();
        if (PyErr_CheckSignals() != 0)
            *failed = INTERRUPTED;
        PyGILState_Release(state);
        return *failed;
    }
    """
    enum: INTERRUPTED
    bint interrupted(int* failed, double work) nogil

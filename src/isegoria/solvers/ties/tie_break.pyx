"""Which optimum is asked for."""

from enum import StrEnum

from isegoria.rows.arrays cimport reals


class TieBreak(StrEnum):
    """The choice among several optima, by its public name.

    >>> TieBreak("vertex") is TieBreak.VERTEX, TieBreak.CENTRE == "centre"
    (True, True)
    """

    CENTRE = "centre"            # of least Euclidean norm
    VERTEX = "vertex"            # a corner of the set of optima, lowest index first
    UTILITARIAN = "utilitarian"  # of largest direction·p, and then of least norm


cdef dict CHOICES = {"centre": CENTRE, "vertex": VERTEX, "utilitarian": UTILITARIAN}


cdef Choice choice_of(tie_break) except *:
    """The choice that a kernel makes for a `TieBreak` or its name."""
    return CHOICES[tie_break]


cdef const double* towards(direction, Choice choice) except? NULL:
    """Where the direction (K,) begins, or NULL if there is none; "utilitarian" cannot do without."""
    if direction is None:
        if choice == UTILITARIAN:
            raise TypeError('tie_break="utilitarian" needs the direction that it maximises')
        return NULL
    return reals(direction)

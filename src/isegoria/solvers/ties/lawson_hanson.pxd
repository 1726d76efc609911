"""A face {p0 + Zz ≥ 0} of a simplex on which some arms are held at 0: its basis, what holds them, and steps along it.

The basis is kept orthonormal by Householder reflections. Held arms are let go of as Lawson and Hanson's inner loop does
(1974): every multiplier stays at 0 or above on the way.
"""

from libc.math cimport sqrt
from libc.string cimport memcpy

from isegoria.rows.arena cimport Arena, places
from isegoria.solvers.algebra.householder cimport reflect
from isegoria.solvers.algebra.pair cimport (
    add_multiple, clear, dot, each_pairs, less_products, minus, over, pair, pair_of, pair_scaled, plus, root, times,
)


cdef struct Face:
    Py_ssize_t n         # arms that may have weight
    Py_ssize_t whole     # dimensions of the face
    Py_ssize_t free      # dimensions left while `held` arms are kept at 0
    Py_ssize_t n_held
    pair* start          # (n, whole) an orthonormal basis of the face
    pair* basis          # the same rotated: `free` columns that leave held arms alone, then one column per held arm
    pair* normal         # (n,) of a reflection
    pair* step           # (n,)
    pair* pull           # (n,) the gradient in the basis, then the multipliers of the held arms
    pair* force          # (n,) the multipliers of the held arms so far, none below 0
    Py_ssize_t* held     # (n,)
    double blur          # how exactly the basis is known: an arm that moves less along a step does not move


cdef inline bint open_face(Face* face, Py_ssize_t n, Arena* arena) noexcept nogil:
    """Room for a face of n arms; False where there is none."""
    each_pairs(arena, n * n, &face.start, &face.basis)
    each_pairs(arena, n, &face.normal, &face.step, &face.pull, &face.force)
    face.held, face.n = places(arena, n), n
    return not arena.failed


cdef inline bint below(pair a, pair b) noexcept nogil:
    return a.hi < b.hi or (a.hi == b.hi and a.lo < b.lo)


cdef inline double length_of(const pair* x, Py_ssize_t n) noexcept nogil:
    return sqrt(dot(x, x, n).hi)


cdef inline double mobility(Face* face, Py_ssize_t k) noexcept nogil:
    """How far arm k moves along the free directions, at most, in a step of length 1."""
    return length_of(face.basis + k * face.whole, face.free)


cdef inline void restart(Face* face) noexcept nogil:
    """Hold no arm: the basis as it was."""
    memcpy(face.basis, face.start, face.n * face.whole * sizeof(pair))
    face.free = face.whole
    face.n_held = 0


cdef inline void rotate_away(Face* face, const pair* row) noexcept nogil:
    """Reflect the free columns so that `row` (of length free) keeps only its last entry; then give up that column."""
    cdef Py_ssize_t last = face.free - 1
    cdef pair norm = root(dot(row, row, face.free))
    memcpy(face.normal, row, face.free * sizeof(pair))
    face.normal[last] = plus(row[last], norm) if row[last].hi >= 0 else minus(row[last], norm)
    reflect(face.basis, face.n, face.whole, face.normal, face.free)
    face.free -= 1


cdef inline void hold(Face* face, Py_ssize_t k) noexcept nogil:
    """Keep arm k at 0 from here on."""
    rotate_away(face, face.basis + k * face.whole)
    clear(face.basis + k * face.whole, face.free)
    face.held[face.n_held] = k
    face.n_held += 1


cdef inline void let_go(Face* face, Py_ssize_t position) noexcept nogil:
    """Free one held arm: rebuild the basis with the others."""
    cdef Py_ssize_t j, count = face.n_held - 1
    for j in range(position, count):
        face.held[j] = face.held[j + 1]
        face.force[j] = face.force[j + 1]
    restart(face)
    for j in range(count):
        if mobility(face, face.held[j]) > face.blur:
            face.force[face.n_held] = face.force[j]
            hold(face, face.held[j])


cdef inline Py_ssize_t first_to_vanish(Face* face, const pair* p, pair* length) noexcept nogil:
    """The arm that reaches 0 first along `face.step`, if within `length` (which is shortened), else -1."""
    cdef Py_ssize_t i, blocking = -1
    cdef double least = -face.blur * length_of(face.step, face.n)
    cdef pair t
    for i in range(face.n):
        if face.step[i].hi < least:
            t = over(pair_scaled(p[i], -1), face.step[i])
            if below(t, length[0]):
                length[0] = t
                blocking = i
    return blocking


cdef inline void advance(Face* face, pair* p, pair length, Py_ssize_t blocking) noexcept nogil:
    cdef Py_ssize_t i
    add_multiple(p, length, face.step, face.n)
    for i in range(face.n):
        if p[i].hi < 0 or i == blocking:
            p[i] = pair_of(0)


cdef inline void pull_on(Face* face, const pair* p, const double* direction) noexcept nogil:
    """`face.pull`: the gradient of ½|p|², or of −direction·p if there is one, in the basis; at its end the multipliers
    of the held arms, by back substitution."""
    cdef Py_ssize_t i, t, r, column
    cdef pair value
    clear(face.pull, face.whole)
    for i in range(face.n):
        value = p[i] if direction == NULL else pair_of(-direction[i])
        add_multiple(face.pull, value, face.basis + i * face.whole, face.whole)
    for t in range(face.n_held - 1, -1, -1):
        column = face.whole - 1 - t
        value = face.pull[column]
        for r in range(t + 1, face.n_held):
            value = minus(value, times(face.basis[face.held[r] * face.whole + column], face.pull[face.whole - 1 - r]))
        face.pull[column] = over(value, face.basis[face.held[t] * face.whole + column])


cdef inline void settle(Face* face, const pair* p, const double* direction) noexcept nogil:
    """Bring `face.force` to the multipliers of the held arms, letting go of those that would be pulled up."""
    cdef Py_ssize_t t, first
    cdef pair part, ratio, wanted
    while True:
        pull_on(face, p, direction)
        part = pair_of(1)
        first = -1
        for t in range(face.n_held):
            wanted = face.pull[face.whole - 1 - t]
            if wanted.hi <= 0:
                ratio = pair_of(0)
                if face.force[t].hi > 0:
                    ratio = over(face.force[t], minus(face.force[t], wanted))
                if first < 0 or below(ratio, part):
                    part = ratio
                    first = t
        for t in range(face.n_held):
            wanted = face.pull[face.whole - 1 - t]
            face.force[t] = plus(face.force[t], times(part, minus(wanted, face.force[t])))
        if first < 0:
            return
        let_go(face, first)


cdef inline Py_ssize_t most_pressed(Face* face, const pair* p, double* moving) noexcept nogil:
    """Write the steepest step that keeps held arms at 0, its length in `moving`; the arm it presses, or -1."""
    cdef Py_ssize_t i, most = -1
    moving[0] = length_of(face.pull, face.free)
    for i in range(face.n):
        face.step[i] = pair_scaled(dot(face.basis + i * face.whole, face.pull, face.free), -1)
        if p[i].hi <= 0 and face.step[i].hi < -face.blur * moving[0]:
            if most < 0 or below(face.step[i], face.step[most]):
                most = i
    return most

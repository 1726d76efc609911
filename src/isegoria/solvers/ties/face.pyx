"""Which optimum, when there are several: a walk on the face of optima {p0 + Zz ≥ 0} of a smooth convex function.

The columns of Z span the null space of the Hessian on the tight arms, so that moving along them changes nothing that
the objective sees. `centre` is the point of least Euclidean norm, `vertex` a corner reached by lowest-index pivoting
from the centre, `utilitarian` the point with the largest total utility and then the least norm. All of it is a few
small orthogonal steps in long double: the choice should not add rounding of its own.
"""

from libc.math cimport INFINITY, fabsl, sqrtl
from libc.stdlib cimport free as release, malloc
from libc.string cimport memcpy

import numpy as np

from isegoria import tolerances
from isegoria.solvers.algebra.null_space cimport null_space
from isegoria.solvers.ties.tie_break cimport UTILITARIAN, VERTEX, Choice, choice_of

cdef double TIE = tolerances.OPTIMUM_TIE
cdef double ROUNDING = tolerances.OPTIMUM_ROUNDING
cdef long double STILL = tolerances.FACE_STILL

cdef struct Face:
    Py_ssize_t n         # arms that may have weight
    Py_ssize_t whole     # dimensions of the face
    Py_ssize_t free      # dimensions left while `held` arms are kept at 0
    Py_ssize_t n_held
    long double* start   # (n, whole) an orthonormal basis of the face
    long double* basis   # the same rotated: `free` columns that leave held arms alone, then one column per held arm
    long double* step    # (n,)
    long double* pull    # (n,) the gradient in the basis, then the multipliers of the held arms
    long double* force   # (n,) the multipliers of the held arms so far, none below 0
    Py_ssize_t* held
    long double blur     # how exactly the basis is known: an arm that moves less along a step does not move


cdef Py_ssize_t face_reals(Py_ssize_t n) noexcept nogil:
    """How many long doubles `pick_from_face` needs."""
    return 4 * n * n + 6 * n


cdef void rotate_away(Face* face, long double* row) noexcept nogil:
    """Reflect the free columns so that `row` (of length free) keeps only its last entry; then give up that column."""
    cdef Py_ssize_t i, j, last = face.free - 1
    cdef long double norm = 0, scale, dot
    cdef long double* normal = face.pull
    for j in range(face.free):
        norm += row[j] * row[j]
        normal[j] = row[j]
    norm = sqrtl(norm)
    normal[last] += norm if row[last] >= 0 else -norm
    scale = 0
    for j in range(face.free):
        scale += normal[j] * normal[j]
    if scale > 0:
        for i in range(face.n):
            dot = 0
            for j in range(face.free):
                dot += face.basis[i * face.whole + j] * normal[j]
            dot *= 2 / scale
            for j in range(face.free):
                face.basis[i * face.whole + j] -= dot * normal[j]
    face.free -= 1


cdef long double row_norm(Face* face, Py_ssize_t k) noexcept nogil:
    cdef long double total = 0
    cdef Py_ssize_t j
    for j in range(face.free):
        total += face.basis[k * face.whole + j] * face.basis[k * face.whole + j]
    return sqrtl(total)


cdef void hold(Face* face, Py_ssize_t k) noexcept nogil:
    """Keep arm k at 0 from here on."""
    cdef Py_ssize_t j
    rotate_away(face, face.basis + k * face.whole)
    for j in range(face.free):
        face.basis[k * face.whole + j] = 0
    face.held[face.n_held] = k
    face.n_held += 1


cdef void let_go(Face* face, Py_ssize_t position) noexcept nogil:
    """Free one held arm: rebuild the basis with the others."""
    cdef Py_ssize_t j, count = face.n_held - 1
    for j in range(position, count):
        face.held[j] = face.held[j + 1]
    memcpy(face.basis, face.start, face.n * face.whole * sizeof(long double))
    face.free = face.whole
    face.n_held = 0
    for j in range(count):
        if row_norm(face, face.held[j]) > face.blur:
            hold(face, face.held[j])


cdef Py_ssize_t first_to_vanish(Face* face, const long double* p, long double* length) noexcept nogil:
    """The arm that reaches 0 first along `face.step`, if within `length` (which is shortened), else -1."""
    cdef Py_ssize_t i, blocking = -1
    cdef long double norm = 0, t
    for i in range(face.n):
        norm += face.step[i] * face.step[i]
    norm = sqrtl(norm)
    for i in range(face.n):
        if face.step[i] < -face.blur * norm:
            t = -p[i] / face.step[i]
            if t < length[0]:
                length[0] = t
                blocking = i
    return blocking


cdef void advance(Face* face, long double* p, long double length, Py_ssize_t blocking) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(face.n):
        p[i] += length * face.step[i]
        if p[i] < 0:
            p[i] = 0
    if blocking >= 0:
        p[blocking] = 0


cdef void pull_on(Face* face, const long double* p, const long double* direction) noexcept nogil:
    """`face.pull`: the gradient of ½|p|², or of −direction·p if there is one, in the basis."""
    cdef Py_ssize_t i, j
    cdef long double slope
    for j in range(face.whole):
        face.pull[j] = 0
    for i in range(face.n):
        slope = p[i] if direction == NULL else -direction[i]
        for j in range(face.whole):
            face.pull[j] += face.basis[i * face.whole + j] * slope


cdef void multipliers(Face* face) noexcept nogil:
    """Turn the end of `face.pull` into the multipliers of the held arms, by back substitution."""
    cdef Py_ssize_t t, r, column
    cdef long double value
    for t in range(face.n_held - 1, -1, -1):
        column = face.whole - 1 - t
        value = face.pull[column]
        for r in range(t + 1, face.n_held):
            value -= face.basis[face.held[r] * face.whole + column] * face.pull[face.whole - 1 - r]
        face.pull[column] = value / face.basis[face.held[t] * face.whole + column]


cdef void settle(Face* face, const long double* p, const long double* direction) noexcept nogil:
    """Bring `face.force` to the multipliers of the held arms, letting go of those that would be pulled up (Lawson and
    Hanson's inner loop: all of them stay at 0 or above on the way)."""
    cdef Py_ssize_t t, first
    cdef long double part, ratio, wanted
    while True:
        pull_on(face, p, direction)
        multipliers(face)
        part = 1
        first = -1
        for t in range(face.n_held):
            wanted = face.pull[face.whole - 1 - t]
            if wanted <= 0:
                ratio = face.force[t] / (face.force[t] - wanted) if face.force[t] > 0 else 0
                if first < 0 or ratio < part:
                    part = ratio
                    first = t
        for t in range(face.n_held):
            face.force[t] += part * (face.pull[face.whole - 1 - t] - face.force[t])
        if first < 0:
            return
        for t in range(first, face.n_held - 1):
            face.force[t] = face.force[t + 1]
        let_go(face, first)


cdef Py_ssize_t most_pressed(Face* face, const long double* p, long double* moving) noexcept nogil:
    """Write the steepest step that keeps held arms at 0, its length in `moving`; the arm it presses, or -1."""
    cdef Py_ssize_t i, j, most = -1
    moving[0] = 0
    for j in range(face.free):
        moving[0] += face.pull[j] * face.pull[j]
    moving[0] = sqrtl(moving[0])
    for i in range(face.n):
        face.step[i] = 0
        for j in range(face.free):
            face.step[i] -= face.basis[i * face.whole + j] * face.pull[j]
        if p[i] <= 0 and face.step[i] < -face.blur * moving[0]:
            if most < 0 or face.step[i] < face.step[most]:
                most = i
    return most


cdef int descend(Face* face, long double* p, const long double* direction) noexcept nogil:
    """Move p to the least ½|p|², or to the largest direction·p if there is one, along the path of steepest descent.

    At each corner the pull is projected onto the directions that leave no empty arm below 0, so that every step has a
    length and none is taken back, however many arms are empty there. 1 when the pull vanishes against multipliers
    that are all at least 0, which proves the point; 0 if that was not reached.
    """
    cdef Py_ssize_t i, most, blocking, rounds
    cdef long double moving = 0, length, still = STILL
    for i in range(face.n if direction != NULL else 0):
        still = max(still, STILL * fabsl(direction[i]))
    for i in range(face.n_held):
        face.force[i] = 0
    for rounds in range(20 * face.n + 20):
        settle(face, p, direction)
        most = most_pressed(face, p, &moving)
        if moving <= still:
            return 1
        if most >= 0:
            face.force[face.n_held] = 0
            hold(face, most)
            continue
        length = 1 if direction == NULL else INFINITY
        blocking = first_to_vanish(face, p, &length)
        if direction != NULL and blocking < 0:
            return 0
        advance(face, p, length, blocking)
    return 0


cdef void walk_to_vertex(Face* face, long double* p) noexcept nogil:
    """Empty the lowest-index movable arm's rivals until no direction is left: a corner of the face."""
    cdef Py_ssize_t i, j, k, blocking
    cdef long double length
    for i in range(face.n):
        if p[i] <= STILL and row_norm(face, i) > face.blur:
            p[i] = 0
            hold(face, i)
    while face.free > 0:
        k = 0
        while k < face.n and row_norm(face, k) <= face.blur:
            k += 1
        if k == face.n:
            return
        for i in range(face.n):
            face.step[i] = 0
            for j in range(face.free):
                face.step[i] += face.basis[i * face.whole + j] * face.basis[k * face.whole + j]
        length = INFINITY
        blocking = first_to_vanish(face, p, &length)
        if blocking < 0:
            return
        advance(face, p, length, blocking)
        hold(face, blocking)


cdef double narrow(Face* face, long double* p, const long double* direction) noexcept nogil:
    """Keep only the points with the largest direction·p; the smallest multiplier that was not taken as a tie."""
    cdef double margin = INFINITY
    cdef Py_ssize_t t, i, j, kept = 0
    cdef long double value
    face.free = face.whole
    for t in range(face.n_held):
        value = face.force[t]
        if value > TIE:
            margin = min(margin, <double> value)
            face.held[kept] = face.held[t]
            kept += 1
        elif value > ROUNDING:
            margin = min(margin, <double> value)
    memcpy(face.basis, face.start, face.n * face.whole * sizeof(long double))
    face.n_held = 0
    for t in range(kept):
        if row_norm(face, face.held[t]) > face.blur:
            hold(face, face.held[t])
    for j in range(face.free):
        face.step[j] = 0
        for i in range(face.n):
            face.step[j] += face.basis[i * face.whole + j] * direction[i]
    value = 0
    for j in range(face.free):
        value += face.step[j] * face.step[j]
    if face.free > 0 and sqrtl(value) > TIE:
        rotate_away(face, face.step)
    for i in range(face.n):  # the narrower face becomes the whole one
        for j in range(face.free):
            face.start[i * face.free + j] = face.basis[i * face.whole + j]
    face.whole = face.free
    face.n_held = 0
    memcpy(face.basis, face.start, face.n * face.whole * sizeof(long double))
    return margin


cdef double pick_from_face(const long double* H, Py_ssize_t n, const double* slack, const double* direction,
                           Choice choice, double noise, long double* p, double* pivot, long double* work,
                           Py_ssize_t* index) noexcept nogil:
    """Move the optimum p to the one that `choice` asks for; the tie margin, 0 if the choice is not proved.

    `slack` (n,) is how far each arm's gradient is from tight. In `pivot` the smallest pivot of H that was not taken as
    a tie: what rounding in H and in the slacks is to be compared with. `work` has face_reals(n) long doubles, `index`
    3n integers.
    """
    cdef Face face
    cdef double margin = INFINITY
    cdef int proved
    cdef long double widest = 0
    cdef Py_ssize_t i, size = 0
    cdef Py_ssize_t* arms = index
    cdef long double* q = work
    cdef long double* towards = work + n
    for i in range(n):
        if slack[i] <= TIE or p[i] > TIE:
            arms[size] = i
            q[size] = p[i]
            towards[size] = direction[i] if choice == UTILITARIAN else 0
            widest = max(widest, H[i * n + i])
            size += 1
        else:
            p[i] = 0
        if slack[i] > ROUNDING and p[i] <= TIE:
            margin = min(margin, slack[i])
    face.n = size
    face.held = index + n
    face.n_held = 0
    face.step = work + 2 * n
    face.pull = work + 3 * n
    face.start = work + 4 * n
    face.basis = face.start + n * n
    face.force = face.basis + 2 * n * n + n
    pivot[0] = INFINITY
    face.free = null_space(H, n, arms, size, noise, face.basis + n * n, index + 2 * n, face.start, pivot)
    margin = min(margin, pivot[0])
    face.whole = face.free
    if face.whole == 0:
        return margin
    face.blur = max(STILL, min(<long double> TIE, noise * widest / pivot[0]))
    memcpy(face.basis, face.start, size * face.whole * sizeof(long double))
    proved = descend(&face, q, NULL)
    if choice == VERTEX:
        walk_to_vertex(&face, q)
    elif choice == UTILITARIAN:
        proved &= descend(&face, q, towards)
        margin = min(margin, narrow(&face, q, towards))
        if face.whole > 0:
            proved &= descend(&face, q, NULL)
    for i in range(size):
        p[arms[i]] = q[i]
    return margin if proved else 0


def pick(H, p0, slack, str tie_break="centre", direction=None, double noise=tolerances.NEWTON_NOISE):
    """(policy (K,), tie margin): the optimum that `tie_break` asks for, from one optimum `p0` (K,).

    `H` (K, K) is the Hessian in units of the value, and its null vectors must sum to 0 on the tight arms (add 11ᵀ where
    that is not so by itself); `slack` (K,) is how far each arm's partial derivative is from the best, 0 where tight;
    `direction` (K,) is each arm's total utility, used by "utilitarian". `noise` is the relative error of `H`.

    >>> import numpy as np
    >>> pick(np.zeros((3, 3)) + 1, [1, 0, 0], [0, 0, 0])[0].round(3).tolist()
    [0.333, 0.333, 0.333]
    """
    cdef Py_ssize_t n = len(p0)
    cdef Choice choice = choice_of(tie_break)
    hessian = np.array(H, dtype=np.longdouble, order="C")
    policy = np.array(p0, dtype=np.longdouble)
    cdef long double[:, ::1] h = hessian
    cdef long double[::1] p = policy
    cdef double[::1] slacks = np.array(slack, dtype=float)
    cdef double[::1] aim = np.zeros(n) if direction is None else np.array(direction, dtype=float)
    cdef long double* work = <long double*> malloc(face_reals(n) * sizeof(long double))
    cdef Py_ssize_t* index = <Py_ssize_t*> malloc(3 * n * sizeof(Py_ssize_t))
    cdef double pivot
    margin = pick_from_face(&h[0, 0], n, &slacks[0], &aim[0], choice, noise, &p[0], &pivot, work, index)
    release(work)
    release(index)
    return policy.astype(float), margin

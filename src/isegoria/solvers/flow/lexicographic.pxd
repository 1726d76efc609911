from isegoria.rows.arena cimport Arena
from isegoria.solvers.flow.network cimport Network, units


cdef struct Blocks:
    const double *shares    # (types,)
    const double *policy    # (arms,)
    double *ratio           # (types,) what each carries over its share
    double *capacity        # (arms,) what an arm brings to this round: its probability, then a part of its block's
    units *flow             # (edges,) each block's maximum flow in the round that closed it
    double *block_share     # (most,) by block, and so the rest
    double *block_policy
    int *is_open
    int *reached
    int *size
    Py_ssize_t most         # blocks that there can be
    int count               # blocks that there are; block 0 is heard in full


cdef int open_blocks(
    Blocks *blocks, Network network, const double *shares, const double *policy, double *ratio, Arena *arena,
) except -1
cdef void part(Network network, Blocks *blocks) noexcept nogil
cdef bint part_uneven(Network network, Blocks *blocks) noexcept nogil

"""Who is heard how much when not all can be heard in full: the ratios of the fairest maximum flow (Megiddo 1974).

Ratios come from cuts alone: the neglected are parted from the heard, then every group is asked whether it could be
heard evenly; a group that could not is parted again by its own cut, all groups at once in each round.
"""

from libc.string cimport memcpy, memset

from isegoria.solvers.rows.arena cimport Arena, carve_zeros, check_arena, doubles, each_integers, each_zeros
from isegoria.solvers.flow.push_relabel cimport saturate_anew, widen
from isegoria.solvers.flow.network cimport Network, units, whole


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


cdef inline int open_blocks(Blocks *blocks, Network network, const double *shares, const double *policy, double *ratio,
                            Arena *arena) except -1:
    """The whole group as one block, to be heard in full; `ratio` (types,) becomes 1 for all."""
    cdef Py_ssize_t t
    network.join_blocks()
    blocks.shares, blocks.policy, blocks.ratio, blocks.most = shares, policy, ratio, network.arms + 2
    blocks.capacity = doubles(arena, network.arms)
    blocks.flow = <units *> carve_zeros(arena, network.edges, sizeof(units))
    each_zeros(arena, blocks.most, &blocks.block_share, &blocks.block_policy)
    each_integers(arena, blocks.most, &blocks.is_open, &blocks.reached, &blocks.size)
    check_arena(arena)
    memset(blocks.is_open, 0, blocks.most * sizeof(int))
    memcpy(blocks.capacity, policy, network.arms * sizeof(double))
    for t in range(network.types):
        ratio[t] = 1.0
    blocks.block_share[0] = 1.0
    blocks.is_open[0], blocks.count = 1, 1
    return 0


cdef inline void send(Network network, Blocks *blocks) noexcept nogil:
    """A maximum flow in every open block, kept in `flow`; then widen, so that levels tell a cut from rounding."""
    cdef Py_ssize_t t, k
    cdef int e, b
    for k in range(network.arms):
        blocks.capacity[k] = blocks.capacity[k] if blocks.is_open[network.arm_block[k]] else 0.0
        network.room[k] = whole(blocks.capacity[k])
    for t in range(network.types):
        b = network.type_block[t]
        network.left[t] = whole(blocks.shares[t] / blocks.block_share[b]) if blocks.is_open[b] else 0
    saturate_anew(network)
    for t in range(network.types):
        if blocks.is_open[network.type_block[t]]:
            for e in range(network.first[t], network.first[t + 1]):
                blocks.flow[e] = network.carried[e]
    widen(network, blocks.capacity)


cdef inline bint inside(Network network, Py_ssize_t t) noexcept nogil:
    """Whether every arm of the type's own block that it is linked to was reached: it belongs to the cut."""
    cdef int e, k
    for e in range(network.first[t], network.first[t + 1]):
        k = network.arm[e]
        if network.arm_block[k] == network.type_block[t] and network.arm_level[k] < 0:
            return False
    return True


cdef inline bint part(Network network, Blocks *blocks) noexcept nogil:
    """Part each open block at its cut: what an unheard share reached becomes a new block. Close the others.
    False when all are closed."""
    cdef Py_ssize_t t, k
    cdef int b, count = blocks.count
    send(network, blocks)
    memset(blocks.reached, 0, blocks.most * sizeof(int))
    for k in range(network.arms):
        blocks.reached[network.arm_block[k]] += network.arm_level[k] >= 0
    for b in range(count):
        blocks.is_open[b] = blocks.is_open[b] and blocks.reached[b] and (b == 0 or blocks.reached[b] < blocks.size[b])
        if blocks.is_open[b]:
            blocks.is_open[blocks.count] = 1
            blocks.reached[b] = blocks.count  # from here on: the block that what was reached goes to
            blocks.count += 1
    for t in range(network.types):
        if blocks.is_open[network.type_block[t]] and inside(network, t):
            network.type_block[t] = -blocks.reached[network.type_block[t]]
    for k in range(network.arms):
        if blocks.is_open[network.arm_block[k]] and network.arm_level[k] >= 0:
            network.arm_block[k] = blocks.reached[network.arm_block[k]]
    for t in range(network.types):
        network.type_block[t] = abs(network.type_block[t])
    return blocks.count > count


cdef inline bint part_uneven(Network network, Blocks *blocks) noexcept nogil:
    """Ask every open block whether it can be heard evenly; part those that cannot. False when all are closed."""
    cdef Py_ssize_t t, k
    cdef int b, still_open = 0
    memset(blocks.block_share, 0, blocks.most * sizeof(double))
    memset(blocks.block_policy, 0, blocks.most * sizeof(double))
    memset(blocks.size, 0, blocks.most * sizeof(int))
    for t in range(network.types):
        blocks.block_share[network.type_block[t]] += blocks.shares[t]
    for k in range(network.arms):
        blocks.block_policy[network.arm_block[k]] += blocks.policy[k]
        blocks.size[network.arm_block[k]] += 1
    for t in range(network.types):
        b = network.type_block[t]
        if blocks.is_open[b]:
            blocks.ratio[t] = min(1.0, blocks.block_policy[b] / blocks.block_share[b])
    for k in range(network.arms):
        b = network.arm_block[k]
        blocks.capacity[k] = blocks.policy[k] / blocks.block_policy[b] if blocks.policy[k] > 0.0 else 0.0
    for b in range(blocks.count):  # with one arm, or nothing to share, there is no other way than evenly
        blocks.is_open[b] = blocks.is_open[b] and blocks.block_policy[b] > 0.0 and blocks.size[b] > 1
        still_open |= blocks.is_open[b]
    if not still_open:
        return False
    return part(network, blocks)

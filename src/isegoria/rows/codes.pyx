"""Counting 64-bit codes: favourite sets as bits, merged with their weights, in an order that the agents cannot change.

A small hash table, so that ten million agents with a hundred distinct sets cost ten million look-ups in a table that
stays in the cache, and memory for a hundred.
"""

from libc.stdlib cimport calloc, free, malloc, qsort, realloc


cdef inline uint64_t scatter(uint64_t code) noexcept nogil:
    """A mixer of all 64 bits (the finaliser of splitmix64), so that similar sets do not share a slot."""
    code = (code ^ (code >> 30)) * <uint64_t> 0xbf58476d1ce4e5b9ULL
    code = (code ^ (code >> 27)) * <uint64_t> 0x94d049bb133111ebULL
    return code ^ (code >> 31)


cdef int open_table(CodeTable* table) noexcept nogil:
    """An empty table; 0 when there is no memory."""
    table.size = 0
    table.capacity = 32
    table.mask = 63
    table.counts = <CodeCount*> malloc(table.capacity * sizeof(CodeCount))
    table.slots = <int64_t*> calloc(table.mask + 1, sizeof(int64_t))
    return table.counts != NULL and table.slots != NULL


cdef void close_table(CodeTable* table) noexcept nogil:
    free(table.counts)
    free(table.slots)


cdef int grow(CodeTable* table) noexcept nogil:
    """Twice the room; 0 when there is no memory."""
    cdef Py_ssize_t i
    cdef uint64_t slot, mask = 4 * <uint64_t> table.capacity - 1
    cdef int64_t* slots = <int64_t*> calloc(mask + 1, sizeof(int64_t))
    cdef CodeCount* counts = <CodeCount*> realloc(table.counts, 2 * table.capacity * sizeof(CodeCount))
    if counts != NULL:
        table.counts = counts
    if counts == NULL or slots == NULL:
        free(slots)
        return 0
    for i in range(table.size):
        slot = scatter(counts[i].code) & mask
        while slots[slot]:
            slot = (slot + 1) & mask
        slots[slot] = i + 1
    free(table.slots)
    table.slots = slots
    table.mask = mask
    table.capacity *= 2
    return 1


cdef Py_ssize_t count_code(CodeTable* table, uint64_t code, int64_t weight) noexcept nogil:
    """Add `weight` to `code`; its position among the distinct codes, or -1 when there is no memory."""
    cdef uint64_t slot = scatter(code) & table.mask
    cdef Py_ssize_t found
    while table.slots[slot]:
        found = table.slots[slot] - 1
        if table.counts[found].code == code:
            table.counts[found].weight += weight
            return found
        slot = (slot + 1) & table.mask
    if table.size == table.capacity:
        if not grow(table):
            return -1
        return count_code(table, code, weight)
    table.counts[table.size].code = code
    table.counts[table.size].weight = weight
    table.counts[table.size].order = table.size
    table.size += 1
    table.slots[slot] = table.size
    return table.size - 1


cdef int by_code(const void* one, const void* other) noexcept nogil:
    cdef uint64_t a = (<const CodeCount*> one).code, b = (<const CodeCount*> other).code
    return (a > b) - (a < b)


cdef void sort_table(CodeTable* table) noexcept nogil:
    """Order the distinct codes; `order` keeps where each was first placed. No code may be counted after this."""
    qsort(table.counts, table.size, sizeof(CodeCount), by_code)

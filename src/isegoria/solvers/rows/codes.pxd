from libc.stdint cimport int64_t, uint64_t

cdef struct CodeCount:
    uint64_t code
    int64_t weight
    int64_t order

cdef struct CodeTable:
    CodeCount* counts     # one entry per distinct code
    Py_ssize_t size
    Py_ssize_t capacity
    int64_t* slots        # open addressing: 1 + the position in counts, or 0
    uint64_t mask

cdef int open_table(CodeTable* table) noexcept nogil
cdef void close_table(CodeTable* table) noexcept nogil
cdef Py_ssize_t count_code(CodeTable* table, uint64_t code, int64_t weight) noexcept nogil
cdef Py_ssize_t count_codes(CodeTable* table, const uint64_t* codes, const int64_t* weights, Py_ssize_t N,
                            int64_t* member) noexcept nogil
cdef void sort_table(CodeTable* table) noexcept nogil

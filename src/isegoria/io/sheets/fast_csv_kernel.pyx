"""Fast parser of plain CSV: rows of numbers, one column of names, nothing quoted.

Anything unusual is left to the careful reader, which can say what is wrong.
"""

from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy
from numpy cimport PyArray_DATA, ndarray

cdef extern from "Python.h":
    double PyOS_string_to_double(const char* text, char** end, void* overflow) except? -1.0

cdef double[23] TENS
TENS[:] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
           1e19, 1e20, 1e21, 1e22]
cdef enum:
    LONGEST = 64  # characters of a number


cdef inline bint is_digit(unsigned char character) noexcept nogil:
    return 48 <= character <= 57


cdef bint space_at(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    """Check whether these bytes begin with ASCII or Unicode white space, or are empty."""
    if size < 1:
        return True
    if text[0] <= 32:
        return True
    if size >= 2 and text[0] == 0xC2:
        return text[1] == 0x85 or text[1] == 0xA0
    if size < 3:
        return False
    if text[0] == 0xE1:
        return text[1] == 0x9A and text[2] == 0x80
    if text[0] == 0xE2:
        return (text[1] == 0x80 and (text[2] <= 0x8A or text[2] in (0xA8, 0xA9, 0xAF))) or (
            text[1] == 0x81 and text[2] == 0x9F)
    return text[0] == 0xE3 and text[1] == 0x80 and text[2] == 0x80


cdef bint bare_name(const unsigned char* text, Py_ssize_t size) noexcept nogil:
    """Check for a name that begins and ends with a visible character and contains no quote or control character."""
    cdef Py_ssize_t i
    if space_at(text, size) or text[size - 1] <= 32:
        return False
    if (size >= 2 and space_at(text + size - 2, 2)) or (size >= 3 and space_at(text + size - 3, 3)):
        if text[size - 1] >= 0x80:
            return False
    for i in range(size):
        if text[i] < 32 or text[i] == 34:
            return False
    return True


cdef Py_ssize_t number(const unsigned char* text, double* value) except -1:
    """Parse the decimal at `text`, up to a separator or a line end; return its length, or 0 if there is none."""
    cdef Py_ssize_t at = 0, digits = 0, begun = 0
    cdef uint64_t mantissa = 0
    cdef int exponent = 0, power = 0, sign = 1
    cdef bint negative = text[0] == 45, any_digit = False
    cdef char* end
    if text[0] == 45 or text[0] == 43:
        at = 1
    while is_digit(text[at]):
        any_digit = True
        if mantissa or text[at] != 48:
            digits += 1
        mantissa = mantissa * 10 + (text[at] - 48)
        at += 1
    if text[at] == 46:
        at += 1
        while is_digit(text[at]):
            any_digit = True
            if mantissa or text[at] != 48:
                digits += 1
            mantissa = mantissa * 10 + (text[at] - 48)
            exponent -= 1
            at += 1
    if not any_digit or at > LONGEST:
        return 0
    if text[at] == 101 or text[at] == 69:
        at += 1
        if text[at] == 45 or text[at] == 43:
            sign = -1 if text[at] == 45 else 1
            at += 1
        begun = at
        while is_digit(text[at]) and at - begun < 5:
            power = power * 10 + (text[at] - 48)
            at += 1
        if at == begun or is_digit(text[at]):
            return 0
        exponent += sign * power
    if digits <= 15 and -22 <= exponent <= 22:  # both are exact doubles, so one operation rounds once
        value[0] = <double> mantissa / TENS[-exponent] if exponent < 0 else <double> mantissa * TENS[exponent]
        if negative:
            value[0] = -value[0]
    else:
        value[0] = PyOS_string_to_double(<const char*> text, &end, NULL)
        if end - <char*> text != at:
            return 0
    return at


def parse(bytes data, Py_ssize_t columns, Py_ssize_t named, char separator, ndarray table, Py_ssize_t first,
          ndarray names, ndarray ends):
    """Parse the complete lines in `data`; return (rows, bytes of `data` used, bytes of `names` used).

    rows is -1 if a cell is unusual. `table` (capacity, columns - 1) is filled with the numbers from row `first` on,
    `names` with the bytes of column `named`, concatenated, and `ends` with their ends. Parsing stops when `table` is
    full.
    """
    cdef const unsigned char* text = data
    cdef Py_ssize_t at = 0, start, column, k, rows = 0, used = 0, length, last
    cdef Py_ssize_t capacity = table.shape[0] - first
    cdef double* numbers = <double*> PyArray_DATA(table) + first * (columns - 1)
    cdef unsigned char* name = <unsigned char*> PyArray_DATA(names)
    cdef int64_t* name_ends = <int64_t*> PyArray_DATA(ends)
    last = data.rfind(b"\n") + 1
    while at < last and rows < capacity:
        k = 0
        for column in range(columns):
            if column == named:
                start = at
                while text[at] != separator and text[at] != 10 and text[at] != 13:
                    at += 1
                if not bare_name(text + start, at - start):
                    return -1, 0, 0
                memcpy(name + used, text + start, at - start)
                used += at - start
                name_ends[rows] = used
            else:
                length = number(text + at, numbers + rows * (columns - 1) + k)
                if length == 0:
                    return -1, 0, 0
                at += length
                k += 1
            if column < columns - 1:
                if text[at] != separator:
                    return -1, 0, 0
                at += 1
        if text[at] == 13:
            at += 1
        if text[at] != 10:
            return -1, 0, 0
        at += 1
        rows += 1
    return rows, at, used

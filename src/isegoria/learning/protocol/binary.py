"""Large states in a sealed, versioned binary form: a header of plain JSON, the arrays as they lie in memory, a digest.

    isegoria binary 2\\n | length of the header, 8 bytes | header, JSON in UTF-8 | arrays, one after the other | digest

The header is the state with every array replaced by {"array": place, "dtype", "shape", "order", "bytes"}, where `place`
counts bytes from the end of the header. The digest is SHA-256 over all before it. Numbers are little-endian.
Reading runs no code: arrays hold numbers and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import numpy as np

from isegoria.errors import StateError

MAGIC = b"isegoria binary 2\n"
LENGTH, DIGEST = 8, 32
KINDS = "biuf"
"""The kinds of numbers that an array may hold: booleans, whole numbers with or without sign, floats."""


def parts(body: dict[str, Any]) -> list[bytes | memoryview]:
    """The pieces of the binary form of `body`, in order: bytes, and arrays as buffers; joined they are the whole."""
    arrays: list[np.ndarray] = []
    place = 0

    def described(array: np.ndarray) -> dict[str, Any]:
        nonlocal place
        order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
        flat = np.ascontiguousarray(array.T if order == "F" else array)
        flat = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
        entry = {"array": place, "dtype": flat.dtype.str, "shape": list(array.shape), "order": order}
        arrays.append(flat)
        place += flat.nbytes
        return {**entry, "bytes": flat.nbytes}

    header = json.dumps(_mapped(body, described), allow_nan=False).encode()
    buffers = [one.data.cast("B") for one in arrays if one.size]
    pieces: list[bytes | memoryview] = [MAGIC, len(header).to_bytes(LENGTH, "little"), header, *buffers]
    digest = sha256()
    for piece in pieces:
        digest.update(piece)
    return [*pieces, digest.digest()]


def is_binary(data: object) -> bool:
    """Whether `data` begins like a binary state."""
    return isinstance(data, bytes | bytearray | memoryview) and bytes(data[: len(MAGIC)]) == MAGIC


def body_of(sealed: bytes | bytearray | memoryview) -> dict[str, Any]:
    """The body that `parts` wrote, arrays and all; anything else raises `StateError`."""
    data = memoryview(sealed)
    start = len(MAGIC) + LENGTH
    length = int.from_bytes(data[len(MAGIC) : start], "little")
    first, last = start + length, len(data) - DIGEST
    if first > last or sha256(data[:last]).digest() != data[last:]:
        raise StateError("the state is damaged: cut short, or its digest does not match. Use the last complete copy.")
    try:
        header = json.loads(bytes(data[start:first]))
        body: dict[str, Any] = _mapped(header, lambda array: array, lambda entry: _array(entry, data[first:last]))
        return body
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise StateError(f"the state does not fit together ({error}); use the last complete copy.") from None


def _array(entry: dict[str, Any], data: memoryview) -> np.ndarray:
    dtype, shape, size = np.dtype(entry["dtype"]), tuple(entry["shape"]), entry["bytes"]
    place = entry["array"]
    if dtype.kind not in KINDS or min((0, *shape)) < 0 or not 0 <= place <= place + size <= len(data):
        raise ValueError("an array lies outside the state")
    flat = np.frombuffer(data[place : place + size], dtype=dtype)
    return flat.reshape(shape[::-1]).T if entry["order"] == "F" else flat.reshape(shape)


def _mapped(value: Any, written: Callable[[np.ndarray], Any], read: Callable[[Any], np.ndarray] | None = None) -> Any:
    """A copy of plain data in which arrays are `written`, or their descriptions are `read`."""
    if isinstance(value, np.ndarray):
        return written(value)
    if isinstance(value, dict):
        if read is not None and "array" in value:
            return read(value)
        return {key: _mapped(item, written, read) for key, item in value.items()}
    if isinstance(value, list | tuple) and any(isinstance(item, list | dict | tuple | np.ndarray) for item in value):
        return [_mapped(item, written, read) for item in value]
    return value


def frozen(body: dict[str, Any]) -> dict[str, Any]:
    """A copy of a body whose arrays are its own."""
    return {name: _mapped(value, np.array) for name, value in body.items()}


def array_bytes(value: Any) -> int:
    """How many bytes of arrays a body holds."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sum(array_bytes(item) for item in items if not isinstance(item, str | int | float))

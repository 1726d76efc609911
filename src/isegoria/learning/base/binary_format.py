"""A versioned binary format for large states: a JSON header, the raw arrays and a digest.

    isegoria binary 2\\n | length of the header, 8 bytes | header, JSON in UTF-8 | arrays, one after the other | digest

The header is the state with every array replaced by {"array": place, "dtype", "shape", "order", "bytes"}, where `place`
counts bytes from the end of the header. The digest is SHA-256 over everything before it. Numbers are little-endian.
Reading never runs code: arrays hold only numbers.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from typing import Any

import numpy as np

from isegoria.errors import StateError

BINARY_MAGIC = b"isegoria binary 2\n"
HEADER_LENGTH_BYTES, DIGEST_BYTES = 8, 32
ALLOWED_DTYPE_KINDS = "biuf"
"""The kinds of numbers that an array may hold: booleans, whole numbers with or without sign, floats."""


def encode_parts(body: dict[str, Any]) -> list[bytes | memoryview]:
    """Return the binary format of `body` as a list of pieces: bytes, and arrays as buffers, to be joined in order."""
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

    header = json.dumps(_map_arrays(body, described), allow_nan=False).encode()
    buffers = [one.data.cast("B") for one in arrays if one.size]
    pieces: list[bytes | memoryview] = [
        BINARY_MAGIC,
        len(header).to_bytes(HEADER_LENGTH_BYTES, "little"),
        header,
        *buffers,
    ]
    digest = sha256()
    for piece in pieces:
        digest.update(piece)
    return [*pieces, digest.digest()]


def is_binary(data: object) -> bool:
    """Return whether `data` begins like a binary state."""
    return isinstance(data, bytes | bytearray | memoryview) and bytes(data[: len(BINARY_MAGIC)]) == BINARY_MAGIC


def decode(sealed: bytes | bytearray | memoryview) -> dict[str, Any]:
    """Parse what `encode_parts` wrote and return the body, arrays included; raise `StateError` for anything else."""
    data = memoryview(sealed)
    start = len(BINARY_MAGIC) + HEADER_LENGTH_BYTES
    length = int.from_bytes(data[len(BINARY_MAGIC) : start], "little")
    first, last = start + length, len(data) - DIGEST_BYTES
    if first > last or sha256(data[:last]).digest() != data[last:]:
        raise StateError("the state is damaged: cut short, or its digest does not match. Use the last complete copy.")
    try:
        header = json.loads(bytes(data[start:first]))
        body: dict[str, Any] = _map_arrays(
            header, lambda array: array, lambda entry: _read_array(entry, data[first:last])
        )
        return body
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError, SyntaxError) as error:
        raise StateError(f"the state does not fit together ({error}); use the last complete copy.") from None


def _read_array(entry: dict[str, Any], data: memoryview) -> np.ndarray:
    dtype, shape, size = np.dtype(entry["dtype"]), tuple(entry["shape"]), entry["bytes"]
    place = entry["array"]
    if dtype.kind not in ALLOWED_DTYPE_KINDS or min((0, *shape)) < 0 or not 0 <= place <= place + size <= len(data):
        raise ValueError("an array lies outside the state")
    flat = np.frombuffer(data[place : place + size], dtype=dtype)
    return flat.reshape(shape[::-1]).T if entry["order"] == "F" else flat.reshape(shape)


def _map_arrays(
    value: Any, written: Callable[[np.ndarray], Any], read: Callable[[Any], np.ndarray] | None = None
) -> Any:
    """Return a copy of plain data with arrays replaced by `written`, or array descriptions replaced by `read`."""
    if isinstance(value, np.ndarray):
        return written(value)
    if isinstance(value, dict):
        if read is not None and "array" in value:
            return read(value)
        return {key: _map_arrays(item, written, read) for key, item in value.items()}
    if isinstance(value, list | tuple) and any(isinstance(item, list | dict | tuple | np.ndarray) for item in value):
        return [_map_arrays(item, written, read) for item in value]
    return value


def copy_arrays(body: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of `body` with copied arrays."""
    return {name: _map_arrays(value, np.array) for name, value in body.items()}


def count_array_bytes(value: Any) -> int:
    """Return the total number of bytes of the arrays in a body."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return sum(count_array_bytes(item) for item in items if not isinstance(item, str | int | float))

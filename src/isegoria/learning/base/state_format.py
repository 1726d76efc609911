"""The versioned JSON format of states, with a checksum so that a damaged state is never partly loaded."""

from __future__ import annotations

import hashlib
import json
import os
from base64 import b64decode, b64encode
from typing import Any

import numpy as np

from isegoria.errors import StateError
from isegoria.learning.base import binary_format

STATE_VERSION = 2
BINARY_MIN_BYTES = 1 << 24
"""Bytes of arrays from which on a file holds the binary form: JSON takes twenty times as long."""
ARRAYS_AS_LISTS = ("sums", "counts", "present", "rosters", "weights")
"""Arrays that stand in JSON as lists that people can read; all others are packed."""


def dump_state(body: dict[str, Any], kind: str = "learner") -> str:
    """Return a state `body` as JSON text with its format, version and checksum.

    `kind` says whose state it is: that of a "learner", or of a "run" of one.

    >>> load_state(dump_state({"rounds": 3}))["rounds"]
    3
    """
    body = {"format": f"isegoria {kind}", "version": STATE_VERSION, **_to_plain_data(body)}
    return json.dumps({**body, "checksum": _compute_checksum(body)}, allow_nan=False)


def write_state(path: str | os.PathLike[str], body: dict[str, Any], kind: str = "learner") -> None:
    """Write a state `body` to a file atomically: as JSON, or in the binary format if its arrays are large."""
    from isegoria.io.storage import atomic_write

    if binary_format.count_array_bytes(body) < BINARY_MIN_BYTES:
        atomic_write.write_text(path, dump_state(body, kind))
        return
    with atomic_write.open_atomic(path) as file:
        for piece in dump_state_parts(body, kind):
            file.write(piece)


def dump_state_parts(body: dict[str, Any], kind: str = "learner") -> list[bytes | memoryview]:
    """Return the pieces of a state in the binary format; joined, they can be passed to `load_state`."""
    return binary_format.encode_parts({"format": f"isegoria {kind}", "version": STATE_VERSION, **body})


def load_state(text: str | bytes, kind: str = "learner") -> dict[str, Any]:
    """Return the body that `dump_state` or `dump_state_parts` wrote; raise `StateError` with the reason for anything
    else."""
    sealed = binary_format.is_binary(text)
    try:
        body = _parse_body(text)
    except StateError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise StateError(f"the state is not complete JSON ({error}); use the last complete copy.") from None
    if not isinstance(body, dict) or body.get("format") != f"isegoria {kind}":
        raise StateError(f"this is not the state of a {kind}; expected JSON whose \"format\" is 'isegoria {kind}'.")
    version = body.get("version")
    if isinstance(version, bool) or version != STATE_VERSION:
        raise StateError(
            f"the state is of version {version!r}; this release reads version {STATE_VERSION}. "
            "Resume it with the release that wrote it."
        )
    if not sealed and body.pop("checksum", None) != _compute_checksum(body):
        raise StateError("the state is damaged: its checksum does not match. Use the last complete copy.")
    return body


def _parse_body(text: str | bytes) -> Any:
    if not isinstance(text, str) and binary_format.is_binary(text):
        return binary_format.decode(text)
    return json.loads(text, parse_constant=_reject_constant)


def _reject_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _compute_checksum(body: dict[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def dump_generator(rng: np.random.Generator) -> dict[str, Any]:
    """Return the exact position of a PCG64 generator as plain data.

    128-bit numbers are stored as text, which every JSON reader keeps.
    """
    state = rng.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "inc": str(state["state"]["inc"]),
        "has_uint32": state["has_uint32"],
        "uinteger": state["uinteger"],
    }


def load_generator(saved: dict[str, Any]) -> np.random.Generator:
    """Return the generator that `dump_generator` described."""
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(saved["state"]), "inc": int(saved["inc"])},
        "has_uint32": int(saved["has_uint32"]),
        "uinteger": int(saved["uinteger"]),
    }
    return np.random.Generator(bits)


def _to_plain_data(value: Any, name: str = "") -> Any:
    """Return `value` without arrays: those named in `ARRAYS_AS_LISTS` become plain lists, all others are packed."""
    if isinstance(value, np.ndarray):
        return value.tolist() if name in ARRAYS_AS_LISTS else encode_array(value)
    if isinstance(value, dict):
        return {key: _to_plain_data(item, key) for key, item in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        return [_to_plain_data(item, name) for item in value]
    return value


def encode_array(array: np.ndarray) -> dict[str, Any]:
    """Return an array of numbers as plain data, exact to the bit, infinities included."""
    return {"dtype": array.dtype.str, "shape": list(array.shape), "data": b64encode(array.tobytes()).decode()}


def decode_array(saved: dict[str, Any] | np.ndarray) -> np.ndarray:
    """Return the array that `encode_array` described, or a copy if `saved` is an array already."""
    if isinstance(saved, np.ndarray):
        return np.array(saved)
    return np.frombuffer(b64decode(saved["data"]), dtype=saved["dtype"]).reshape(saved["shape"]).copy()

"""Versioned plain JSON, sealed with a checksum so that a damaged state is never half-loaded; and what goes into it."""

from __future__ import annotations

import hashlib
import json
import os
from base64 import b64decode, b64encode
from typing import Any

import numpy as np

from isegoria.errors import StateError
from isegoria.learning.protocol import binary

VERSION = 2
BINARY_FROM = 1 << 24
"""Bytes of arrays from which on a file holds the binary form: JSON takes twenty times as long."""
READABLE = ("sums", "counts", "present", "rosters", "weights")
"""Arrays that stand in JSON as lists that people can read; all others are packed."""
READ = (1, 2)
"""The versions that are read; `State._upgraded` says what an older one lacks."""


def seal(body: dict[str, Any], kind: str = "learner") -> str:
    """JSON text of a state `body`, with its format, its version and a checksum over all of it.

    `kind` says what it is the state of: a "learner", or a "run" of one.

    >>> unseal(seal({"rounds": 3}))["rounds"]
    3
    """
    body = {"format": f"isegoria {kind}", "version": VERSION, **_plain(body)}
    return json.dumps({**body, "checksum": _checksum(body)}, allow_nan=False)


def seal_to(path: str | os.PathLike[str], body: dict[str, Any], kind: str = "learner") -> None:
    """Write a state `body` to a file, whole or not at all: as JSON, or in binary form where its arrays are large."""
    from isegoria.io import atomic

    if binary.array_bytes(body) < BINARY_FROM:
        atomic.write_text(path, seal(body, kind))
        return
    with atomic.writing(path) as file:
        for piece in seal_parts(body, kind):
            file.write(piece)


def seal_parts(body: dict[str, Any], kind: str = "learner") -> list[bytes | memoryview]:
    """The pieces of a state in binary form: joined, they are what `unseal` takes as well as JSON."""
    return binary.parts({"format": f"isegoria {kind}", "version": VERSION, **body})


def unseal(text: str | bytes, kind: str = "learner") -> dict[str, Any]:
    """The body that `seal` or `seal_parts` wrote; anything else raises `StateError` and says what is wrong."""
    sealed = binary.is_binary(text)
    try:
        body = _body(text)
    except StateError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise StateError(f"the state is not complete JSON ({error}); use the last complete copy.") from None
    if not isinstance(body, dict) or body.get("format") != f"isegoria {kind}":
        raise StateError(f"this is not the state of a {kind}; expected JSON whose \"format\" is 'isegoria {kind}'.")
    version = body.get("version")
    if isinstance(version, bool) or version not in READ:
        raise StateError(
            f"the state is of version {version!r}; this release reads versions {READ[0]} to {READ[-1]}. "
            "Resume it with the release that wrote it."
        )
    if not sealed and body.pop("checksum", None) != _checksum(body):
        raise StateError("the state is damaged: its checksum does not match. Use the last complete copy.")
    return body


def _body(text: str | bytes) -> Any:
    if not isinstance(text, str) and binary.is_binary(text):
        return binary.body_of(text)
    return json.loads(text, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _checksum(body: dict[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    """The exact place of a PCG64 generator in its stream; 128-bit numbers as text, which every JSON reader keeps."""
    state = rng.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "inc": str(state["state"]["inc"]),
        "has_uint32": state["has_uint32"],
        "uinteger": state["uinteger"],
    }


def generator_from(saved: dict[str, Any]) -> np.random.Generator:
    """The generator that `generator_state` described."""
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(saved["state"]), "inc": int(saved["inc"])},
        "has_uint32": int(saved["has_uint32"]),
        "uinteger": int(saved["uinteger"]),
    }
    return np.random.Generator(bits)


def _plain(value: Any, name: str = "") -> Any:
    """A body without arrays: sums and counts as lists that people can read, others packed."""
    if isinstance(value, np.ndarray):
        return value.tolist() if name in READABLE else packed(value)
    if isinstance(value, dict):
        return {key: _plain(item, key) for key, item in value.items()}
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        return [_plain(item, name) for item in value]
    return value


def packed(array: np.ndarray) -> dict[str, Any]:
    """An array of numbers as plain data, exact to the bit (infinities too)."""
    return {"dtype": array.dtype.str, "shape": list(array.shape), "data": b64encode(array.tobytes()).decode()}


def unpacked(saved: dict[str, Any] | np.ndarray) -> np.ndarray:
    """The array that `packed` described; a copy of what is an array already."""
    if isinstance(saved, np.ndarray):
        return np.array(saved)
    return np.frombuffer(b64decode(saved["data"]), dtype=saved["dtype"]).reshape(saved["shape"]).copy()

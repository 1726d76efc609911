"""NPZ: NumPy arrays `means`, and optionally `agents`, `arms`, `weights` and `tie_tolerance`; never pickled objects."""

from __future__ import annotations

import io
import zipfile
from math import prod
from typing import Any, BinaryIO

import numpy as np

from isegoria.errors import FileError, unknown
from isegoria.instance import Instance
from isegoria.io.json import KEYS, checked


def read(stream: BinaryIO, where: str, scale: tuple[float, float] | None = None) -> dict[str, Any]:
    """The parts of an `Instance`."""
    parts = _arrays(stream if stream.seekable() else io.BytesIO(stream.read()), where)
    for key in parts:
        if key not in KEYS:
            raise FileError(f"{where}: {unknown('array', key, KEYS)}")
    if "means" not in parts:
        raise FileError(f"{where} has no array 'means'; save it with numpy.savez({where!r}, means=…, arms=…).")
    for key in ("agents", "arms"):
        if key in parts:
            parts[key] = np.atleast_1d(parts[key]).tolist()
    if "tie_tolerance" in parts:
        parts["tie_tolerance"] = parts["tie_tolerance"].tolist()
    return checked(parts, where, scale)


def _arrays(stream: BinaryIO, where: str) -> dict[str, np.ndarray]:
    if stream.read(2) != b"PK":  # as every zip file begins
        raise FileError(
            f"{where} is not an NPZ archive; write it with isegoria.io.write or numpy.savez, or, if it is text, "
            "name its format with --input-format (format= in Python)."
        )
    stream.seek(0)
    try:
        _check_sizes(stream)
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        if not all(isinstance(array, np.ndarray) for array in arrays.values()):
            raise ValueError("a part is no array")
    except MemoryError:
        raise
    except Exception:  # zipfile, zlib, tokenize and NumPy itself give up in a dozen ways that share no class
        raise FileError(
            f"{where} is not a whole NPZ archive of plain arrays; "
            "write it with isegoria.io.write or numpy.savez, without Python objects."
        ) from None
    return arrays


def declared(stream: Any) -> int:
    """The bytes of the array whose header a stream begins with, as the header says."""
    version = np.lib.format.read_magic(stream)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = header(stream)
    return prod(shape) * dtype.itemsize


def _check_sizes(stream: BinaryIO) -> None:
    """Refuse an array whose header claims more than its part of the archive holds: room for it is made at once."""
    with zipfile.ZipFile(stream) as archive:
        for part in archive.infolist():
            with archive.open(part) as opened:
                if declared(opened) > part.file_size:
                    raise ValueError(f"{part.filename} is shorter than it says")


def write(instance: Instance) -> bytes:
    """The archive; a name that ends in a NUL, which NumPy would cut off, is refused."""
    for name in (*instance.agents, *instance.arms):
        if name.endswith("\0"):
            raise FileError(f"the name {name!r} ends in a NUL, which NPZ cannot hold; rename it, or write JSON.")
    buffer = io.BytesIO()
    np.savez(
        buffer,
        means=instance.means,
        agents=np.array(list(instance.agents)),
        arms=np.array(list(instance.arms)),
        weights=instance.weights,
        tie_tolerance=instance.tie_tolerance,
    )
    return buffer.getvalue()

"""NPZ: NumPy arrays `means`, and optionally `agents`, `arms`, `weights` and `tie_tolerance`; no pickled objects."""

from __future__ import annotations

import io
import zipfile
from math import prod
from typing import Any, BinaryIO

import numpy as np

from isegoria.errors import FileError, unknown_name_error
from isegoria.io.option_suggestions import AdvisedMessage
from isegoria.io.readers.json import INSTANCE_KEYS, rescale_means
from isegoria.profiles import Instance


def read(stream: BinaryIO, where: str, scale: tuple[float, float] | None = None) -> dict[str, Any]:
    """Return the parts of an `Instance`."""
    parts = _load_arrays(stream if stream.seekable() else io.BytesIO(stream.read()), where)
    for key in parts:
        if key not in INSTANCE_KEYS:
            raise FileError(f"{where}: {unknown_name_error('array', key, INSTANCE_KEYS)}")
    if "means" not in parts:
        raise FileError(f"{where} has no array 'means'; save it with numpy.savez({where!r}, means=…, arms=…).")
    for key in ("agents", "arms"):
        if key in parts:
            parts[key] = np.atleast_1d(parts[key]).tolist()
    if "tie_tolerance" in parts:
        parts["tie_tolerance"] = parts["tie_tolerance"].tolist()
    return rescale_means(parts, where, scale)


def _load_arrays(stream: BinaryIO, where: str) -> dict[str, np.ndarray]:
    if stream.read(2) != b"PK":  # as every zip file begins
        raise FileError(
            AdvisedMessage(
                f"{where} is not an NPZ archive",
                "; write it with isegoria.io.write or numpy.savez, or, if it is text, "
                "name its format with --input-format (format= in Python).",
            )
        )
    stream.seek(0)
    try:
        _validate_sizes(stream)
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        if not all(isinstance(array, np.ndarray) for array in arrays.values()):
            raise ValueError("a part is no array")
    except MemoryError:
        raise
    except Exception:  # the errors of zipfile, zlib, tokenize and NumPy share no class
        raise FileError(
            f"{where} is not a whole NPZ archive of plain arrays; "
            "write it with isegoria.io.write or numpy.savez, without Python objects."
        ) from None
    return arrays


def read_declared_bytes(stream: Any) -> int:
    """Return the bytes of the array whose header the stream begins with, as the header declares."""
    version = np.lib.format.read_magic(stream)
    header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = header(stream)
    return prod(shape) * dtype.itemsize


def _validate_sizes(stream: BinaryIO) -> None:
    """Raise `ValueError` if an array's header declares more bytes than its part of the archive has.

    NumPy would allocate all of them at once.
    """
    with zipfile.ZipFile(stream) as archive:
        for part in archive.infolist():
            with archive.open(part) as opened:
                if read_declared_bytes(opened) > part.file_size:
                    raise ValueError(f"{part.filename} is shorter than it says")


def write(instance: Instance) -> bytes:
    """Return the archive; raise `FileError` for a name that ends in a NUL, which NumPy would cut off."""
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

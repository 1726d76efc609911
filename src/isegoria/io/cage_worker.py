"""The child of `cage`: one file on standard input, one answer on standard output, and limits that it sets itself.

It imports the readers and nothing of the service. The limit on memory is laid on top of what an empty reader takes.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import warnings
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from isegoria.errors import IsegoriaError
from isegoria.instance import Instance
from isegoria.io import read

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")


def main() -> None:
    """Read what the parent sent, and answer."""
    head = json.loads(sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(4), "big")))
    data = sys.stdin.buffer.read()
    _limit(head["memory"], head["cpu"])
    try:
        answer, arrays = _read(head["name"], data, head["options"])
    except IsegoriaError as error:
        answer, arrays = {"error": str(error)}, []
    except MemoryError:
        return  # the parent says it
    except Exception as error:  # a reader of another package that gave up in its own way
        answer, arrays = (
            {"error": f"{head['name']} cannot be read ({type(error).__name__}); save it again, or as CSV."},
            [],
        )
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    for array in arrays:
        sys.stdout.buffer.write(np.ascontiguousarray(array).tobytes())


def _limit(megabytes: int, seconds: int) -> None:
    """Lay the limits; where the system has none, wall time and declared sizes are what is left."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    size = _address_space()
    if size is not None:
        whole = size + megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (whole, whole))


def _address_space() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError):
        return None
    import resource

    return pages * resource.getpagesize()


def _read(name: str, data: bytes, options: dict[str, Any]) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The parts of the instance; messages name the file as its owner does."""
    file = PurePosixPath(name.replace("\\", "/")).name or "table.csv"
    with tempfile.TemporaryDirectory(prefix="isegoria-") as folder:
        suffix = PurePosixPath(file).suffix
        path = Path(folder) / f"table{suffix if _SUFFIX.fullmatch(suffix) else ''}"
        path.write_bytes(data)
        try:
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                instance = read(path, **options)
        except IsegoriaError as error:
            raise IsegoriaError(str(error).replace(str(path), file)) from None
    notes = [str(note.message).replace(str(path), file) for note in said]
    return _parts(instance, notes)


def _parts(instance: Instance, notes: list[str]) -> tuple[dict[str, Any], list[np.ndarray]]:
    means = instance.means
    arrays = [instance.weights, *((means.data, means.indices, means.indptr) if instance.is_sparse else (means,))]
    shapes = [[array.dtype.str, list(array.shape)] for array in arrays]
    named = {"agents": list(instance.agents), "arms": list(instance.arms), "tie_tolerance": instance.tie_tolerance}
    return {**named, "notes": notes, "arrays": shapes}, arrays


if __name__ == "__main__":
    main()

"""The child process of the sandbox (`cage`): one file on standard input, one result on standard output.

It sets its own limits, and imports the readers and nothing of the service. The memory limit is added to what an empty
reader takes.
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
from isegoria.io import read
from isegoria.io.option_suggestions import AdvisedMessage, get_brief, get_suggestions
from isegoria.profiles import Instance

_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")


def main() -> None:
    """Read the file that the parent sent, and write the result or the error."""
    head = json.loads(sys.stdin.buffer.read(int.from_bytes(sys.stdin.buffer.read(4), "big")))
    data = sys.stdin.buffer.read()
    _apply_limits(head["memory"], head["cpu"])
    try:
        answer, arrays = _read(head["name"], data, head["options"])
    except IsegoriaError as error:
        message = error.message
        options = [suggestion.options for suggestion in get_suggestions(message)]
        answer, arrays = {"error": str(message), "brief": get_brief(message), "suggestions": options}, []
    except MemoryError:
        return  # the parent reports it
    except Exception as error:  # a third-party reader failed with an error of its own
        answer, arrays = (
            {"error": f"{head['name']} cannot be read ({type(error).__name__}); save it again, or as CSV."},
            [],
        )
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
    for array in arrays:
        sys.stdout.buffer.write(np.ascontiguousarray(array).tobytes())


def _apply_limits(megabytes: int, seconds: int) -> None:
    """Set the resource limits; on systems without them, only wall time and declared sizes are limited."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    size = _measure_address_space()
    if size is not None:
        whole = size + megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (whole, whole))


def _measure_address_space() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (OSError, ValueError):
        return None
    import resource

    return pages * resource.getpagesize()


def _read(name: str, data: bytes, options: dict[str, Any]) -> tuple[dict[str, Any], list[np.ndarray]]:
    """Read the file and return the parts of the instance; messages use the name that the user gave the file."""
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
            raise IsegoriaError(_rename_file(error.message, str(path), file)) from None
    notes = [str(note.message).replace(str(path), file) for note in said]
    return _serialise(instance, notes)


def _rename_file(message: str, path: str, file: str) -> str:
    """Return a message with the name that the user gave the file."""
    renamed = message.replace(path, file)
    if not isinstance(message, AdvisedMessage):
        return renamed
    return AdvisedMessage.from_parts(renamed, message.brief.replace(path, file), message.suggestions)


def _serialise(instance: Instance, notes: list[str]) -> tuple[dict[str, Any], list[np.ndarray]]:
    means = instance.means
    arrays = [instance.weights, *((means.data, means.indices, means.indptr) if instance.is_sparse else (means,))]
    shapes = [[array.dtype.str, list(array.shape)] for array in arrays]
    named = {"agents": list(instance.agents), "arms": list(instance.arms), "tie_tolerance": instance.tie_tolerance}
    return {**named, "notes": notes, "arrays": shapes}, arrays


if __name__ == "__main__":
    main()

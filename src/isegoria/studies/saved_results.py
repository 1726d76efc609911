"""`save` and `load`: one pair of functions for every result of the package; files are versioned and hold no code."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isegoria.analysis.audit import Audit, audit
from isegoria.analysis.comparison import Comparison, ComparisonEntry
from isegoria.analysis.frontier import Frontier
from isegoria.analysis.scores import BestValues, Scores
from isegoria.errors import FileError, InputError
from isegoria.io.storage import atomic_write
from isegoria.learning.base.learner import Learner
from isegoria.learning.registry import load_learner
from isegoria.learning.simulation.trace import Trace, trace_from_npz
from isegoria.profiles import Instance
from isegoria.rules import Solution
from isegoria.studies.experiment.study import Study
from isegoria.studies.experiment.study_folder import load_study
from isegoria.studies.experiment.study_runner import write_results

RESULT_FORMAT_VERSION = 1
HEADER_ENTRY = "isegoria"


class ResultCodec(NamedTuple):
    """How one kind of result is written: `dump` returns its arguments by name, and `make` builds it from them."""

    kind: type
    dump: Callable[[Any], dict[str, Any]]
    make: Callable[..., Any]


def _dump_instance(instance: Instance) -> dict[str, Any]:
    means = instance.means
    table = (
        {"data": means.data, "indices": means.indices, "indptr": means.indptr, "shape": list(means.shape)}
        if instance.is_sparse
        else means
    )
    return {
        "means": table,
        "agents": list(instance.agents),
        "arms": list(instance.arms),
        "weights": instance.given_weights,
        "tie_tolerance": instance.tie_tolerance,
    }


def _make_instance(means: Any, **rest: Any) -> Instance:
    if isinstance(means, dict):
        from scipy.sparse import csr_array

        means = csr_array((means["data"], means["indices"], means["indptr"]), shape=tuple(means["shape"]))
    return Instance(means, **rest)


def _dump_fields(*names: str) -> Callable[[Any], dict[str, Any]]:
    return lambda result: {name: getattr(result, name) for name in names}


RESULT_CODECS = {
    codec.kind.__name__: codec
    for codec in (
        ResultCodec(Instance, _dump_instance, _make_instance),
        ResultCodec(Solution, lambda result: dict(vars(result)), Solution),
        ResultCodec(Frontier, _dump_fields("axis", "levels", "values", "policies", "gaps"), Frontier),
        ResultCodec(BestValues, lambda best: best._asdict(), BestValues),
        ResultCodec(Scores, _dump_fields("instance", "policy", "best"), Scores),
        ResultCodec(
            ComparisonEntry, _dump_fields("solution", "scores", "score_dominated_by", "label"), ComparisonEntry
        ),
        ResultCodec(
            Comparison,
            lambda result: {
                "instance": result._instance,
                "entries": dict(result._entries),
                "left_out": dict(result.left_out),
            },
            Comparison,
        ),
        ResultCodec(
            Audit,
            lambda result: {
                "instance": result.instance,
                "policy": result.policy,
                "time_limit": result.core.time_limit,
            },
            audit,
        ),
    )
}
"""The results that a file may hold, by the name of their class."""


def save(result: Any, path: str | os.PathLike[str]) -> None:
    """Save a result; `load` returns it.

    Parameters
    ----------
    result : Solution, Scores, Comparison, Audit, Frontier, Instance, Trace, Learner or Study
        What to save.
    path : path
        The file, which is replaced at once; a folder for a `Study`.

    Raises
    ------
    InputError
        If the result cannot be saved.

    Examples
    --------
    >>> import os, tempfile, isegoria as iso
    >>> path = os.path.join(tempfile.mkdtemp(), "policy.iso")
    >>> iso.save(iso.solve(iso.Instance([[1, 0], [0, 1]])), path)
    >>> iso.load(path).policy.tolist()
    [0.5, 0.5]
    """
    if isinstance(result, Learner):
        result.save(path)
    elif isinstance(result, Trace):
        atomic_write.write_bytes(Path(path), result.to_npz())
    elif isinstance(result, Study):
        Path(path).mkdir(parents=True, exist_ok=True)
        write_results(result.design, Path(path), {name: list(values) for name, values in result.columns.items()})
    elif type(result).__name__ in RESULT_CODECS:
        arrays: list[np.ndarray] = []
        header = {"version": RESULT_FORMAT_VERSION, "result": _encode(result, arrays, {})}
        buffer = io.BytesIO()
        named = {f"a{number}": array for number, array in enumerate(arrays)}
        np.savez_compressed(buffer, **{HEADER_ENTRY: np.array(json.dumps(header))}, **named)  # type: ignore[arg-type]
        atomic_write.write_bytes(Path(path), buffer.getvalue())
    else:
        kinds = ", ".join([*RESULT_CODECS, "Trace", "Learner", "Study"])
        raise InputError(f"a {type(result).__name__} cannot be saved; these can: {kinds}.")


def load(path: str | os.PathLike[str]) -> Any:
    """Load what `save` wrote, a learner's file, or the folder of a finished study.

    Parameters
    ----------
    path : path
        The file or folder.

    Returns
    -------
    object
        The result, of the class that was saved. A learner continues where it was; a trace has no learner.

    Raises
    ------
    FileError
        If the file cannot be read or holds no result.
    """
    place = Path(path)
    if place.is_dir():
        return load_study(place)
    try:
        data = place.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {place}: {(error.strerror or str(error)).lower()}.") from error
    if not data.startswith(b"PK"):
        return load_learner(place)
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            entries = {name: file[name] for name in file.files}
        if HEADER_ENTRY not in entries:
            return trace_from_npz(data)
        header = json.loads(str(entries[HEADER_ENTRY]))
        if header["version"] > RESULT_FORMAT_VERSION:
            raise FileError(f"{place} was written by a later version of isegoria; install that one.")
        return _decode(header["result"], entries, [])
    except (ValueError, OSError, KeyError, TypeError) as error:
        raise FileError(f"{place} holds no result of isegoria ({error}).") from error


def _encode(value: Any, arrays: list[np.ndarray], seen: dict[int, int]) -> Any:
    """Return a value as JSON data; arrays go to `arrays`, and an object met again is named by its place."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, list | tuple) and type(value).__name__ not in RESULT_CODECS:
        return {"list" if isinstance(value, list) else "tuple": [_encode(each, arrays, seen) for each in value]}
    if isinstance(value, Mapping) and type(value).__name__ not in RESULT_CODECS:
        return {"mapping": {str(key): _encode(each, arrays, seen) for key, each in value.items()}}
    if id(value) in seen:
        return {"again": seen[id(value)]}
    codec = RESULT_CODECS.get(type(value).__name__)
    if codec is None:
        raise InputError(f"a result that holds a {type(value).__name__} cannot be saved.")
    content = {name: _encode(each, arrays, seen) for name, each in codec.dump(value).items()}
    seen[id(value)] = len(seen)
    return {"class": type(value).__name__, "content": content}


def _decode(value: Any, arrays: Mapping[str, np.ndarray], made: list[Any]) -> Any:
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return arrays[f"a{value['array']}"]
    if "again" in value:
        return made[value["again"]]
    for name, build in (("list", list), ("tuple", tuple)):
        if name in value:
            return build(_decode(each, arrays, made) for each in value[name])
    if "mapping" in value:
        return {key: _decode(each, arrays, made) for key, each in value["mapping"].items()}
    codec = RESULT_CODECS[value["class"]]
    result = codec.make(**{name: _decode(each, arrays, made) for name, each in value["content"].items()})
    made.append(result)
    return result

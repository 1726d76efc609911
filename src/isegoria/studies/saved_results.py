"""`save` and `load`: one pair of functions for every result of the package; files are versioned and hold no code."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isegoria.analysis.audit import Audit, audit
from isegoria.analysis.axioms.counterexamples import Counterexample
from isegoria.analysis.axioms.incentives import AgentManipulation, Honesty
from isegoria.analysis.axioms.verdict import Verdict, Witness
from isegoria.analysis.comparison import Comparison, ComparisonEntry
from isegoria.analysis.core import CoreVerdict
from isegoria.analysis.fair_set import FairSet
from isegoria.analysis.frontier import Frontier
from isegoria.analysis.participation import Participation
from isegoria.analysis.scores import BestValues, Scores
from isegoria.errors import FileError, InputError, StateError
from isegoria.io.storage import atomic_write
from isegoria.learning.base.learner import Learner
from isegoria.learning.base.proposal import Proposal
from isegoria.learning.base.state_format import dump_state, load_state
from isegoria.learning.base.ticket import Ticket
from isegoria.learning.environments.environment import Environment
from isegoria.learning.environments.replay_rewards import ReplayRewards
from isegoria.learning.off_policy import OffPolicyEstimate
from isegoria.learning.registry import NOISE_MODELS
from isegoria.learning.regret_bounds import RegretBounds
from isegoria.learning.simulation.simulation import Simulation
from isegoria.learning.simulation.trace import Trace
from isegoria.profiles import Instance
from isegoria.profiles.stated_ratings import StatedRatings
from isegoria.record.drawing import DrawResult
from isegoria.record.exact_voices import Voices
from isegoria.record.turns.perpetual import Turns
from isegoria.rules import Solution
from isegoria.rules.literals import RuleName
from isegoria.studies.experiment.study import Study
from isegoria.studies.experiment.study_folder import load_study
from isegoria.studies.experiment.study_runner import write_results
from isegoria.studies.experiment.study_table import StudyTable
from isegoria.utils.arguments import explain_keywords
from isegoria.verifier.verification import Verification

RESULT_FORMAT_VERSION = 1
HEADER_ENTRY = "isegoria"


class ResultCodec(NamedTuple):
    """How one kind of result is written: `dump` returns its arguments by name, and `make` builds it from them."""

    kind: type
    dump: Callable[[Any], dict[str, Any]]
    make: Callable[..., Any]


def _dump_instance(instance: Instance) -> dict[str, Any]:
    return {
        "means": _dump_table(instance.means),
        "agents": list(instance.agents),
        "arms": list(instance.arms),
        "weights": instance.given_weights,
        "tie_tolerance": instance.tie_tolerance,
        "stated": instance.stated,
        "import_notes": tuple(instance.import_notes),
    }


def _make_instance(means: Any, stated: StatedRatings | None, import_notes: tuple[str, ...], **rest: Any) -> Instance:
    made = Instance(_make_table(means), **rest)
    made.__dict__.update(stated=stated, import_notes=import_notes)
    return made


def _dump_table(table: Any) -> Any:
    """Return a sparse table as a mapping of its arrays; anything else as it is."""
    if not hasattr(table, "indptr"):
        return table
    return {"data": table.data, "indices": table.indices, "indptr": table.indptr, "shape": list(table.shape)}


def _make_table(table: Any) -> Any:
    if not (isinstance(table, dict) and "indptr" in table):
        return table
    from scipy.sparse import csr_array

    return csr_array((table["data"], table["indices"], table["indptr"]), shape=tuple(table["shape"]))


def _dump_environment(environment: Environment) -> dict[str, Any]:
    spread = {"sd": environment.sd} if hasattr(environment, "sd") else {}
    return {"means": environment.instance, **spread}


def _dump_replay(environment: ReplayRewards) -> dict[str, Any]:
    return {"log": environment.log, "means": environment.instance, "cycle": environment.cycle}


def _make_stated(stated: Any, **rest: Any) -> StatedRatings:
    return StatedRatings(stated=_make_table(stated), **rest)


def _dump_simulation(run: Simulation) -> dict[str, Any]:
    if type(run.environment).__name__ not in RESULT_CODECS:
        raise InputError(
            f"a simulation in an environment of your own ({type(run.environment).__name__}) cannot be saved; keep "
            "simulation.state(), and give it to Simulation.from_state with that environment."
        )
    rules = [rule.id for rule in run.objectives]
    return {"state": dump_state(run.state(), "run"), "environment": run.environment, "extra_rules": rules}


def _make_simulation(state: str, environment: Environment, extra_rules: list[RuleName]) -> Simulation:
    return Simulation.from_state(load_state(state, "run"), environment, extra_rules)


def _dump_dataclass(result: Any) -> dict[str, Any]:
    return {field.name: _dump_table(getattr(result, field.name)) for field in fields(result)}


def _make_dataclass(kind: type) -> Callable[..., Any]:
    return lambda **content: kind(**{name: _make_table(value) for name, value in content.items()})


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
                "skipped_rules": dict(result.skipped_rules),
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
        ResultCodec(StatedRatings, lambda one: {**one._asdict(), "stated": _dump_table(one.stated)}, _make_stated),
        ResultCodec(Turns, lambda turns: {"text": turns.to_json()}, lambda text: Turns.from_json(text)),
        ResultCodec(Simulation, _dump_simulation, _make_simulation),
        ResultCodec(
            ReplayRewards, lambda one: {"log": one.log, "means": one.instance, "cycle": one.cycle}, ReplayRewards
        ),
        *(ResultCodec(kind, _dump_environment, kind) for kind in NOISE_MODELS.builtin.values()),
        *(
            ResultCodec(kind, _dump_dataclass, _make_dataclass(kind))
            for kind in (
                *(AgentManipulation, CoreVerdict, Counterexample, DrawResult, FairSet, Honesty, OffPolicyEstimate),
                *(Participation, Proposal, RegretBounds, StudyTable, Ticket, Verdict, Verification, Voices),
                *Witness.__subclasses__(),
            )
        ),
    )
}
"""The results that a file may hold, by the name of their class."""


@explain_keywords
def save(result: Any, path: str | os.PathLike[str]) -> None:
    """Save a result; `load` returns it.

    Parameters
    ----------
    result : object
        Any result of the package, an `Instance`, a `Learner`, a `Study`, `Turns`, or a `Simulation` in an environment
        of the package.
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
        raise InputError(f"a {type(result).__name__} cannot be saved; results, instances, learners and studies can.")


@explain_keywords
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
        return _load_learner(data, place)
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as file:
            entries = {name: file[name] for name in file.files}
        if HEADER_ENTRY not in entries:
            return Trace.from_npz(data)
        header = json.loads(str(entries[HEADER_ENTRY]))
        if header["version"] > RESULT_FORMAT_VERSION:
            raise FileError(f"{place} was written by a later version of isegoria; install that one.")
        return _decode(header["result"], entries, [])
    except (ValueError, OSError, KeyError, TypeError) as error:
        raise FileError(f"{place} holds no result of isegoria ({error}).") from error


def _load_learner(data: bytes, place: Path) -> Learner:
    try:
        return Learner.from_json(data)
    except StateError as error:
        raise StateError(f"{place}: {error}") from error


def _encode(value: Any, arrays: list[np.ndarray], seen: dict[int, int]) -> Any:
    """Return a value as JSON data; arrays go to `arrays`, and an object met again is named by its place."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and value.dtype == object:
        return {"objects": _encode(value.tolist(), arrays, seen)}
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, list | tuple) and type(value).__name__ not in RESULT_CODECS:
        return {"list" if isinstance(value, list) else "tuple": [_encode(each, arrays, seen) for each in value]}
    if isinstance(value, Mapping) and type(value).__name__ not in RESULT_CODECS:
        return {"mapping": {str(key): _encode(each, arrays, seen) for key, each in value.items()}}
    if isinstance(value, Sequence) and type(value).__name__ not in RESULT_CODECS:  # names that are only numbered
        return {"tuple": [str(each) for each in value]}
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
    if "objects" in value:
        return np.array(_decode(value["objects"], arrays, made), dtype=object)
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

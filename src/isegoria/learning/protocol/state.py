"""A learner's state as versioned plain JSON, sealed with a checksum so that a damaged one is never half-loaded."""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from zlib import crc32

import numpy as np

from isegoria.errors import StateError
from isegoria.learning.sets.tally import Tally

VERSION = 1


def seal(body: dict, kind: str = "learner") -> str:
    """JSON text of a state `body`, with its format, its version and a checksum over all of it.

    `kind` says what it is the state of: a "learner", or a "run" of one.

    >>> unseal(seal({"rounds": 3}))["rounds"]
    3
    """
    body = {"format": f"isegoria {kind}", "version": VERSION, **body}
    return json.dumps({**body, "checksum": _checksum(body)}, allow_nan=False)


def unseal(text: str | bytes, kind: str = "learner") -> dict:
    """The body that `seal` wrote; anything else raises `StateError` and says what is wrong."""
    try:
        body = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, TypeError, RecursionError) as error:
        raise StateError(f"the state is not complete JSON ({error}); use the last complete copy.") from None
    if not isinstance(body, dict) or body.get("format") != f"isegoria {kind}":
        raise StateError(f"this is not the state of a {kind}; expected JSON whose \"format\" is 'isegoria {kind}'.")
    version = body.get("version")
    if version != VERSION:
        raise StateError(
            f"the state is of version {version!r}; this release reads version {VERSION}. "
            "Resume it with the release that wrote it."
        )
    if body.pop("checksum", None) != _checksum(body):
        raise StateError("the state is damaged: its checksum does not match. Use the last complete copy.")
    return body


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number")


def _checksum(body: dict) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def describe(learner) -> dict:
    """What every learner's state holds: who takes part, what was asked, what was told, and the random streams."""
    rosters = list({id(rows): rows for _, rows in learner._pending.values()}.values())
    place = {id(rows): index for index, rows in enumerate(rosters)}
    return {
        "agents": list(learner._agents),
        "arms": list(learner._arms),
        "present": learner._present.tolist(),
        "rounds": learner.rounds,
        "asked": list(learner._asked),
        "sums": learner._tally.sums.T.tolist(),
        "counts": learner._tally.counts.T.tolist(),
        "policy": learner._last.tolist(),
        "notes": list(learner._notes),
        "rosters": [rows.tolist() for rows in rosters],
        "pending": [[round_, arm, place[id(rows)]] for round_, (arm, rows) in learner._pending.items()],
        "entropy": str(learner._entropy),
        "streams": {purpose: generator_state(rng) for purpose, rng in learner._streams.items()},
    }


def restore(learner, body: dict) -> None:
    """Put into a new learner what `describe` said; what does not fit together raises `StateError`."""
    sums, counts = np.array(body["sums"], dtype=float), np.array(body["counts"], dtype=np.int64)
    learner._present = _rows(body["present"], sums)
    learner._asked = [int(count) for count in body["asked"]]
    learner.rounds = int(body["rounds"])
    learner._last = np.array(body["policy"], dtype=float)
    learner._notes = [str(note) for note in body["notes"]]
    rosters = [_rows(rows, sums) for rows in body["rosters"]]
    rosters = [learner._present if np.array_equal(rows, learner._present) else rows for rows in rosters]
    learner._pending = {int(round_): (int(arm), rosters[roster]) for round_, arm, roster in body["pending"]}
    learner._streams = {purpose: generator_from(saved) for purpose, saved in body["streams"].items()}
    shape = len(learner._agents), len(learner._arms)
    fits = {
        "sums": sums.shape == shape and np.all((sums >= 0) & (sums <= counts)),
        "counts": counts.shape == shape,
        "asked": len(learner._asked) == shape[1] and sum(learner._asked) == learner.rounds,
        "policy": learner._last.shape == shape[1:],
        "pending": all(1 <= t <= learner.rounds and 0 <= arm < shape[1] for t, (arm, _) in learner._pending.items()),
    }
    for entry, right in fits.items():
        if not right:
            raise StateError(f"the state's {entry!r} does not fit its other entries; use the last complete copy.")
    learner._tally = Tally(sums.T, counts.T)


def _rows(rows: list[int], sums: np.ndarray) -> np.ndarray:
    """Indices of agents: distinct, in order, and within the agents of `sums`."""
    rows = np.array(rows, dtype=np.intp)
    if rows.ndim != 1 or not len(rows) or rows[0] < 0 or rows[-1] >= len(sums) or np.any(np.diff(rows) <= 0):
        raise StateError("the state lists agents that do not exist; use the last complete copy.")
    return rows


def stream(entropy: int, purpose: str) -> np.random.Generator:
    """A random generator for one `purpose`: what other purposes draw never changes what this one does."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=(crc32(purpose.encode()),))))


def generator_state(rng: np.random.Generator) -> dict:
    """The exact place of a PCG64 generator in its stream; 128-bit numbers as text, which every JSON reader keeps."""
    state = rng.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "inc": str(state["state"]["inc"]),
        "has_uint32": state["has_uint32"],
        "uinteger": state["uinteger"],
    }


def generator_from(saved: dict) -> np.random.Generator:
    """The generator that `generator_state` described."""
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(saved["state"]), "inc": int(saved["inc"])},
        "has_uint32": int(saved["has_uint32"]),
        "uinteger": int(saved["uinteger"]),
    }
    return np.random.Generator(bits)


def packed(array: np.ndarray) -> dict:
    """An array of numbers as plain data, exact to the bit (infinities too)."""
    return {"dtype": array.dtype.str, "shape": list(array.shape), "data": b64encode(array.tobytes()).decode()}


def unpacked(saved: dict) -> np.ndarray:
    """The array that `packed` described."""
    return np.frombuffer(b64decode(saved["data"]), dtype=saved["dtype"]).reshape(saved["shape"]).copy()

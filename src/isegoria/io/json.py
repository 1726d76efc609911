"""JSON: an object with `means`, and optionally `agents`, `arms`, `weights` and `tie_tolerance`."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, NoReturn

import numpy as np

from isegoria.errors import FileError, unknown
from isegoria.instance import Instance
from isegoria.io.cells import rescaled
from isegoria.io.text import decode

KEYS = ("means", "agents", "arms", "weights", "tie_tolerance")


def read(stream: BinaryIO, where: str, scale: tuple[float, float] | None = None) -> dict[str, Any]:
    """The parts of an `Instance`; a bare list of rows is taken as the means."""
    text = decode(stream.read(), where)
    data = _loaded(text, where)
    parts = {"means": data} if isinstance(data, list) else data
    if not isinstance(parts, dict) or "means" not in parts:
        raise FileError(f'{where} has no "means"; expected {{"means": [[…], …], "agents": […], "arms": […]}}.')
    for key in parts:
        if key not in KEYS:
            raise FileError(f"{where}: {unknown('key', key, KEYS)}")
    return checked(parts, where, scale)


def write(instance: Instance) -> bytes:
    """UTF-8 text, one agent's means on each line, every digit kept."""
    rows = ",\n    ".join(json.dumps(row) for row in instance.means.tolist())
    parts = {
        "arms": json.dumps(list(instance.arms), ensure_ascii=False),
        "agents": json.dumps(list(instance.agents), ensure_ascii=False),
        "weights": json.dumps(instance.weights.tolist()),
        "tie_tolerance": json.dumps(instance.tie_tolerance),
        "means": f"[\n    {rows}\n  ]",
    }
    return ("{\n" + ",\n".join(f'  "{key}": {text}' for key, text in parts.items()) + "\n}\n").encode("utf-8")


def checked(parts: dict[str, Any], where: str, scale: tuple[float, float] | None) -> dict[str, Any]:
    """`parts` with the means moved from `scale` to [0, 1]; without a scale, `Instance` itself checks them."""
    if scale is None:
        return parts
    try:
        means = np.asarray(parts["means"], dtype=float)
    except (TypeError, ValueError):
        return parts  # ragged or not numbers: Instance says it best
    return {**parts, "means": rescaled(means, scale, lambda *place: f"{where}: means{[int(i) for i in place]}")}


def _loaded(text: str, where: str) -> Any:
    """The data of a JSON text, or a sentence of our own about what is wrong with it."""
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_keys_once)
    except json.JSONDecodeError as error:
        raise FileError(f"{where}, line {error.lineno}, column {error.colno}: not JSON: {error.msg.lower()}.") from None
    except FileError as error:
        raise FileError(f"{where}: {error}") from None
    except RecursionError:
        raise FileError(f"{where}: not an instance in JSON: its brackets are nested too deeply.") from None
    except ValueError:  # Python refuses to read an integer of more than some thousand digits
        raise FileError(
            f"{where}: a whole number has thousands of digits; means are numbers from 0 to 1. Mend it."
        ) from None


def _refuse_constant(name: str) -> NoReturn:
    raise FileError(f"{name} is no rating; fill it in, or leave out that agent or arm altogether.")


def _keys_once(pairs: list[tuple[Any, ...]]) -> dict[str, Any]:
    """An object whose keys differ: of two with one name, JSON would keep the last and say nothing."""
    parts = dict(pairs)
    if len(parts) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise FileError(f'the key "{twice}" is there twice; keep one of the two.')
    return parts

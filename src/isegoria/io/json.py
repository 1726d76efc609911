"""JSON: an object with `means`, and optionally `agents`, `arms`, `weights` and `tie_tolerance`."""

from __future__ import annotations

import json
from typing import BinaryIO

import numpy as np

from isegoria.errors import FileError, unknown
from isegoria.instance import Instance
from isegoria.io.cells import rescaled
from isegoria.io.text import decode

KEYS = ("means", "agents", "arms", "weights", "tie_tolerance")


def read(stream: BinaryIO, where: str, scale: tuple[float, float] | None = None) -> dict:
    """The parts of an `Instance`; a bare list of rows is taken as the means."""
    text = decode(stream.read(), where)
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise FileError(f"{where}, line {error.lineno}, column {error.colno}: not JSON: {error.msg.lower()}.") from None
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where}: not an instance in JSON: {error}.") from None
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


def checked(parts: dict, where: str, scale: tuple[float, float] | None) -> dict:
    """`parts` with the means moved from `scale` to [0, 1]; without a scale, `Instance` itself checks them."""
    if scale is None:
        return parts
    try:
        means = np.asarray(parts["means"], dtype=float)
    except (TypeError, ValueError):
        return parts  # ragged or not numbers: Instance says it best
    return {**parts, "means": rescaled(means, scale, lambda *place: f"{where}: means{[int(i) for i in place]}")}


def _refuse_constant(name: str):
    raise ValueError(f"{name} is no rating; fill it in, or leave out that agent or arm altogether")

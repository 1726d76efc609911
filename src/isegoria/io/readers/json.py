"""JSON: an object with `means`, and optionally `agents`, `arms`, `weights` and `tie_tolerance`."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, NoReturn

import numpy as np

from isegoria.errors import FileError, unknown_name_error
from isegoria.io.option_suggestions import prefix_message
from isegoria.io.sheets.cells import rescale
from isegoria.io.storage.text_decoding import decode_text
from isegoria.profiles import Instance

INSTANCE_KEYS = ("means", "agents", "arms", "weights", "tie_tolerance")


def read(stream: BinaryIO, where: str, scale: tuple[float, float] | None = None) -> dict[str, Any]:
    """Return the parts of an `Instance`; a bare list of rows is taken as the means."""
    text = decode_text(stream.read(), where)
    data = _parse_json(text, where)
    parts = {"means": data} if isinstance(data, list) else data
    if not isinstance(parts, dict) or "means" not in parts:
        raise FileError(f'{where} has no "means"; expected {{"means": [[…], …], "agents": […], "arms": […]}}.')
    for key in parts:
        if key not in INSTANCE_KEYS:
            raise FileError(f"{where}: {unknown_name_error('key', key, INSTANCE_KEYS)}")
    return rescale_means(parts, where, scale)


def write(instance: Instance) -> bytes:
    """Return UTF-8 text with one agent's means per line; every digit is kept."""
    rows = ",\n    ".join(json.dumps(row) for row in instance.means.tolist())
    parts = {
        "arms": json.dumps(list(instance.arms), ensure_ascii=False),
        "agents": json.dumps(list(instance.agents), ensure_ascii=False),
        "weights": json.dumps(instance.weights.tolist()),
        "tie_tolerance": json.dumps(instance.tie_tolerance),
        "means": f"[\n    {rows}\n  ]",
    }
    return ("{\n" + ",\n".join(f'  "{key}": {text}' for key, text in parts.items()) + "\n}\n").encode("utf-8")


def rescale_means(parts: dict[str, Any], where: str, scale: tuple[float, float] | None) -> dict[str, Any]:
    """Return `parts` with the means rescaled from `scale` to [0, 1]; without a scale, `Instance` validates them."""
    if scale is None:
        return parts
    try:
        means = np.asarray(parts["means"], dtype=float)
    except (TypeError, ValueError):
        return parts  # ragged or not numbers: Instance has the better message
    return {**parts, "means": rescale(means, scale, lambda *place: f"{where}: means{[int(i) for i in place]}")}


def _parse_json(text: str, where: str) -> Any:
    """Parse a JSON text; raise `FileError` with a readable message if it is invalid."""
    try:
        return json.loads(text, parse_constant=_reject_constant, object_pairs_hook=_require_unique_keys)
    except json.JSONDecodeError as error:
        raise FileError(f"{where}, line {error.lineno}, column {error.colno}: not JSON: {error.msg.lower()}.") from None
    except FileError as error:
        raise FileError(prefix_message(f"{where}: ", error.message)) from None
    except RecursionError:
        raise FileError(f"{where}: not an instance in JSON: its brackets are nested too deeply.") from None
    except ValueError:  # Python refuses to read an integer of more than some thousand digits
        raise FileError(
            f"{where}: a whole number has thousands of digits; means are numbers from 0 to 1. Mend it."
        ) from None


def _reject_constant(name: str) -> NoReturn:
    raise FileError(f"{name} is no rating; fill it in, or leave out that agent or arm altogether.")


def _require_unique_keys(pairs: list[tuple[Any, ...]]) -> dict[str, Any]:
    """Build an object; raise `FileError` for a repeated key, of which JSON would silently keep the last."""
    parts = dict(pairs)
    if len(parts) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise FileError(f'the key "{twice}" is there twice; keep one of the two.')
    return parts

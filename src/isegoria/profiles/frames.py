"""Data frames of any library, by their interface: named columns that NumPy can read.

| column | becomes |
|---|---|
| named "agent", or the first, if none is and it holds text | the agents' names |
| named "weight" | the weights |
| every other | an arm, named as the column; it must hold numbers, and "Weight" or "agents" is refused as a typo |

Without a column of names, the labels of an index (as in pandas) name the agents, unless they only count 0, 1, 2, …. The
same rules apply to a wide CSV file. `agents=`, `arms=` and `weights=` passed with a frame take precedence.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import InputError
from isegoria.profiles.headings import describe_misspelling, normalise_heading
from isegoria.profiles.means import parse_numbers

LONG_COLUMNS = ["agent", "arm", "value"]
FRAME_ATTRIBUTES = ("column_names", "columns", "__getitem__", "__arrow_c_stream__", "__dataframe__", "__array__")


class FrameData(NamedTuple):
    """Content of a frame: `means` (N, K), and names and weights if it has them."""

    means: np.ndarray
    agents: Sequence[str] | None
    arms: list[str]
    weights: np.ndarray | None


def is_frame(data: Any) -> bool:
    """Return whether `data` is a data frame: named columns, or a stream of them, not an array or nested lists."""
    offers = {
        name for name in FRAME_ATTRIBUTES if hasattr(type(data), name)
    }  # checked on the type: an attribute lookup would run a lazy frame
    named = offers & {"column_names", "columns"} and "__getitem__" in offers
    return bool(named) or bool(offers & {"__arrow_c_stream__", "__dataframe__"} and "__array__" not in offers)


def parse_frame(frame: Any) -> FrameData:
    """Read the means, names and weights in a data frame."""
    names, columns = extract_columns(frame)
    if [name.lower() for name in names[:3]] == LONG_COLUMNS and len(names) <= 4:
        raise InputError(
            "the frame has one row for each agent and arm (columns agent, arm, value); use Instance.from_long, which "
            "also takes a scale and gaps."
        )
    _require_unique_columns(names)
    named = _find_agent_column(names, columns)
    weighted = names.index("weight") if "weight" in names else None
    arms = [k for k in range(len(names)) if k not in (named, weighted)]
    for k in arms:
        if describe_misspelling(names[k]):
            raise InputError(describe_misspelling(names[k]))
    agents = read_index_names(frame) if named is None else list(map(str, columns[named].tolist()))
    kept = [names[k] for k in arms]
    weights = None if weighted is None else columns[weighted]
    return FrameData(_stack_columns(kept, [columns[k] for k in arms], agents), agents, kept, weights)


def _find_agent_column(names: list[str], columns: list[np.ndarray]) -> int | None:
    """Return the column of the agents' names: the one named `agent`, or the first if its heading or text says so."""
    if "agent" in names:
        return names.index("agent")
    return 0 if names and (normalise_heading(names[0]) == "agent" or _has_text(columns[0])) else None


def extract_columns(frame: Any) -> tuple[list[str], list[np.ndarray]]:
    """Return the names of the columns of a frame, and the columns as arrays."""
    if hasattr(type(frame), "collect"):
        raise InputError(f"this {type(frame).__name__} is not computed yet; expected a frame in memory. Collect it.")
    if not any(hasattr(type(frame), name) for name in ("column_names", "columns")):
        frame = _convert_with_arrow(frame)
    labels = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    names = [str(label) for label in labels]
    if len(set(names)) < len(names):
        return names, []
    return names, [np.asarray(frame[label]) for label in labels]


def _convert_with_arrow(frame: Any) -> Any:
    """Convert a frame that only offers Arrow's interface by pyarrow; raise `InputError` if it is not installed."""
    try:
        arrow = import_module("pyarrow")
    except ImportError:
        raise InputError(
            f"this {type(frame).__name__} can only be read through Arrow, and pyarrow is not installed. "
            "Install pyarrow, or give a NumPy array with agents= and arms=."
        ) from None
    if hasattr(frame, "__arrow_c_stream__"):
        return arrow.table(frame)
    return import_module("pyarrow.interchange").from_dataframe(frame)


def _require_unique_columns(names: list[str]) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            raise InputError(f"columns {names.index(name)} and {i} are both named {name!r}; rename one of them.")


def _has_text(column: np.ndarray) -> bool:
    if column.dtype.kind in "biuf":
        return False
    return column.dtype.kind in "UT" or any(isinstance(value, str) for value in column[:100].tolist())


def read_index_names(frame: Any) -> list[str] | None:
    """Return the labels of a pandas-like index, or None if they only count the rows."""
    index = getattr(frame, "index", None)
    if index is None or callable(index):
        return None
    labels = np.asarray(index)
    counts = labels.dtype.kind in "iu" and np.array_equal(labels, np.arange(len(labels)))
    return None if counts else list(map(str, labels.tolist()))


def _stack_columns(names: list[str], columns: list[np.ndarray], agents: list[str] | None) -> np.ndarray:
    """Stack the columns as (N, K) floats; raise `InputError` at the first value that is not a number."""
    table = np.empty((len(columns[0]) if columns else 0, len(columns)))
    for k, column in enumerate(columns):
        if column.dtype.kind not in "biuf":
            padded = np.zeros((len(column), k + 1), dtype=object)  # so that the error message names the right column
            padded[:, k] = column
            column = parse_numbers(padded, agents or (), names)[:, k]
        table[:, k] = column
    return table

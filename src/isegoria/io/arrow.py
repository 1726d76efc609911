"""Parquet and Arrow files (extra `tables`): every column of numbers is an arm, `weight` the weights, `agent` the names.

Without a column `agent`, a first column of text has the names; other columns that hold no numbers are left out, and a
note says so. What is written has doubles, so that every bit comes back; the tie tolerance is kept beside the schema.
"""

from __future__ import annotations

import io
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np

from isegoria.errors import FileError, MissingExtraError
from isegoria.instance import Instance
from isegoria.instance.headings import AGENT, WEIGHT, misspelt_heading, resembles_long
from isegoria.instance.names import PackedNames
from isegoria.io.cells import GAP_ADVICE, first_place, rescaled
from isegoria.io.ratings import fill, without_gaps
from isegoria.io.read_options import ReadOptions

TOLERANCE = b"isegoria.tie_tolerance"


def arrow(where: str) -> Any:
    """The module pyarrow, or the sentence that says how to get it."""
    try:
        return import_module("pyarrow")
    except ImportError:
        raise MissingExtraError(
            f"{where} needs pyarrow, which is not installed; pip install 'isegoria[tables]', or use CSV or NPZ."
        ) from None


def read_columns(table: Any, where: str, **keywords: Any) -> dict[str, Any]:
    """The parts of an `Instance` in an Arrow table."""
    options = ReadOptions.checked(**keywords)
    notes: list[str] = []
    named, weighted, arms = roles(table.schema, where, options, notes)
    agents = None if named is None else _names(table.column(named), where)

    def place(row: int, arm: int) -> str:
        whose = f" (agent '{agents[row]}')" if agents is not None else ""
        return f"{where}, row {row + 1}, column '{arms[arm]}'{whose}"

    means = np.empty((table.num_rows, len(arms)))
    for k, name in enumerate(arms):
        means[:, k] = column_numbers(table.column(name))
    gaps = np.isnan(means)
    if gaps.any() and options.missing == "refuse":
        raise FileError(f"{place(*first_place(gaps))} is empty; fill it in, {GAP_ADVICE}.")
    means = fill(rescaled(means, options.ends, place), gaps, options, notes.append)
    parts = {"means": means, "agents": agents, "arms": arms, "notes": notes}
    if weighted is not None:
        parts["weights"] = column_numbers(table.column(weighted))
    tolerance = (table.schema.metadata or {}).get(TOLERANCE)
    if options.missing == "drop":
        parts = {**without_gaps(parts, where, notes.append), "notes": notes}
    return parts | ({"tie_tolerance": float(tolerance)} if tolerance else {})


def roles(schema: Any, where: str, options: ReadOptions, notes: list[str]) -> tuple[str | None, str | None, list[str]]:
    """The columns of the names and of the weights (None without), and those of the arms, by the types of `schema`."""
    names = schema.names
    for name in names:
        if names.count(name) > 1:
            raise FileError(f"{where}: two columns are named '{name}'; rename one of them.")
    if resembles_long(names) and not options.ignore:
        raise FileError(
            f"{where} has one row for each agent and arm ({', '.join(names)}); expected one row for each agent and one "
            "column for each arm. Pivot it on agent and arm first, or write it as CSV."
        )
    for heading in (*options.ignore, *([options.agent] if options.agent else [])):
        if heading not in names:
            raise FileError(f"{where} has no column '{heading}'; it has {', '.join(names)}.")
    left = [name for name in names if name not in options.ignore]
    text = [name for name in left if _is_text(schema.field(name).type)]
    named = options.agent or (AGENT if AGENT in left else text[0] if text and text[0] == left[0] else None)
    weighted = WEIGHT if WEIGHT in left else None
    others = [name for name in left if name not in (named, weighted)]
    arms = [name for name in others if _is_number(schema.field(name).type)]
    for name in arms:
        if misspelt_heading(name):
            raise FileError(f"{where}: {misspelt_heading(name)}")
    if not arms:
        raise FileError(f"{where} has no column of numbers; expected one for each arm.")
    if len(arms) < len(others):
        odd = [f"'{name}'" for name in others if name not in arms]
        notes.append(
            f"{', '.join(odd)} hold{'s' * (len(odd) == 1)} no numbers and {'is' if len(odd) == 1 else 'are'} left out"
        )
    return named, weighted, arms


def column_numbers(column: Any) -> np.ndarray:
    """A column of numbers or booleans as doubles, NaN where it is null."""
    types = import_module("pyarrow.types")
    if types.is_boolean(column.type) or types.is_decimal(column.type):
        column = column.cast("float64")
    values = (
        column.to_numpy(zero_copy_only=False)
        if hasattr(column, "type") and not hasattr(column, "chunks")
        else column.to_numpy()
    )
    return values.astype(np.float64, copy=False)


def _names(column: Any, where: str) -> Any:
    """The names of the agents: a tuple, or for very many one array of bytes."""
    if column.null_count:
        raise FileError(f"{where}: the column of the agents' names has a gap; fill it in.")
    compute = import_module("pyarrow.compute")
    packed = compute.cast(column, "large_string").combine_chunks()
    packed = packed.combine_chunks() if hasattr(packed, "combine_chunks") else packed
    if len(packed) <= PackedNames.WORTH:
        return packed.to_pylist()
    _, offsets, data = packed.buffers()
    ends = np.frombuffer(offsets, np.int64)[packed.offset : packed.offset + len(packed) + 1]
    letters = np.frombuffer(data, np.uint8)[ends[0] : ends[-1]]
    return PackedNames(letters, ends - ends[0])


def _is_text(kind: Any) -> bool:
    types = import_module("pyarrow.types")
    plain = kind.value_type if types.is_dictionary(kind) else kind
    return types.is_string(plain) or types.is_large_string(plain) or str(plain) == "string_view"


def _is_number(kind: Any) -> bool:
    types = import_module("pyarrow.types")
    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)


def as_table(instance: Instance) -> Any:
    """The Arrow table of an instance: `agent`, the arms, and `weight` where some row stands for more than one."""
    pyarrow = arrow("writing Parquet and Arrow")
    for name in instance.arms:
        if name in (AGENT, WEIGHT) or misspelt_heading(name):
            raise FileError(f"the arm {name!r} would be taken for a heading; rename it, or write JSON.")
    columns = {AGENT: pyarrow.array(list(instance.agents))}
    columns |= {name: pyarrow.array(np.ascontiguousarray(instance.means[:, k])) for k, name in enumerate(instance.arms)}
    if (instance.weights != 1).any():
        columns[WEIGHT] = pyarrow.array(instance.weights)
    return pyarrow.table(columns).replace_schema_metadata({TOLERANCE: repr(float(instance.tie_tolerance)).encode()})


def opened(stream: BinaryIO) -> BinaryIO:
    """The stream, or its bytes where it cannot be read from any place."""
    return stream if stream.seekable() else io.BytesIO(stream.read())

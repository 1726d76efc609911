"""Parquet and Arrow files (extra `tables`): numeric columns are arms, `weight` holds the weights, `agent` the names.

Without a column `agent`, a first column of text holds the names. Other columns without numbers are left out, and a note
says so. Means are written as doubles, so that every bit is kept; the tie tolerance is stored in the schema's metadata.
"""

from __future__ import annotations

import io
import json
from importlib import import_module
from typing import Any, BinaryIO

import numpy as np

from isegoria.errors import FileError, MissingExtraError
from isegoria.io.readers.frame_parser import INDEX_COLUMN_PREFIX, parse_long_frame
from isegoria.io.sheets.cells import advise_missing, find_first_true, rescale
from isegoria.io.sheets.gaps import resolve_gaps
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.profiles import Instance
from isegoria.profiles.headings import (
    AGENT_HEADING,
    LONG_HEADERS,
    WEIGHT_HEADING,
    describe_misspelling,
    is_long_header_variant,
)
from isegoria.profiles.names import PackedNames

PANDAS_METADATA_KEY = b"pandas"
TOLERANCE_METADATA_KEY = b"isegoria.tie_tolerance"


def import_pyarrow(where: str) -> Any:
    """Import pyarrow; raise `MissingExtraError`, which says how to install it, if it is missing."""
    try:
        return import_module("pyarrow")
    except ImportError:
        raise MissingExtraError(
            f"{where} needs pyarrow, which is not installed; pip install 'isegoria[tables]', or use CSV or NPZ."
        ) from None


def parse_arrow_table(table: Any, where: str, **keywords: Any) -> dict[str, Any]:
    """Return the parts of an `Instance` in an Arrow table."""
    options = ReadOptions.checked(**keywords)
    notes: list[str] = []
    if is_long_table(table.schema.names, options):
        return parse_long_frame(table, options, where)
    table = _name_agents_by_index(table)
    named, weighted, arms = find_column_roles(table.schema, where, options, notes)
    agents = None if named is None else _load_names(table.column(named), where)

    def place(row: int, arm: int) -> str:
        whose = f" (agent '{agents[row]}')" if agents is not None else ""
        return f"{where}, row {row + 1}, column '{arms[arm]}'{whose}"

    means = np.empty((table.num_rows, len(arms)))
    for k, name in enumerate(arms):
        means[:, k] = column_to_floats(table.column(name))
    gaps = np.isnan(means)
    if gaps.any() and options.missing == "refuse":
        raise FileError(advise_missing(f"{place(*find_first_true(gaps))} is empty; fill it in", ","))
    parts: dict[str, Any] = {"means": rescale(means, options.ends, place), "agents": agents, "arms": arms}
    if weighted is not None:
        parts["weights"] = column_to_floats(table.column(weighted))
    tolerance = (table.schema.metadata or {}).get(TOLERANCE_METADATA_KEY)
    parts = resolve_gaps(parts, options, where, notes.append) | {"notes": notes}
    return parts | ({"tie_tolerance": float(tolerance)} if tolerance else {})


def is_long_table(names: list[str], options: ReadOptions) -> bool:
    """Return whether a table has one row for each agent and arm, by its header or because `columns` says so."""
    roles = (options.columns or {}).values()
    plain = [name for name in names if not name.startswith(INDEX_COLUMN_PREFIX)]
    return tuple(plain) in LONG_HEADERS or "arm" in roles or "value" in roles


def _name_agents_by_index(table: Any) -> Any:
    """Return the table with the index that pandas stored as the agents' names, or without it if it only counts."""
    stored = list_index_columns(table.schema)
    if not stored or AGENT_HEADING in stored:
        return table
    labels, table = table.column(stored[0]), table.drop_columns(stored)
    counts = is_number_type(labels.type) and np.array_equal(column_to_floats(labels), np.arange(len(labels)))
    if counts or AGENT_HEADING in table.schema.names:
        return table
    return table.add_column(0, AGENT_HEADING, [labels.cast("string")])


def list_index_columns(schema: Any) -> list[str]:
    """Return the columns of a schema in which pandas stored the index of a frame."""
    stored = [name for name in schema.names if name.startswith(INDEX_COLUMN_PREFIX)]
    try:
        named = json.loads((schema.metadata or {}).get(PANDAS_METADATA_KEY, b"{}")).get("index_columns", [])
    except (ValueError, AttributeError):  # metadata of another program
        named = []
    return list(dict.fromkeys([*stored, *(name for name in named if name in schema.names)]))


def find_column_roles(
    schema: Any, where: str, options: ReadOptions, notes: list[str]
) -> tuple[str | None, str | None, list[str]]:
    """Return the columns of the names and of the weights (or None), and those of the arms, by the types of `schema`."""
    names = schema.names
    for name in names:
        if names.count(name) > 1:
            raise FileError(f"{where}: two columns are named '{name}'; rename one of them.")
    if is_long_header_variant(names) and not options.ignore:
        raise FileError(
            f"{where} has one row for each agent and arm ({', '.join(names)}); expected one row for each agent and one "
            "column for each arm. Pivot it on agent and arm first, or write it as CSV."
        )
    for heading in (*options.ignore, *([options.agent] if options.agent else [])):
        if heading not in names:
            raise FileError(f"{where} has no column '{heading}'; it has {', '.join(names)}.")
    index = [name for name in list_index_columns(schema) if name not in (AGENT_HEADING, options.agent)]
    left = [name for name in names if name not in (*options.ignore, *index)]
    text = [name for name in left if is_text_type(schema.field(name).type)]
    named = options.agent or (
        AGENT_HEADING if AGENT_HEADING in left else text[0] if text and text[0] == left[0] else None
    )
    weighted = WEIGHT_HEADING if WEIGHT_HEADING in left else None
    others = [name for name in left if name not in (named, weighted)]
    arms = [name for name in others if is_number_type(schema.field(name).type)]
    for name in arms:
        if describe_misspelling(name):
            raise FileError(f"{where}: {describe_misspelling(name)}")
    if not arms:
        raise FileError(f"{where} has no column of numbers; expected one for each arm.")
    if len(arms) < len(others):
        odd = [f"'{name}'" for name in others if name not in arms]
        notes.append(
            f"{', '.join(odd)} hold{'s' * (len(odd) == 1)} no numbers and {'is' if len(odd) == 1 else 'are'} left out"
        )
    return named, weighted, arms


def column_to_floats(column: Any) -> np.ndarray:
    """Convert a column of numbers or booleans to doubles; null becomes NaN."""
    types = import_module("pyarrow.types")
    if types.is_boolean(column.type) or types.is_decimal(column.type):
        column = column.cast("float64")
    if column.null_count:
        column = column.cast("float64").fill_null(float("nan"))
    return read_buffer(column).astype(np.float64, copy=False)


def read_buffer(column: Any) -> np.ndarray:
    """Return the numbers of a column without nulls; Arrow's own `to_numpy` would import pandas."""
    chunks = column.chunks if hasattr(column, "chunks") else [column]
    kind = np.dtype(column.type.to_pandas_dtype())
    parts = [np.frombuffer(chunk.buffers()[1], kind, len(chunk), chunk.offset * kind.itemsize) for chunk in chunks]
    return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, kind), *parts])


def _load_names(column: Any, where: str) -> Any:
    """Return the names of the agents: a list, or for very many one packed array of bytes."""
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


def is_text_type(kind: Any) -> bool:
    """Return whether an Arrow type holds text."""
    types = import_module("pyarrow.types")
    plain = kind.value_type if types.is_dictionary(kind) else kind
    return types.is_string(plain) or types.is_large_string(plain) or str(plain) == "string_view"


def is_number_type(kind: Any) -> bool:
    """Return whether an Arrow type holds numbers or booleans."""
    types = import_module("pyarrow.types")
    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind)


def to_arrow_table(instance: Instance) -> Any:
    """Convert an instance to an Arrow table: `agent`, the arms, and `weight` if some weight is not 1."""
    pyarrow = import_pyarrow("writing Parquet and Arrow")
    for name in instance.arms:
        if name in (AGENT_HEADING, WEIGHT_HEADING) or describe_misspelling(name):
            raise FileError(f"the arm {name!r} would be taken for a heading; rename it, or write JSON.")
    columns = {AGENT_HEADING: pyarrow.array(list(instance.agents))}
    columns |= {name: pyarrow.array(np.ascontiguousarray(instance.means[:, k])) for k, name in enumerate(instance.arms)}
    if (instance.weights != 1).any():
        columns[WEIGHT_HEADING] = pyarrow.array(instance.weights)
    return pyarrow.table(columns).replace_schema_metadata(
        {TOLERANCE_METADATA_KEY: repr(float(instance.tie_tolerance)).encode()}
    )


def ensure_seekable(stream: BinaryIO) -> BinaryIO:
    """Return the stream if it is seekable, else its bytes as a stream."""
    return stream if stream.seekable() else io.BytesIO(stream.read())

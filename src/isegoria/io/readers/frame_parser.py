"""Data frames with the options of files: wide frames, and long ones with a row for each agent and arm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isegoria.errors import FileError
from isegoria.io.sheets.cells import advise_missing, find_first_true, is_missing, is_number, rescale
from isegoria.io.sheets.gaps import pivot_long, resolve_gaps
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.profiles.frames import extract_columns, read_index_names
from isegoria.profiles.headings import AGENT_HEADING, WEIGHT_HEADING, describe_misspelling, is_long_header_variant

INDEX_COLUMN_PREFIX = "__index_level_"
"""How pandas names the columns in which it stores an index."""
LONG_ROLES = ("agent", "arm", "value")


def parse_wide_frame(frame: Any, options: ReadOptions) -> dict[str, Any]:
    """Return the parts of an `Instance` in a frame with one row for each agent and one column for each arm."""
    names, columns = extract_columns(frame)
    where, notes = "the frame", list[str]()
    _require_columns(names, (*options.ignore, *(options.columns or {}), *([options.agent] if options.agent else [])))
    if is_long_header_variant(names):
        raise FileError(f"{where} has one row for each agent and arm; use Instance.from_long.")
    roles = {role: heading for heading, role in (options.columns or {}).items()}
    left = [name for name in names if name not in options.ignore and not name.startswith(INDEX_COLUMN_PREFIX)]
    named = options.agent or roles.get("agent") or (AGENT_HEADING if AGENT_HEADING in left else None)
    if named is None and left and _holds_words(columns[names.index(left[0])], options):
        named = left[0]
    weighted = roles.get("weight", WEIGHT_HEADING if WEIGHT_HEADING in left else None)
    arms = [name for name in left if name not in (named, weighted)]
    if not arms:
        raise FileError(f"{where} has no column for an arm; it has {', '.join(names)}.")
    for name in arms:
        if describe_misspelling(name):
            raise FileError(f"{where}: {describe_misspelling(name)}")
    agents = read_index_names(frame) if named is None else _to_names(columns[names.index(named)])

    def place(row: int, arm: int) -> str:
        whose = f" (agent '{agents[row]}')" if agents else ""
        return f"{where}, row {row + 1}, column '{arms[arm]}'{whose}"

    means = np.empty((len(columns[0]), len(arms)))
    for k, name in enumerate(arms):
        means[:, k] = parse_rating_column(columns[names.index(name)], options, lambda row, k=k: place(row, k))
    gaps = np.isnan(means)
    if gaps.any() and options.missing == "refuse":
        raise FileError(advise_missing(f"{place(*find_first_true(gaps))} is empty; fill it in", ","))
    parts = {"means": rescale(means, options.ends, place), "agents": agents, "arms": arms}
    if weighted is not None:
        parts["weights"] = columns[names.index(weighted)]
    return resolve_gaps(parts, options, where, notes.append) | {"notes": notes}


def parse_long_frame(frame: Any, options: ReadOptions, where: str = "the frame") -> dict[str, Any]:
    """Return the parts of an `Instance` in a frame with a row for each agent and arm; agents keep their order."""
    is_arrow = hasattr(frame, "schema") and hasattr(frame, "column_names")
    labels = frame.column_names if is_arrow else getattr(frame, "columns", None)
    plain = hasattr(frame, "__getitem__") and labels is not None
    source = frame if plain else dict(zip(*extract_columns(frame), strict=True))
    names = [str(label) for label in (labels if plain else source)]  # type: ignore[union-attr]
    given = {role: heading for heading, role in (options.columns or {}).items()}
    _require_columns(names, given.values(), where)
    roles = {role: given.get(role, role) for role in (*LONG_ROLES, WEIGHT_HEADING)}
    for role in LONG_ROLES:
        if roles[role] not in names:
            raise FileError(
                f"{where}: no column is the {role}; a table with one row for each agent and arm needs agent, arm and "
                'value. Give columns={"user": "agent", "item": "arm", "rating": "value"} with its own headings.'
            )
    agents, rows = encode_names(source[roles["agent"]], where, "agent")
    arms, columns = encode_names(source[roles["arm"]], where, "arm")

    def place(row: int) -> str:
        return f"{where}, row {row + 1} (agent '{agents[rows[row]]}', arm '{arms[columns[row]]}')"

    given_values = source[roles["value"]]
    values = parse_rating_column(_to_array(given_values), options, place)
    values = rescale(values[:, None], options.ends, lambda row, _: place(row))[:, 0]
    notes: list[str] = []
    others = [name for name in names if name not in roles.values() and not name.startswith(INDEX_COLUMN_PREFIX)]
    if others:
        notes.append(f"{', '.join(map(repr, others))} {'is' if len(others) == 1 else 'are'} left out")
    parts = pivot_long(rows, columns, values, agents, arms, options, where, notes.append)
    if roles[WEIGHT_HEADING] in names:
        told = _to_array(source[roles[WEIGHT_HEADING]])
        weights = np.zeros(len(agents), dtype=np.asarray(told).dtype)
        weights[rows] = told
        if not np.array_equal(weights[rows], told):
            row = int(np.flatnonzero(weights[rows] != told)[0])
            raise FileError(f"{place(row)} has another weight than before; an agent has one weight.")
        kept = np.isin(agents, parts["agents"]) if len(parts["agents"]) < len(agents) else slice(None)
        parts["weights"] = weights[kept]
    return parts | {"notes": notes}


def parse_rating_column(column: np.ndarray, options: ReadOptions, place: Any) -> np.ndarray:
    """Return a column as floats on the scale, NaN for gaps; words count as `options.answers` says."""
    if column.dtype.kind in "biuf":
        return column.astype(np.float64, copy=False)
    words, found = options.answers or {}, np.empty(len(column))
    for row, cell in enumerate(column.tolist()):
        text = "" if cell is None else str(cell).strip()
        if text.casefold() in words:
            found[row] = words[text.casefold()]
        elif not text or is_missing(text) or text == "<NA>":
            found[row] = np.nan
        elif is_number(text):
            found[row] = float(text)
        else:
            raise FileError(f"{place(row)} is {text!r}; expected a number, or give its value with answers=.")
    return found


def encode_names(column: Any, where: str, role: str) -> tuple[list[str], np.ndarray]:
    """Return the distinct names of a column in order of appearance, and the place of each row's name among them."""
    if hasattr(column, "to_arrow"):
        column = column.to_arrow()
    if hasattr(column, "unify_dictionaries"):
        column = column.unify_dictionaries()
    if hasattr(column, "combine_chunks"):
        column = column.combine_chunks()
    if hasattr(column, "dictionary_encode"):
        if hasattr(column, "chunks"):
            column = column.chunk(0) if column.num_chunks else column
        encoded = column if hasattr(column, "indices") else column.dictionary_encode()
        if encoded.null_count:
            raise FileError(f"{where}: the column of the {role}s has a gap; fill it in.")
        from isegoria.io.readers.arrow_table import read_buffer

        codes, names = read_buffer(encoded.indices), encoded.dictionary.to_pylist()
        return _order_by_appearance(list(map(str, names)), codes)
    try:
        from pandas import factorize
    except ImportError:
        values = np.asarray(column)
        if values.dtype == object:
            places: dict[Any, int] = {}
            codes = np.fromiter((places.setdefault(name, len(places)) for name in values.tolist()), np.int64)
            return list(map(str, places)), codes
        names, codes = np.unique(values, return_inverse=True)
        return _order_by_appearance(list(map(str, names.tolist())), codes)
    codes, names = factorize(column if hasattr(column, "dtype") else np.asarray(column))
    if (codes < 0).any():
        raise FileError(f"{where}: the column of the {role}s has a gap; fill it in.")
    return list(map(str, names.tolist())), codes.astype(np.int64)


def _order_by_appearance(names: list[str], codes: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Renumber names by their first row, and drop those that have none."""
    first = np.full(len(names), len(codes), dtype=np.int64)
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.argsort(first, kind="stable")[: int((first < len(codes)).sum())]
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [names[number] for number in order.tolist()], place[codes]


def _to_array(column: Any) -> np.ndarray:
    if hasattr(column, "combine_chunks"):
        from isegoria.io.readers.arrow_table import column_to_floats, is_number_type

        return column_to_floats(column) if is_number_type(column.type) else np.array(column.to_pylist(), dtype=object)
    return np.asarray(column)


def _to_names(column: np.ndarray) -> list[str]:
    return list(map(str, column.tolist()))


def _holds_words(column: np.ndarray, options: ReadOptions) -> bool:
    """Return whether a column names agents: it holds text that is neither a number nor an answer."""
    if column.dtype.kind in "biuf":
        return False
    answers = options.answers or {}
    texts = [str(cell).strip() for cell in column[:100].tolist() if isinstance(cell, str)]
    return any(not is_number(text) and not is_missing(text) and text.casefold() not in answers for text in texts)


def _require_columns(names: Sequence[str], headings: Any, where: str = "the frame") -> None:
    for heading in headings:
        if heading not in names:
            raise FileError(f"{where} has no column '{heading}'; it has {', '.join(names)}.")

"""Read past rounds from files: one table per round, or one file with all rounds; with the chosen options, if known.

Turns use favourites only, so a missing rating counts as lower than any given one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.errors import FileError, InputError, unknown_name_error
from isegoria.io import read
from isegoria.io.sheets.cells import parse_weights
from isegoria.io.sheets.separators import parse_separated_text
from isegoria.io.sheets.sheet import Sheet
from isegoria.io.storage.open_input import open_file, read_standard_input
from isegoria.io.storage.text_decoding import decode_text
from isegoria.profiles import Instance

REQUIRED_COLUMNS = ("round", "member", "option", "rating")
OPTIONAL_COLUMNS = ("weight", "chosen")
ROUND_KEYS = ("options", "ratings", "weights", "chosen")
Scale = tuple[float, float]


@dataclass(frozen=True)
class PastRound:
    """One past round: `label` for messages, the `instance`, and the option `chosen`, None if not known yet."""

    label: str
    instance: Instance = field(repr=False)
    chosen: str | None


def read_history(
    paths: Sequence[str | os.PathLike[str]], chosen: Sequence[str] = (), scale: Scale = (0.0, 1.0)
) -> list[PastRound]:
    """Read the rounds in `paths`, in order.

    One CSV file with the header `round,member,option,rating` (and `weight`, `chosen`) or one JSON file with `rounds`
    holds all of them. Otherwise every file is the table of one round in any known format, and `chosen` names the
    options played in the first of them.
    """
    if not paths:
        raise InputError("turns needs a file: one table for each round, or one file with all rounds.")
    if len(paths) == 1:
        rounds = _read_history_file(paths[0], scale)
        if rounds is not None:
            if chosen:
                raise InputError("chosen is for one table a round; a file with all rounds says itself what was chosen.")
            return rounds
    if len(chosen) > len(paths):
        raise InputError(
            f"chosen names {len(chosen)} options for {len(paths)} rounds; give at most one for each table."
        )
    rounds = []
    for number, path in enumerate(paths, start=1):
        if _is_history_file(path):
            raise FileError(f"{path} holds many rounds; give it alone: its last one may be to decide, or to plan.")
        instance = (
            read(path, scale=None if scale == (0.0, 1.0) else scale, missing="lowest")
            if _allows_missing(path)
            else read(path)
        )
        name = chosen[number - 1] if number <= len(chosen) else None
        rounds.append(_build_round(f"round {number}", instance, name))
    return rounds


def _allows_missing(path: str | os.PathLike[str]) -> bool:
    return Path(path).suffix.lower() in {"", ".csv", ".tsv", ".xlsx", ".ods"}


def _read_history_file(path: str | os.PathLike[str], scale: Scale) -> list[PastRound] | None:
    """Read the rounds of a file that holds all of them, or return None for a table of one round."""
    suffix = Path(path).suffix.lower()
    if suffix not in {".csv", ".tsv", ".json"} and str(path) != "-":
        return None
    try:
        with read_standard_input() if str(path) == "-" else open_file(path) as stream:
            text = decode_text(stream.read(), str(path))
    except OSError:
        return None  # `read` raises the better error
    where = "standard input" if str(path) == "-" else str(path)
    if suffix == ".json":
        return _parse_json(text, where, scale)
    if _is_history_header(text.split("\n", 1)[0]):
        return _parse_sheet(parse_separated_text(text, where), scale)
    if str(path) == "-":
        raise FileError(
            f"{where} is taken as a history: expected the header {','.join(REQUIRED_COLUMNS)}. Give a table as a file."
        )
    return None


def _is_history_header(line: str) -> bool:
    """Return whether the first line of a file is the header of a history."""
    cells = line.lstrip("\ufeff").replace(";", ",").replace("\t", ",").split(",")
    return set(REQUIRED_COLUMNS) <= {cell.strip() for cell in cells}


def _is_history_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a file that was given as the table of one round holds many."""
    if Path(path).suffix.lower() not in {".csv", ".tsv"}:
        return False
    try:
        with open_file(path) as stream:
            return _is_history_header(decode_text(stream.readline(), str(path)))
    except OSError:
        return False  # `read` raises the better error


def _parse_sheet(sheet: Sheet, scale: Scale) -> list[PastRound]:
    places = {name: sheet.header.index(name) for name in (*REQUIRED_COLUMNS, *OPTIONAL_COLUMNS) if name in sheet.header}
    for name in sheet.header:
        if name not in places:
            raise FileError(
                f"{sheet.top}: {unknown_name_error('column', name, (*REQUIRED_COLUMNS, *OPTIONAL_COLUMNS))}"
            )
    columns = {name: sheet.column(place) for name, place in places.items()}
    for name in REQUIRED_COLUMNS[:3]:
        sheet.names(places[name])
    weights = parse_weights(columns["weight"], sheet.line) if "weight" in columns else [1] * len(sheet.rows)
    lines: dict[str, list[int]] = {}
    for row, label in enumerate(columns["round"]):
        lines.setdefault(label, []).append(row)
    return [_parse_round_rows(sheet, columns, weights, label, rows, scale) for label, rows in lines.items()]


def _parse_round_rows(
    sheet: Sheet,
    columns: Mapping[str, Sequence[str]],
    weights: Sequence[int],
    label: str,
    rows: Sequence[int],
    scale: Scale,
) -> PastRound:
    """Build one round from its lines."""
    where = f"round {label}"
    ratings: dict[str, dict[str, float | None]] = {}
    held: dict[str, int] = {}
    for row in rows:
        member, option = columns["member"][row], columns["option"][row]
        told = ratings.setdefault(member, {})
        if option in told:
            raise FileError(f"{sheet.line(row)}: {member} rates {option!r} twice in round {label}; keep one line.")
        if held.setdefault(member, weights[row]) != weights[row]:
            raise FileError(f"{sheet.line(row)}: {member} has two weights in round {label}; give them one.")
        told[option] = _parse_rating(columns["rating"][row], sheet.line(row), scale)
    options = list(dict.fromkeys(columns["option"][row] for row in rows))
    marks = [row for row in rows if columns.get("chosen", {}) and columns["chosen"][row] not in ("", "0")]
    for row in marks:
        if columns["chosen"][row] != "1":
            raise FileError(
                f"{sheet.line(row)}: chosen is {columns['chosen'][row]!r}; write 1 where an option was played, "
                "else 0 or nothing."
            )
    played = list(dict.fromkeys(columns["option"][row] for row in marks))
    if len(played) > 1:
        raise FileError(f"{where}: two options are marked chosen.")
    return _build_round(where, _build_instance(where, options, ratings, held), played[0] if played else None)


def _parse_rating(cell: str, place: str, scale: Scale) -> float | None:
    """Parse a rating and rescale it to [0, 1], or return None for an empty cell."""
    if not cell:
        return None
    low, high = scale
    try:
        value = float(cell.replace(",", ".", 1))
    except ValueError:
        raise FileError(f"{place}: rating is {cell!r}; expected a number from {low:g} to {high:g}.") from None
    if not low <= value <= high:
        raise FileError(
            f"{place}: rating is {cell}; expected a number from {low:g} to {high:g}. "
            "Say --scale LOW,HIGH if ratings run otherwise."
        )
    return (value - low) / (high - low)


def _parse_json(text: str, where: str, scale: Scale) -> list[PastRound] | None:
    try:
        data = json.loads(text)
    except ValueError:
        return None
    if not isinstance(data, dict) or "rounds" not in data:
        return None
    if not isinstance(data["rounds"], list) or not data["rounds"]:
        raise FileError(f'{where}: "rounds" must list at least one round.')
    return [
        _parse_round_object(f"round {number}", each, where, scale)
        for number, each in enumerate(data["rounds"], start=1)
    ]


def _parse_round_object(label: str, data: Any, where: str, scale: Scale) -> PastRound:
    if not isinstance(data, dict) or not {"options", "ratings"} <= set(data):
        raise FileError(f'{where}, {label}: expected {{"options": […], "ratings": {{member: {{option: number}}}}}}.')
    for key in data:
        if key not in ROUND_KEYS:
            raise FileError(f"{where}, {label}: {unknown_name_error('key', key, ROUND_KEYS)}")
    options, told, held = data["options"], data["ratings"], data.get("weights") or {}
    if not isinstance(told, dict) or not all(isinstance(row, dict) for row in told.values()):
        raise FileError(f"{where}, {label}: ratings must be an object of members, each an object of options.")
    ratings: dict[str, dict[str, float | None]] = {}
    for member, row in told.items():
        for option in row:
            if option not in options:
                raise FileError(f"{where}, {label}: {member}: {unknown_name_error('option', option, options)}")
        place = f"{where}, {label}: {member}"
        ratings[member] = {
            option: None if value is None else _parse_rating(str(value), f"{place}: {option}", scale)
            for option, value in row.items()
        }
    weights = {member: held.get(member, 1) for member in ratings}
    return _build_round(label, _build_instance(label, list(options), ratings, weights), data.get("chosen"))


def _build_instance(
    where: str, options: list[str], ratings: Mapping[str, Mapping[str, float | None]], weights: Mapping[str, int]
) -> Instance:
    """Build the table of a round. Members without ratings are absent, and missing ratings rank below all given ones."""
    present = [member for member, row in ratings.items() if any(value is not None for value in row.values())]
    if not present or not options:
        raise FileError(f"{where} has no ratings at all.")
    given = [[ratings[member].get(option) for option in options] for member in present]
    means = np.array([[np.nan if value is None else value for value in row] for row in given], dtype=float)
    if np.isnan(means).any():
        means = np.where(np.isnan(means), 0.0, (1.0 + means) / 2.0)  # keeps the order and puts missing ratings last
    try:
        return Instance(means, agents=present, arms=options, weights=[weights[member] for member in present])
    except InputError as error:
        raise FileError(f"{where}: {error}") from None


def _build_round(label: str, instance: Instance, chosen: Any) -> PastRound:
    if chosen is not None and chosen not in instance.arms:
        raise InputError(
            f'{label}: "chosen" is {chosen!r}, which is no option of that round{_suggest_name(chosen, instance.arms)}'
        )
    return PastRound(label, instance, chosen)


def _suggest_name(name: Any, known: Iterable[str]) -> str:
    import difflib

    close = difflib.get_close_matches(str(name), list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(known)}."

"""Exports of Polis: `participants-votes.csv` (a row for each participant) and `votes.csv` (a row for each vote).

Agree is rated 1 and disagree 0. A pass and a statement that was not shown are gaps, as neither states a rating. They
are unknown unless `missing` says otherwise.
"""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np

from isegoria.errors import FileError, InputError
from isegoria.io.sheets.gaps import resolve_gaps
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.io.storage.text_decoding import decode_text

MATRIX_HEADINGS, LOG_HEADINGS = {"participant", "n-votes", "n-agree"}, {"comment-id", "voter-id", "vote"}
VOTE_RATINGS = {"1": 1.0, "-1": 0.0, "0": np.nan, "": np.nan}


def is_export_header(line: bytes) -> bool:
    """Return whether the first line of a file has the headings of one of the two tables.

    >>> is_export_header(b"timestamp,datetime,comment-id,voter-id,vote"), is_export_header(b"agent,tea,coffee")
    (True, False)
    """
    headings = {text.strip().strip('"') for text in line.decode("utf-8-sig", "replace").split(",")}
    return headings >= MATRIX_HEADINGS or headings >= LOG_HEADINGS


def parse_export(content: bytes, where: str, options: ReadOptions) -> dict[str, Any]:
    """Return the parts of an `Instance` whose arms are the statements, by their ids."""
    if options != ReadOptions(missing=options.missing):
        raise InputError(f"{where} is an export of Polis, whose columns are known; give no option except missing.")
    ratings, agents, arms = parse_votes(decode_text(content, where), where)
    if options.missing == "refuse":
        options = replace(options, missing="unknown")
    notes = ["votes of Polis: agree counts as 1 and disagree as 0, and a pass is a gap"]
    parts = {
        "means": ratings,
        "agents": [f"participant {name}" for name in agents],
        "arms": [f"statement {name}" for name in arms],
    }
    return resolve_gaps(parts, options, where, notes.append) | {"notes": notes}


def parse_votes(text: str, where: str) -> tuple[np.ndarray, list[str], list[str]]:
    """Return ((N, K) 1 for agree, 0 for disagree, NaN for others; the participants; the ids of the statements)."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader)]
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise FileError(f"{where}, line {reader.line_num}: not CSV: {error}; export the file again.") from None
    if not rows:
        raise FileError(f"{where} has no line below its header; expected the votes of at least one participant.")
    for line, row in rows:
        if len(row) != len(header):
            raise FileError(f"{where}, line {line} has {len(row)} cells; expected {len(header)} as in the header.")
    if set(header) >= LOG_HEADINGS:
        return _parse_log(header, rows, where)
    statements = [place for place, name in enumerate(header) if name.isdigit()]
    if not statements:
        raise FileError(f"{where} has no column for a statement; expected one for each, headed by its number.")
    table = [[_rate(row[place], where, line) for place in statements] for line, row in rows]
    who = header.index("participant")
    return np.array(table), [row[who] for _, row in rows], [header[place] for place in statements]


def _parse_log(
    header: list[str], rows: list[tuple[int, list[str]]], where: str
) -> tuple[np.ndarray, list[str], list[str]]:
    """Return the last vote of each participant on each statement, by the time of the votes."""
    voter, statement, vote = (header.index(name) for name in ("voter-id", "comment-id", "vote"))
    when = header.index("timestamp") if "timestamp" in header else None
    agents, arms = _sort_ids({row[voter] for _, row in rows}), _sort_ids({row[statement] for _, row in rows})
    rows_of, columns_of = ({name: place for place, name in enumerate(names)} for names in (agents, arms))
    try:
        times = np.arange(len(rows)) if when is None else np.array([int(row[when]) for _, row in rows])
    except ValueError:
        raise FileError(f"{where} has a timestamp that is not a whole number; export the file again.") from None
    ratings = np.array([_rate(row[vote], where, line) for line, row in rows])
    places = np.array([(rows_of[row[voter]], columns_of[row[statement]]) for _, row in rows])
    order = np.argsort(times, kind="stable")
    table = np.full((len(agents), len(arms)), np.nan)
    table[tuple(places[order].T)] = ratings[order]  # of equal places, the last one counts
    return table, agents, arms


def _rate(text: str, where: str, line: int) -> float:
    try:
        return VOTE_RATINGS[text]
    except KeyError:
        if text.strip() in VOTE_RATINGS:
            return VOTE_RATINGS[text.strip()]
        raise FileError(f"{where}, line {line} has the vote {text!r}; expected 1, 0, -1 or nothing.") from None


def _sort_ids(ids: set[str]) -> list[str]:
    """Return the ids in order, by number where they are numbers."""
    return sorted(ids, key=lambda name: (not name.isdigit(), int(name) if name.isdigit() else 0, name))

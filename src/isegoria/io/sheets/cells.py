"""Parse numbers in text cells: all at once, and cell by cell only to name the one that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from isegoria.errors import FileError
from isegoria.io.option_suggestions import AdvisedMessage, OptionSuggestion, prefix_message
from isegoria.profiles.weights import MAX_TOTAL_WEIGHT
from isegoria.utils import tolerances

CellLocator = Callable[[int, int], str]

MISSING_MARKS = {"", "nan", "na", "n/a", "#n/a", "null", "none", "-", "–", "—"}
"""What stands in a cell, capitals and a sign aside, where there is no rating."""


def parse_plain_numbers(rows: Sequence[Sequence[str]]) -> np.ndarray | None:
    """Return the (rows, columns) floats of equally long rows of text; None if a cell is not a plain number.

    >>> parse_plain_numbers([["0.5", "1"]]).tolist(), parse_plain_numbers([["50%"]])
    ([[0.5, 1.0]], None)
    """
    shape = (len(rows), len(rows[0]))
    try:
        values = np.fromiter(map(float, chain.from_iterable(rows)), dtype=float, count=shape[0] * shape[1])
    except ValueError:
        return None
    if np.isnan(values).any() or not all(map(_is_plain_ascii, map("".join, rows))):
        return None
    return values.reshape(shape)


def require_on_scale(values: np.ndarray, scale: tuple[float, float], place: CellLocator) -> None:
    """Raise `FileError` for a value outside `scale`, named by `place(i, k)`; gaps (NaN) pass."""
    low, high = scale
    outside = (values < low) | (values > high)
    if outside.any():
        i, k = find_first_true(outside)
        raise FileError(
            _advise_scale(
                f"{place(i, k)} is {shortest_repr(values[i, k])}; expected a number from {shortest_repr(low)} to "
                f"{shortest_repr(high)}",
                values,
                values[i, k],
                (low, high),
            )
        )


def find_first_true(found: np.ndarray) -> tuple[int, int]:
    """Return (row, column) of the first True in a table of booleans.

    >>> find_first_true(np.array([[False, False], [True, False]]))
    (1, 0)
    """
    row, column = divmod(int(found.argmax()), found.shape[1])
    return row, column


def rescale(values: np.ndarray, scale: tuple[float, float] | None, place: CellLocator) -> np.ndarray:
    """Rescale `values` from `scale` to [0, 1]; raise `FileError` for one outside, named by `place(i, k)`.

    >>> rescale(np.array([[1.0, 4.0]]), (1, 5), place=str).tolist()
    [[0.0, 0.75]]
    """
    low, high = scale or (0.0, 1.0)
    require_on_scale(values, (low, high), place)
    return values if (low, high) == (0.0, 1.0) else (values - low) / (high - low)


def shortest_repr(value: float) -> str:
    """Format a number with the fewest digits that still identify it.

    >>> shortest_repr(5.0), shortest_repr(-0.1), shortest_repr(1.0000000000000002)
    ('5', '-0.1', '1.0000000000000002')
    """
    return repr(float(value)).removesuffix(".0")


def _advise_scale(sentence: str, values: np.ndarray, wrong: float, scale: tuple[float, float]) -> str:
    """Return a sentence on a value outside the scale with advice: another scale, unless it is infinite or off by
    rounding."""
    low, high = scale
    if np.isinf(wrong):
        return f"{sentence}; write a finite number there, or leave out that agent or arm altogether."
    end = low if wrong < low else high
    if abs(wrong - end) <= tolerances.SCALE_ROUNDING * (high - low):
        return f"{sentence}; it is off by rounding alone: write {shortest_repr(end)} there."
    finite = values[np.isfinite(values)]
    if (low, high) == (0.0, 1.0) and finite.min() == 1 and (finite == np.floor(finite)).all():
        low = 1.0  # no scale was given, and whole numbers from 1 up are stars
    lowest, highest = shortest_repr(min(low, finite.min())), shortest_repr(max(high, finite.max()))
    suggestion = OptionSuggestion.of(scale=f"{lowest},{highest}")
    advice = f"; if ratings run from {lowest} to {highest}, say {suggestion.to_flags()} (scale= in Python)."
    return AdvisedMessage(sentence, advice, [suggestion])


def parse_weights(cells: Sequence[str], place: Callable[[int], str]) -> list[int]:
    """Parse weights: exact whole numbers from 1 to 2^53; `2.0` counts as 2.

    >>> parse_weights(["2", "3.0"], place=str)
    [2, 3]
    """
    try:
        weights = list(map(int, cells if _is_plain_ascii("".join(cells)) else [""]))
    except ValueError:
        weights = [_parse_weight(cell, i, place) for i, cell in enumerate(cells)]
    for i, weight in enumerate(weights):
        if not 1 <= weight <= MAX_TOTAL_WEIGHT:
            raise _weight_error(cells[i], place(i))
    return weights


def _parse_weight(cell: str, i: int, place: Callable[[int], str]) -> int:
    try:
        if not is_number(cell):
            raise ValueError
        return int(cell) if cell.strip().lstrip("+-").isdigit() else _to_integer(float(cell))
    except (ValueError, OverflowError):
        raise FileError(f"{place(i)} is {cell!r}; a weight is a whole number of identical agents, 1 or more.") from None


def _weight_error(cell: str, place: str) -> FileError:
    return FileError(f"{place} is {cell!r}; a weight is a whole number of identical agents, from 1 to 2^53.")


def _to_integer(value: float) -> int:
    if value != int(value):
        raise ValueError("not whole")
    return int(value)


def describe_bad_cell(cell: str, what: str = "a number") -> str:
    """Return the end of a message about a cell that is not a rating: what it looks like, and what to do."""
    if not cell:
        return advise_missing(f"is empty; expected {what}. Fill it in, or leave out that agent or arm altogether")
    if is_missing(cell):
        return advise_missing(f"is {cell!r}, which is no rating; fill it in, or leave out that agent or arm altogether")
    if "," in cell and is_number(cell.replace(",", ".", 1)):
        return (
            f"is {cell!r}, with a decimal comma; expected a decimal point: {cell.replace(',', '.', 1)}. "
            "Other cells have a point, or it may stand for thousands: write all of them one way."
        )
    if not _is_plain_ascii(cell):
        return f"is {cell!r}; expected {what}, written with the digits 0 to 9 and a point alone."
    return f"is {cell!r}; expected {what}."


def describe_bad_cell_at(place: str, cell: str) -> str:
    """Return the message about a cell that is not a rating."""
    return prefix_message(f"{place} ", describe_bad_cell(cell))


def advise_missing(sentence: str, mark: str = ";") -> AdvisedMessage:
    """Return a sentence on a gap with the advice to say what gaps mean."""
    advice = f"{mark} or say what a gap means: --missing lowest, --missing drop or a value (missing= in Python)."
    return AdvisedMessage(
        sentence, advice, [OptionSuggestion.of(missing="lowest"), OptionSuggestion.of(missing="drop")]
    )


def is_missing(cell: str) -> bool:
    """Check whether the cell marks a missing rating.

    >>> is_missing(" N/A "), is_missing("-nan"), is_missing("0")
    (True, True, False)
    """
    plain = cell.strip().casefold()
    return plain in MISSING_MARKS or plain.lstrip("+-") == "nan"


def is_number(text: str) -> bool:
    """Check for a decimal with a point; unlike `float`, refuse underscores and digits of other scripts."""
    try:
        float(text)
    except ValueError:
        return False
    return _is_plain_ascii(text.strip())


def looks_like_number(cell: str, comma: bool = True) -> bool:
    """Check for a number, a percentage or a gap; with `comma`, a decimal comma is allowed too.

    >>> [looks_like_number(cell) for cell in ("0,5", "25 %", "", "Ann", "1,5,0")]
    [True, True, True, False, False]
    """
    bare = cell.strip().removesuffix("%").strip()
    return is_missing(cell) or is_number(bare) or (comma and is_number(bare.replace(",", ".", 1)))


def _is_plain_ascii(text: str) -> bool:
    return text.isascii() and "_" not in text

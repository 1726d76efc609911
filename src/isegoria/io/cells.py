"""Numbers from cells of text: all at once, and one by one only to name the cell that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from isegoria import tolerances
from isegoria.errors import FileError
from isegoria.instance.weights import MOST_AGENTS

Place = Callable[[int, int], str]

GAPS = {"", "nan", "na", "n/a", "#n/a", "null", "none", "-", "–", "—"}
"""What stands in a cell, capitals and a sign aside, where there is no rating."""


def plain_numbers(rows: Sequence[Sequence[str]]) -> np.ndarray | None:
    """The (rows, columns) floats of equally long rows of text; None where a cell is no plain number.

    >>> plain_numbers([["0.5", "1"]]).tolist(), plain_numbers([["50%"]])
    ([[0.5, 1.0]], None)
    """
    shape = (len(rows), len(rows[0]))
    try:
        values = np.fromiter(map(float, chain.from_iterable(rows)), dtype=float, count=shape[0] * shape[1])
    except ValueError:
        return None
    if np.isnan(values).any() or not all(map(_plain, map("".join, rows))):
        return None
    return values.reshape(shape)


def check_scale(values: np.ndarray, scale: tuple[float, float], place: Place) -> None:
    """Refuse a value outside `scale`, named by `place(i, k)`; gaps (NaN) pass."""
    low, high = scale
    outside = (values < low) | (values > high)
    if outside.any():
        i, k = first_place(outside)
        advice = _scale_advice(values, values[i, k], low, high)
        raise FileError(
            f"{place(i, k)} is {shown(values[i, k])}; expected a number from {shown(low)} to {shown(high)}; {advice}."
        )


def first_place(found: np.ndarray) -> tuple[int, int]:
    """(row, column) of the first True in a table of booleans.

    >>> first_place(np.array([[False, False], [True, False]]))
    (1, 0)
    """
    row, column = divmod(int(found.argmax()), found.shape[1])
    return row, column


def rescaled(values: np.ndarray, scale: tuple[float, float] | None, place: Place) -> np.ndarray:
    """`values` moved from `scale` to [0, 1]; one that lies outside is named by `place(i, k)`.

    >>> rescaled(np.array([[1.0, 4.0]]), (1, 5), place=str).tolist()
    [[0.0, 0.75]]
    """
    low, high = scale or (0.0, 1.0)
    check_scale(values, (low, high), place)
    return values if (low, high) == (0.0, 1.0) else (values - low) / (high - low)


def shown(value: float) -> str:
    """A number as short as it can be written without another being meant.

    >>> shown(5.0), shown(-0.1), shown(1.0000000000000002)
    ('5', '-0.1', '1.0000000000000002')
    """
    return repr(float(value)).removesuffix(".0")


def _scale_advice(values: np.ndarray, wrong: float, low: float, high: float) -> str:
    """The way out for a value that lies off the scale: another scale, unless it is infinite or off by rounding."""
    if np.isinf(wrong):
        return "write a finite number there, or leave out that agent or arm altogether"
    end = low if wrong < low else high
    if abs(wrong - end) <= tolerances.SCALE_ROUNDING * (high - low):
        return f"it is off by rounding alone: write {shown(end)} there"
    finite = values[np.isfinite(values)]
    if (low, high) == (0.0, 1.0) and finite.min() == 1 and (finite == np.floor(finite)).all():
        low = 1.0  # nobody gave a scale, and whole numbers from 1 up are stars
    lowest, highest = shown(min(low, finite.min())), shown(max(high, finite.max()))
    return f"if ratings run from {lowest} to {highest}, say --scale {lowest},{highest} (scale= in Python)"


def whole_numbers(cells: Sequence[str], place: Callable[[int], str]) -> list[int]:
    """Weights: whole numbers from 1 up, each exact; `2.0` is taken as 2.

    >>> whole_numbers(["2", "3.0"], place=str)
    [2, 3]
    """
    try:
        weights = list(map(int, cells if _plain("".join(cells)) else [""]))
    except ValueError:
        weights = [_whole(cell, i, place) for i, cell in enumerate(cells)]
    for i, weight in enumerate(weights):
        if not 1 <= weight <= MOST_AGENTS:
            raise _not_a_weight(cells[i], place(i))
    return weights


def _whole(cell: str, i: int, place: Callable[[int], str]) -> int:
    try:
        if not is_number(cell):
            raise ValueError
        return int(cell) if cell.strip().lstrip("+-").isdigit() else _exact(float(cell))
    except (ValueError, OverflowError):
        raise FileError(f"{place(i)} is {cell!r}; a weight is a whole number of identical agents, 1 or more.") from None


def _not_a_weight(cell: str, place: str) -> FileError:
    return FileError(f"{place} is {cell!r}; a weight is a whole number of identical agents, from 1 to 2^53.")


def _exact(value: float) -> int:
    if value != int(value):
        raise ValueError("not whole")
    return int(value)


def fault(cell: str, what: str = "a number") -> str:
    """The end of a sentence about a cell that is no rating: what it looks like, and the way out."""
    if not cell:
        return f"is empty; expected {what}. Fill it in, or leave out that agent or arm altogether; {GAP_ADVICE}."
    if is_gap(cell):
        return f"is {cell!r}, which is no rating; fill it in, or leave out that agent or arm altogether; {GAP_ADVICE}."
    if "," in cell and is_number(cell.replace(",", ".", 1)):
        return (
            f"is {cell!r}, with a decimal comma; expected a decimal point: {cell.replace(',', '.', 1)}. "
            "Other cells have a point, or it may stand for thousands: write all of them one way."
        )
    if not _plain(cell):
        return f"is {cell!r}; expected {what}, written with the digits 0 to 9 and a point alone."
    return f"is {cell!r}; expected {what}."


GAP_ADVICE = "or say what a gap means: --missing lowest, --missing drop or a value (missing= in Python)"


def is_gap(cell: str) -> bool:
    """Does the cell say that there is no rating?

    >>> is_gap(" N/A "), is_gap("-nan"), is_gap("0")
    (True, True, False)
    """
    plain = cell.strip().casefold()
    return plain in GAPS or plain.lstrip("+-") == "nan"


def is_number(text: str) -> bool:
    """Is it a decimal with a point? Python would also take underscores and the digits of other scripts."""
    try:
        float(text)
    except ValueError:
        return False
    return _plain(text.strip())


def looks_like_number(cell: str, comma: bool = True) -> bool:
    """Is it a number, a percentage or a gap, perhaps with a decimal comma?

    >>> [looks_like_number(cell) for cell in ("0,5", "25 %", "", "Ann", "1,5,0")]
    [True, True, True, False, False]
    """
    bare = cell.strip().removesuffix("%").strip()
    return is_gap(cell) or is_number(bare) or (comma and is_number(bare.replace(",", ".", 1)))


def _plain(text: str) -> bool:
    return text.isascii() and "_" not in text

"""Numbers from cells of text: all at once, and one by one only to name the cell that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

import numpy as np

from isegoria.errors import FileError
from isegoria.instance.weights import MOST_AGENTS

Place = Callable[[int, int], str]


def matrix(rows: Sequence[Sequence[str]], place: Place, what: str = "a number") -> np.ndarray:
    """The (rows, columns) floats of equally long rows of text; `place(i, k)` names the cell of an error.

    >>> matrix([["0.5", "1"]], place=str).tolist()
    [[0.5, 1.0]]
    """
    shape = (len(rows), len(rows[0]))
    try:
        values = np.fromiter(map(float, chain.from_iterable(rows)), dtype=float, count=shape[0] * shape[1])
    except ValueError:
        values = None
    if values is None or np.isnan(values).any():
        _refuse_first(rows, place, what)
    return values.reshape(shape)


def rescaled(values: np.ndarray, scale: tuple[float, float] | None, place: Place) -> np.ndarray:
    """`values` moved from `scale` to [0, 1]; one that lies outside is named by `place(i, k)`.

    >>> rescaled(np.array([[1.0, 4.0]]), (1, 5), place=str).tolist()
    [[0.0, 0.75]]
    """
    low, high = scale or (0.0, 1.0)
    outside = ~((values >= low) & (values <= high))
    if outside.any():
        i, k = np.unravel_index(outside.argmax(), values.shape)
        lowest, highest = min(0, values.min()), values.max()
        advice = f"if ratings run from {lowest:g} to {highest:g}, say --scale {lowest:g},{highest:g} (scale= in Python)"
        raise FileError(f"{place(i, k)} is {values[i, k]:.17g}; expected a number from {low:g} to {high:g}; {advice}.")
    return values if scale is None else (values - low) / (high - low)


def whole_numbers(cells: Sequence[str], place: Callable[[int], str]) -> list[int]:
    """Weights: whole numbers from 1 up, each exact; `2.0` is taken as 2.

    >>> whole_numbers(["2", "3.0"], place=str)
    [2, 3]
    """
    try:
        weights = list(map(int, cells))
    except ValueError:
        weights = [_whole(cell, i, place) for i, cell in enumerate(cells)]
    for i, weight in enumerate(weights):
        if not 1 <= weight <= MOST_AGENTS:
            raise _not_a_weight(cells[i], place(i))
    return weights


def _whole(cell: str, i: int, place: Callable[[int], str]) -> int:
    try:
        return int(cell) if cell.strip().lstrip("+-").isdigit() else _exact(float(cell))
    except (ValueError, OverflowError):
        raise FileError(f"{place(i)} is {cell!r}; a weight is a whole number of identical agents, 1 or more.") from None


def _not_a_weight(cell: str, place: str) -> FileError:
    return FileError(f"{place} is {cell!r}; a weight is a whole number of identical agents, from 1 to 2^53.")


def _exact(value: float) -> int:
    if value != int(value):
        raise ValueError("not whole")
    return int(value)


def _refuse_first(rows: Sequence[Sequence[str]], place: Place, what: str) -> None:
    """Raise for the first cell that is not a number, and say what it looks like."""
    for i, row in enumerate(rows):
        for k, cell in enumerate(row):
            try:
                wrong = float(cell) != float(cell)
            except ValueError:
                wrong = True
            if wrong:
                raise FileError(f"{place(i, k)} {_fault(cell.strip(), what)}")


def _fault(cell: str, what: str) -> str:
    if not cell:
        return f"is empty; expected {what}. Fill it in, or leave out that agent or arm altogether."
    if cell.lower().lstrip("+-") in {"nan", "na", "n/a", "null", "none", "-"}:
        return f"is {cell!r}, which is no rating; fill it in, or leave out that agent or arm altogether."
    if "," in cell and is_number(cell.replace(",", ".", 1)):
        return f"is {cell!r}, with a decimal comma; expected a decimal point: {cell.replace(',', '.', 1)}."
    if cell.endswith("%") and is_number(cell[:-1]):
        return f"is {cell!r}; expected {what} without a percent sign, such as {float(cell[:-1]) / 100:g}."
    return f"is {cell!r}; expected {what}."


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

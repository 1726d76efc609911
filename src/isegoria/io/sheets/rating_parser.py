"""Ratings as people write them: convert decimal commas, percentages, words and gaps to means in [0, 1].

Each distinct text is parsed only once: people use few different ratings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from isegoria.errors import FileError
from isegoria.io.sheets import cells as cell
from isegoria.io.sheets.cells import CellLocator
from isegoria.io.sheets.read_options import ReadOptions

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+|[+-]?,\d+|[+-]?\d+,")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_YES_NO_PAIRS = ({"no", "yes"}, {"false", "true"})


class NotARatingError(FileError):
    """A cell that is not a rating; `column` is its column among the cells that were read."""

    def __init__(self, sentence: str, column: int) -> None:
        super().__init__(sentence)
        self.column = column


class RatingParser:
    """Interprets the cells of a table; `notes` collects the decisions made.

    >>> ratings = RatingParser(ReadOptions.checked(scale=(1, 5), missing="lowest"))
    >>> ratings.means([["1", "3,5"], ["50%", ""]], place=str).tolist()
    [[0.0, 0.625], [0.5, nan]]
    >>> ratings.notes
    ['decimals have commas', '25% is a quarter of the way from 1 to 5']
    """

    def __init__(self, options: ReadOptions, notes: list[str] | None = None) -> None:
        self.options = options
        self.notes = [] if notes is None else notes
        self.low, self.high = options.ends
        self._comma = False
        self._words: dict[str, float] = dict(options.answers or {})

    def understands(self, text: str) -> bool:
        """Check whether the cell can be a rating, a gap, or an answer with a value."""
        return cell.looks_like_number(text) or text.strip().casefold() in self._words or self._yes_or_no([text])

    def means(self, rows: Sequence[Sequence[str]], place: CellLocator) -> np.ndarray:
        """Return (rows, columns) means in [0, 1]; NaN marks the gaps, unless they are refused."""
        if self.options.answers_scale:
            self.notes.append(
                f"the scale runs from {cell.shortest_repr(self.low)} to {cell.shortest_repr(self.high)}, as the "
                "answers do"
            )
        plain = cell.parse_plain_numbers(rows)
        if plain is not None:
            return cell.rescale(plain, (self.low, self.high), place)
        return self._refuse_gaps(self._parse_mixed_cells(rows, place), rows, place)

    def _parse_mixed_cells(self, rows: Sequence[Sequence[str]], place: CellLocator) -> np.ndarray:
        """Return the means of cells of all kinds; NaN for gaps."""
        kinds = {text: text.strip() for text in set(chain.from_iterable(rows))}
        self._decide(kinds.values())
        on_scale, shares, unknown = {}, {}, set()
        for text, bare in kinds.items():
            value = self._value(bare)
            if value is None:
                unknown.add(text)
            elif bare.endswith("%"):
                shares[text], on_scale[text] = value, self.low
            else:
                on_scale[text] = value
        if unknown:
            self._refuse(rows, unknown, place)
        flat = np.fromiter(map(on_scale.get, chain.from_iterable(rows)), dtype=float, count=len(rows) * len(rows[0]))
        means = cell.rescale(flat.reshape(len(rows), -1), (self.low, self.high), place)
        return self._with_shares(means, rows, shares, place) if shares else means

    def _with_shares(self, means: np.ndarray, rows: Any, shares: dict[str, float], place: CellLocator) -> np.ndarray:
        """Return `means` with every percentage filled in; it is a fraction of the scale, whatever the scale."""
        self._note(
            f"25% is a quarter of the way from {cell.shortest_repr(self.low)} to {cell.shortest_repr(self.high)}"
        )
        part = np.array([[shares.get(text, np.nan) for text in row] for row in rows])
        outside = (part < 0) | (part > 1)
        if outside.any():
            i, k = cell.find_first_true(outside)
            raise FileError(f"{place(i, k)} is {rows[i][k].strip()!r}; expected a percentage from 0% to 100%.")
        return np.where(np.isnan(part), means, part)

    def _decide(self, texts: Iterable[str]) -> None:
        """Decide whether decimals have commas, and whether the words are yes and no."""
        texts = list(texts)
        bare = [text.removesuffix("%").strip() for text in texts]
        commas = [text for text in bare if _DECIMAL_COMMA.fullmatch(text)]
        points = any("." in text and cell.is_number(text) for text in bare)
        self._comma = bool(commas) and not points and not self._thousands(commas)
        if self._comma:
            self._note("decimals have commas")
        words = [text for text in texts if self._value(text) is None]
        if words and self._yes_or_no(words):
            no, yes = next(sorted(pair) for pair in _YES_NO_PAIRS if {word.casefold() for word in words} <= pair)
            self._words |= {no: self.low, yes: self.high}
            self._note(f"{yes} counts as {cell.shortest_repr(self.high)} and {no} as {cell.shortest_repr(self.low)}")

    def _thousands(self, commas: list[str]) -> bool:
        """Check whether all commas could separate thousands, with numbers that are on the scale."""
        return all(
            _THOUSANDS.fullmatch(text) and self.low <= float(text.replace(",", "")) <= self.high for text in commas
        )

    @staticmethod
    def _yes_or_no(words: Iterable[str]) -> bool:
        return any({word.strip().casefold() for word in words} <= pair for pair in _YES_NO_PAIRS)

    def _value(self, text: str) -> float | None:
        """Return a cell's value on the scale, a percentage as a fraction, NaN for a gap; None for anything else."""
        if text.casefold() in self._words:
            return self._words[text.casefold()]
        if cell.is_missing(text):
            return np.nan
        number = text.removesuffix("%").strip()
        if self._comma:
            number = number.replace(",", ".", 1)
        if not cell.is_number(number):
            return None
        return float(number) / 100 if text.endswith("%") else float(number)

    def _refuse_gaps(self, means: np.ndarray, rows: Any, place: CellLocator) -> np.ndarray:
        """Return `means`; raise `FileError` at the first gap if gaps are refused."""
        gaps = np.isnan(means)
        if gaps.any() and self.options.missing == "refuse":
            i, k = cell.find_first_true(gaps)
            raise FileError(cell.describe_bad_cell_at(place(i, k), rows[i][k].strip()))
        return means

    def _refuse(self, rows: Any, unknown: set[str], place: CellLocator) -> None:
        """Raise `NotARatingError` for the first cell that has no value."""
        i, k = next((i, k) for i, row in enumerate(rows) for k, text in enumerate(row) if text in unknown)
        raise NotARatingError(cell.describe_bad_cell_at(place(i, k), rows[i][k].strip()), k)

    def _note(self, clause: str) -> None:
        if clause not in self.notes:
            self.notes.append(clause)

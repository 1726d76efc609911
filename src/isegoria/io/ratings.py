"""Ratings as people write them: decimal commas, percentages, words and gaps become means in [0, 1].

A cell is looked at once however often it stands in the table: people use few different ratings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from isegoria.errors import FileError
from isegoria.io import cells as cell
from isegoria.io.cells import Place
from isegoria.io.read_options import ReadOptions
from isegoria.wording import counted

_COMMA = re.compile(r"[+-]?\d+,\d+|[+-]?,\d+|[+-]?\d+,")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")
_PAIRS = ({"no", "yes"}, {"false", "true"})


class NoRating(FileError):
    """A cell that is no rating, in the `column` of the cells that were read."""

    def __init__(self, sentence: str, column: int) -> None:
        super().__init__(sentence)
        self.column = column


class Ratings:
    """What the cells of a table mean; `notes` is what had to be decided.

    >>> ratings = Ratings(ReadOptions.checked(scale=(1, 5), missing="lowest"))
    >>> ratings.means([["1", "3,5"], ["50%", ""]], place=str).tolist()
    [[0.0, 0.625], [0.5, 0.0]]
    >>> ratings.notes
    ['decimals have commas', '25% is a quarter of the way from 1 to 5', '1 gap counts as 1, the lowest rating']
    """

    def __init__(self, options: ReadOptions, notes: list[str] | None = None) -> None:
        self.options = options
        self.notes = [] if notes is None else notes
        self.low, self.high = options.ends
        self._comma = False
        self._words: dict[str, float] = dict(options.answers or {})

    def understands(self, text: str) -> bool:
        """Could the cell be a rating, a gap, or an answer that has a value?"""
        return cell.looks_like_number(text) or text.strip().casefold() in self._words or self._yes_or_no([text])

    def means(self, rows: Sequence[Sequence[str]], place: Place) -> np.ndarray:
        """(rows, columns) means in [0, 1], NaN where `missing="drop"` is to leave an agent out."""
        if self.options.answers_scale:
            self.notes.append(
                f"the scale runs from {cell.shown(self.low)} to {cell.shown(self.high)}, as the answers do"
            )
        plain = cell.plain_numbers(rows)
        if plain is not None:
            return cell.rescaled(plain, (self.low, self.high), place)
        return self._filled(self._mixed(rows, place), rows, place)

    def _mixed(self, rows: Sequence[Sequence[str]], place: Place) -> np.ndarray:
        """The means of cells of all kinds; NaN for gaps."""
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
        means = cell.rescaled(flat.reshape(len(rows), -1), (self.low, self.high), place)
        return self._with_shares(means, rows, shares, place) if shares else means

    def _with_shares(self, means: np.ndarray, rows: Any, shares: dict[str, float], place: Place) -> np.ndarray:
        """`means` with every percentage in its place: it is a part of the scale, whatever the scale."""
        self._note(f"25% is a quarter of the way from {cell.shown(self.low)} to {cell.shown(self.high)}")
        part = np.array([[shares.get(text, np.nan) for text in row] for row in rows])
        outside = (part < 0) | (part > 1)
        if outside.any():
            i, k = cell.first_place(outside)
            raise FileError(f"{place(i, k)} is {rows[i][k].strip()!r}; expected a percentage from 0% to 100%.")
        return np.where(np.isnan(part), means, part)

    def _decide(self, texts: Iterable[str]) -> None:
        """Find out whether decimals have commas, and whether words are yes and no."""
        texts = list(texts)
        bare = [text.removesuffix("%").strip() for text in texts]
        commas = [text for text in bare if _COMMA.fullmatch(text)]
        points = any("." in text and cell.is_number(text) for text in bare)
        self._comma = bool(commas) and not points and not self._thousands(commas)
        if self._comma:
            self._note("decimals have commas")
        words = [text for text in texts if self._value(text) is None]
        if words and self._yes_or_no(words):
            no, yes = next(sorted(pair) for pair in _PAIRS if {word.casefold() for word in words} <= pair)
            self._words |= {no: self.low, yes: self.high}
            self._note(f"{yes} counts as {cell.shown(self.high)} and {no} as {cell.shown(self.low)}")

    def _thousands(self, commas: list[str]) -> bool:
        """Might the commas part thousands, because all of them could and the numbers would lie on the scale?"""
        return all(
            _THOUSANDS.fullmatch(text) and self.low <= float(text.replace(",", "")) <= self.high for text in commas
        )

    @staticmethod
    def _yes_or_no(words: Iterable[str]) -> bool:
        return any({word.strip().casefold() for word in words} <= pair for pair in _PAIRS)

    def _value(self, text: str) -> float | None:
        """The value of a cell on the scale, a percentage as a part of 1, NaN for a gap; None if it is neither."""
        if text.casefold() in self._words:
            return self._words[text.casefold()]
        if cell.is_gap(text):
            return np.nan
        number = text.removesuffix("%").strip()
        if self._comma:
            number = number.replace(",", ".", 1)
        if not cell.is_number(number):
            return None
        return float(number) / 100 if text.endswith("%") else float(number)

    def _filled(self, means: np.ndarray, rows: Any, place: Place) -> np.ndarray:
        """`means` with its gaps as `missing` says; NaN stays where the agent is to be dropped."""
        gaps = np.isnan(means)
        if gaps.any() and self.options.missing == "refuse":
            i, k = cell.first_place(gaps)
            raise FileError(f"{place(i, k)} {cell.fault(rows[i][k].strip())}")
        return fill(means, gaps, self.options, self._note)

    def _refuse(self, rows: Any, unknown: set[str], place: Place) -> None:
        """Raise for the first cell that is neither a number nor anything else that has a value."""
        i, k = next((i, k) for i, row in enumerate(rows) for k, text in enumerate(row) if text in unknown)
        raise NoRating(f"{place(i, k)} {cell.fault(rows[i][k].strip())}", k)

    def _note(self, clause: str) -> None:
        if clause not in self.notes:
            self.notes.append(clause)


def fill(means: np.ndarray, gaps: np.ndarray, options: ReadOptions, note: Callable[[str], None]) -> np.ndarray:
    """`means` with the `gaps` at the lowest rating or the value asked for; NaN stays where agents are to be dropped."""
    if not gaps.any() or options.missing in ("refuse", "drop"):
        return means
    low, high = options.ends
    value = low if options.missing == "lowest" else float(options.missing)
    verb = "counts" if gaps.sum() == 1 else "count"
    which = ", the lowest rating" if options.missing == "lowest" else ""
    note(f"{counted(int(gaps.sum()), 'gap')} {verb} as {cell.shown(value)}{which}")
    return np.where(gaps, (value - low) / (high - low), means)


def without_gaps(parts: dict[str, Any], where: str, note: Callable[[str], None]) -> dict[str, Any]:
    """The `parts` of an `Instance` without the agents that have a gap, and a note of how many were left out."""
    means = parts["means"]
    whole = ~np.isnan(means).any(axis=1)
    if whole.all():
        return parts
    if not whole.any():
        raise FileError(f"{where}: every agent has a gap, so --missing drop leaves nobody; say --missing lowest.")
    note(f"left out {counted(int((~whole).sum()), 'agent')} of {len(means):,}, who have gaps")
    kept = np.flatnonzero(whole).tolist()
    named = parts["agents"] or [f"Agent {row + 1}" for row in range(len(means))]
    left = {"means": means[kept], "agents": [named[row] for row in kept], "arms": parts["arms"]}
    return left | ({"weights": [parts["weights"][row] for row in kept]} if "weights" in parts else {})

"""A CSV text as rows of cells, which can tell the line of each; and what to do about files that only look like CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from isegoria.errors import FileError
from isegoria.wording import counted

_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


class Sheet:
    """The `header` and the `rows` of a CSV text: all equally long, blank lines left out, names stripped of spaces."""

    def __init__(self, text: str, where: str):
        self.where = where
        self._text = text
        rows = self._read()
        self.header = [cell.strip() for cell in rows[0]]
        self.rows = rows[1:]
        self._check()

    def line(self, row: int) -> str:
        """Where data row `row` begins, for a message; found by reading again, since it is needed only once."""
        numbers = (number for number, _ in self._numbered())
        return f"{self.where}, line {[*numbers][row + 1]}"

    def names(self, column: int) -> list[str]:
        """The cells of a column as names, none of them empty."""
        names = [row[column].strip() for row in self.rows]
        if not all(names):
            raise FileError(f"{self.line(names.index(''))}: the column '{self.header[column]}' is empty; fill it in.")
        return names

    def cells(self, columns: Sequence[int]) -> list[list[str]]:
        """The cells of some columns, row by row."""
        first, last = columns[0], columns[-1] + 1
        if list(columns) == list(range(first, last)):
            return [row[first:last] for row in self.rows]
        return [[row[k] for k in columns] for row in self.rows]

    def _read(self) -> list[list[str]]:
        try:
            return list(filter(any, _reader(self._text)))
        except csv.Error:
            return [row for _, row in self._numbered()]  # slower, and names the line

    def _numbered(self) -> Iterator[tuple[int, list[str]]]:
        """Each row that is not blank, with the number of the line on which it begins."""
        reader = _reader(self._text)
        line = 0
        try:
            for row in reader:
                if any(row):
                    yield line + 1, row
                line = reader.line_num
        except csv.Error as error:
            raise FileError(
                f"{self.where}, line {line + 1}: not CSV: {error}; "
                'write a name with quotes inside as "so ""called"" name", and close every quote.'
            ) from None

    def _check(self) -> None:
        for mark, what in _SEPARATORS.items():
            if mark in self.header[0]:
                change = f"s/{mark}/,/g" if mark != "\t" else r"s/\t/,/g"
                raise FileError(
                    f"{self.where}: columns are separated by {what}; expected commas, and points in decimals. "
                    f"Save it as comma-separated, or pipe it in: sed 's/,/./g; {change}' FILE | isegoria compare -"
                )
        if not self.rows:
            raise FileError(f"{self.where} has a header and no agents; add one line for each agent.")
        lengths = list(map(len, self.rows))
        if set(lengths) != {len(self.header)}:
            row = next(row for row, length in enumerate(lengths) if length != len(self.header))
            raise FileError(
                f"{self.line(row)} has {counted(lengths[row], 'column')} where the header has {len(self.header)}; "
                "put quotes round a name with a comma in it, and write decimals with a point."
            )


def _reader(text: str):
    return csv.reader(io.StringIO(text, newline=""), strict=True)

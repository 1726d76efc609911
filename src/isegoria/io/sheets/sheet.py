"""A table of text cells that knows the line of each row: the common form of CSV, TSV and workbooks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isegoria.errors import FileError, unknown_name_error
from isegoria.io.sheets.cells import is_number
from isegoria.profiles.headings import RESERVED_HEADINGS, normalise_heading
from isegoria.utils.formatting import pluralise


class Sheet:
    """The `header` and the `rows` of a table: all equally long, headings stripped of spaces, no blank rows.

    - `numbers()`: the line numbers of the header and of every row, computed only when a message needs them.
    - `unit`: the name of a line, "line" in text or "row" in a workbook.
    - `notes`: the decisions made in reading it, one clause each.
    - `bare`: whether it is a matrix of numbers without any names; the columns are then "Arm 1", "Arm 2", ….
    """

    def __init__(
        self,
        where: str,
        cells: Sequence[Sequence[str]],
        numbers: Callable[[], Sequence[int]],
        unit: str = "line",
        notes: Sequence[str] = (),
    ) -> None:
        self.where, self.unit, self.notes = where, unit, list(notes)
        self._numbers = numbers
        self.bare = _has_only_numbers(cells)
        if self.bare:
            self.header, self.rows = [f"Arm {k}" for k in range(1, len(cells[0]) + 1)], cells
            self.notes.append("there are only numbers: every line is an agent, every column an arm, without names")
        else:
            self.header, self.rows = [cell.strip() for cell in cells[0]], cells[1:]
        self._check()
        self._drop_blank_columns()

    @property
    def top(self) -> str:
        """The location of the header, for a message."""
        return f"{self.where}, {self.unit} {self._numbers()[0]}"

    def number(self, row: int) -> int:
        """Return the number of the line on which data row `row` begins."""
        return self._numbers()[row + (not self.bare)]

    def line(self, row: int) -> str:
        """Return the file and line of data row `row`, for a message."""
        return f"{self.where}, {self.unit} {self.number(row)}"

    def names(self, column: int) -> list[str]:
        """Return the cells of a column as names; raise `FileError` if one is empty."""
        names = [row[column].strip() for row in self.rows]
        if not all(names):
            raise FileError(f"{self.line(names.index(''))}: the column '{self.header[column]}' is empty; fill it in.")
        return names

    def column(self, column: int) -> list[str]:
        """Return the cells of a column, stripped."""
        return [row[column].strip() for row in self.rows]

    def cells(self, columns: Sequence[int]) -> list[Sequence[str]]:
        """Return the cells of some columns, row by row."""
        first, last = columns[0], columns[-1] + 1
        if list(columns) == list(range(first, last)):
            return [row[first:last] for row in self.rows]
        return [[row[k] for k in columns] for row in self.rows]

    def find(self, heading: str) -> int:
        """Return the column with this heading, ignoring case if no single column matches exactly."""
        if self.header.count(heading.strip()) == 1:
            return self.header.index(heading.strip())
        close = [k for k, name in enumerate(self.header) if name.casefold() == heading.strip().casefold()]
        if len(close) == 1:
            return close[0]
        if close:
            raise FileError(
                f"{self.top}: {pluralise(len(close), 'column')} are headed '{heading}'; rename all but one."
            )
        raise FileError(f"{self.top}: {unknown_name_error('column', heading, self.header)}")

    def _check(self) -> None:
        if not self.rows:
            raise FileError(f"{self.where} has a header and no agents; add one line for each agent.")
        lengths = list(map(len, self.rows))
        if self.header[0] and not any(self.header[1:]) and self._has_title(max(lengths)):
            raise FileError(
                f"{self.top} holds '{self.header[0]}' alone, which looks like a title; the headings come first: delete "
                f"every {self.unit} above them."
            )
        if set(lengths) != {len(self.header)}:
            row = next(row for row, length in enumerate(lengths) if length != len(self.header))
            raise FileError(
                f"{self.line(row)} has {pluralise(lengths[row], 'column')} where the header has {len(self.header)}; "
                "put quotes round a name with a comma in it, and write decimals with a point."
            )

    def _has_title(self, width: int) -> bool:
        """Check whether a header with a single cell is a title: the next row has three filled cells or more."""
        below = [cell for cell in self.rows[0] if cell.strip()]
        return width > 2 and len(below) > 2 and normalise_heading(self.header[0]) not in RESERVED_HEADINGS

    def _drop_blank_columns(self) -> None:
        """Drop empty columns without a heading, which spreadsheets add at their right edge."""
        nameless = [k for k, name in enumerate(self.header) if not name]
        blank = {k for k in nameless if not any(row[k].strip() for row in self.rows)}
        if blank and len(blank) < len(self.header):
            kept = [k for k in range(len(self.header)) if k not in blank]
            self.header, self.rows = [self.header[k] for k in kept], [[row[k] for k in kept] for row in self.rows]


def _has_only_numbers(cells: Sequence[Sequence[str]]) -> bool:
    """Check whether a table of two columns or more holds only numbers, including its first line."""
    return len(cells[0]) > 1 and all(is_number(cell) for row in cells for cell in row)

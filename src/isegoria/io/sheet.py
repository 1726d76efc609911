"""A table of text cells that can tell where each row stands: what CSV, TSV and workbooks have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from isegoria.errors import FileError, unknown
from isegoria.instance.headings import RESERVED, normal_heading
from isegoria.io.cells import is_number
from isegoria.wording import counted


class Sheet:
    """The `header` and the `rows` of a table: all equally long, names stripped of spaces, blank rows left out.

    - `numbers()`: the line of the header and of every row, found only when a message needs them.
    - `unit`: what a line is called there, "line" of a text or "row" of a workbook.
    - `notes`: what was decided in reading it, one clause each.
    - `bare`: whether it is a matrix of numbers without any name; the columns are then "Arm 1", "Arm 2", ….
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
        self.bare = _all_numbers(cells)
        if self.bare:
            self.header, self.rows = [f"Arm {k}" for k in range(1, len(cells[0]) + 1)], cells
            self.notes.append("there are only numbers: every line is an agent, every column an arm, without names")
        else:
            self.header, self.rows = [cell.strip() for cell in cells[0]], cells[1:]
        self._check()
        self._drop_blank_columns()

    @property
    def top(self) -> str:
        """Where the header stands, for a message."""
        return f"{self.where}, {self.unit} {self._numbers()[0]}"

    def number(self, row: int) -> int:
        """The line on which data row `row` begins."""
        return self._numbers()[row + (not self.bare)]

    def line(self, row: int) -> str:
        """The same with the file, for a message."""
        return f"{self.where}, {self.unit} {self.number(row)}"

    def names(self, column: int) -> list[str]:
        """The cells of a column as names, none of them empty."""
        names = [row[column].strip() for row in self.rows]
        if not all(names):
            raise FileError(f"{self.line(names.index(''))}: the column '{self.header[column]}' is empty; fill it in.")
        return names

    def column(self, column: int) -> list[str]:
        """The cells of a column, stripped."""
        return [row[column].strip() for row in self.rows]

    def cells(self, columns: Sequence[int]) -> list[Sequence[str]]:
        """The cells of some columns, row by row."""
        first, last = columns[0], columns[-1] + 1
        if list(columns) == list(range(first, last)):
            return [row[first:last] for row in self.rows]
        return [[row[k] for k in columns] for row in self.rows]

    def find(self, heading: str) -> int:
        """The column with this heading, capitals aside if no other has it exactly."""
        if self.header.count(heading.strip()) == 1:
            return self.header.index(heading.strip())
        close = [k for k, name in enumerate(self.header) if name.casefold() == heading.strip().casefold()]
        if len(close) == 1:
            return close[0]
        if close:
            raise FileError(f"{self.top}: {counted(len(close), 'column')} are headed '{heading}'; rename all but one.")
        raise FileError(f"{self.top}: {unknown('column', heading, self.header)}")

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
                f"{self.line(row)} has {counted(lengths[row], 'column')} where the header has {len(self.header)}; "
                "put quotes round a name with a comma in it, and write decimals with a point."
            )

    def _has_title(self, width: int) -> bool:
        """Is the next row a header of three columns or more, where the first holds a single cell?"""
        below = [cell for cell in self.rows[0] if cell.strip()]
        return width > 2 and len(below) > 2 and normal_heading(self.header[0]) not in RESERVED

    def _drop_blank_columns(self) -> None:
        """Leave out columns with no heading and nothing in them, which spreadsheets add at their right edge."""
        nameless = [k for k, name in enumerate(self.header) if not name]
        blank = {k for k in nameless if not any(row[k].strip() for row in self.rows)}
        if blank and len(blank) < len(self.header):
            kept = [k for k in range(len(self.header)) if k not in blank]
            self.header, self.rows = [self.header[k] for k in kept], [[row[k] for k in kept] for row in self.rows]


def _all_numbers(cells: Sequence[Sequence[str]]) -> bool:
    """Whether a table of two columns or more has nothing but numbers, in its first line too."""
    return len(cells[0]) > 1 and all(is_number(cell) for row in cells for cell in row)

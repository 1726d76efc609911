"""Results as rows and data frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isegoria.errors import MissingExtraError


def build_frame(columns: dict[str, Any], frame: Callable[[dict[str, Any]], Any] | None = None) -> Any:
    """Build a data frame from columns by `frame`, such as `polars.DataFrame`; by default with pandas."""
    if frame is None:
        try:
            from pandas import DataFrame
        except ImportError:
            raise MissingExtraError(
                "to_frame() makes a pandas frame, and pandas is not installed; pass the frame you use, "
                "such as to_frame(polars.DataFrame)."
            ) from None
        frame = DataFrame
    return frame(columns)


class TabularResult:
    """Base class of results: a subclass writes `to_dict` and `to_rows`, and has `to_frame`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, as `--format json` prints it."""
        raise NotImplementedError

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary for each line of the result, all with the same keys."""
        raise NotImplementedError

    def to_frame(self, frame: Callable[[dict[str, Any]], Any] | None = None) -> Any:
        """Return `to_rows` as a data frame.

        Parameters
        ----------
        frame : callable, optional
            Builds the frame from a dict of columns, such as `polars.DataFrame`; pandas' by default.

        Raises
        ------
        MissingExtraError
            If `frame` is not given and pandas is not installed.

        Examples
        --------
        >>> import isegoria as iso
        >>> iso.frontier(iso.Instance([[1, 0], [0, 1]])).to_frame(dict)["value"]
        [1.0, 1.0]
        """
        rows = self.to_rows()
        return build_frame({key: [row[key] for row in rows] for key in (rows[0] if rows else ())}, frame)

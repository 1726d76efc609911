"""`read` and `write`: the doors to every format."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from isegoria.arguments import checked_instance
from isegoria.errors import FileError, InputError, ReadingWarning, unknown
from isegoria.instance import Instance
from isegoria.io import atomic
from isegoria.io.formats import FORMATS, UNRANKED, Format
from isegoria.io.opening import open_file, standard_input
from isegoria.io.read_options import checked_scale

_SPREADSHEETS = {"xls", "xlsm", "xlsb", "numbers", "gsheet"}
DEFAULTS = {
    "rewards": "linear", "unranked": "refuse", "scale": None, "missing": "refuse", "agent": None, "ignore": (),
    "columns": None, "answers": None, "sheet": None, "best_category": None,
}  # fmt: skip
"""Every option of reading as it is when nobody gives it."""


def read(
    path: str | os.PathLike[str],
    format: str | None = None,
    rewards: str | Sequence[float] = "linear",
    unranked: str = "refuse",
    scale: tuple[float, float] | None = None,
    tie_tolerance: float | None = None,
    best_category: str | None = None,
    *,
    missing: str | float = "refuse",
    agent: str | None = None,
    ignore: str | Sequence[str] = (),
    columns: str | Mapping[str, str] | None = None,
    answers: str | Mapping[str, float] | None = None,
    sheet: str | None = None,
) -> Instance:
    """The `Instance` in a file; `path` "-" is standard input, which is CSV unless `format` says otherwise.

    - `format`: one of `FORMATS`; by default the suffix of the path decides.
    - `rewards`, for rankings: the value of each rank, best first, or "linear": m ranks are worth 1 down to 0 in equal
      steps (1 when m = 1). A rank is an indifference class: arms that are tied share it.
    - `unranked`, for rankings that leave arms out: "refuse" the file, put those arms in one class "last", below all
      others, or "drop" the ballot (a `BallotWarning` says how many).
    - `scale`, for ratings: the ends (low, high) of the scale they were given on, when it is not (0, 1).
    - `tie_tolerance`: as in `Instance`; by default what the file says, or 1e-12.
    - `best_category`, for categories: the name of the best one, the first (by default) or the last; the others follow.
    - `missing`, for tables with gaps: "refuse" the file, take a gap as the "lowest" rating or as a value on the scale,
      or "drop" the agent.
    - `agent`, `ignore`: the heading of the column with the agents' names, and of columns that are no arms.
    - `columns`: the roles of the columns of a table with one line for each agent and arm, such as
      `{"user": "agent", "item": "arm", "rating": "value"}`.
    - `answers`: the values of words on the scale, such as `{"No": 0, "Yes": 1}`.
    - `sheet`: which sheet of a workbook.

    Whatever had to be decided in reading is said in one `ReadingWarning`, and stays in the instance's `reading`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write(Instance([[1, 0.2], [0, 1]], arms=["tea", "coffee"]), Path(folder) / "ratings.csv")
    ...     read(path).means.tolist()
    [[1.0, 0.2], [0.0, 1.0]]
    """
    _check_path(path, "read")
    where = "standard input" if path == "-" else str(path)
    given_options = {
        "rewards": rewards, "unranked": unranked, "scale": checked_scale(scale), "missing": missing, "agent": agent,
        "ignore": ignore, "columns": columns, "answers": answers, "sheet": sheet, "best_category": best_category,
    }  # fmt: skip
    with _opened(path) as stream:
        row = _format(path, format)
        options = _options(row, given_options)
        try:
            parts = row.load().read(stream, where, **options)
        except OSError as error:
            raise FileError(f"cannot read {where}: {(error.strerror or str(error)).lower()}.") from error
    notes = parts.pop("notes", ())
    if tie_tolerance is not None:
        parts["tie_tolerance"] = tie_tolerance
    try:
        instance = Instance(**parts)
    except FileError:
        raise
    except InputError as error:
        raise FileError(f"{where}: {error}") from None
    return _told(instance, where, notes)


def _told(instance: Instance, where: str, notes: Sequence[str]) -> Instance:
    """The instance, after one warning of all that was decided in reading it."""
    if notes:
        instance.__dict__["reading"] = tuple(
            notes
        )  # beside what is computed of it, all that an instance learns after it was made
        warnings.warn(f"{where}: {'; '.join(notes)}.", ReadingWarning, stacklevel=3)
    return instance


def write(instance: Instance, path: str | os.PathLike[str], format: str | None = None) -> Path:
    """Write `instance` to a file that reads back equal, in CSV but for the tie tolerance; return its path.

    Names, weights and every bit of the means are kept by every format; the tie tolerance by all but CSV and TSV.
    Rankings cannot hold means, and are not written. A reader never sees half a file.
    """
    instance = checked_instance(instance, "write")
    instance = instance.dense()
    _check_path(path, "write")
    row = _format(path, format)
    if not row.written:
        writable = ", ".join(other.id for other in FORMATS.values() if other.written)
        why = "holds rankings, not means, so nothing is written" if row.ordinal else "is read, and not written"
        raise FileError(f"{row.id} {why}; write one of {writable}.")
    return atomic.write_bytes(path, row.load().write(instance))


def _check_path(path: Any, who: str) -> None:
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"{who} needs the path of a file, such as 'ratings.csv', not a {type(path).__name__}.")


def _format(path: str | os.PathLike[str], format: str | None) -> Format:
    if format is not None:
        return FORMATS[format]
    if path == "-":
        return FORMATS["csv"]
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix in FORMATS:
        return FORMATS[suffix]
    if suffix in _SPREADSHEETS:
        raise FileError(
            f"{path} is a spreadsheet; open it in the program that made it and save it as .xlsx, .ods or CSV (UTF-8)."
        )
    ending = f"the suffix '.{suffix}'" if suffix else "no suffix"
    raise FileError(
        f"{path} has {ending}, so its format is not known; name one of {', '.join(FORMATS)} "
        "with --input-format (format= in Python)."
    )


def _options(row: Format, given_options: dict[str, Any]) -> dict[str, Any]:
    """The options that this format takes; one that it cannot use is refused rather than ignored."""
    if given_options["unranked"] not in UNRANKED:
        raise unknown("unranked", given_options["unranked"], UNRANKED)
    given = [name for name, default in DEFAULTS.items() if not _same(given_options[name], default)]
    for name in given:
        if name not in row.takes:
            raise InputError(_useless(row, name))
    return ({"kind": row.id} if row.ordinal else {}) | {name: given_options[name] for name in row.takes}


def _useless(row: Format, name: str) -> str:
    """The sentence for an option that would change nothing."""
    holds = "rankings" if row.ordinal else "votes" if "rewards" in row.takes else "ratings"
    if name in ("rewards", "unranked"):
        return f"rewards and unranked are for rankings, and {row.id} holds {holds}; leave them out."
    if name == "scale":
        instead = "give rewards instead" if row.ordinal else "leave it out"
        return f"scale is for ratings, and {row.id} holds {holds}; {instead}."
    if name == "best_category":
        return f"best_category is for categories (cat), and {row.id} has none; leave it out."
    users = [other.id for other in FORMATS.values() if name in other.takes]
    return f"{name} is for {', '.join(users)}, and would change nothing in {row.id}; leave it out."


def _same(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, str | tuple) and value == default)


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    if path == "-":
        return standard_input()
    try:
        return open_file(path)
    except FileNotFoundError:
        raise FileError(f"there is no file {path}{_nearest(Path(path))}") from None
    except IsADirectoryError:
        raise FileError(f"{path} is a folder; give the path of one file in it.") from None
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error


def _nearest(path: Path) -> str:
    """The end of the sentence for a missing file: the name in the same folder that looks most like it, if any."""
    import difflib

    try:
        names = os.listdir(path.parent)
    except OSError:
        return f"; the folder {path.parent} cannot be read either."
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean '{path.parent / close[0]}'?" if close else "; check the spelling and the folder."

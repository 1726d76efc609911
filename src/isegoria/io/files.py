"""`read` and `write`: the doors to every format."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from isegoria.errors import FileError, InputError, unknown
from isegoria.given import checked_instance
from isegoria.instance import Instance
from isegoria.io import atomic
from isegoria.io.formats import FORMATS, UNRANKED, Format
from isegoria.io.opening import open_file, standard_input

_SPREADSHEETS = {"xlsx", "xls", "ods", "numbers", "gsheet"}


def read(
    path: str | os.PathLike,
    format: str | None = None,
    rewards: str | Sequence[float] = "linear",
    unranked: str = "refuse",
    scale: tuple[float, float] | None = None,
    tie_tolerance: float | None = None,
    best_category: str | None = None,
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

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write(Instance([[1, 0.2], [0, 1]], arms=["tea", "coffee"]), Path(folder) / "ratings.csv")
    ...     read(path).means.tolist()
    [[1.0, 0.2], [0.0, 1.0]]
    """
    _check_path(path, "read")
    where = "standard input" if path == "-" else str(path)
    with _opened(path) as stream:
        row = _format(path, format)
        options = _options(row, rewards, unranked, scale, best_category)
        try:
            parts = row.load().read(stream, where, **options)
        except OSError as error:
            raise FileError(f"cannot read {where}: {(error.strerror or str(error)).lower()}.") from error
    if tie_tolerance is not None:
        parts["tie_tolerance"] = tie_tolerance
    try:
        return Instance(**parts)
    except FileError:
        raise
    except InputError as error:
        raise FileError(f"{where}: {error}") from None


def write(instance: Instance, path: str | os.PathLike, format: str | None = None) -> Path:
    """Write `instance` to a file that reads back equal; return its path.

    Names, weights and every bit of the means are kept by CSV, JSON and NPZ; the tie tolerance by JSON and NPZ.
    Rankings cannot hold means, and are not written. A reader never sees half a file.
    """
    checked_instance(instance, "write")
    _check_path(path, "write")
    row = _format(path, format)
    module = row.load()
    if not hasattr(module, "write"):
        writable = ", ".join(other.id for other in FORMATS.values() if not other.ordinal)
        raise FileError(f"{row.id} holds rankings, not means, so nothing is written; write one of {writable}.")
    return atomic.write_bytes(path, module.write(instance))


def _check_path(path, who: str) -> None:
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"{who} needs the path of a file, such as 'ratings.csv', not a {type(path).__name__}.")


def _format(path: str | os.PathLike, format: str | None) -> Format:
    if format is not None:
        return FORMATS[format]
    if path == "-":
        return FORMATS["csv"]
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix in FORMATS:
        return FORMATS[suffix]
    if suffix in _SPREADSHEETS:
        raise FileError(f"{path} is a spreadsheet; open it in the program that made it and save it as CSV (UTF-8).")
    ending = f"the suffix '.{suffix}'" if suffix else "no suffix"
    raise FileError(
        f"{path} has {ending}, so its format is not known; name one of {', '.join(FORMATS)} "
        "with --input-format (format= in Python)."
    )


def _options(row: Format, rewards, unranked: str, scale, best_category: str | None) -> dict:
    """The options that this format takes; one that it cannot use is refused rather than ignored."""
    if unranked not in UNRANKED:
        raise unknown("unranked", unranked, UNRANKED)
    if best_category is not None and row.id != "cat":
        raise InputError(f"best_category is for categories (cat), and {row.id} has none; leave it out.")
    if row.ordinal:
        if scale is not None:
            raise InputError(f"scale is for ratings, and {row.id} holds rankings; give rewards instead.")
        return {"kind": row.id, "rewards": rewards, "unranked": unranked, "best_category": best_category}
    if not isinstance(rewards, str) or rewards != "linear" or unranked != "refuse":
        raise InputError(f"rewards and unranked are for rankings, and {row.id} holds ratings; leave them out.")
    return {"scale": _checked_scale(scale)}


def _checked_scale(scale) -> tuple[float, float] | None:
    if scale is None:
        return None
    try:
        low, high = map(float, scale)
    except (TypeError, ValueError):
        raise InputError(f"scale is {scale!r}; give its two ends, such as 1,5.") from None
    if not math.isfinite(high - low):
        raise InputError(
            f"scale runs from {low:g} to {high:g}; both ends must be finite, and their distance too. "
            "Give the lowest and the highest rating that were possible, such as 1,5."
        )
    if not low < high:
        raise InputError(f"scale runs from {low:g} to {high:g}; give the lower end first, then the higher.")
    return low, high


def _opened(path: str | os.PathLike) -> BinaryIO:
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

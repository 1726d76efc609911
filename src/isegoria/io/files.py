"""`read` and `write`: the entry points for every format."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from isegoria.errors import FileError, InputError, ReadingWarning, unknown_name_error
from isegoria.io.format_table import (
    FORMATS,
    RANKING_OPTIONS,
    RATING_OPTIONS,
    UNRANKED_CHOICES,
    Format,
    UnrankedChoice,
)
from isegoria.io.option_suggestions import AdvisedMessage, prefix_message
from isegoria.io.sheets.read_options import ReadOptions, parse_scale
from isegoria.io.storage import atomic_write
from isegoria.io.storage.open_input import open_file, read_standard_input
from isegoria.profiles import Instance, is_streamed
from isegoria.profiles.frames import is_frame
from isegoria.profiles.stated_ratings import MissingChoice, StatedRatings
from isegoria.utils.arguments import explain_keywords, require_profile

_UNSUPPORTED_SUFFIXES = {"xls", "xlsm", "xlsb", "numbers", "gsheet"}
DEFAULT_READ_OPTIONS = {
    "rewards": "linear",
    "unranked": "refuse",
    "scale": None,
    "missing": "refuse",
    "agent": None,
    "ignore": (),
    "columns": None,
    "answers": None,
    "sheet": None,
    "best_category": None,
}
"""Every option of reading as it is when nobody gives it."""


@explain_keywords
def read(
    path: Any,
    format: str | None = None,
    rewards: str | Sequence[float] = "linear",
    unranked: UnrankedChoice = "refuse",
    scale: tuple[float, float] | None = None,
    tie_tolerance: float | None = None,
    best_category: str | None = None,
    *,
    missing: MissingChoice | float = "refuse",
    agent: str | None = None,
    ignore: str | Sequence[str] = (),
    columns: str | Mapping[str, str] | None = None,
    answers: str | Mapping[str, float] | None = None,
    sheet: str | None = None,
) -> Instance:
    """Read an `Instance` from a file, or from a profile of another package.

    Parameters
    ----------
    path : str, path or profile
        The file; "-" is standard input, which is CSV unless `format` says otherwise. Or a profile of pref_voting,
        abcvoting, preflibtools or pabutools, as in `Instance.from_profile`.
    format : str, optional
        One of `FORMATS`; by default the suffix of the path decides.
    rewards : "linear" or sequence of float
        For rankings: the value of each rank, best first. "linear": ranks are worth 1 down to 0 in equal steps, and a
        single rank 1. A rank is an indifference class: tied arms share it.
    unranked : "refuse", "last" or "drop"
        For rankings that leave arms out: refuse the file, put those arms in one class below all others, or drop the
        ballot (a `BallotWarning` says how many).
    scale : (low, high), optional
        For ratings: the ends of the scale on which they were given, if it is not (0, 1).
    tie_tolerance : float, optional
        As in `Instance`; by default what the file says, or 1e-12.
    best_category : str, optional
        For categories: the name of the best one, the first (the default) or the last; the others follow in order.
    missing : "refuse", "lowest", "drop", "abstain", "unknown" or float
        For tables with gaps: refuse the file, take a gap as the lowest rating or as a value on the scale, or drop the
        agent. With "abstain", an agent who stated nothing abstains: it is left out and listed in
        `Instance.abstentions`; other gaps count as the lowest. With "unknown", gaps count as the lowest, and an audit
        gives an interval of the procedural score over all that the unknown ratings may be.
    agent : str, optional
        The heading of the column with the agents' names.
    ignore : str or sequence of str
        The headings of columns that are not arms.
    columns : str or mapping, optional
        The roles of the columns in a table with one line per agent and arm, such as
        `{"user": "agent", "item": "arm", "rating": "value"}`.
    answers : str or mapping, optional
        The values of words on the scale, such as `{"No": 0, "Yes": 1}`.
    sheet : str, optional
        The sheet of a workbook to read.

    Returns
    -------
    Instance
        Decisions made in reading are reported in one `ReadingWarning`, and kept in its attribute `reading`.

    Raises
    ------
    FileError
        If the file is missing, unreadable or not a valid table.
    InputError
        If an option is invalid, or the format does not use it.
    MissingExtraError
        If the package that reads this format is not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write(Instance([[1, 0.2], [0, 1]], arms=["tea", "coffee"]), Path(folder) / "ratings.csv")
    ...     read(path).means.tolist()
    [[1.0, 0.2], [0.0, 1.0]]
    """
    given_options = {
        "rewards": rewards,
        "unranked": unranked,
        "scale": parse_scale(scale),
        "missing": missing,
        "agent": agent,
        "ignore": ignore,
        "columns": columns,
        "answers": answers,
        "sheet": sheet,
        "best_category": best_category,
    }
    if not isinstance(path, str | os.PathLike):
        return build_from_profile(path, tie_tolerance, **{"format": format} | given_options)
    where = "standard input" if path == "-" else str(path)
    with _open(path) as stream:
        row = _resolve_format(path, format)
        options = _select_options(row, given_options)
        try:
            parts = row.load().read(stream, where, **options)
        except OSError as error:
            raise FileError(f"cannot read {where}: {(error.strerror or str(error)).lower()}.") from error
    notes, stated = parts.pop("notes", ()), parts.pop("stated", None)
    if tie_tolerance is not None:
        parts["tie_tolerance"] = tie_tolerance
    try:
        instance = Instance(**parts)
    except FileError:
        raise
    except InputError as error:
        raise FileError(prefix_message(f"{where}: ", error.message)) from None
    return _warn_import_notes(instance, where, notes, stated)


def build_from_frame(kind: str, frame: Any, tie_tolerance: float | None = None, **options: Any) -> Instance:
    """Return the instance in a "wide" or "long" data frame; see `Instance.from_frame` and `Instance.from_long`."""
    from isegoria.io.readers import frame_parser

    parse = frame_parser.parse_wide_frame if kind == "wide" else frame_parser.parse_long_frame
    parts = parse(frame, ReadOptions.checked(**options))
    notes, stated = parts.pop("notes", ()), parts.pop("stated", None)
    if tie_tolerance is not None:
        parts["tie_tolerance"] = tie_tolerance
    instance = Instance(**parts)
    return _warn_import_notes(instance, "the frame", notes, stated)


def build_from_profile(profile: Any, tie_tolerance: float | None = None, **options: Any) -> Instance:
    """Return the instance in a profile of another package; see `Instance.from_profile`."""
    from isegoria.io.readers.profile_objects import parse_profile

    taken = {name: options.pop(name, DEFAULT_READ_OPTIONS[name]) for name in (*RANKING_OPTIONS, *RATING_OPTIONS)}
    taken["scale"] = parse_scale(taken["scale"])
    if taken["unranked"] not in UNRANKED_CHOICES:
        raise unknown_name_error("unranked", taken["unranked"], UNRANKED_CHOICES)
    for name, value in options.items():
        if not _is_default(value, DEFAULT_READ_OPTIONS.get(name)):
            raise InputError(f"{name} is for files, and would change nothing in a profile; leave it out.")
    parts = parse_profile(profile, **taken)
    if tie_tolerance is not None:
        parts["tie_tolerance"] = tie_tolerance
    return Instance(**parts)


def _warn_import_notes(
    instance: Instance, where: str, notes: Sequence[str], stated: StatedRatings | None = None
) -> Instance:
    """Return the instance after one warning about all decisions that were made in reading it."""
    if stated is not None:
        instance.__dict__["stated"] = stated
    if notes:
        instance.__dict__["import_notes"] = tuple(
            notes
        )  # apart from cached values, the only attribute set after construction
        warnings.warn(f"{where}: {'; '.join(notes)}.", ReadingWarning, stacklevel=4)
    return instance


@explain_keywords
def write(instance: Instance, path: str | os.PathLike[str], format: str | None = None) -> Path:
    """Write `instance` to a file that reads back equal; CSV and TSV do not keep the tie tolerance.

    The file is written atomically: a reader never sees half of it.

    Parameters
    ----------
    instance : Instance
        Its names, weights and every bit of its means are kept by every format.
    path : str or path
        The file to write or replace.
    format : str, optional
        One of `FORMATS` that can be written; by default the suffix of the path decides.

    Returns
    -------
    Path
        The path of the file.

    Raises
    ------
    FileError
        If the format is read only (rankings cannot hold means), or the file cannot be written.
    InputError
        If `instance` is not an `Instance`, or `path` is not a path.
    """
    if is_streamed(require_profile(instance, "write")):
        raise InputError("write needs an Instance, and a scanned table stands in files already; copy those.")
    instance = instance.to_dense()
    _require_path(path, "write")
    row = _resolve_format(path, format)
    if not row.written:
        writable = ", ".join(other.id for other in FORMATS.values() if other.written)
        why = "holds rankings, not means, so nothing is written" if row.ordinal else "is read, and not written"
        raise FileError(f"{row.id} {why}; write one of {writable}.")
    return atomic_write.write_bytes(path, row.load().write(instance))


def _require_path(path: Any, who: str) -> None:
    if who == "read" and is_frame(path):
        raise InputError("read needs the path of a file; for a data frame use Instance.from_frame or from_long.")
    if not isinstance(path, str | os.PathLike):
        raise InputError(f"{who} needs the path of a file, such as 'ratings.csv', not a {type(path).__name__}.")


def _resolve_format(path: str | os.PathLike[str], format: str | None) -> Format:
    if format is not None:
        return FORMATS[format]
    if path == "-":
        return FORMATS["csv"]
    suffix = Path(path).suffix.lower().lstrip(".")
    if suffix in FORMATS:
        return FORMATS[suffix]
    if suffix in _UNSUPPORTED_SUFFIXES:
        raise FileError(
            f"{path} is a spreadsheet; open it in the program that made it and save it as .xlsx, .ods or CSV (UTF-8)."
        )
    ending = f"the suffix '.{suffix}'" if suffix else "no suffix"
    raise FileError(
        AdvisedMessage(
            f"{path} has {ending}, so its format is not known",
            f"; name one of {', '.join(FORMATS)} with --input-format (format= in Python).",
        )
    )


def _select_options(row: Format, given_options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that this format takes; raise `InputError` for one that it would ignore."""
    if given_options["unranked"] not in UNRANKED_CHOICES:
        raise unknown_name_error("unranked", given_options["unranked"], UNRANKED_CHOICES)
    given = [name for name, default in DEFAULT_READ_OPTIONS.items() if not _is_default(given_options[name], default)]
    for name in given:
        if name not in row.takes:
            raise InputError(_describe_irrelevant_option(row, name))
    return ({"kind": row.id} if row.ordinal else {}) | {name: given_options[name] for name in row.takes}


def _describe_irrelevant_option(row: Format, name: str) -> str:
    """Return the message for an option that would change nothing."""
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


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, str | tuple) and value == default)


def _open(path: str | os.PathLike[str]) -> BinaryIO:
    if path == "-":
        return read_standard_input()
    try:
        return open_file(path)
    except FileNotFoundError:
        raise FileError(f"there is no file {path}{_suggest_file(Path(path))}") from None
    except IsADirectoryError:
        raise FileError(f"{path} is a folder; give the path of one file in it.") from None
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error


def _suggest_file(path: Path) -> str:
    """Return the end of the message for a missing file: the most similar name in the same folder, if any."""
    import difflib

    try:
        names = os.listdir(path.parent)
    except OSError:
        return f"; the folder {path.parent} cannot be read either."
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"; did you mean '{path.parent / close[0]}'?" if close else "; check the spelling and the folder."

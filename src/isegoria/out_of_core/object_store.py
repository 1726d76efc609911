"""Tables at an address in an object store, such as s3://bucket/votes, by the file systems of pyarrow.

Credentials before an @ and options after a ? (region, endpoint) are kept for every part of the table, and never appear
in messages.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from isegoria.errors import FileError


def is_address(path: Any) -> bool:
    """Check whether `path` is an address in a store rather than a local file.

    >>> is_address("s3://bucket/votes"), is_address("votes.parquet")
    (True, False)
    """
    return "://" in str(path)


def redact_address(path: str) -> str:
    """Format a path or an address for messages, without credentials and options.

    >>> redact_address("s3://key:secret@bucket/votes?region=eu-west-1")
    's3://bucket/votes'
    """
    return re.sub("://[^/@]*@", "://", path.partition("?")[0], count=1) if is_address(path) else path


def list_address(address: str, suffixes: tuple[str, ...]) -> list[str]:
    """List the parts at an address by name: itself, or the files below it with one of the suffixes."""
    fs = import_module("pyarrow.fs")
    try:
        system, path = fs.FileSystem.from_uri(address)
        kind = system.get_file_info(path).type
        below = fs.FileSelector(path, recursive=True, allow_not_found=True)
        found = system.get_file_info(below) if kind == fs.FileType.Directory else []
    except Exception as error:  # each store's library has errors of its own
        raise FileError(f"cannot read {redact_address(address)}: {str(error).splitlines()[0]}") from None
    if kind == fs.FileType.NotFound:
        raise FileError(f"there is nothing at {redact_address(address)}; check the spelling, and that you may read it.")
    if kind != fs.FileType.Directory:
        return [address]
    parts = sorted(info.path for info in found if info.path.lower().endswith(suffixes))
    if not parts:
        raise FileError(
            f"{redact_address(address)} has no .parquet or .arrow files; write the parts of the table there."
        )
    place, question_mark, options = address.partition("?")
    return [place.rstrip("/") + part[len(path.rstrip("/")) :] + question_mark + options for part in parts]


def open_address(address: str) -> tuple[Any, str]:
    """Open the file at an address for random-access reading."""
    system, path = import_module("pyarrow.fs").FileSystem.from_uri(address)
    return system.open_input_file(path)

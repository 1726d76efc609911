"""Tables at an address of an object store, such as s3://bucket/votes, by the file systems of pyarrow.

What stands before an @ (a key) and after a ? (region, endpoint) goes with every part of the table, and into no message.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

from isegoria.errors import FileError


def is_address(path: Any) -> bool:
    """Whether this names something in a store, rather than a file here.

    >>> is_address("s3://bucket/votes"), is_address("votes.parquet")
    (True, False)
    """
    return "://" in str(path)


def shown(path: str) -> str:
    """A path or an address as a message names it: without keys and options.

    >>> shown("s3://key:secret@bucket/votes?region=eu-west-1")
    's3://bucket/votes'
    """
    return re.sub("://[^/@]*@", "://", path.partition("?")[0], count=1) if is_address(path) else path


def listed(address: str, suffixes: tuple[str, ...]) -> list[str]:
    """The parts at an address, in order of name: itself, or what lies below it with one of the suffixes."""
    fs = import_module("pyarrow.fs")
    try:
        system, path = fs.FileSystem.from_uri(address)
        kind = system.get_file_info(path).type
        below = fs.FileSelector(path, recursive=True, allow_not_found=True)
        found = system.get_file_info(below) if kind == fs.FileType.Directory else []
    except Exception as error:  # a store has errors of its own, by its own library
        raise FileError(f"cannot read {shown(address)}: {str(error).splitlines()[0]}") from None
    if kind == fs.FileType.NotFound:
        raise FileError(f"there is nothing at {shown(address)}; check the spelling, and that you may read it.")
    if kind != fs.FileType.Directory:
        return [address]
    parts = sorted(info.path for info in found if info.path.lower().endswith(suffixes))
    if not parts:
        raise FileError(f"{shown(address)} has no .parquet or .arrow files; write the parts of the table there.")
    place, question_mark, options = address.partition("?")
    return [place.rstrip("/") + part[len(path.rstrip("/")) :] + question_mark + options for part in parts]


def opened(address: str) -> tuple[Any, str]:
    """The file at an address, open for reading anywhere in it."""
    system, path = import_module("pyarrow.fs").FileSystem.from_uri(address)
    return system.open_input_file(path)

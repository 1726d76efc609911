"""The hash chain of a record: every line holds the hash of the line before, so the last hash seals them all."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from isegoria.errors import InputError
from isegoria.utils.messages import Message

GENESIS_HASH = bytes(32)
"""The hash before the first line."""


def hash_line(line: bytes) -> bytes:
    """Return the SHA-256 hash of a line without its newline: 32 bytes."""
    return sha256(line).digest()


def link_line(line: dict[str, Any], head: bytes) -> dict[str, Any]:
    """Return a line with the hash of the line before, the present `head`.

    >>> link_line({"line": "roster"}, GENESIS_HASH)["prev"][:8]
    '00000000'
    """
    return {**line, "prev": head.hex()}


def require_link(line: dict[str, Any], head: bytes) -> None:
    """Raise `InputError` if a line does not hold the hash of the line before."""
    if line["prev"] != head.hex():
        raise InputError(Message("prev_not_hash_line_before"))

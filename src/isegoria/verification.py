"""`verify`: the verdict of the one-file verifier on a record, as an object.

The verifier was written from the description of the record and shares no line with its writer; here it is only called.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from isegoria.verifier import isegoria_verify


@dataclass(frozen=True)
class Verification:
    """What a stranger finds in a record.

    - `verdict`: "proved", "unproven", "false" or "unreadable"; `exit_code`: 0, 3, 1 or 2; `sentence`: it in words.
    - `rounds`: one dictionary for each round, with what was drawn and by how many keys the page was seen before.
    - `proved`, `unproved`, `notes`: sentences: what holds, what nobody can know from this, and what happened besides.
    - `head`: the hash of the last line, to keep and compare; `words`: the same as six words.
    """

    verdict: str
    sentence: str
    exit_code: int
    head: str | None
    words: str | None
    rounds: list[dict[str, Any]] = field(repr=False)
    proved: list[str] = field(repr=False)
    unproved: list[str] = field(repr=False)
    notes: list[str] = field(repr=False)

    def __str__(self) -> str:
        return isegoria_verify.render(vars(self))


def verify(
    path: str | PathLike[str],
    receipt: str | PathLike[str] | None = None,
    head: str | None = None,
    *,
    names: str | PathLike[str] | None = None,
    beacon_key: str | None = None,
) -> Verification:
    """Check the record at `path` as a stranger would; never an exception, whatever the file holds.

    `receipt` is a member's own file, `head` a head kept from before, which must be on the chain; `names` the file of an
    open group; `beacon_key` the key of a beacon other than drand's quicknet.

    >>> import isegoria as iso
    >>> iso.verify("nowhere.record").verdict
    'unreadable'
    """
    return Verification(**isegoria_verify.verify(path, receipt, head, names, beacon_key))

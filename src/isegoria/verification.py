"""`verify`: the verdict of the one-file verifier on a record, as an object.

The verifier was written from the description of the record and shares no line with its writer; here it is only called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from isegoria.verifier import isegoria_verify

Pathish = str | PathLike[str]


@dataclass(frozen=True)
class Verification:
    """What a record proves for a reader who says whom she trusts.

    - `verdict`: "proved", "consistent", "false" or "unreadable"; `exit_code`: 0, 3, 1 or 2; `sentence`: it in words,
      with the condition in the same breath.
    - `trust`: the sets of keys that judge, each with the line of its head (None: keys alone) and how many members there
      were; `beta`: how many of these keys must have been false for a proved round not to be fixed (None: nothing is
      proved).
    - `gamma`: what at most somebody could gain at nobody's cost, as text; None if nothing was certified.
    - `last_signed`: the last line that enough trusted keys signed, and when: `{"line": …, "at": …}`.
    - `rounds`: one dictionary for each round: its status, what was drawn, which keys had it in time and since.
    - `proved`, `unproved`, `notes`: sentences: what holds, what nobody can know from this, and what happened besides.
    - `owed`: with turns, what each pseudonym is owed, in units, and how many rounds she waited; else None.
    - `head`: the hash of the last line, to keep and compare; `words`: the same as ten words.
    """

    verdict: str
    sentence: str
    exit_code: int
    head: str | None
    words: str | None
    beta: int | None
    gamma: str | None
    last_signed: dict[str, int] | None = field(repr=False)
    trust: list[dict[str, Any]] = field(repr=False)
    rounds: list[dict[str, Any]] = field(repr=False)
    proved: list[str] = field(repr=False)
    unproved: list[str] = field(repr=False)
    notes: list[str] = field(repr=False)
    owed: list[dict[str, Any]] | None = field(repr=False)

    def __str__(self) -> str:
        return isegoria_verify.render(vars(self))


def verify(
    path: Pathish,
    trust: str | Sequence[str] = (),
    head: str | Sequence[str] = (),
    quorum: int | None = None,
    against: Pathish | Sequence[Pathish] = (),
    receipt: Pathish | None = None,
    names: Pathish | None = None,
    beacon_key: str | None = None,
    now: int | None = None,
) -> Verification:
    """Check the record at `path` for a reader who trusts some keys; never an exception, whatever the files hold.

    `trust` names keys (64 digits), members' numbers, names (with the file `names` of an open group) or "members"; all
    but keys are looked up at a `head` that was kept before the draws, as digits or as ten words. `quorum` is how many
    trusted keys must have had a page in time: a third unless it is given. `against` are other copies of the record,
    `receipt` a member's own file, `beacon_key` the key of a beacon other than drand's quicknet, `now` the time in Unix
    seconds.

    >>> import isegoria as iso
    >>> iso.verify("nowhere.record").verdict
    'unreadable'
    """
    others = [against] if isinstance(against, (str, PathLike)) else against
    answer = isegoria_verify.verify(
        fspath(path), trust, head, quorum, [fspath(one) for one in others], receipt, names, beacon_key, now
    )
    return Verification(**answer)

"""`verify`: run the one-file verifier on a record and return its verdict as an object.

The verifier was written from the description of the record and shares no code with the writer; this module only calls
it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from typing import Any

from isegoria.utils.arguments import explain_keywords
from isegoria.utils.notebook import NotebookView
from isegoria.verifier import isegoria_verify

PathInput = str | PathLike[str]


@dataclass(frozen=True)
class Verification(NotebookView):
    """Verdict on a record for a reader, given the keys that they trust.

    - `verdict`: "proved", "consistent", "false" or "unreadable".
    - `exit_code`: `0`, `3`, `1` or `2`; `sentence`: the verdict in words, together with its condition.
    - `trust`: the sets of keys that judge, each with the line of its head (None: keys alone) and the number of members.
    - `beta`: how many of these keys must have been false for a proved round not to be fixed (None: nothing is proved).
    - `gamma`: upper bound, as text, on what somebody could gain at nobody's cost; None if nothing was certified.
    - `last_signed`: the last line that enough trusted keys signed, and when: `{"line": …, "at": …}`.
    - `rounds`: one dictionary per round: its status, what was drawn, which keys had it in time and since.
    - `proved`, `unproved`, `notes`: sentences that say what holds, what cannot be known from the record, and what else
      happened.
    - `debts`: with turns, the debt to each pseudonym, in units, and how many rounds it has waited; else None.
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
    debts: list[dict[str, Any]] | None = field(repr=False)

    def __str__(self) -> str:
        return isegoria_verify.render(vars(self))


@explain_keywords
def verify(
    path: PathInput,
    trust: str | Sequence[str] = (),
    head: str | Sequence[str] = (),
    quorum: int | None = None,
    other_copies: PathInput | Sequence[PathInput] = (),
    receipt: PathInput | None = None,
    names: PathInput | None = None,
    beacon: PathInput | None = None,
    now: int | None = None,
) -> Verification:
    """Verify the record at `path` for a reader who trusts certain keys; never raise, whatever the files hold.

    Parameters
    ----------
    path : str or path
        The record.
    trust : str or sequence of str
        Keys (64 hexadecimal digits), members' numbers, names (with the file `names` of an open group) or "members". All
        except keys are looked up at a `head`.
    head : str or sequence of str
        Heads that you kept before the draws, as digits or as ten words.
    quorum : int, optional
        How many trusted keys must have had a freeze page in time; by default a third.
    other_copies : path or sequence of paths
        Other copies of the record.
    receipt : path, optional
        A member's receipt.
    names : path, optional
        The names file of an open group.
    beacon : path, optional
        The chain info of a beacon other than drand's quicknet: the JSON that its servers give at `/CHAIN/info`. Its
        chain hash binds key, genesis and period; a key alone would let the writer choose when the beacon speaks.
    now : int, optional
        The time in Unix seconds; by default this machine's clock.

    Returns
    -------
    Verification
        The result; an unreadable file is a verdict too.

    Examples
    --------
    >>> import isegoria as iso
    >>> iso.verify("nowhere.record").verdict
    'unreadable'
    """
    others = [other_copies] if isinstance(other_copies, (str, PathLike)) else other_copies
    answer = isegoria_verify.verify(
        fspath(path), trust, head, quorum, [fspath(one) for one in others], receipt, names, beacon, now
    )
    return Verification(**answer)

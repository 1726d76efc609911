"""What lines and sources need to know of a record and of a round: protocols that `Group` and `Round` satisfy.

So the format depends on no state, and a state that is built otherwise can be validated too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from isegoria.record.turns.record_ledger import Ledger

LinePayload = dict[str, Any]  # the content of a line


class RoundView(Protocol):
    """A round as the lines after it see it; the attributes are those of `isegoria.record.state.round.Round`."""

    number: int
    line: int
    freeze: LinePayload
    freeze_hash: bytes
    source: LinePayload
    commits: dict[int, str]
    reveals: dict[int, str]
    throws: dict[int, str]
    overrides: dict[int, LinePayload]

    @property
    def block(self) -> int: ...

    @property
    def happened(self) -> bool: ...


class RecordView(Protocol):
    """A record up to its last line; the attributes are those of `isegoria.record.state.group.Group`."""

    lines: list[bytes]
    hashes: list[bytes]
    head: bytes
    record: bytes
    charter: LinePayload
    terms: LinePayload
    rosters: list[LinePayload]
    ended: bool
    says: dict[int, list[tuple[int, str]]]
    commits: dict[int, str]
    committed: set[str]
    last_occurrence: int | None

    @property
    def arms(self) -> list[str]: ...

    @property
    def turns(self) -> LinePayload | None: ...

    @property
    def roster(self) -> LinePayload: ...

    @property
    def seats(self) -> list[LinePayload | None]: ...

    @property
    def next_round(self) -> int: ...

    @property
    def open(self) -> RoundView | None: ...

    @property
    def used(self) -> set[int]: ...

    @property
    def resting(self) -> set[int]: ...

    @property
    def played_so_far(self) -> set[int]: ...

    @property
    def debts(self) -> Ledger: ...

    def name(self, number: int) -> str: ...

    def round(self, number: int) -> RoundView | None: ...

    def checked_available(self, available: Sequence[int] | None) -> list[int]: ...


class PageContent(Protocol):
    """The keys of a freeze page that follow from the members."""

    def keys(self) -> LinePayload: ...

"""Group: members commit to numbers of their own before the freeze, and reveal them after it."""

from __future__ import annotations

from isegoria.errors import InputError
from isegoria.record.format.people import number4
from isegoria.record.group import Group, Round
from isegoria.record.sources import Source, not_typed


class Members(Source):
    """The reveals of all who revealed, by number; no one decides alone while one of them is honest."""

    id = "group"
    summary = "the members' own numbers, committed before the freeze and revealed after"

    def spoken(self, group: Group, now: Round, value: str | None, organiser: bytes | None = None) -> bytes:
        not_typed(self, value)
        if not now.reveals:
            raise InputError(f"nobody has revealed in round {now.number} yet; members reveal before the draw.")
        return revealed(now)

    def check(self, group: Group, now: Round, source: bytes) -> None:
        if source != revealed(now) or not source:
            raise InputError(f"the source bytes are not what members revealed in round {now.number}.")


def revealed(now: Round) -> bytes:
    """Number and value of each member who revealed, in order of number."""
    return b"".join(number4(by) + bytes.fromhex(now.reveals[by]["value"]) for by in sorted(now.reveals))


SOURCE = Members()

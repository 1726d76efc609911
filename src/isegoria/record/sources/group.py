"""Group: members commit to numbers of their own before the freeze, and reveal them after it."""

from __future__ import annotations

from isegoria.errors import InputError
from isegoria.record.format.people import number4
from isegoria.record.group import Group
from isegoria.record.round import Round
from isegoria.record.sources import Source, not_typed


class Members(Source):
    """The numbers of all who committed; one who keeps hers back stops the round, for all to see."""

    id = "group"
    summary = "the members' own numbers, committed before the freeze and revealed after"

    def spoken(self, group: Group, now: Round, value: str | None, organiser: bytes | None = None) -> bytes:
        not_typed(self, value)
        self.check(group, now, revealed(now))
        return revealed(now)

    def check(self, group: Group, now: Round, source: bytes) -> None:
        if missing := sorted(set(now.commits) - set(now.reveals)):
            names = ", ".join(group.name(number) for number in missing[:5])
            raise InputError(f"the number of {names} is missing; a round is drawn with all of them, or never.")
        if source != revealed(now):
            raise InputError(f"the source bytes are not what members revealed in round {now.number}.")


def revealed(now: Round) -> bytes:
    """Number and value of each member who committed, in order of number."""
    return b"".join(number4(by) + bytes.fromhex(now.reveals[by]) for by in sorted(now.reveals))


SOURCE = Members()

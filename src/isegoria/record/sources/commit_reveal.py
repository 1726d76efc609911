"""Group: members commit to numbers before the freeze, and reveal them after it."""

from __future__ import annotations

from isegoria.errors import InputError
from isegoria.record.format.identities import encode_uint32
from isegoria.record.format.record_view import RecordView, RoundView
from isegoria.record.sources import RandomnessSource, require_no_value
from isegoria.utils.messages import Message


class CommitRevealSource(RandomnessSource):
    """The numbers of all members who committed; one who does not reveal theirs stops the round, visibly for all."""

    id = "commit_reveal"
    summary = "the members' own numbers, committed before the freeze and revealed after"

    def spoken(self, group: RecordView, now: RoundView, value: str | None, organiser: bytes | None = None) -> bytes:
        require_no_value(self, value)
        self.check(group, now, encode_reveals(now))
        return encode_reveals(now)

    def check(self, group: RecordView, now: RoundView, source: bytes) -> None:
        if missing := sorted(set(now.commits) - set(now.reveals)):
            names = ", ".join(group.name(number) for number in missing[:5])
            raise InputError(Message("number_missing", names=names))
        if source != encode_reveals(now):
            raise InputError(Message("source_bytes_not_members_revealed_round", number=now.number))


def encode_reveals(now: RoundView) -> bytes:
    """Return the number and the revealed value of each member who revealed, in order of number."""
    return b"".join(encode_uint32(by) + bytes.fromhex(now.reveals[by]) for by in sorted(now.reveals))


COMMIT_REVEAL_SOURCE = CommitRevealSource()

"""Rehearsal: the organiser's secret decides. It is for trying things out; it proves nothing, and everything says so."""

from __future__ import annotations

import hmac

from isegoria.errors import InputError
from isegoria.record.format.record_view import RecordView, RoundView
from isegoria.record.sources import RandomnessSource, require_no_value
from isegoria.utils.messages import Message

REHEARSAL_BYTES = 32


class RehearsalSource(RandomnessSource):
    """HMAC-SHA-256 of the freeze hash under the organiser's secret."""

    id = "rehearsal"
    summary = "the organiser's own secret: for trying out, it proves nothing"

    def spoken(self, group: RecordView, now: RoundView, value: str | None, organiser: bytes | None = None) -> bytes:
        require_no_value(self, value)
        if organiser is None:
            raise InputError(Message("rehearsal_needs_organiser_secret_file_secrets"))
        return hmac.digest(organiser, now.freeze_hash, "sha256")

    def check(self, group: RecordView, now: RoundView, source: bytes) -> None:
        if len(source) != REHEARSAL_BYTES:
            raise InputError(Message("rehearsal_bytes_not", rehearsal_bytes=REHEARSAL_BYTES, count=len(source)))


REHEARSAL_SOURCE = RehearsalSource()

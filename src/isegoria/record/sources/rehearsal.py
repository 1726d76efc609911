"""Rehearsal: the organiser's own secret decides. For trying things out; it proves nothing, and everything says so."""

from __future__ import annotations

import hmac

from isegoria.errors import InputError
from isegoria.record.group import Group
from isegoria.record.round import Round
from isegoria.record.sources import Source, not_typed

SIZE = 32


class Rehearsal(Source):
    """HMAC-SHA-256 of the freeze hash under the organiser's secret."""

    id = "rehearsal"
    summary = "the organiser's own secret: for trying out, it proves nothing"

    def spoken(self, group: Group, now: Round, value: str | None, organiser: bytes | None = None) -> bytes:
        not_typed(self, value)
        if organiser is None:
            raise InputError("a rehearsal needs the organiser's secret, which is in the file of secrets.")
        return hmac.digest(organiser, now.freeze_hash, "sha256")

    def check(self, group: Group, now: Round, source: bytes) -> None:
        if len(source) != SIZE:
            raise InputError(f"a rehearsal has {SIZE} bytes, not {len(source)}.")


SOURCE = Rehearsal()

"""Sources of a record's randomness. A new source is one module in this package, and one line here."""

from __future__ import annotations

from typing import Any

from isegoria.errors import InputError
from isegoria.record.format.record_view import RecordView, RoundView
from isegoria.utils.messages import Message
from isegoria.utils.registry import Registry

SourceTerms = dict[str, Any]  # the terms of a source in a charter


class RandomnessSource:
    """Base class of a source of randomness: its terms in the charter, the keys of its freezes, and its bytes.

    - `id`, `summary`: its name in the charter, and one line that describes it.
    """

    id: str
    summary: str

    def terms(self, **settings: Any) -> SourceTerms:
        """Return the terms of this source for the charter."""
        if given := [name for name, value in settings.items() if value is not None]:
            raise InputError(Message("source_takes_no", id=self.id, names=" and no ".join(given)))
        return {"kind": self.id}

    def frozen(
        self, source: SourceTerms, occurrence: int | None = None, form: SourceTerms | None = None
    ) -> SourceTerms:
        """Return the keys `occurrence`, `form` and `source_round` of a freeze under `source`."""
        for name, value in (("occurrence", occurrence), ("form", form)):
            if value is not None:
                raise InputError(Message("source_takes_no_leave_out", id=self.id, name=name))
        return {"occurrence": None, "dice_form": None, "source_round": None}

    def spoken(self, group: RecordView, now: RoundView, value: str | None, organiser: bytes | None = None) -> bytes:
        """Return the source bytes of the open round from the typed value or what the group and the organiser hold."""
        raise NotImplementedError

    def check(self, group: RecordView, now: RoundView, source: bytes) -> None:
        """Raise `InputError` with the reason if this source cannot have said these bytes."""
        raise NotImplementedError


def require_no_value(source: RandomnessSource, value: str | None) -> None:
    """Raise `InputError` for a typed value where the source takes none."""
    if value is not None:
        raise InputError(Message("source_takes_no_value", id=source.id))


RANDOMNESS_SOURCES: Registry[RandomnessSource] = Registry(
    "source",
    {
        "rehearsal": "isegoria.record.sources.rehearsal:REHEARSAL_SOURCE",
        "dice": "isegoria.record.sources.dice:DICE_SOURCE",
        "commit_reveal": "isegoria.record.sources.commit_reveal:COMMIT_REVEAL_SOURCE",
        "beacon": "isegoria.record.sources.beacon:BEACON_SOURCE",
    },
)

"""Where the randomness of a record comes from. A new source is one module beside this one, and one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.registry import Table

if TYPE_CHECKING:
    from isegoria.record.group import Group
    from isegoria.record.round import Round

Terms = dict[str, Any]  # a source as a charter names it


class Source:
    """A kind of randomness: how a charter names it, what its freeze says, and what its bytes are.

    - `id`, `summary`: its name in the charter, and one line of what it is.
    """

    id: str
    summary: str

    def terms(self, **settings: Any) -> Terms:
        """What the charter says of it."""
        if given := [name for name, value in settings.items() if value is not None]:
            raise InputError(f"the source {self.id} takes no {' and no '.join(given)}; leave it out.")
        return {"kind": self.id}

    def frozen(self, source: Terms, occasion: int | None = None, form: Terms | None = None) -> Terms:
        """The keys `occasion`, `form` and `source_round` of a freeze under `source`."""
        for name, value in (("occasion", occasion), ("form", form)):
            if value is not None:
                raise InputError(f"the source {self.id} takes no {name}; leave it out.")
        return {"occasion": None, "form": None, "source_round": None}

    def spoken(self, group: Group, now: Round, value: str | None, organiser: bytes | None = None) -> bytes:
        """The source bytes of the open round, from what was typed (or what the group and the organiser hold)."""
        raise NotImplementedError

    def check(self, group: Group, now: Round, source: bytes) -> None:
        """Refuse bytes that this source cannot have said; a sentence tells why."""
        raise NotImplementedError


def not_typed(source: Source, value: str | None) -> None:
    """Refuse a typed value where the source speaks for itself."""
    if value is not None:
        raise InputError(f"the source {source.id} takes no value: it follows from the record; leave it out.")


SOURCES: Table[Source] = Table(
    "source",
    {
        "rehearsal": "isegoria.record.sources.rehearsal:SOURCE",
        "dice": "isegoria.record.sources.dice:SOURCE",
        "group": "isegoria.record.sources.group:SOURCE",
        "beacon": "isegoria.record.sources.beacon:SOURCE",
    },
)

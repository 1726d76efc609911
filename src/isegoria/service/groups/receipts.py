"""What a member needs to check her own part of the record, and the names file of an open group."""

from __future__ import annotations

from isegoria.lottery.canonical import canonical
from isegoria.service.asking import Asked, Reply
from isegoria.service.http.refusals import NotNow
from isegoria.service.http.tokens import Actor


def receipt(service, asked: Asked, actor: Actor) -> Reply:
    """A member's receipt: her secret, her leaves and their paths. It is hers alone."""
    raise NotNow("receipts are not there yet.")


def names(service, asked: Asked, actor: Actor) -> Reply:
    """Names, salts and secrets of an open group: whoever has it sees whose row is whose."""
    import json

    with service.desk.reading(asked.group) as (state, session):
        if state.charter["privacy"] != "open":
            raise NotNow("this group keeps ballots: names are not joined to rows.")
        kept = {person.number: person for person in session.people(asked.group) if person.name is not None}
        members = [
            {"name": kept[number].name, **json.loads(kept[number].secrets)} if number in kept and entry else None
            for number, entry in enumerate(state.roster["members"])
        ]
        line = canonical(
            {"format": "isegoria names", "version": 1, "group": state.charter["group"], "members": members}
        )
    name = f'attachment; filename="{asked.group}.names"'
    return Reply(line + b"\n", 200, "application/json", {"content-disposition": name})

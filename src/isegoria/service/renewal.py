"""A group that goes on in a new record, under a new address: its people, options, ratings and rules, and no history.

Phones know a record by what they have signed of it, and refuse another one in its place. So nothing of the old group
stays but what a newly made one could be given: everybody gets a new link, and what was owed or learned begins anew.
"""

from __future__ import annotations

import secrets
from typing import Any

from isegoria.record.changes import Context, NewEvent
from isegoria.record.group import Group
from isegoria.record.people import found
from isegoria.service.creating import Made, fresh_name
from isegoria.service.groups import StoreChange, compact
from isegoria.service.organising import begun
from isegoria.service.store import GroupRow, Session

TIMES = ("recurrence", "time", "zone", "lead")


def renew(session: Session, row: GroupRow, group: Group, now: int) -> str:
    """The address under which a group goes on, written in this transaction; what it was is erased."""
    named = {one.number: one.name for one in session.people(row.id)}
    here = [number for number in group.members if named.get(number)]
    kept = {one.number: one for one in session.contacts(row.id)}
    change = _change(group, here, [str(named[number]) for number in here], now)
    title = group.terms["title"]
    vault = compact({"secret": secrets.token_hex(32)})
    session.remove_group(row.id)
    made = Made(GroupRow(fresh_name(title), now, now, 0, 0, "0" * 64, None, vault), change)
    while not session.add_group(made.row):
        made = made.renamed(fresh_name(title))
    made.keep(session)
    for number, member in enumerate(here):
        if member in kept:
            session.keep_contact(made.row.id, kept[member]._replace(number=number))
    return made.row.id


def _change(group: Group, here: list[int], names: list[str], now: int) -> StoreChange:
    """The first change of the new group."""
    resting = group.used | group.withdrawn
    arms = [arm for arm in range(len(group.options)) if arm not in resting] or list(range(len(group.options)))
    copied = ("title", "source", "privacy", "block", "learner", "settings", "tie", "turns")
    terms = {name: group.terms[name] for name in copied}
    body = {
        **terms, "arms": [group.options[arm] for arm in arms], "members": names, "scale": group.scale,
        "weights": [group.members[number]["weight"] for number in here],
        "organisers": [name for name, number in zip(names, here, strict=True) if group.members[number]["organiser"]],
        "ratings": [[group.ratings.get(number, {}).get(arm) for arm in arms] for number in here],
    }  # fmt: skip
    first = found(Context(Group(), body, now, chance=secrets.token_bytes))
    masked = [place for place, arm in enumerate(arms) if arm in group.masked]
    events = [*first.events, NewEvent("setting:first", "setting", _settings(group, now))]
    if masked and len(masked) < len(arms):
        events.append(NewEvent("mask:first", "mask", {"masked": masked}))
    timed = group.settings["timetable"] is not None
    return StoreChange.of(first, events=events, due=now if timed else None)


def _settings(group: Group, now: int) -> dict[str, Any]:
    """What was set stays set; the timetable begins anew."""
    table = group.settings["timetable"]
    if table is None:
        return dict(group.settings)
    asked = {name: table[name] for name in TIMES if name in table} | {"start": None}
    return group.settings | {"timetable": begun(asked, 1, now, group.source == "beacon")}

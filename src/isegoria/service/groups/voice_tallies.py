"""Voice tallies of a service's members, cached in memory and stored between processes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isegoria.service.groups.group_snapshots import DatabaseTallyStore
from isegoria.service.groups.repository import GroupRepository, StoredPeople
from isegoria.service.groups.voice_history import SMALL_GROUP_MEMBERS, VoiceTallyCache, build_voice_history
from isegoria.service.store import Store


class VoiceTallies:
    """Voice tallies by group and member; a group is locked only while its state is copied.

    Parameters
    ----------
    store : Store
        Where tallies are stored.
    groups : GroupRepository
        The groups of the service.
    run_in_background : callable
        Runs a function later, without waiting for it.
    """

    def __init__(self, store: Store, groups: GroupRepository, run_in_background: Callable[..., object]) -> None:
        self.store, self.groups, self.run_in_background = store, groups, run_in_background
        self.cache = VoiceTallyCache()

    def load(self, group: str, number: int, now: int | None = None) -> dict[str, Any]:
        """Return a member's voice tally up to `now`, or with all turns that are planned."""
        with self.groups.reading(group) as (state, session):
            noted, person = state.snapshot(), StoredPeople(session, state)[number]
        return build_voice_history(noted, person, self._open_store(group), self.cache, now)

    def update_all(self, group: str) -> None:
        """Update every member's tally in a group of at most `SMALL_GROUP_MEMBERS`, so that a first look is fast."""
        with self.groups.reading(group) as (state, session):
            noted, people = state.snapshot(), dict(StoredPeople(session, state))
        for number in noted.members if len(noted.members) <= SMALL_GROUP_MEMBERS else ():
            build_voice_history(noted, people[number], self._open_store(group), self.cache)

    def _open_store(self, group: str) -> DatabaseTallyStore:
        return DatabaseTallyStore(group, self.store, self.run_in_background)

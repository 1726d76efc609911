"""The neighbour: a group that wants nothing but its draws, in time."""

from __future__ import annotations

import json
import time

from hostile_tenant.server_process import DAY, ServerProcess


class BystanderGroup:
    """A group with a timetable that wants nothing but its draws, and a member who looks at it.

    With `every`, it draws by a beacon (whose key is a test's) so many days apart.
    """

    def __init__(self, server: ServerProcess, every: int | None = None):
        self.server, self.looks, self.drawn = server, [], False
        body = {"title": "Neighbour", "arms": ["tea", "mate"], "members": ["Ann", "Ben"], "block": 1}
        if every is not None:
            body |= {"source": "beacon", "first": int(server.began) + DAY, "every": every * DAY}
        status, made = server.post("/api/groups", body)
        assert status == 201, made
        self.made = json.loads(made)
        self.group = self.made["group"]
        self.made["members"] = server.issue_links(self.made)
        table = {"recurrence": "daily", "time": "12:00", "zone": "UTC", "lead": 720}
        path = f"/api/groups/{self.group}/timetable"
        assert server.post(path, {"timetable": table}, self.made["organiser"])[0] == 200

    def look(self) -> None:
        """Ask for the state from an address of her own, as a member's page does."""
        began = time.monotonic()
        token = self.made["members"]["Ann"]
        headers = {"authorization": f"Bearer {token}"}
        status, said = self.server.ask("GET", f"/api/groups/{self.group}", None, headers, source="127.0.0.2")
        assert status == 200, said
        self.drawn = json.loads(said)["last"] is not None and bool(json.loads(said)["last"]["slots"])
        self.looks.append(time.monotonic() - began)

    def lateness(self) -> list[float]:
        """Seconds (of real time) between each occurrence and its draw."""
        from isegoria.service.groups.occurrences import get_timetable
        from isegoria.service.groups.repository import GroupRepository
        from isegoria.service.store import open_store

        store = open_store(self.server.address)
        try:
            with GroupRepository(store).reading(self.group) as (state, session):
                times = [event.at for event in session.events(self.group) if event.kind == "draw"]
                occurrences = [one.closing.occurrence for one in state.rounds if one.draw is not None]
                table = get_timetable(state)
            pairs = zip(times, occurrences, strict=True)
            return [(at - table.at(occurrence)) / self.server.speed for at, occurrence in pairs]
        finally:
            store.close()

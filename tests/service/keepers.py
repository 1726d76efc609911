"""One group in two keepers, a file and a store: every action happens in both, at one time and with the same chance."""

from __future__ import annotations

import secrets
from collections import Counter
from random import Random
from types import SimpleNamespace

from isegoria.errors import IsegoriaError
from isegoria.record import keep_file, rounds
from isegoria.service import rounds as over_http
from isegoria.service.creating import new_group
from isegoria.service.endpoints import NEW_GROUP
from isegoria.service.groups import Groups
from isegoria.service.http.tokens import MEMBER, ORGANISER, Actor

AT = 1_700_000_000
FORM = {"count": 9, "low": 1, "high": 6, "order": "throw"}
NAMES, ARMS = ["Ann", "Bob", "Çelik", "Φαίδρα"], ["noodles", "pizza", "süß"]


class Both:
    """A group that is kept twice. `terms` are those of a new group; `now` is the clock of both keepers.

    A store that `forgets` is asked by a new process each time, which takes up what the last one kept.
    """

    def __init__(self, path, store, monkeypatch, random: Random, now: int = AT, **terms):
        self.random, self.path, self.count, self.now, self.forgets = random, path, Counter(), now, False
        self.chance = Random()
        monkeypatch.setattr(secrets, "token_bytes", lambda size=32: self.chance.randbytes(size))
        body = NEW_GROUP.check({"title": "Lunch", "arms": ARMS, "members": NAMES, **terms})
        self.groups = Groups(store, clock=lambda: self.now)
        self.chance.seed(0)
        made = new_group(body, now)
        with store.writing() as session:
            session.add_group(made.row)
            made.keep(session)
        self.address = made.row.id
        with self.groups.reading(self.address) as (group, _):
            same = {name: group.charter[name] for name in ("source", "scale", "turns")}
        self.chance.seed(0)
        keep_file.begin(path, {**body, **same, "organisers": []}, now)

    @property
    def group(self):
        with keep_file.keeping(self.path) as kept:
            return kept.group

    def do(self, action, by: int = -1, /, **body) -> list[IsegoriaError]:
        """Let it happen in both: done with the same line, or refused with one sentence; the two refusals, if so."""
        step, refusals = self.random.random(), []
        for keeper in (self.in_file, self.in_store):
            self.chance.seed(step)
            try:
                keeper(action, by, body)
            except IsegoriaError as refusal:
                refusals.append(refusal)
        self.count["refused" if refusals else "done"] += 1
        assert len(refusals) in (0, 2), f"{action.__name__} {body}: {refusals}"
        assert len(set(map(str, refusals))) < 2, f"{action.__name__} {body}: {refusals}"
        return refusals

    def in_file(self, action, member: int, body: dict) -> None:
        with keep_file.keeping(self.path) as kept:
            kept.act(action, member, body, now=self.now)

    def in_store(self, action, member: int, body: dict) -> None:
        actor = Actor(self.address, ORGANISER if member < 0 else MEMBER, max(member, 0), "")
        if action is rounds.freeze:
            service = SimpleNamespace(groups=self.groups)
            over_http.freeze(service, None, actor, body, f"key {self.random.random()}", "")
        else:
            self.groups.act(actor, action, body)
        if self.forgets:
            self.groups.keep(self.address)
            self.groups = Groups(self.groups.store, self.groups.clock)

    def records(self) -> tuple[bytes, bytes]:
        with self.groups.reading(self.address) as (_, session):
            lines = [line for _, line in session.lines(self.address)]
        return self.path.read_bytes(), "".join(f"{line}\n" for line in lines).encode()

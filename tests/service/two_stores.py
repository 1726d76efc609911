"""One group in two keepers, a file and a store: every action happens in both, at one time and with the same chance."""

from __future__ import annotations

import secrets
from collections import Counter
from random import Random

from isegoria.errors import IsegoriaError
from isegoria.record.actions import rounds
from isegoria.record.files import file_store
from isegoria.service.actions.freeze_round import FreezeJob
from isegoria.service.actions.group_creation import build_new_group
from isegoria.service.api.body_schemas import NEW_GROUP_SCHEMA
from isegoria.service.groups.freeze_gate import FreezeGate
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.http.tokens import ROLE_MEMBER, ROLE_ORGANISER, Actor

START_TIME = 1_700_000_000
DICE_FORM = {"count": 9, "low": 1, "high": 6, "order": "throw"}
NAMES, ARMS = ["Ann", "Bob", "Çelik", "Φαίδρα"], ["noodles", "pizza", "süß"]


class FileAndDatabaseGroup:
    """A group that is kept twice. `terms` are those of a new group; `now` is the clock of both keepers.

    A store that `forgets` is asked by a new process each time, which takes up what the last one kept.
    """

    def __init__(self, path, store, monkeypatch, random: Random, now: int = START_TIME, **terms):
        self.random, self.path, self.count, self.now, self.forgets = random, path, Counter(), now, False
        self.chance = Random()
        monkeypatch.setattr(secrets, "token_bytes", lambda size=32: self.chance.randbytes(size))
        body = NEW_GROUP_SCHEMA.check({"title": "Lunch", "arms": ARMS, "members": NAMES, **terms})
        self.groups, self.gate = GroupRepository(store, clock=lambda: self.now), FreezeGate()
        self.chance.seed(0)
        made = build_new_group(body, now)
        with store.writing() as session:
            made.insert(session)
        self.address = made.row.id
        with self.groups.reading(self.address) as (group, _):
            same = {name: group.charter[name] for name in ("source", "scale", "turns")}
        self.chance.seed(0)
        file_store.create_record(path, {**body, **same, "organisers": []}, now)

    @property
    def group(self):
        with file_store.open_record(self.path) as kept:
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
        with file_store.open_record(self.path) as kept:
            kept.act(action, member, body, now=self.now)

    def in_store(self, action, member: int, body: dict) -> None:
        actor = Actor(self.address, ROLE_ORGANISER if member < 0 else ROLE_MEMBER, max(member, 0), "", "key_file")
        if action is rounds.freeze:
            FreezeJob(self.groups, self.gate, actor, body, f"key {self.random.random()}").run()
        else:
            self.groups.act(actor, action, body)
        if self.forgets:
            self.groups.keep(self.address)
            self.groups = GroupRepository(self.groups.store, self.groups.clock)

    def records(self) -> tuple[bytes, bytes]:
        with self.groups.reading(self.address) as (_, session):
            lines = [line for _, line in session.lines(self.address)]
        return self.path.read_bytes(), "".join(f"{line}\n" for line in lines).encode()

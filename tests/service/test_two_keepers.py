"""One record, two keepers: the same script of actions gives the same bytes and the same refusals in file and store."""

import secrets
from collections import Counter
from random import Random
from types import SimpleNamespace

import pytest

from isegoria.errors import IsegoriaError
from isegoria.record import keep_file, people, ratings, rounds
from isegoria.record.ed25519 import public_key, sign
from isegoria.record.format.messages import commit_hash, value_message, witness_message
from isegoria.record.sources import SOURCES
from isegoria.service import rounds as over_http
from isegoria.service.creating import new_group
from isegoria.service.endpoints import NEW_GROUP
from isegoria.service.groups import Groups
from isegoria.service.http.tokens import MEMBER, ORGANISER, Actor
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify

AT = 1_700_000_000
NAMES, ARMS = ["Ann", "Bob", "Çelik", "Φαίδρα"], ["noodles", "pizza", "süß"]


class Both:
    """A group that is kept twice; every action happens in both, with the same time and the same chance."""

    def __init__(self, path, store, monkeypatch, number: int, source: str, learner: str | None):
        self.random, self.path, self.count = Random(f"script {number}"), path, Counter()
        self.chance = Random()
        monkeypatch.setattr(secrets, "token_bytes", lambda size=32: self.chance.randbytes(size))
        terms = {"block": self.random.choice([None, 1, 2]), "privacy": self.random.choice(["open", "ballots"])}
        body = {"title": "Lunch", "arms": ARMS, "members": NAMES, "source": source, "learner": learner, **terms}
        self.chance.seed(0)
        keep_file.begin(path, {**body, "scale": [0, 5], "source": SOURCES[source].terms()})
        self.groups = Groups(store, clock=lambda: AT)
        self.chance.seed(0)
        made = new_group(NEW_GROUP.check(body), AT)
        with store.writing() as session:
            session.add_group(made.row)
            made.keep(session)
        self.address = made.row.id

    @property
    def group(self):
        with keep_file.keeping(self.path) as kept:
            return kept.group

    def do(self, action, by: int = -1, **body) -> None:
        """Let it happen in both: refused with one sentence, or done with the same line."""
        step = self.random.random()
        outcomes = []
        for keeper in (self._in_file, self._in_store):
            self.chance.seed(step)
            try:
                keeper(action, by, body)
                outcomes.append("")
            except IsegoriaError as refusal:
                outcomes.append(str(refusal))
        self.count["refused" if outcomes[0] else "done"] += 1
        assert outcomes[0] == outcomes[1], f"{action.__name__} {body}"

    def _in_file(self, action, member: int, body: dict) -> None:
        with keep_file.keeping(self.path) as kept:
            kept.act(action, member, body, now=AT)

    def _in_store(self, action, member: int, body: dict) -> None:
        actor = Actor(self.address, ORGANISER if member < 0 else MEMBER, max(member, 0), "")
        if action is rounds.freeze:
            service = SimpleNamespace(groups=self.groups)
            over_http.freeze(service, None, actor, body, f"key {self.random.random()}", "")
        else:
            self.groups.act(actor, action, body)

    def records(self) -> tuple[bytes, bytes]:
        with self.groups.reading(self.address) as (group, _):
            return self.path.read_bytes(), b"".join(line + b"\n" for line in group.lines)


def lived(both: Both, learner: str | None) -> None:
    """Some rounds of everything that can happen, in turn and out of turn."""
    chance, seeds, values = both.random, {}, {}
    for _ in range(6 if learner else 4):
        group = both.group
        here = sorted(group.members)
        for member in here:
            if chance.random() < 0.6:
                rate(both, group, member)
            if chance.random() < 0.3:
                seeds[member] = chance.randbytes(32)
                both.do(people.register_key, member, key=public_key(seeds[member]).hex())
        between(both, group, here)
        group = both.group
        if group.source == "group":
            for member in sorted(group.members):
                values[member] = chance.randbytes(32)
                hashed = commit_hash(group.id, group.next_round, member, values[member])
                both.do(rounds.commit, member, hash=hashed.hex())
        dice = (
            {"event": "eight dice", "form": [8, 1, 6, 0]} if group.source == "dice" else {"event": None, "form": None}
        )
        both.do(rounds.freeze, occasion=None, **dice)
        both.do(rounds.amend, field="title", value="not now", reason="why")
        decided(both, seeds, values)
        assert both.records()[0] == both.records()[1]


def rate(both: Both, group, member: int) -> None:
    chance, last = both.random, group.last
    stars = str(chance.randrange(11) / 2)
    if group.learns and last is not None and last.draw:
        slot = chance.randrange(len(last.slots) + 1)
        arm = group.arms[last.played[min(slot, len(last.slots) - 1)]]
        both.do(ratings.rate, member, round=last.number, slot=slot, values={arm: stars})
    else:
        both.do(ratings.rate, member, round=None, slot=None, values={chance.choice(group.arms): stars})


def between(both: Both, group, here: list[int]) -> None:
    chance = both.random
    step = chance.randrange(6)
    if step == 0:
        both.do(people.join, name=f"New {chance.random()}")
    elif step == 1:
        both.do(people.leave, member=chance.choice([*here, 99]))
    elif step == 2:
        both.do(rounds.add_option, name=f"arm {chance.random()}", reason=None)
    elif step == 3:
        both.do(rounds.mask, unavailable=chance.sample(group.arms, chance.randrange(len(group.arms) + 1)))
    elif step == 4:
        both.do(rounds.amend, field="title", value="Supper", reason="later")
    elif group.last is not None:
        body = {"round": group.last.number, "slot": chance.choice([0, 9]), "arm": chance.choice(group.arms)}
        both.do(rounds.override, **body, reason="closed")


def decided(both: Both, seeds: dict, values: dict) -> None:
    chance, group = both.random, both.group
    now = group.open
    if now is None:
        return
    about = (group.charter_hash, now.freeze_hash)
    for member, seed in seeds.items():
        signature = sign(seed, witness_message(*about, AT)).hex()
        both.do(rounds.witness, member, freeze=now.freeze_hash.hex(), at=AT, signature=signature)
    for member in sorted(values) if now.source["kind"] == "group" else ():
        if member == min(values) or chance.random() < 0.7:
            both.do(rounds.reveal, member, value=values[member].hex(), signature=None)
    if chance.random() < 0.15:
        both.do(rounds.void, at=AT, reason="rain", signatures=[])
        both.do(rounds.void, at=AT, reason="rain", signatures=[{"by": 0, "signature": "0" * 128}])
    thrown = [chance.randint(1, 6) for _ in range(8)]
    message = value_message(*about, "".join(f"{number}." for number in thrown).encode())
    for member, seed in seeds.items() if now.source["kind"] == "dice" and now.fair else ():
        both.do(rounds.seen, member, value=thrown, signature=sign(seed, message).hex())
    seen = {} if both.group.open is None else both.group.open.witnesses
    signed = {by: sign(seeds[by], message) for by in seen if by in seeds} if now.source["kind"] == "dice" else {}
    value = thrown if now.source["kind"] == "dice" and now.fair else None
    both.do(rounds.draw, value=value, missing="skip", signatures=signed if now.fair else {})


@pytest.mark.parametrize("number", range(12))
def test_file_and_store_keep_the_same_record(tmp_path, monkeypatch, number):
    source, learner = ["rehearsal", "dice", "group"][number % 3], [None, "guided", None, "guided"][number % 4]
    store = open_store(f"sqlite:///{tmp_path / 'groups.db'}")
    both = Both(tmp_path / "lunch.record", store, monkeypatch, number, source, learner)
    lived(both, learner)
    both.do(rounds.end)
    both.do(rounds.freeze, occasion=None, event=None, form=None)
    in_file, in_store = both.records()
    store.close()
    assert in_file == in_store
    assert both.count["done"] > 8
    assert verify(in_file)["exit_code"] in (0, 3)

"""Somebody who uses the service: a token of hers, and a new idempotency key for each request unless she repeats one."""

import itertools
import json
import time

from starlette.testclient import TestClient

from isegoria.record.format.identities import encode_key_proof
from isegoria.record.signing.ed25519 import public_key, sign
from isegoria.record.state.group import Group
from isegoria.service.app import create_app
from isegoria.service.http.tokens import ROLE_MEMBER, generate_token, make_token_row
from isegoria.service.settings import Settings

KEY_COUNTER = itertools.count(1)
LUNCH_GROUP = {
    "title": "Lunch",
    "arms": ["Thai", "Pizza", "Salad"],
    "members": ["Ann", "Bob", "Cem"],
    "privacy": "ballots",
    "block": None,
    "source": "rehearsal",
    "learner": None,
    "scale": [0, 5],
}


class GroupClient:
    """A client of one group with one token (None: nobody)."""

    def __init__(self, client: TestClient, group: str, token: str | None):
        self.client, self.group, self.token = client, group, token

    def headers(self, key: str | None) -> dict:
        found = {"content-type": "application/json", "idempotency-key": key or f"key-{next(KEY_COUNTER)}"}
        return found | ({"authorization": f"Bearer {self.token}"} if self.token else {})

    def post(self, path: str, body: dict | None = None, key: str | None = None):
        return self.client.post(
            f"/api/groups/{self.group}/{path}", content=json.dumps(body or {}), headers=self.headers(key)
        )

    def get(self, path: str = ""):
        headers = {"authorization": f"Bearer {self.token}"} if self.token else {}
        return self.client.get(f"/api/groups/{self.group}{'/' if path else ''}{path}", headers=headers)

    def rate(self, values: dict, round_=None, slot=None):
        return self.post("ratings", {"round": round_, "slot": slot, "values": values})


def prove_key(group: Group, number: int, seed: bytes) -> dict[str, str]:
    """A key with its proof of possession, as the device of a member registers it."""
    key = public_key(seed)
    return {"key": key.hex(), "proof": sign(seed, encode_key_proof(group.id, number, key)).hex()}


def issue_links(store, made: dict) -> dict[str, str]:
    """Give every member of a new group a private link, as its organiser may on request; return the tokens by name."""
    tokens = {name: (number, generate_token()) for name, number in made["members"].items()}
    with store.writing() as session:
        session.add_tokens(
            make_token_row(token, made["group"], ROLE_MEMBER, number, int(time.time()))
            for number, token in tokens.values()
        )
    return {name: token for name, (_, token) in tokens.items()}


class SampleGroup:
    """A group with a visitor for each who has a part in it."""

    def __init__(self, client: TestClient, **changes):
        body = LUNCH_GROUP | changes
        made = client.post("/api/groups", json=body, headers={"idempotency-key": f"new-{next(KEY_COUNTER)}"})
        assert made.status_code == 201, made.text
        self.client, self.made = client, made.json()
        self.group = self.made["group"]
        self.made["members"] = issue_links(client.app.state.service.store, self.made)
        self.organiser = GroupClient(client, self.group, self.made["organiser"])
        self.nobody = GroupClient(client, self.group, None)
        self.members = {name: GroupClient(client, self.group, token) for name, token in self.made["members"].items()}

    def __getitem__(self, name: str) -> GroupClient:
        return self.members[name]

    def add_member(self, name: str) -> GroupClient:
        """Let somebody join who opens a private link."""
        answer = self.organiser.post("people", {"name": name})
        assert answer.status_code == 201, answer.text
        made = {"group": self.group, "members": {name: answer.json()["member"]}}
        token = issue_links(self.client.app.state.service.store, made)[name]
        self.members[name] = GroupClient(self.client, self.group, token)
        return self.members[name]

    def key(self, name: str, seed: bytes) -> dict[str, str]:
        """The key of a member's device with its proof."""
        with self.client.app.state.service.groups.reading(self.group) as (group, _):
            number = next(n for n, known in group.names.items() if known == name)
            return prove_key(group, number, seed)

    def record(self) -> bytes:
        answer = self.nobody.get("record")  # with turns, it is for members
        return (self.organiser.get("record") if answer.status_code == 401 else answer).content

    def decide(self, **value) -> dict:
        frozen = self.organiser.post("freeze")
        assert frozen.status_code == 201, frozen.text
        drawn = self.organiser.post("draw", value)
        assert drawn.status_code == (201 if frozen.json()["kind"] == "fair" else 200), drawn.text
        return drawn.json()


def make_client(store, **settings):
    """A client of the service on this store."""
    app = create_app(Settings(store=store.address, keeps_time=False, **settings), store)
    return TestClient(app, base_url="http://localhost", raise_server_exceptions=True)

"""A running service, and groups in it that a browser can open."""

import json
import time
import urllib.request
from collections.abc import Iterator
from itertools import count

import pytest

from browser.app_server import AppServer
from isegoria.service.app import create_app
from isegoria.service.http.tokens import ROLE_MEMBER, generate_token, make_token_row
from isegoria.service.settings import Settings

KEYS = count(1)
NAMES = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Femi", "Gus", "Hana", "Ines", "Jun"]
ARMS = ["Noodles", "Pizza", "Salad", "Curry"]
OPEN_ALL_DETAILS = (
    "for (const one of document.querySelectorAll('details')) { one.removeAttribute('name'); one.open = true; }"
)


class RunningService(AppServer):
    """A service on a store of its own; `site` is its address, `named` the same under a host name."""

    def __init__(self, folder):
        hosts = frozenset({"lunch.group.test"})
        app = create_app(Settings(store=f"sqlite:///{folder / 'pages.db'}", hosts=hosts))
        self.store = app.state.service.store
        super().__init__(app)
        self.named = f"http://lunch.group.test:{self.port}"

    def post(self, path: str, body: dict, token: str | None = None) -> dict:
        headers = {"content-type": "application/json", "idempotency-key": f"key-{next(KEYS)}"}
        headers |= {"authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(self.site + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    def get(self, path: str, token: str | None = None) -> dict:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        with urllib.request.urlopen(urllib.request.Request(self.site + path, headers=headers)) as answer:
            return json.loads(answer.read())

    def issue_links(self, group: str, numbers: dict[str, int]) -> dict[str, str]:
        """Give members private links, as their organiser may on request; return the tokens by name."""
        tokens = {name: generate_token() for name in numbers}
        with self.store.writing() as session:
            now = int(time.time())
            session.add_tokens(make_token_row(tokens[name], group, ROLE_MEMBER, numbers[name], now) for name in tokens)
        return tokens

    def group(self, members=NAMES, arms=ARMS, rounds=0, **choices) -> "BrowserGroup":
        body = {"title": "Where we have lunch", "arms": arms, "members": members, "scale": [0, 5]} | choices
        answer = self.post("/api/groups", body)
        answer["members"] = self.issue_links(answer["group"], answer["members"])
        made = BrowserGroup(self, answer, list(members), list(arms))
        for _ in range(rounds):
            made.decide()
        return made


class BrowserGroup:
    """A group with its tokens."""

    def __init__(self, service: RunningService, made: dict, members: list[str], arms: list[str]):
        self.service, self.made, self.id, self.names, self.arms = service, made, made["group"], members, arms
        self.api = f"/api/groups/{self.id}"

    def link(self, name: str | None = None, site: str | None = None) -> str:
        token = self.made["organiser"] if name is None else self.made["members"][name]
        return f"{site or self.service.site}/g/{self.id}#k={token}"

    def rate_all(self) -> None:
        for i, (_, token) in enumerate(self.made["members"].items()):
            values = {arm: (3 * k + 2 * i) % 6 for k, arm in enumerate(self.arms)}
            self.service.post(f"{self.api}/ratings", {"round": None, "slot": None, "values": values}, token)

    def freeze(self) -> dict:
        return self.service.post(f"{self.api}/freeze", {}, self.made["organiser"])

    def draw(self) -> dict:
        return self.service.post(f"{self.api}/draw", {}, self.made["organiser"])

    def decide(self) -> dict:
        self.freeze()
        return self.draw()


@pytest.fixture(scope="module")
def service(tmp_path_factory) -> Iterator[RunningService]:
    running = RunningService(tmp_path_factory.mktemp("pages"))
    yield running
    running.close()


@pytest.fixture
def lunch(service) -> BrowserGroup:
    group = service.group()
    group.rate_all()
    group.decide()
    return group

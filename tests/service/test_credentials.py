"""Who can act for whom: links, letters and sessions, what their use leaves behind, and what a record gives away."""

import io
import json
import re
import threading
import zipfile

import pytest
from api_clients import LUNCH_GROUP, GroupClient, SampleGroup, make_client
from live_server import run_live_server

from isegoria.service.http.tokens import make_cookie_name
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify


class JoiningDevice:
    """A phone that has the join link, with cookies of its own."""

    def __init__(self, client, made: dict):
        self.client, self.made, self.cookies = client, made, {}

    def post(self, path: str, body: dict):
        headers = {"idempotency-key": "j" * 22, "cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        self.client.cookies.clear()
        answer = self.client.post(
            f"/api/groups/{self.made['group']}/{path}", json={"token": self.made["join"]} | body, headers=headers
        )
        self.cookies |= dict(answer.cookies)
        self.client.cookies.clear()
        return answer


@pytest.fixture
def made(quick):
    """What the creator of a group gets."""
    return quick.post("/api/groups", json=LUNCH_GROUP, headers={"idempotency-key": "n"}).json()


def test_a_creator_gets_no_members_token(quick, made):
    assert made["members"] == {"Ann": 0, "Bob": 1, "Cem": 2}
    with quick.app.state.service.store.reading() as session:
        assert {row.role for row in session.tokens(made["group"])} == {"organiser", "join"}


def test_a_private_link_is_void_once_the_name_is_taken(quick, made):
    organiser = GroupClient(quick, made["group"], made["organiser"])
    issued = organiser.post("links", {"number": 1}).json()["token"]
    assert JoiningDevice(quick, made).post("join/take", {"member": 1}).is_success
    assert GroupClient(quick, made["group"], issued).get("voice").status_code == 401
    again = organiser.post("links", {"number": 1}).json()["token"]
    assert GroupClient(quick, made["group"], again).get("voice").is_success
    assert JoiningDevice(quick, made).post("join/take", {"member": 1}).status_code == 409


def test_each_device_objects_once_and_all_see_it(quick, made):
    organiser = GroupClient(quick, made["group"], made["organiser"])
    owner, thief = JoiningDevice(quick, made), JoiningDevice(quick, made)
    assert owner.post("join/object", {"member": 1}).status_code == 409, "nobody has taken it"
    assert thief.post("join/take", {"member": 1}).is_success
    assert owner.post("join/take", {"member": 1}).status_code == 409
    for device in (owner, owner, JoiningDevice(quick, made)):
        assert device.post("join/object", {"member": 1}).json() == {"member": 1, "objected": True}
    cem = JoiningDevice(quick, made)
    cem.post("join/take", {"member": 2})
    cookie = {"cookie": f"{make_cookie_name(made['group'], False)}={next(iter(cem.cookies.values()))}"}
    for seen in (organiser.get().json(), quick.get(f"/api/groups/{made['group']}", headers=cookie).json()):
        assert [(one["name"], one["devices"]) for one in seen["objections"]] == [("Bob", 2)]
    assert "Somebody says that the name Bob" in quick.get(f"/g/{made['group']}", headers=cookie).text
    assert "objections" not in GroupClient(quick, made["group"], None).get().json()
    assert organiser.post("links", {"number": 1}).status_code == 201
    assert organiser.get().json()["objections"] == [], "the name is free again"


def test_a_crowd_behind_one_address_joins_while_a_stranger_guesses(tmp_path):
    store = open_store(f"sqlite:///{tmp_path / 'groups.db'}")
    names, size = [f"M{number}" for number in range(150)], 150
    with run_live_server(store) as server, make_client(store) as client:
        made = client.post(
            "/api/groups", json=LUNCH_GROUP | {"members": names}, headers={"idempotency-key": "n"}
        ).json()
        path, guesses = f"/api/groups/{made['group']}", []
        headers = {"content-type": "application/json", "idempotency-key": "k"}

        def guess():
            body = json.dumps({"token": "x" * 24, "member": 0})
            guesses.extend(server.ask(f"{path}/join/take", "POST", body, headers)[0] for _ in range(40))

        stranger = threading.Thread(target=guess)
        stranger.start()
        joined, streams = [], []
        for number in range(size):
            body = json.dumps({"token": made["join"], "member": number})
            status, _, found = server.ask_for_headers(f"{path}/join/take", "POST", body, headers)
            joined.append(status)
            cookie = found["set-cookie"].partition(";")[0]
            request = f"GET {path}/events HTTP/1.1\r\nhost: localhost\r\ncookie: {cookie}\r\n\r\n"
            streams.append(server.silent(request.encode()))
        stranger.join()
        assert joined == [200] * size
        assert [stream.recv(12) for stream in streams] == [b"HTTP/1.1 200"] * size
        assert set(guesses) == {401, 429}
        for stream in streams:
            stream.close()


@pytest.fixture
def films(quick):
    """A group with turns in which some rounds were drawn."""
    group = SampleGroup(quick, turns={"mode": "lottery"})
    decide(group, 2)
    return group


def decide(group, rounds: int) -> None:
    for _ in range(rounds):
        for number, name in enumerate(group.members):
            assert group[name].rate({arm: 5 * (place == number % 3) for place, arm in enumerate(LUNCH_GROUP["arms"])})
        group.decide()


def read_pseudonyms(record: bytes) -> set[str]:
    """The pseudonyms of the last page of a record."""
    page = [line for line in record.splitlines() if b'"line":"freeze"' in line][-1]
    return set(re.findall(rb'"([0-9a-f]{48})"', page))


def test_a_differencing_reader_learns_what_the_page_says(films):
    """The view of a stranger, a member and an organiser, before and after each change of the roster."""
    assert films.nobody.get("record").status_code == 401, "a stranger reads heads only"
    assert films.nobody.get().json()["head"]
    before = read_pseudonyms(films["Ann"].get("record").content)
    films.add_member("Zoe")
    decide(films, 1)
    for reader in (films["Ann"], films.organiser):
        after = read_pseudonyms(reader.get("record").content)
        assert len(after - before) == 1, "who joins alone can be followed from then on"
        assert before <= after
    token = films.organiser.post("links", {"number": 1}).json()["token"]
    films.members["Bob"] = GroupClient(films.client, films.group, token)
    decide(films, 1)
    assert read_pseudonyms(films["Ann"].get("record").content) == after, "a link issued again tells nothing"


def test_a_record_with_turns_is_published_by_all_or_nobody(films):
    agree = [films[name].post("publish", {"consent": True}).json() for name in ("Ann", "Bob")]
    assert [one["agreed"] for one in agree] == [1, 2]
    assert films["Bob"].post("publish", {"consent": False}).json()["agreed"] == 1
    assert films.organiser.post("publish", {"consent": True}).status_code == 403
    films["Bob"].post("publish", {"consent": True})
    assert films.nobody.get("record").status_code == 401
    assert films["Cem"].post("publish", {"consent": True}).json()["published"]
    assert films.nobody.get("record").status_code == 200
    assert films["Cem"].post("publish", {"consent": False}).status_code == 409, "it cannot be undone"
    films.add_member("Zoe")
    assert films.nobody.get("record").status_code == 200


def test_record_and_receipt_come_in_one_file(films):
    archive = zipfile.ZipFile(io.BytesIO(films["Ann"].get("proof").content))
    record, receipt = (archive.read(f"{films.group}.{end}") for end in ("jsonl", "receipt"))
    assert record == films.record()
    assert verify(record, receipt=receipt)["exit_code"] == 3
    assert films.nobody.get("proof").status_code == 401

"""Whatever one group, one person or one request asks for, there is an end to it, and a timetable goes before it."""

import errno
import threading
from hashlib import sha256

import pytest
from api_clients import SampleGroup, make_client

from isegoria.service.actions import administration
from isegoria.service.actions.device_sessions import find_actor
from isegoria.service.groups import freeze_gate, repository
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.scheduling import retention
from isegoria.service.store import open_store
from isegoria.service.store.sqlite import PriorityLock
from isegoria.service.store.transaction import Transaction


@pytest.fixture
def store(tmp_path):
    return open_store(f"sqlite:///{tmp_path / 'groups.db'}")


def test_a_turn_goes_to_whoever_must_be_in_time_and_then_in_order():
    turn, order, queued = PriorityLock(), [], []
    assert turn.acquire(1.0)
    for name, first in (("Ann", False), ("Bob", False), ("clock", True), ("Cem", False)):

        def wait(name=name, first=first):
            assert turn.acquire(30.0, first)
            order.append(name)
            turn.release()

        thread = threading.Thread(target=wait)
        thread.start()
        queued.append(thread)
        while len(turn._first) + len(turn._others) < len(queued):
            pass
    assert not turn.acquire(0.0)  # whoever gives up leaves the queue
    turn.release()
    for thread in queued:
        thread.join(30)
    assert order == ["clock", "Ann", "Bob", "Cem"]
    assert turn.acquire(0.0)


def test_the_timetable_writes_before_others(store, monkeypatch):
    asked, writing = [], type(store).writing

    def noting(self, first=False):
        asked.append(first)
        return writing(self, first)

    monkeypatch.setattr(type(store), "writing", noting)
    with make_client(store) as client:
        lunch, service = SampleGroup(client), client.app.state.service
        service.groups.clock = lambda: 1_800_000_000.0
        lunch["Ann"].rate({"Thai": 5})
        assert not any(asked)
        lunch.organiser.post("timetable", {"timetable": {"recurrence": "daily", "time": "12:00", "lead": 720}})
        asked.clear()
        service.groups.clock = lambda: 1_800_090_000.0
        service.scheduler._swept = service.scheduler.monotonic()
        service.scheduler.tick()
        assert len(asked) >= 3
        assert all(asked)


def test_a_group_has_only_so_many_people_and_options(store, monkeypatch):
    monkeypatch.setattr(administration, "MAX_GROUP_CELLS", 12)
    with make_client(store) as client:
        lunch = SampleGroup(client)
        assert lunch.organiser.post("options", {"name": "Soup"}).status_code == 201
        refused = lunch.organiser.post("options", {"name": "Rice"})
        assert refused.status_code == 409
        assert "at most 2 people, or 4 options" in refused.json()["error"]
        assert lunch.organiser.post("people", {"name": "Dan"}).status_code == 409
        body = {"title": "L", "arms": list("abcd"), "members": list("wxyz")}
        assert client.post("/api/groups", json=body, headers={"idempotency-key": "k"}).status_code == 409


def test_large_groups_are_frozen_one_at_a_time_and_nobody_waits(store, monkeypatch):
    monkeypatch.setattr(freeze_gate, "LARGE_FREEZE_CELLS", 8)
    with make_client(store) as client:
        lunch, small = SampleGroup(client), SampleGroup(client, arms=["a", "b"])
        service = client.app.state.service
        with service.freeze_gate.lock:
            busy = lunch.organiser.post("freeze")
            assert (busy.status_code, "in a moment" in busy.text) == (409, True)
            assert lunch.organiser.get().json()["phase"] == "collecting"
            small.decide()
        lunch.decide()
        assert not service.freeze_gate.lock.locked()


def test_nobody_changes_a_group_without_end(store):
    with make_client(store, deeds=(3, 0.001)) as client:
        lunch = SampleGroup(client)
        posted = [lunch.organiser.post("mask", {"unavailable": []}).status_code for _ in range(5)]
        assert posted == [200, 200, 200, 429, 429]
        assert lunch["Ann"].rate({"Thai": 5}).status_code == 200


def test_a_group_of_many_counts_for_more_than_one(store):
    with make_client(store, new_groups=(2, 0.001)) as client:
        SampleGroup(client, members=[f"M{number}" for number in range(250)])
        body = {"title": "L", "arms": ["a"], "members": ["x"]}
        assert client.post("/api/groups", json=body, headers={"idempotency-key": "k"}).status_code == 429


def test_large_groups_leave_memory_before_many_small_ones_do(store, monkeypatch):
    with make_client(store) as client:
        keeper = client.app.state.service.groups
        circles = [SampleGroup(client, members=[f"M{n}" for n in range(100)]) for _ in range(4)]
        monkeypatch.setattr(repository, "MAX_CACHE_KILOBYTES", 500)
        for circle in circles:
            assert circle.nobody.get().status_code == 200
        assert list(keeper._cached) == [circle.group for circle in circles[1:]]  # the last is let in unweighed
        assert keeper._weight == sum(one.weight for one in keeper._cached.values())
        assert circles[0]["M1"].rate({"Thai": 5}).status_code == 200  # replayed
        assert circles[0].group in keeper._cached
        assert circles[1].group not in keeper._cached


def test_old_groups_are_looked_at_without_reading_their_logs(store, monkeypatch):
    def no_replay(*_):
        raise AssertionError("a look at old groups replays no log")

    with make_client(store, retention=400) as client:
        lunch = SampleGroup(client)
        lunch.organiser.post("settings", {"retention": 30, "note": "x"})
        lunch.organiser.post("settings", {"note": "y"})
        service = client.app.state.service
        began, passed = service.groups.clock(), [0.0]
        service.scheduler.monotonic = lambda: passed[0]
        monkeypatch.setattr(GroupRepository, "_caught_up", no_replay)
        monkeypatch.setattr(Transaction, "events", no_replay)
        for days, there in ((29, True), (31, True), (33, False)):
            passed[0] = days * retention.DAY_SECONDS
            service.scheduler.retention.sweep(int(began + passed[0]))
            with store.reading() as session:
                assert (session.group(lunch.group) is not None) == there


def test_a_fault_in_the_look_at_old_groups_is_told_and_the_next_look_comes(store, monkeypatch, caplog):
    with make_client(store) as client:
        keeper = client.app.state.service.scheduler
        monkeypatch.setattr(keeper.retention, "sweep", lambda now: 1 / 0)
        keeper.tick()
        assert "old groups were not looked at" in caplog.text
        assert not keeper._sweeping


def test_a_link_that_is_issued_again_at_this_moment_opens_no_session(store, monkeypatch):
    with make_client(store) as client:
        lunch, looked = SampleGroup(client), []

        def reissued_meanwhile(session, token):
            found = find_actor(session, token)
            if not looked.append(found) and len(looked) == 1:
                lunch.organiser.post("links", {"number": 0})
            return found

        monkeypatch.setattr("isegoria.service.actions.device_sessions.find_actor", reissued_meanwhile)
        answer = lunch.nobody.post("session", {"token": lunch["Ann"].token})
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers
        with store.reading() as session:
            assert session.sessions(lunch.group, "member", 0) == []


def test_a_process_without_files_left_says_so_in_a_line(store, monkeypatch, caplog):
    def without_files(*_):
        raise OSError(errno.EMFILE, "Too many open files")

    with make_client(store) as client:
        lunch = SampleGroup(client)
        monkeypatch.setattr("isegoria.service.api.endpoints.build_view_for", without_files)
        client.raise_server_exceptions = False
        answer = lunch.nobody.get()
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert "Traceback" not in caplog.text
        assert "limit on open files" in caplog.text


def test_a_record_is_sent_again_only_when_it_has_grown(store):
    with make_client(store) as client:
        lunch = SampleGroup(client)
        path = f"/api/groups/{lunch.group}/record"
        sent = client.get(path)
        known = {"if-none-match": sent.headers["etag"]}
        again = client.get(path, headers=known)
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", sent.headers["etag"])
        assert sent.headers["cache-control"] == again.headers["cache-control"] == "no-cache"
        lunch.decide()
        grown = client.get(path, headers=known)
        assert grown.status_code == 200
        assert grown.content.startswith(sent.content)
        assert grown.headers["etag"] != sent.headers["etag"]


def test_a_record_comes_in_parts_that_may_be_kept_for_good(store):
    with make_client(store) as client:
        lunch = SampleGroup(client)
        lunch["Ann"].rate({"Thai": 5})  # an event between two lines that is none itself
        lunch.decide()
        path, whole = f"/api/groups/{lunch.group}/record", lunch.record()
        parts, after = [], "0" * 64
        while len(parts) < 20 and (not parts or parts[-1].count(b"\n") == 2):
            answer = client.get(path, params={"after": after, "lines": "2"})
            parts.append(answer.content)
            full = answer.content.count(b"\n") == 2
            assert answer.headers["cache-control"] == ("private, max-age=31536000, immutable" if full else "no-cache")
            after = sha256(answer.content.splitlines()[-1]).hexdigest() if answer.content else after
        assert len(parts) > 2
        assert b"".join(parts) == whole
        first, *others = whole.splitlines(keepends=True)
        assert client.get(path, params={"after": sha256(first.strip()).hexdigest()}).content == b"".join(others)
        assert client.get(path, params={"after": after}).content == b""
        for other in ("f" * 64, "F" * 64, "\0", "é" * 64):
            assert client.get(path, params={"after": other}).status_code == 404
        for wrong in ("0", "-1", "two", "9" * 20):
            assert client.get(path, params={"lines": wrong}).status_code == 400

"""Nobody takes the service from the others: limits on connections, streams, ratings; readers wait for no writer."""

import contextlib
import json
import logging
import re
import sqlite3
import threading
import time

import pytest
from api_clients import SampleGroup, issue_links, make_client
from live_server import run_live_server

from isegoria.service.http.limits import ConnectionLimits
from isegoria.service.store import open_store

HALF_REQUEST = b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n"


@pytest.fixture
def store(tmp_path):
    return open_store(f"sqlite:///{tmp_path / 'groups.db'}")


def read_to_end(opened) -> bytes:
    """What a socket still had to say when the other side closed it."""
    said = b""
    with contextlib.suppress(ConnectionResetError):
        while part := opened.recv(65536):
            said += part
    return said


def test_one_address_has_so_many_connections(store):
    with run_live_server(store, ConnectionLimits(most=20, from_one=5, header=60.0)) as server:
        for _ in range(5):
            server.silent(HALF_REQUEST)
        status, body = server.ask("/healthz")
        assert status == 429
        assert "too many connections" in json.loads(body)["error"]


def test_a_header_has_its_time(store):
    with run_live_server(store, ConnectionLimits(header=1.0)) as server:
        half = [server.silent(HALF_REQUEST) for _ in range(5)]
        assert [read_to_end(one) for one in half] == [b""] * 5  # closed by the server, which has waited long enough
        assert server.ask("/healthz")[0] == 200


def test_whoever_has_kept_silent_longest_makes_room(store):
    with run_live_server(store, ConnectionLimits(most=8, from_one=8, header=60.0), proxies=("127.0.0.1",)) as server:
        half = [server.silent(HALF_REQUEST) for _ in range(30)]  # a proxy's connections are many people's
        assert server.ask("/healthz")[0] == 200
        assert read_to_end(half[0]) == b""
        half[-1].sendall(b"\r\n")  # the last to come are still heard
        assert half[-1].recv(12) == b"HTTP/1.1 200"


def test_a_body_has_its_time_and_so_has_a_second_header(store):
    with run_live_server(store, ConnectionLimits(header=2.0, body=2.0)) as server:
        start = b"POST /api/groups HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        unsaid = server.silent(start + b"content-length: 50\r\n\r\n{")
        kept = server.silent(HALF_REQUEST + b"\r\n")
        assert kept.recv(12) == b"HTTP/1.1 200"
        kept.sendall(HALF_REQUEST)
        assert b"HTTP/1.1 200" not in read_to_end(kept)
        read_to_end(unsaid)
        assert server.ask("/healthz")[0] == 200


def test_so_many_listen_from_one_address_and_to_one_group(store):
    with run_live_server(store, streams_from_one=3, streams_of_group=2) as server, make_client(store) as client:
        first, second = SampleGroup(client), SampleGroup(client)
        ask = "GET /api/groups/{}/events HTTP/1.1\r\nhost: localhost\r\n\r\n"
        streams = []
        for group, expected in ((first, 200), (first, 200), (first, 429), (second, 200), (second, 429)):
            streams.append(server.silent(ask.format(group.group).encode()))
            assert streams[-1].recv(12) == b"HTTP/1.1 %d" % expected
            deadline = time.monotonic() + 20
            while expected == 200 and sum(server.service.hub.places.values()) < len(streams) - 1:
                assert time.monotonic() < deadline
                time.sleep(0.01)


def test_readers_wait_for_no_writer(store, tmp_path, monkeypatch):
    for name in ("store.sqlite.BUSY_TIMEOUT_SECONDS", "app.STORE_WAIT_SECONDS"):
        monkeypatch.setattr(f"isegoria.service.{name}", 60.0)  # however slow this machine is just now
    with run_live_server(store) as server, make_client(open_store(store.address)) as client:
        lunch = SampleGroup(client)
        rival = sqlite3.connect(tmp_path / "groups.db", isolation_level=None, check_same_thread=False)
        rival.execute("BEGIN IMMEDIATE")  # another program holds the database
        answered = []

        def rate(number):
            headers = {
                "authorization": f"Bearer {lunch.made['members']['Ann']}",
                "idempotency-key": f"k{number}",
                "content-type": "application/json",
            }
            body = json.dumps({"round": None, "slot": None, "values": {"Thai": 1}})
            answered.append(server.ask(f"/api/groups/{lunch.group}/ratings", "POST", body, headers)[0])

        threads = [threading.Thread(target=rate, args=(number,)) for number in range(18)]
        for thread in threads:
            thread.start()
        for _ in range(3):
            for path in (f"/api/groups/{lunch.group}", f"/g/{lunch.group}", f"/api/groups/{lunch.group}/record"):
                assert server.ask(path)[0] == 200
        assert answered == []  # they were read while all writers waited
        rival.execute("ROLLBACK")
        for thread in threads:
            thread.join()
        assert set(answered) <= {200, 503}
        assert 200 in answered
        rival.close()


def test_one_deadline_for_queue_and_lock(store, tmp_path, monkeypatch):
    """While another program holds the database, all writers are refused together, not one after the other."""
    monkeypatch.setattr("isegoria.service.app.STORE_WAIT_SECONDS", 2.0)
    with run_live_server(store) as server, make_client(open_store(store.address)) as client:
        lunch = SampleGroup(client)
        lunch["Ann"].get()  # its first use is written down
        rival = sqlite3.connect(tmp_path / "groups.db", isolation_level=None, check_same_thread=False)
        rival.execute("BEGIN IMMEDIATE")
        answered = []

        def rate(number):
            headers = {"authorization": f"Bearer {lunch['Ann'].token}", "content-type": "application/json"}
            body = json.dumps({"round": None, "slot": None, "values": {"Thai": 1}})
            path = f"/api/groups/{lunch.group}/ratings"
            answered.append(server.ask(path, "POST", body, headers | {"idempotency-key": f"k{number}"})[0])

        threads = [threading.Thread(target=rate, args=(number,)) for number in range(19)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answered == [503] * 19, "nobody waits for the end of the lock"
        rival.execute("ROLLBACK")
        rival.close()
        assert lunch["Ann"].rate({"Thai": 1}).is_success


def test_a_member_rates_only_so_often(store):
    with make_client(store, ratings=(3, 1e-6)) as client:
        lunch = SampleGroup(client)
        answers = [lunch["Ann"].rate({"Thai": stars}) for stars in (1, 2, 3, 4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert int(answers[-1].headers["retry-after"]) > 0
        assert lunch["Bob"].rate({"Thai": 1}).status_code == 200
        assert lunch["Ann"].get().json()["you"]["ratings"]["Thai"] == 3


def test_many_options_at_once_count_for_more(store):
    arms = [f"option {number}" for number in range(200)]
    with make_client(store, ratings=(6, 1e-6)) as client:
        lunch = SampleGroup(client, arms=arms)
        statuses = [lunch["Ann"].rate(dict.fromkeys(arms, stars)).status_code for stars in (1, 2, 3)]
        assert statuses == [200, 200, 429]


def test_a_client_that_goes_away_is_at_most_a_line(store, caplog, capfd):
    start = b"POST /api/groups HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    with caplog.at_level(logging.DEBUG, "isegoria"), run_live_server(store) as server:
        for _ in range(20):
            server.silent(start + b"content-length: 5000\r\n\r\n{").close()
            server.silent(b"\x16\x03\x01\x02\x00\x01\x00").close()
        assert server.ask("/healthz")[0] == 200
        time.sleep(0.1)
    said = caplog.text + "".join(capfd.readouterr())
    assert "Traceback" not in said
    assert len(caplog.records) <= 60


def test_a_record_is_sent_in_parts(store, monkeypatch):
    monkeypatch.setattr("isegoria.service.api.downloads.RECORD_BATCH_LINES", 2)
    with make_client(store) as client:
        lunch = SampleGroup(client)
        for _ in range(3):
            lunch.decide()
        with store.reading() as session:
            whole = [line for _, line in session.lines(lunch.group)]
        with client.stream("GET", f"/api/groups/{lunch.group}/record") as answer:
            assert "content-length" not in answer.headers  # nobody has put it together
            said = b"".join(answer.iter_raw())
        assert said.decode().splitlines() == whole
        assert len(whole) > 5


def test_a_large_group_has_its_qr_codes_when_they_are_asked_for(store):
    names = [f"Member {number}" for number in range(2000)]
    fields = {"title": "Lunch", "arms": "tea\nmate", "members": "\n".join(names), "key": "k"}
    with make_client(store) as client:
        where = client.post("/new", data=fields, follow_redirects=False).headers["location"]
        issue_links(store, {"group": where.split("/")[2], "members": {name: n for n, name in enumerate(names)}})
        before = time.process_time()
        page = client.get(where)
        spent = time.process_time() - before
        assert page.status_code == 200
        links = re.findall(r'href="(http://localhost/g/[^"]+#k=[^"]+)" id="card-\d+" data-name', page.text)
        assert len(links) == 2000
        assert page.text.count("<svg") <= 29  # with that of the join link
        one = client.post("/qr", content=links[-1])
        assert (one.status_code, one.headers["content-type"]) == (200, "image/svg+xml")
        assert one.text.startswith("<svg")
        before = time.process_time()
        for link in links[:20]:
            client.post("/qr", content=link)
        assert spent < 100 * (time.process_time() - before)  # the whole page costs less than its 2,000 codes would
        for wrong in ("https://evil.example/", "http://localhost/" + "x" * 400, "http://localhost/\u202e"):
            assert client.post("/qr", content=wrong.encode()).status_code == 400

"""Whoever listens is told: pages by a stream, the world outside by a webhook and a file of heads."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import urlsplit

import pytest
from api_clients import GroupClient, SampleGroup, make_client
from test_mail_and_webhooks import wait_until

from isegoria.service.app import create_app
from isegoria.service.settings import Settings
from isegoria.service.store import open_store


async def listen(app, group: str, token: str | None, count: int, act) -> list[tuple[str, dict]]:
    """The first messages of a group's stream; `act()` is called after the first."""
    told: asyncio.Queue = asyncio.Queue()
    gone = asyncio.Event()

    async def receive():
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message):
        if message["type"] == "http.response.body" and message.get("body"):
            await told.put(message["body"].decode())

    headers = [(b"host", b"localhost")] + ([(b"authorization", f"Bearer {token}".encode())] if token else [])
    scope = {
        "type": "http",
        "method": "GET",
        "path": f"/api/groups/{group}/events",
        "raw_path": b"",
        "query_string": b"",
        "headers": headers,
        "scheme": "http",
        "server": ("localhost", 80),
        "client": ("127.0.0.1", 1),
        "root_path": "",
        "http_version": "1.1",
        "asgi": {"version": "3.0"},
    }
    task = asyncio.create_task(app(scope, receive, send))
    found = []
    while len(found) < count:
        text = await asyncio.wait_for(told.get(), 60)
        if text.startswith("event"):
            kind, data = text.strip().split("\n")
            found.append((kind.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
            if len(found) == 1:
                await asyncio.to_thread(act)
    gone.set()
    await asyncio.wait_for(task, 60)
    return found


def test_a_stream_tells_members_of_everything_and_strangers_of_the_record(store):
    app = create_app(Settings(store=store.address, keeps_time=False), store)

    async def scene():
        async with app.app.router.lifespan_context(app.app):
            with make_client(open_store(store.address)) as other:  # another process, as far as the store can tell
                lunch = SampleGroup(other)
                inside = await listen(app, lunch.group, lunch["Ann"].token, 2, lambda: lunch["Bob"].rate({"Thai": 5}))
                outside = await listen(
                    app, lunch.group, None, 2, lambda: (lunch["Bob"].rate({"Thai": 1}), lunch.decide())
                )
                gone = await listen(
                    app, lunch.group, None, 2, lambda: lunch.organiser.post("delete", {"title": "Lunch"})
                )
        return inside, outside, gone

    inside, outside, gone = asyncio.run(scene())
    assert [data["events"] for _, data in inside] == [2, 3]
    assert "events" not in outside[0][1]
    assert outside[0][1]["lines"] == 0  # the record begins just before the first freeze
    assert outside[1][1]["lines"] > 2
    assert gone[1] == ("gone", {})


@pytest.fixture
def listener():
    """A web server that keeps what it is told."""
    told = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            told.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/hook", told
    server.shutdown()
    server.server_close()


def test_a_webhook_and_a_file_keep_the_heads(tmp_path, listener):
    address, told = listener
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    with make_client(store, webhooks=frozenset({urlsplit(address).netloc}), heads=str(tmp_path / "heads")) as client:
        lunch = SampleGroup(client)
        for wrong in ("ftp://127.0.0.1", "http://u:p@127.0.0.1/", "nonsense", "http://[", "http://"):
            assert lunch.organiser.post("settings", {"webhook": wrong}).status_code == 400, wrong
        assert lunch.organiser.post("settings", {"webhook": "http://10.0.0.1/"}).status_code == 409
        assert lunch.organiser.post("settings", {"webhook": address}).status_code == 200
        lunch.decide()
        head = lunch.nobody.get().json()["head"]
        wait_until(lambda: told and told[-1]["head"] == head)  # nobody waits for it but this test
        wait_until(lambda: head in (tmp_path / "heads").read_text())
    assert told[-1]["line"] == "draw"
    assert "Ann" not in json.dumps(told)
    noted = [line.split()[1:4] for line in (tmp_path / "heads").read_text().splitlines()]
    assert noted[-1][2] == head
    assert [int(lines) for _, lines, _ in noted] == list(range(1, len(noted) + 1))  # every line, also those together
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    with make_client(store, heads=str(tmp_path / "heads")) as client:  # a new process goes on where the file ends
        GroupClient(client, lunch.group, lunch.made["organiser"]).post("freeze")
        wait_until(lambda: len((tmp_path / "heads").read_text().splitlines()) > len(noted))
    again = [int(line.split()[2]) for line in (tmp_path / "heads").read_text().splitlines()]
    assert again == list(range(1, len(noted) + 2))


def test_without_leave_no_webhook_is_told(quick):
    lunch = SampleGroup(quick)
    refused = lunch.organiser.post("settings", {"webhook": "https://hooks.example/x"})
    assert refused.status_code == 409
    assert "--webhook-host" in refused.json()["error"]
    kept = lunch.organiser.post("settings", {"note": "bring cash", "webhook": None})
    assert kept.json() == {"webhook": None, "note": "bring cash"}
    assert lunch.organiser.get().json()["settings"]["note"] == "bring cash"

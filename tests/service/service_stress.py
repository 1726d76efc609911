"""What the service goes through: kills under load, four processes, a full disk. Samples run in the tests, all of it
in `make stress`: `python tests/service/service_stress.py`."""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from api_clients import SampleGroup
from load_client import RawConnection, get_resident_megabytes, open_streams, rate_concurrently
from postgres_server import PostgresServer
from service_processes import GroupUnderLoad, RetryingClient, ServiceProcess, create_group
from starlette.testclient import TestClient

from isegoria.record.group_learner import GroupLearner
from isegoria.service.groups.repository import GroupRepository
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify

DAY = 86400


def verify_store(crowd: GroupUnderLoad, address: str) -> dict:
    """What the store holds after all that: nothing acknowledged is lost, nothing was decided twice, all verifies."""
    store = open_store(address)
    with GroupRepository(store).reading(crowd.group) as (state, session):
        events = session.events(crowd.group)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        keys = [event.key for event in events]
        assert len(set(keys)) == len(keys)
        record = "".join(f"{line}\n" for _, line in session.lines(crowd.group)).encode()
        freezes, draws = (sum(event.kind in (kind, "trial") for event in events) for kind in ("freeze", "draw"))
        rates = sum(event.kind == "rate" for event in events)
        if crowd.learns:
            assert rates >= sum(crowd.said)
            snapshot = session.snapshot(crowd.group)
            closing = state.coming(None)
            assert GroupLearner.at(state, closing, snapshot).to_json() == GroupLearner.at(state, closing).to_json()
        else:
            for number, said in enumerate(crowd.said):
                stored = state.ratings.get(number, {}).get(0, "0")
                assert int(stored) in (said, said + 1), f"member {number}: {said} acknowledged, {stored} stored"
            assert rates == sum(int(values[0]) for values in state.ratings.values()), "each edit is stored once"
    store.close()
    told = verify(record)
    assert told["exit_code"] in (0, 3), told["sentence"]
    assert freezes - draws in (0, 1)
    assert draws in (crowd.draws, crowd.draws + 1), f"{crowd.draws} draws were answered, {draws} are stored"
    return {"events": len(events), "ratings": rates, "rounds": draws}


def kill_app_repeatedly(address: str, kills: int, learner: str | None = None, seed: int = 1) -> dict:
    """SIGKILL the app again and again while a group decides."""
    chance, process = random.Random(seed), ServiceProcess(address).ready()
    crowd = GroupUnderLoad(process, learner=learner).start()
    try:
        for number in range(kills):
            if number % 5:  # each fifth is killed while it starts
                process.ready()
            time.sleep(chance.uniform(0.05, 0.4))
            process.kill()
            process.start()
        process.ready()
        time.sleep(0.2)
        crowd.finish()
    finally:
        crowd.stop.set()
        process.stop()
    return verify_store(crowd, address)


def run_two_servers(address: str, draws: int) -> dict:
    """Two processes serve one store: half of the members are at each, and the organiser goes from one to the other."""
    first, second = ServiceProcess(address).ready(), ServiceProcess(address).ready()
    crowd = GroupUnderLoad(first, members=6)
    for number, person in enumerate(crowd.members):
        person.process = (first, second)[number % 2]
    crowd.start()
    try:
        until = time.monotonic() + 120
        while crowd.draws < draws and not crowd.failed:
            assert time.monotonic() < until, crowd.draws
            time.sleep(0.02)
            crowd.organiser.process = second if crowd.draws % 2 else first
        crowd.finish()
    finally:
        crowd.stop.set()
        for process in (first, second):
            process.stop()
    return verify_store(crowd, address)


def kill_postgres_repeatedly(server: PostgresServer, kills: int, seed: int = 2) -> dict:
    """SIGKILL PostgreSQL itself again and again; the app stays, and finds it again."""
    address = server.database()
    chance, process = random.Random(seed), ServiceProcess(address).ready()
    crowd = GroupUnderLoad(process).start()
    try:
        for _ in range(kills):
            time.sleep(chance.uniform(0.2, 0.8))
            server.kill()
            server.start()
        time.sleep(0.3)
        crowd.finish()
    finally:
        crowd.stop.set()
        process.stop()
    return verify_store(crowd, address)


def run_four_schedulers(address: str, rounds: int, days_a_second: float = 3.0) -> dict:
    """Four processes keep the time of one group, whose days are short: every round is frozen and drawn once."""
    began = time.time()
    first = ServiceProcess(address, DAY * days_a_second, began).ready()
    others = [ServiceProcess(address, DAY * days_a_second, began).ready() for _ in range(3)]
    try:
        body = {"title": "Lunch", "arms": ["Thai", "Pizza"], "members": ["Ann", "Bob"], "block": 1}
        made = create_group(first, body)
        organiser = RetryingClient(first, made["group"], made["organiser"])
        table = {"recurrence": "daily", "time": "12:00", "zone": "UTC", "lead": 23 * 60}
        assert organiser.post("timetable", {"timetable": table})[0] == 200
        until = time.monotonic() + 60 + 4 * rounds / days_a_second
        while count_drawn_rounds(seen := json.loads(organiser.get())) < rounds:
            assert time.monotonic() < until, seen["round"]
            time.sleep(0.05)
        assert organiser.post("timetable", {"timetable": None})[0] == 200
        time.sleep(0.2)
        state, record = json.loads(organiser.get()), organiser.get("record")
        organiser.close()
    finally:
        for process in (first, *others):
            process.stop()
    kinds = [json.loads(line)["line"] for line in record.splitlines()]
    assert kinds.count("freeze") == state["round"]
    assert kinds.count("draw") == count_drawn_rounds(state) >= rounds
    assert verify(record)["exit_code"] == 3
    return {"rounds": state["round"], "draws": kinds.count("draw")}


def count_drawn_rounds(state: dict) -> int:
    """The rounds of a group that have been drawn."""
    return state["round"] - (state["phase"] == "frozen")


def rate_with_many_members(address: str, members: int = 200, options: int = 10) -> dict:
    """So many members rate so many options, each rating sent twice, with reads in between."""
    process = ServiceProcess(address).ready()
    try:
        arms = [f"option {number}" for number in range(options)]
        body = {"title": "Lunch", "arms": arms, "members": [f"M{number}" for number in range(members)]}
        made = create_group(process, body)
        told = asyncio.run(
            rate_concurrently(process.port, made["group"], list(made["members"].values()), arms, options)
        )
        organiser = RetryingClient(process, made["group"], made["organiser"])
        exported = json.loads(organiser.get("export"))
        organiser.close()
    finally:
        process.stop()
    store = open_store(address)
    with store.reading() as session:
        told["stored"] = sum(event.kind == "rate" for event in session.events(made["group"]))
    store.close()
    for number, member in enumerate(exported["members"]):
        assert member["ratings"] == {arm: (number + place) % 6 for place, arm in enumerate(arms)}
    return told


def open_many_streams(address: str, count: int = 500) -> dict:
    """So many open event streams, all of which hear of a freeze; and the memory of the process that holds them."""
    process = ServiceProcess(address).ready()

    async def scene() -> dict:
        body = {"title": "Lunch", "arms": ["Thai", "Pizza"], "members": ["Ann", "Bob"]}
        made = create_group(process, body)
        before = get_resident_megabytes(process.child.pid)
        wires = await open_streams(process.port, made["group"], count)
        organiser = RawConnection(process.port)
        status, _ = await organiser.ask("POST", f"/api/groups/{made['group']}/freeze", made["organiser"], {}, "f")
        assert status == 201
        await asyncio.wait_for(asyncio.gather(*(wire.reader.readuntil(b"event: change") for wire in wires)), 30)
        held = get_resident_megabytes(process.child.pid)
        for wire in (*wires, organiser):
            wire.close()
        return {"told": len(wires), "before": round(before), "megabytes": round(held)}

    try:
        return asyncio.run(scene())
    finally:
        process.stop()


def fill_disk(address: str) -> dict:
    """The disk fills up, as far as SQLite can tell: requests are refused with a sentence, and work again afterwards."""
    from isegoria.service.app import create_app
    from isegoria.service.settings import Settings

    app = create_app(Settings(store=address, keeps_time=False, threads=1))
    service = app.state.service

    def limit(pages: int) -> None:
        with service.store.writing() as session:
            session._run(f"PRAGMA max_page_count = {pages}", ())

    with TestClient(app, base_url="http://localhost") as client:
        lunch = SampleGroup(client)
        assert lunch["Ann"].rate({"Thai": 5}).status_code == 200
        asyncio_run(client, service, limit, 1)
        answers = [lunch["Ann"].rate({"Thai": number % 6}) for number in range(400)]
        statuses = [answer.status_code for answer in answers]
        assert set(statuses) <= {200, 503}
        said = next(answer for answer in answers if answer.status_code == 503)
        assert "full" in said.json()["error"], said.text
        taken = [number for number, status in enumerate(statuses) if status == 200]
        kept = lunch["Ann"].get().json()["you"]["ratings"]["Thai"]
        assert kept == (taken[-1] % 6 if taken else 5), "what was acknowledged last is what is kept"
        asyncio_run(client, service, limit, 2**30)
        after = lunch["Bob"].rate({"Thai": 2}).status_code
        lunch.decide()
        record = lunch.record()
    assert verify(record)["exit_code"] == 3
    return {"refused": statuses.count(503), "after": after}


def asyncio_run(client: TestClient, service, work, *arguments) -> None:
    """Run something on the service's own thread."""
    client.portal.call(service.writers.run, work, *arguments)


def main() -> int:
    """Everything, at full size."""
    with tempfile.TemporaryDirectory() as folder:
        for learner in (None, "guided"):
            address = f"sqlite:///{Path(folder) / f'{learner}.db'}"
            told = kill_app_repeatedly(address, 100, learner)
            print(f"SQLite, 100 kills of the app ({learner or 'known ratings'}): {told}", flush=True)
        print(f"SQLite, two servers: {run_two_servers(f'sqlite:///{folder}/t.db', 200)}", flush=True)
        print(
            f"SQLite, 200 members, 10 ratings each, sent twice: {rate_with_many_members(f'sqlite:///{folder}/c.db')}",
            flush=True,
        )
        print(f"SQLite, 500 event streams: {open_many_streams(f'sqlite:///{folder}/s.db')}", flush=True)
        print(f"SQLite, a full disk: {fill_disk(f'sqlite:///{folder}/f.db')}", flush=True)
        server = PostgresServer(own=True, sync=True)
        print(f"PostgreSQL, 50 kills of the app: {kill_app_repeatedly(server.database(), 50)}", flush=True)
        print(f"PostgreSQL, 20 kills of the postmaster: {kill_postgres_repeatedly(server, 20)}", flush=True)
        print(f"PostgreSQL, four processes that keep time: {run_four_schedulers(server.database(), 100)}", flush=True)
        server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())

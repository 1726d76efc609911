"""The source of a group: changed by an amendment, with its times; a beacon only where the server fetches its rounds."""

import json
from datetime import UTC, datetime

import pytest
from api_clients import SampleGroup, make_client

from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify
from service.test_page_responses import sign_in, submit

NOON = 1_789_041_600  # 10 September 2026, a Thursday, 12:00 UTC
DAY = 86400
LUNCH = {"recurrence": "weekdays", "time": "12:30", "zone": "Europe/Berlin", "lead": 180}


@pytest.fixture
def relayed(tmp_path):
    """A server that fetches a beacon, at a fixed time."""
    opened = open_store(f"sqlite:///{tmp_path / 'groups.db'}")
    with make_client(opened, relay="http://127.0.0.1:9") as client:
        client.app.state.service.groups.clock = lambda: NOON
        yield client


def lines(group: SampleGroup) -> list[dict]:
    return [json.loads(line) for line in group.record().splitlines()]


def test_a_source_is_amended_between_rounds_and_stands_on_record(relayed):
    group = SampleGroup(relayed)
    assert group.organiser.post("freeze").status_code == 201
    refused = group.organiser.post("source", {"source": "beacon"})
    assert (refused.status_code, "draw it first" in refused.text) == (409, True)
    group.organiser.post("draw")
    made = group.organiser.post("source", {"source": "beacon", "reason": "for proofs"})
    assert (made.status_code, made.json()["source"]["kind"]) == (201, "beacon")
    assert made.json()["source"]["first_at"] % 3600 == 0
    assert lines(group)[-1] | {"prev": ""} == {
        "line": "amend",
        "field": "source",
        "value": made.json()["source"],
        "reason": "for proofs",
        "prev": "",
    }
    assert group.organiser.post("source", {"source": "beacon"}).status_code == 200  # nothing to change
    assert group.organiser.post("freeze").status_code == 201
    assert lines(group)[-1]["occurrence"] == 0
    assert verify(group.record(), now=NOON)["exit_code"] == 3
    assert group["Ann"].post("source", {"source": "dice"}).status_code == 403


def test_a_beacon_takes_the_times_of_the_timetable_and_gives_them_back(relayed):
    group = SampleGroup(relayed, timetable=LUNCH)
    at = group.nobody.get().json()["timetable"]["next"]["draw"]
    assert at == NOON + 22 * 3600 + 1800  # 12:30 in Berlin, tomorrow
    group.organiser.post("source", {"source": "beacon"})
    shown = group.nobody.get().json()["timetable"]
    assert (shown["first"], shown["every"], shown["next"]["draw"]) == (at, DAY, at)
    assert {name: shown[name] for name in LUNCH} == LUNCH
    group.organiser.post("freeze")
    relayed.app.state.service.groups.clock = lambda: at + DAY
    assert group.organiser.post("source", {"source": "rehearsal"}).status_code == 409
    with relayed.app.state.service.groups.reading(group.group) as (state, _):
        assert state.open.speaks_at - at in range(3)


def test_a_new_group_under_a_beacon_is_drawn_when_its_timetable_says(relayed):
    group = SampleGroup(relayed, source="beacon", block=3, timetable=LUNCH)
    shown = group.nobody.get().json()["timetable"]
    assert datetime.fromtimestamp(shown["next"]["draw"], UTC).isoformat() == "2026-09-11T10:30:00+00:00"
    with relayed.app.state.service.groups.reading(group.group) as (state, _):
        from isegoria.service.groups.occurrences import get_timetable

        clock = get_timetable(state)
    days = [datetime.fromtimestamp(clock.at(clock.step(0, slot)), UTC).strftime("%a") for slot in range(3)]
    assert days == ["Fri", "Mon", "Tue"]
    assert clock.upcoming(clock.at(0)) == 3
    for asked, first in (({"lead": 60}, None), (LUNCH, None), (LUNCH | {"time": "13:00"}, shown["first"] + 1800)):
        assert group.organiser.post("timetable", {"timetable": asked}).status_code == 200
        assert group.nobody.get().json()["timetable"]["first"] == (first or shown["first"])


def test_when_clocks_change_a_beacon_moves_by_an_hour_until_its_time_is_saved_again(relayed):
    group = SampleGroup(relayed, source="beacon", timetable=LUNCH)
    sign_in(relayed, group.organiser)
    assert (
        "when the clocks change, the draw comes an hour later or earlier"
        in relayed.get(f"/g/{group.group}/organise").text
    )
    relayed.app.state.service.groups.clock = lambda: NOON + 60 * DAY  # 9 November: clocks have changed

    def draws_at() -> str:
        return datetime.fromtimestamp(group.nobody.get().json()["timetable"]["next"]["draw"], UTC).strftime("%H:%M")

    assert draws_at() == "10:30"  # 11:30 in Berlin by now
    assert group.organiser.post("timetable", {"timetable": LUNCH}).status_code == 200
    assert draws_at() == "11:30"


def test_what_is_not_offered_is_refused(quick, relayed):
    group = SampleGroup(quick)
    refused = group.organiser.post("source", {"source": "beacon"})
    assert (refused.status_code, "--relay" in refused.text) == (409, True)
    group.organiser.post("timetable", {"timetable": LUNCH})
    assert "decide by hand" in group.organiser.post("source", {"source": "commit_reveal"}).json()["error"]
    assert group.organiser.post("timetable", {"timetable": None}).status_code == 200
    assert group.organiser.post("source", {"source": "commit_reveal"}).status_code == 201
    assert "decide by hand" in group.organiser.post("timetable", {"timetable": LUNCH}).json()["error"]
    sign_in(quick, group.organiser)
    page = quick.get(f"/g/{group.group}/organise").text
    assert ('<option value="commit_reveal" selected>' in page, 'value="beacon"' in page) == (True, False)
    assert submit(quick, group.group, "source", page, source="dice").status_code == 303
    assert group.nobody.get().json()["source"] == "dice"
    sign_in(relayed, (other := SampleGroup(relayed)).organiser)
    assert 'value="beacon"' in relayed.get(f"/g/{other.group}/organise").text

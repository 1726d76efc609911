"""Time: occurrences in any zone, kept by any number of schedulers, never twice and never backdated."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from api_clients import SampleGroup, make_client
from hypothesis import given
from hypothesis import strategies as st

from isegoria.errors import InputError
from isegoria.record.actions.rounds import MIN_BEACON_LEAD_SECONDS
from isegoria.service.groups import timetable
from isegoria.service.groups.timetable import RECURRENCE_NAMES, BeaconTimetable, Timetable
from isegoria.service.store import open_store
from isegoria.verifier.isegoria_verify import verify

ZONES = ["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia"]
NOON = int(datetime(2026, 3, 2, 12, tzinfo=UTC).timestamp())  # a Monday


@given(
    st.sampled_from(RECURRENCE_NAMES),
    st.sampled_from(ZONES),
    st.integers(0, 23),
    st.integers(0, 59),
    st.dates(min_value=datetime(2024, 1, 1).date(), max_value=datetime(2027, 12, 31).date()),
    st.integers(1, 400),
)
def test_occurrences_are_at_their_time_of_day_and_in_order(recurrence, zone, hour, minute, start, number):
    table = Timetable(recurrence, f"{hour:02d}:{minute:02d}", zone, start.isoformat())
    at, after = table.at(number), table.at(number + 1)
    assert at < after
    assert table.upcoming(at - 1) == number
    assert table.upcoming(at) == number + 1
    local = datetime.fromtimestamp(at, ZoneInfo(zone))
    shift = (local.hour * 60 + local.minute) - (hour * 60 + minute)
    assert shift % 1440 in (0, 30, 60)  # an hour, or half of one, that the change of clocks left out
    if recurrence == "weekdays":
        assert local.weekday() < 5
    if recurrence == "weekly":
        assert local.weekday() == start.weekday()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("recurrence", "hourly"),
        ("time", "25:00"),
        ("time", "noon"),
        ("zone", "Mars/Base"),
        ("start", "tomorrow"),
        ("lead", 0),
        ("zone", "../etc/passwd"),
        ("start", "2026-02-30"),
    ],
)
def test_a_timetable_that_cannot_be_is_refused(field, value, quick):
    fields = {"recurrence": "daily", "time": "12:00", "zone": "UTC", "start": "2026-03-02", "lead": 60}
    with pytest.raises(InputError, match=r"expected"):
        Timetable(**fields | {field: value})
    answer = SampleGroup(quick).organiser.post("timetable", {"timetable": fields | {field: value}})
    assert answer.status_code == 400


def test_the_clockwork_of_a_beacon_counts_seconds():
    clock = BeaconTimetable(first=1000, every=60)
    moments = [moment - MIN_BEACON_LEAD_SECONDS for moment in (0, 999, 1000, 1059, 1060)]
    assert [clock.upcoming(now) for now in moments] == [0, 0, 1, 1, 2], "a page comes in time for others to have it"
    assert clock.opens(7) <= clock.at(7) - MIN_BEACON_LEAD_SECONDS


class ManualClock:
    """A clock that the test sets, and the scheduler that looks at it."""

    def __init__(self, client, now: int):
        self.now, self.service = now, client.app.state.service
        self.service.groups.clock = lambda: self.now
        self.service.scheduler.monotonic = lambda: self.now

    def at(self, moment: int) -> None:
        """Set the clock, and let the scheduler look twice."""
        self.now = moment
        self.service.scheduler.tick()
        self.service.scheduler.tick()


@pytest.fixture
def lunch(store):
    with make_client(store) as client:
        clock = ManualClock(client, NOON - 7200)
        group = SampleGroup(client, block=1)
        group.clock = clock
        table = {"recurrence": "weekdays", "time": "12:00", "zone": "UTC", "lead": 60}
        assert group.organiser.post("timetable", {"timetable": table}).status_code == 200
        yield group


def phase(group: SampleGroup) -> tuple[str, int]:
    state = group.nobody.get().json()
    return state["phase"], state["round"]


def test_a_group_freezes_and_draws_by_itself(lunch):
    lunch.clock.at(NOON - 3601)
    assert phase(lunch) == ("collecting", 0)
    lunch.clock.at(NOON - 3600)
    assert phase(lunch) == ("frozen", 1)
    lunch.clock.at(NOON - 1)
    assert phase(lunch) == ("frozen", 1)
    lunch.clock.at(NOON)
    assert phase(lunch) == ("collecting", 1)
    lunch.clock.at(NOON + 3600)
    assert phase(lunch) == ("collecting", 1)
    lunch.clock.at(NOON + 86400)
    assert phase(lunch) == ("collecting", 1), "the page of Tuesday was not frozen before Tuesday noon: it is skipped"
    lunch.clock.at(NOON + 2 * 86400 - 10)
    assert phase(lunch) == ("frozen", 2)


def test_after_three_hours_down_nothing_is_backdated(lunch):
    lunch.clock.at(NOON - 3600)
    lunch.clock.at(NOON + 3 * 3600)
    assert phase(lunch) == ("collecting", 1), "what was frozen in time is drawn as soon as somebody keeps time"
    lunch.clock.at(NOON + 86400 + 3 * 3600)
    assert phase(lunch) == ("collecting", 1), "what was not frozen in time is skipped"
    at = lunch.nobody.get().json()["timetable"]["next"]
    assert at["draw"] == NOON + 2 * 86400
    assert verify(lunch.record())["exit_code"] == 3


def test_a_clock_set_back_decides_nothing_twice(lunch):
    lunch.clock.at(NOON - 3600)
    lunch.clock.at(NOON)
    before = lunch.record()
    for moment in (NOON - 3600, NOON - 1800, NOON - 1, NOON):
        lunch.clock.at(moment)
    assert lunch.record() == before
    lunch["Ann"].rate({"Thai": 5})
    with lunch.clock.service.store.reading() as session:
        times = [event.at for event in session.events(lunch.group)]
    assert times == sorted(times)
    lunch.clock.at(NOON + 86400 - 60)
    assert phase(lunch) == ("frozen", 2)


def test_keepers_of_several_processes_do_no_harm(lunch, address):
    others = [make_client(open_store(address)) for _ in range(2)]
    schedulers = [lunch.clock.service.scheduler]
    for other in others:
        other.app.state.service.groups.clock = lambda: lunch.clock.now
        schedulers.append(other.app.state.service.scheduler)
    for day in range(5):
        for moment in (NOON + day * 86400 - 1800, NOON + day * 86400 + 1):
            lunch.clock.now = moment
            for scheduler in schedulers * 2:
                scheduler.tick()
    assert phase(lunch) == ("collecting", 5)
    assert lunch.record().count(b'"line":"freeze"') == lunch.record().count(b'"line":"draw"') == 5
    for other in others:
        other.app.state.service.close()


def test_a_block_decides_for_as_many_days(store):
    with make_client(store) as client:
        clock = ManualClock(client, NOON - 7200)
        group = SampleGroup(client, block=None)
        table = {"recurrence": "daily", "time": "12:00", "zone": "UTC", "lead": 30}
        group.organiser.post("timetable", {"timetable": table})
        for hour in range(0, 24 * 7):
            clock.at(NOON - 1800 + 3600 * hour)
        state = group.nobody.get().json()
        assert (state["round"], len(state["last"]["slots"])) == (3, 3)


def test_a_timetable_can_be_stopped_and_the_calendar_tells_it(lunch):
    feed = lunch.nobody.get("calendar.ics")
    assert feed.headers["content-type"].startswith("text/calendar")
    lines = feed.text.split("\r\n")
    assert lines[0] == "BEGIN:VCALENDAR"
    assert "DTEND:20260302T120000Z" in lines
    assert max(len(line.encode()) for line in lines) <= 75
    assert lunch.organiser.post("timetable", {"timetable": None}).status_code == 200
    lunch.clock.at(NOON)
    assert phase(lunch) == ("collecting", 0)
    assert "VEVENT" not in lunch.nobody.get("calendar.ics").text


def test_an_unused_group_is_erased_when_it_said_so(quick):
    clock = ManualClock(quick, NOON)
    kept, gone = SampleGroup(quick), SampleGroup(quick)
    gone.organiser.post("settings", {"retention": 30})
    clock.at(NOON + 29 * 86400)
    assert gone.nobody.get().status_code == 200
    clock.at(NOON + 31 * 86400)
    assert gone.nobody.get().status_code == 200  # found old for the first time
    clock.at(NOON + 32 * 86400)
    assert gone.nobody.get().status_code == 404
    assert kept.nobody.get().status_code == 200


def test_a_server_without_a_list_of_time_zones_knows_utc_and_says_so(monkeypatch):
    def missing(name):
        raise ZoneInfoNotFoundError(name)

    monkeypatch.setattr(timetable, "ZoneInfo", missing)
    monkeypatch.setattr(timetable, "available_timezones", set)
    assert Timetable("daily", "12:30", "UTC", "2026-03-26").at(1) == 1774528200
    with pytest.raises(InputError, match="no list of them but UTC"):
        Timetable("daily", "12:30", "Europe/Berlin", "2026-03-26")

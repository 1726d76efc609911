"""The next date: page, API, calendar and scheduler name the same one, over a year with both changes of the clocks."""

import re
from datetime import UTC, date, datetime, time, timedelta
from itertools import count
from zoneinfo import ZoneInfo

import pytest
from api_clients import SampleGroup, make_client
from test_timetable import ManualClock

from isegoria.service.groups.occurrences import list_turns
from isegoria.service.scheduling.scheduler import find_due_step
from isegoria.service.store import open_store

YEAR = 365 * 86400
START = date(2026, 1, 5)  # a Monday; both changes of the clocks lie ahead


def days(recurrence: str, start: date, count: int) -> list[date]:
    """The days of a recurrence, walked through one by one: nothing of the timetable's own arithmetic."""
    found, day = [], start
    while len(found) < count:
        if recurrence == "daily" or (recurrence == "weekdays" and day.weekday() < 5) or (day - start).days % 7 == 0:
            found.append(day)
        day += timedelta(days=1)
    return found


def offset(zone: str, now: int) -> timedelta | None:
    return datetime.fromtimestamp(now, ZoneInfo(zone)).utcoffset()


def group_of(client, group: SampleGroup):
    with client.app.state.service.groups.reading(group.group) as (state, _):
        return state


def find_next_date_everywhere(client, group: SampleGroup, clock: ManualClock) -> int:
    """The next moment that everybody names, once they were found to agree."""
    service = client.app.state.service
    with service.groups.reading(group.group) as (state, _):
        move, _, again = find_due_step(state, clock.now)
    told = group.nobody.get().json()["timetable"]["next"]
    assert move is None
    assert again == told["at"]
    page = client.get(f"/g/{group.group}").text
    assert int(re.search(r'id="next" data-at="(\d+)"', page)[1]) == told["at"]
    feed = group.nobody.get("calendar.ics").text.replace("\r\n ", "")
    entry = re.search(rf"UID:{group.group}-next-{told['occurrence']}@.*?END:VEVENT", feed, re.DOTALL)[0]
    stamps = [re.search(rf"{name}:(\w+)", entry)[1] for name in ("DTSTART", "DTEND")]
    ends = [int(datetime.strptime(one, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()) for one in stamps]
    assert ends == [told["at"], told["draw"]]
    return told["at"]


@pytest.mark.parametrize(
    ("recurrence", "at", "zone", "block"),
    [
        ("daily", time(2, 30), "Europe/Berlin", 5),  # a time that one night leaves out and another brings twice
        ("weekdays", time(12, 30), "America/New_York", 3),
        ("weekly", time(0, 10), "Australia/Lord_Howe", 1),  # clocks change by half an hour
    ],
)
def test_everybody_names_the_same_next_date_for_a_year(tmp_path, recurrence, at, zone, block):
    store = open_store(f"sqlite:///{tmp_path / 'year.db'}")
    with make_client(store) as client:
        clock = ManualClock(client, int(datetime.combine(START, time(), ZoneInfo(zone)).timestamp()) - 7200)
        group = SampleGroup(client, block=block)
        table = {"recurrence": recurrence, "time": f"{at:%H:%M}", "zone": zone, "start": START.isoformat(), "lead": 45}
        assert group.organiser.post("timetable", {"timetable": table}).status_code == 200
        begun, scheduler = clock.now, clock.service.scheduler
        for look in count():
            if clock.now >= begun + YEAR:
                break
            closely = look % 9 == 0 or offset(zone, clock.now - 6 * 86400) != offset(zone, clock.now + 6 * 86400)
            then = (
                find_next_date_everywhere(client, group, clock)
                if closely
                else find_due_step(group_of(client, group), clock.now)[2]
            )
            before = group_of(client, group).phase
            for clock.now in (then - 1, then):
                assert group_of(client, group).phase == before, "nothing comes early"
                scheduler.tick()
            assert group_of(client, group).phase != before, "it comes when it was said"
        with client.app.state.service.groups.reading(group.group) as (state, _):
            decided = [turn for round_ in state.rounds for turn in list_turns(state, round_)]
    expected = days(recurrence, START, len(decided))
    assert [turn.date for turn in decided] == [day.isoformat() for day in expected], "each day is decided once"
    for turn, day in zip(decided, expected, strict=True):
        local = datetime.fromtimestamp(turn.at, ZoneInfo(zone))
        shown = local.replace(tzinfo=None) - datetime.combine(day, at)
        assert shown in (timedelta(0), timedelta(minutes=30), timedelta(hours=1))
        if shown == timedelta(0):
            assert local.fold == 0, "a time that comes twice is meant at its first coming"
        else:
            assert _is_left_out(datetime.combine(day, at), zone)


def _is_left_out(local: datetime, zone: str) -> bool:
    """Whether no clock ever shows this time of day there."""
    there = local.replace(tzinfo=ZoneInfo(zone))
    return there.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) != local


@pytest.fixture
def lunch(quick):
    """A group of three turns a round, at noon of every day in Berlin, on a Monday morning."""
    clock = ManualClock(quick, int(datetime(2026, 3, 2, 8, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()))
    group = SampleGroup(quick, block=3)
    table = {"recurrence": "daily", "time": "12:00", "zone": "Europe/Berlin", "lead": 60}
    assert group.organiser.post("timetable", {"timetable": table}).status_code == 200
    group.clock = clock
    return group


def test_a_beacons_clockwork_names_the_same_date_everywhere(quick):
    now = int(datetime(2026, 3, 2, 8, tzinfo=ZoneInfo("Europe/Berlin")).timestamp())
    clock = ManualClock(quick, now)
    table = {"recurrence": "daily", "zone": "Europe/Berlin", "lead": 180}
    group = SampleGroup(quick, source="beacon", first=now + 4 * 3600, every=86400, block=2, timetable=table)
    for occurrence in (0, 1, 2, 3):
        clock.now = now + occurrence * 86400
        then = find_next_date_everywhere(quick, group, clock)
        assert then == now + 3600 + max(0, occurrence) * 86400, "three hours before the beacon speaks"
        assert datetime.fromtimestamp(then, ZoneInfo("Europe/Berlin")).hour == 9


def dates(group: SampleGroup) -> list[str]:
    return [turn["date"] for turn in group.nobody.get().json()["plan"]]


def test_a_freeze_by_hand_decides_no_day_again(lunch):
    lunch.decide()
    assert dates(lunch) == ["2026-03-02", "2026-03-03", "2026-03-04"]
    lunch.decide()
    assert dates(lunch) == [f"2026-03-0{day}" for day in range(2, 8)], "today's plan stays while the next is decided"
    assert lunch.nobody.get().json()["timetable"]["next"]["draw"] == int(
        datetime(2026, 3, 8, 12, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()
    )


def test_a_round_that_is_left_gives_its_day_back(lunch):
    assert lunch.organiser.post("freeze").status_code == 201
    assert lunch.organiser.post("freeze", {"undrawn": True}).status_code == 201
    assert lunch.organiser.post("draw").status_code == 201
    assert dates(lunch)[0] == "2026-03-02"


def test_decided_turns_move_with_a_new_timetable(lunch):
    lunch.decide()
    lunch.clock.now += 86400 + 6 * 3600  # Tuesday, 14:00: Tuesday's noon is past, Wednesday's turn is to come
    table = {"recurrence": "weekdays", "time": "13:00", "zone": "Europe/Berlin", "lead": 60}
    assert lunch.organiser.post("timetable", {"timetable": table}).status_code == 200
    state = lunch.nobody.get().json()
    assert dates(lunch) == [None, None, "2026-03-04"], "what is past is dated no more, what is to come is"
    assert datetime.fromtimestamp(state["plan"][2]["at"], ZoneInfo("Europe/Berlin")).hour == 13
    following = datetime.fromtimestamp(state["timetable"]["next"]["draw"], ZoneInfo("Europe/Berlin"))
    assert following.isoformat() == "2026-03-05T13:00:00+01:00"


def test_the_calendar_carries_what_was_decided(lunch):
    lunch["Ann"].rate({"Thai": 5})
    drawn = lunch.decide()["arms"]
    feed = lunch.nobody.get("calendar.ics").text
    for place, arm in enumerate(drawn):
        assert f"DTSTART:2026030{2 + place}T110000Z\r\nDURATION:PT30M\r\nSUMMARY:Lunch: {arm}\r\n" in feed
    instead = "Salad" if drawn[0] != "Salad" else "Thai"
    body = {"round": 1, "slot": 0, "arm": instead, "reason": "closed, sadly"}
    assert lunch.organiser.post("override", body).status_code == 201
    feed = lunch.nobody.get("calendar.ics?lang=de").text.replace("\r\n ", "")
    assert f"SUMMARY:Lunch: {instead}\r\nDESCRIPTION:statt {drawn[0]}: closed\\, sadly" in feed
    assert max(len(line.encode()) for line in lunch.nobody.get("calendar.ics").text.split("\r\n")) <= 75


def test_today_is_a_date_in_the_groups_zone_and_language(quick, lunch):
    drawn = lunch.decide()["arms"]
    page = quick.get(f"/g/{lunch.group}", headers={"accept-language": "de"}).text
    assert "Heute, Montag, 2. März" in page
    assert f'<p class="following">Morgen: <strong><bdi>{drawn[1]}</bdi></strong></p>' in page
    assert f'<p class="drawn"><bdi>{drawn[0]}</bdi></p>' in page
    lunch.clock.now += 86400
    page = quick.get(f"/g/{lunch.group}").text
    assert "Today, Tuesday 3 March" in page
    assert f'<p class="drawn"><bdi>{drawn[1]}</bdi></p>' in page
    assert "Answers close on Thursday 5 March, 11:00; it is decided on Thursday 5 March, 12:00." in page
    assert page.count('aria-current="date"') == 1


def test_a_new_timetable_begins_where_answers_can_still_be_given(quick):
    """A group that is made half an hour before noon does not close its answers in the same second."""
    clock = ManualClock(quick, int(datetime(2026, 3, 2, 11, 30, tzinfo=ZoneInfo("Europe/Berlin")).timestamp()))
    table = {"recurrence": "daily", "time": "12:00", "zone": "Europe/Berlin", "lead": 60}
    for group in (SampleGroup(quick, timetable=table), SampleGroup(quick)):
        group.organiser.post("timetable", {"timetable": table})
        clock.at(clock.now + 1)
        state = group.nobody.get().json()
        assert (state["phase"], state["timetable"]["start"]) == ("collecting", "2026-03-03")


def test_without_a_timetable_there_is_a_next_and_no_date(quick):
    group = SampleGroup(quick, block=2)
    arms = group.decide()["arms"]
    page = quick.get(f"/g/{group.group}").text
    assert ">Next</h2>" in page
    assert f'<p class="drawn"><bdi>{arms[0]}</bdi></p>' in page
    assert "<time" not in page
    assert dates(group) == [None, None]

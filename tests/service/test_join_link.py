"""The first minute: one link for everybody, the organiser in at once, and nothing that a reload could lose."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from api_clients import KEY_COUNTER, SampleGroup
from starlette.testclient import TestClient
from test_page_responses import fields, submit

from isegoria.service.http.tokens import make_cookie_name

FORM = {"key": "form-of-an-open-page-1", "title": "Lunch", "arms": "Thai, Pizza", "members": "Bob, Cem", "me": "Ann"}


class BrowserDevice:
    """A browser of its own on the same server."""

    def __init__(self, client: TestClient, address: str = "testclient"):
        self.client = TestClient(client.app, base_url="http://localhost", client=(address, 50000))
        self.posted = 0

    def post(self, path: str, body: dict):
        return self.client.post(path, json=body, headers={"idempotency-key": f"d{next(KEY_COUNTER)}"})

    def take(self, group: str, token: str, member: int):
        return self.post(f"/api/groups/{group}/join/take", {"token": token, "member": member})

    def names(self, group: str, token: str) -> dict:
        return self.post(f"/api/groups/{group}/join", {"token": token}).json()

    def page(self, path: str) -> str:
        return self.client.get(path).text


@pytest.fixture
def lunch(client):
    return SampleGroup(client)


def test_everybody_takes_her_name_by_one_link(lunch, client):
    token = lunch.made["join"]
    for number, name in enumerate(lunch.members):
        device = BrowserDevice(client)
        people = device.names(lunch.group, token)["people"]
        assert [one["taken"] for one in people] == [n < number for n in range(3)]
        assert device.take(lunch.group, token, number).status_code == 200
        assert f"{name}, your answer" in device.page(f"/g/{lunch.group}")
        assert device.names(lunch.group, token)["yours"] == number
        assert device.take(lunch.group, token, number).status_code == 200, "again from its own device"


def test_one_of_several_who_tap_a_name_at_once_gets_it(lunch, client):
    devices = [BrowserDevice(client, f"10.0.0.{n}") for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda one: one.take(lunch.group, lunch.made["join"], 1).status_code, devices))
    assert sorted(answers) == [200, 409, 409, 409, 409, 409]


def test_a_taken_name_is_free_again_when_the_organiser_says_so_and_everybody_sees_it(lunch, client):
    lunch.decide()
    token, ann, other = lunch.made["join"], BrowserDevice(client), BrowserDevice(client, "10.0.0.9")
    assert ann.take(lunch.group, token, 0).status_code == 200
    refused = other.take(lunch.group, token, 0)
    assert refused.status_code == 409
    assert refused.json()["error"].startswith("Ann is taken on another device.")
    assert ann.post(f"/api/groups/{lunch.group}/keys", lunch.key("Ann", bytes(32))).is_success
    lunch.decide()
    before = lunch.record()
    assert lunch.organiser.post("links", {"number": 0}).status_code == 201
    assert other.take(lunch.group, token, 0).status_code == 200
    assert "Ann, your answer" not in ann.page(f"/g/{lunch.group}"), "the old device is signed out"
    lunch.decide()
    grown = lunch.record()[len(before) :].decode().splitlines()
    assert '"line":"roster"' in grown[0], "freeing a name takes its key from the roster"
    assert re.search(r"Your link was issued again by the organiser on \w+day \d+ \w+", other.page(f"/g/{lunch.group}"))
    assert lunch["Bob"].get().json()["you"]["reissued"] is None


def test_a_device_has_one_name_in_a_group(lunch, client):
    device = BrowserDevice(client)
    assert device.take(lunch.group, lunch.made["join"], 0).status_code == 200
    assert device.take(lunch.group, lunch.made["join"], 1).status_code == 409


def test_ten_tries_that_fail_are_enough_for_an_hour(lunch, client):
    token = lunch.made["join"]
    assert BrowserDevice(client).take(lunch.group, token, 0).status_code == 200
    wrong = BrowserDevice(client, "10.0.0.6")
    tried = [wrong.post(f"/api/groups/{lunch.group}/join", {"token": "x" * 24}).status_code for _ in range(11)]
    assert tried == [401] * 10 + [429]
    other = SampleGroup(client)
    assert wrong.post(f"/api/groups/{other.group}/join", {"token": "x" * 24}).status_code == 401, "counted per group"


def test_a_right_join_token_is_never_refused(client):
    """A stranger behind a school's address guesses; the class joins all the same, and keeps live pages."""
    school = SampleGroup(client, members=[f"Pupil {n}" for n in range(150)])
    stranger = BrowserDevice(client, "10.9.9.9")
    for number in range(150):
        if number % 10 == 0:
            stranger.post(f"/api/groups/{school.group}/join", {"token": "x" * 24})
        pupil = BrowserDevice(client, "10.9.9.9")
        assert pupil.take(school.group, school.made["join"], number).status_code == 200
    assert stranger.post(f"/api/groups/{school.group}/join", {"token": "x" * 24}).status_code == 429
    hub, settings = client.app.state.service.hub, client.app.state.service.settings
    for number in range(150):
        hub.check_room(school.group, f"{school.group}:member:{number}", settings)
        hub.places[f"{school.group}:member:{number}"] += 1


def test_a_whole_class_may_sit_behind_one_address(client):
    school = SampleGroup(client, members=[f"Pupil {n}" for n in range(30)])
    answers = [
        BrowserDevice(client, "10.9.9.9").take(school.group, school.made["join"], n).status_code for n in range(30)
    ]
    assert answers == [200] * 30


def test_the_join_link_is_nobodys_voice(lunch, client):
    device, token = BrowserDevice(client), lunch.made["join"]
    assert device.post(f"/api/groups/{lunch.group}/session", {"token": token}).status_code == 401
    headers = {"authorization": f"Bearer {token}"}
    for path in ("", "/voice", "/export", "/links"):
        answer = device.client.get(f"/api/groups/{lunch.group}{path}", headers=headers)
        assert answer.status_code in (200, 401)
        assert "Ann" not in answer.text
    assert lunch.nobody.post("join", {"token": lunch.made["organiser"]}).status_code == 401


def test_the_strict_way_has_private_links_alone(client):
    strict = SampleGroup(client, join=False)
    assert strict.made["join"] is None
    opened = strict.organiser.post("links", {"role": "join"}).json()["token"]
    assert len(BrowserDevice(client).names(strict.group, opened)["people"]) == 3
    assert strict.organiser.post("join/close").status_code == 200
    assert BrowserDevice(client).post(f"/api/groups/{strict.group}/join", {"token": opened}).status_code == 401


def test_who_makes_a_group_is_in_at_once_as_organiser_and_member(quick):
    device = BrowserDevice(quick).client
    links = device.post("/new", data=FORM)
    assert links.url.path.endswith("/links")
    group = links.url.path.split("/")[2]
    assert "Ann, your answer" in device.get(f"/g/{group}").text
    for page in ("", "/voice", "/group", "/organise", "/links"):
        shown = device.get(f"/g/{group}{page}")
        assert shown.status_code == 200, page
        assert f'href="/g/{group}/organise"' in shown.text
        assert f'href="/g/{group}/voice"' in shown.text
    rated = submit(device, group, "rate", device.get(f"/g/{group}").text, arm0="5")
    assert rated.status_code == 303, "as a member"
    assert submit(device, group, "option", device.get(f"/g/{group}/organise").text, name="Soup").status_code == 303
    assert device.cookies.get(make_cookie_name(group, False)) != device.cookies.get(
        make_cookie_name(group, False, "organiser")
    )


def test_a_double_tap_or_a_reload_makes_no_second_group_and_loses_nothing(quick):
    first, second = BrowserDevice(quick).client, BrowserDevice(quick).client
    there = first.post("/new", data=FORM, follow_redirects=False).headers["location"]
    again = second.post("/new", data=FORM, follow_redirects=False)  # the answer to the first tap was thrown away
    assert (again.status_code, again.headers["location"]) == (303, there)
    page = second.get(there)
    assert page.status_code == 200
    assert second.get(there).text.count("#k=") == page.text.count("#k=") > 2, "a reload shows every link again"


def test_a_private_link_is_shown_until_it_is_first_opened(quick):
    device = BrowserDevice(quick).client
    page = device.post("/new", data=FORM)
    group = page.url.path.split("/")[2]
    cards = dict(re.findall(r'href="http://localhost/g/[^#"]+#k=([^"]+)" id="card-\d+" data-name="(\w+)"', page.text))
    assert cards == {}, "a private link is made on request only"
    submit(device, group, "reissue", page.text, number="1", sure="yes")
    page = device.get(f"/g/{group}/links")
    cards = dict(re.findall(r'href="http://localhost/g/[^#"]+#k=([^"]+)" id="card-\d+" data-name="(\w+)"', page.text))
    assert sorted(cards.values()) == ["Bob"]
    token = next(token for token, name in cards.items() if name == "Bob")
    assert BrowserDevice(quick).post(f"/api/groups/{group}/session", {"token": token}).status_code == 200
    assert token not in device.get(f"/g/{group}/links").text
    assert BrowserDevice(quick).names(group, re.search(r"/join#k=([^\"]+)", page.text)[1])["people"][1]["taken"]


def test_links_to_hand_out_never_stand_together_with_the_organisers_own(quick):
    page = BrowserDevice(quick).client.post("/new", data=FORM).text
    own = re.search(r'<a href="([^"]+)" id="own">', page)[1]
    assert page.count(own.partition("#")[2]) == 2, "in its own fold, as address and as text, and nowhere else"
    join = page[page.index('id="h-join"') : page.index('id="h-own"')]
    assert re.findall(r"#k=([\w-]+)", join) == re.findall(r"/join#k=([\w-]+)", join), "the join link and no other"


@pytest.mark.parametrize(
    ("step", "given"),
    [
        ("leave", {}),
        ("forget", {}),
        ("end", {}),
        ("freeze", {}),
        ("remove", {"member": "1"}),
        ("erase", {"member": "1"}),
        ("reissue", {"number": "1"}),
    ],
)
def test_what_cannot_be_taken_back_asks_once(quick, step, given):
    device = BrowserDevice(quick).client
    group = device.post("/new", data=FORM).url.path.split("/")[2]
    page = device.get(f"/g/{group}" if step in ("leave", "forget") else f"/g/{group}/organise").text
    before = device.get(f"/api/groups/{group}/record").text, device.get(f"/api/groups/{group}").json()["members"]
    sent = fields(page, step) | given
    asked = device.post(f"/g/{group}/do/{step}", data=sent, follow_redirects=False)
    assert asked.status_code == 200
    assert 'name="sure" value="yes"' in asked.text
    assert (
        device.get(f"/api/groups/{group}/record").text,
        device.get(f"/api/groups/{group}").json()["members"],
    ) == before
    meant = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', asked.text))
    assert device.post(f"/g/{group}/do/{step}", data=meant, follow_redirects=False).status_code == 303


def test_a_freeze_with_every_answer_asks_nothing(quick):
    lunch = SampleGroup(quick)
    for visitor in lunch.members.values():
        visitor.rate({"Thai": 5})
    device = BrowserDevice(quick)
    device.post(f"/api/groups/{lunch.group}/session", {"token": lunch.organiser.token})
    desk = device.page(f"/g/{lunch.group}/organise")
    assert submit(device.client, lunch.group, "freeze", desk).status_code == 303


def test_favourites_are_the_highest_rating_and_the_rest_the_lowest(quick):
    lunch = SampleGroup(quick)
    assert lunch.nobody.get().json()["ballot"] == "favourites"
    device = BrowserDevice(quick)
    device.post(f"/api/groups/{lunch.group}/session", {"token": lunch["Ann"].token})
    page = device.page(f"/g/{lunch.group}")
    assert submit(device.client, lunch.group, "rate", page, arm0="on", arm2="on").status_code == 303
    assert lunch["Ann"].get().json()["you"]["ratings"] == {"Thai": 5, "Pizza": 0, "Salad": 5}
    page = device.page(f"/g/{lunch.group}")
    assert submit(device.client, lunch.group, "rate", page).status_code == 303
    assert lunch["Ann"].get().json()["you"]["ratings"] == {}, "no tap at all says nothing yet"


def test_no_byte_of_the_record_tells_taps_from_stars(quick):
    """A group of favourites and one of stars that hear the same write the same pages, but for names and chance."""
    pages = []
    for ballot in ("favourites", "stars"):
        lunch = SampleGroup(quick, ballot=ballot)
        for visitor, loved in zip(lunch.members.values(), ("Thai", "Pizza", "Pizza"), strict=True):
            visitor.rate({arm: 5 if arm == loved else 0 for arm in ("Thai", "Pizza", "Salad")})
        lunch.decide()
        freeze = next(line for line in lunch.record().decode().splitlines() if '"line":"freeze"' in line)
        pages.append(re.sub(r'"[0-9a-f]{16,}"|"at":\d+|"event":"[^"]*"', "", freeze))
    assert pages[0] == pages[1]


def test_a_learner_asks_for_stars(quick):
    assert SampleGroup(quick, learner="guided").nobody.get().json()["ballot"] == "stars"
    body = {"title": "x", "arms": ["a"], "members": ["b"], "learner": "guided", "ballot": "favourites"}
    answer = quick.post("/api/groups", json=body, headers={"idempotency-key": "x"})
    assert (answer.status_code, "by stars" in answer.text) == (400, True)


def test_what_nobody_said_is_not_a_favourite(quick):
    lunch = SampleGroup(quick, block=4)
    lunch["Ann"].rate({"Thai": 5, "Pizza": 0, "Salad": 0})
    lunch.decide()
    silent, said = lunch["Bob"].get("voice").json(), lunch["Ann"].get("voice").json()
    assert (silent["promised"], silent["received"], silent["silent"], silent["slots"]) == (0, 0, 4, 0)
    assert silent["sentence"].startswith("It is not known yet what you like")
    assert (said["silent"], said["slots"]) == (0, 4)
    device = BrowserDevice(quick)
    device.post(f"/api/groups/{lunch.group}/session", {"token": lunch["Bob"].token})
    assert 'id="silent"' in device.page(f"/g/{lunch.group}/voice")
    assert "you go along with the others" in device.page(f"/g/{lunch.group}")


def test_a_beacon_is_offered_only_where_its_word_can_be_fetched(quick):
    assert 'value="beacon"' not in quick.get("/").text
    resources = quick.app.state.service.resources
    resources.settings = replace(resources.settings, relay="http://relay.test")
    assert re.search(r'value="beacon" checked', quick.get("/").text)


def test_a_group_may_begin_with_its_timetable(quick):
    table = {"recurrence": "weekdays", "time": "12:30", "zone": "Europe/Berlin"}
    told = SampleGroup(quick, timetable=table).nobody.get().json()["timetable"]
    assert (told["recurrence"], told["time"], told["base"]) == ("weekdays", "12:30", 1)
    bad = {"title": "x", "arms": ["a"], "members": ["b"], "timetable": {"zone": "Mars/Base"}}
    answer = quick.post("/api/groups", json=bad, headers={"idempotency-key": "y"})
    assert (answer.status_code, "Mars/Base" in answer.text) == (400, True)

"""A session is not the link: it has a token of its own, is listed, ends apart, and a stale one is cleared."""

import pytest
from api_clients import SampleGroup, make_client

from isegoria.service.actions.device_sessions import MAX_SESSIONS_PER_PERSON
from isegoria.service.http.authentication import SESSION_IDLE_SECONDS
from isegoria.service.http.tokens import make_cookie_name
from isegoria.service.store import open_store

PHONE = "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0"


@pytest.fixture
def service(tmp_path):
    with make_client(open_store(f"sqlite:///{tmp_path / 'groups.db'}")) as client:
        yield client


def open_session_cookie(client, group: str, token: str, agent: str = PHONE) -> str:
    """The cookie that a device gets for a link."""
    client.cookies.clear()
    headers = {"idempotency-key": "s", "user-agent": agent}
    answer = client.post(f"/api/groups/{group}/session", json={"token": token}, headers=headers)
    assert answer.status_code == 200, answer.text
    found = answer.cookies[make_cookie_name(group, https=False)]
    client.cookies.clear()
    return found


def get_with_cookie(client, group: str, cookie: str, path: str = ""):
    return client.get(f"/api/groups/{group}{path}", headers={"cookie": f"{make_cookie_name(group, False)}={cookie}"})


def test_a_cookie_is_not_the_link(service):
    lunch = SampleGroup(service)
    link = lunch["Ann"].token
    cookie = open_session_cookie(service, lunch.group, link)
    assert cookie != link
    assert get_with_cookie(service, lunch.group, cookie).json()["you"]["name"] == "Ann"
    bearer = {"authorization": f"Bearer {cookie}"}
    assert service.get(f"/api/groups/{lunch.group}/voice", headers=bearer).status_code == 401  # a cookie is no link
    assert get_with_cookie(service, lunch.group, link).json()["you"] is None  # nor a link a cookie


def test_devices_are_listed_and_ended_one_by_one(service):
    lunch = SampleGroup(service)
    first = open_session_cookie(service, lunch.group, lunch["Ann"].token)
    second = open_session_cookie(service, lunch.group, lunch["Ann"].token, "curl/8")
    open_session_cookie(service, lunch.group, lunch["Bob"].token)
    devices = get_with_cookie(service, lunch.group, first, "/devices").json()["devices"]
    assert [(one["label"], one["this"]) for one in devices] == [("a program", False), ("Firefox, Android", True)]
    headers = {"idempotency-key": "e", "cookie": f"{make_cookie_name(lunch.group, False)}={first}"}
    ended = service.post(f"/api/groups/{lunch.group}/devices/end", json={"place": devices[0]["place"]}, headers=headers)
    assert ended.status_code == 200
    assert get_with_cookie(service, lunch.group, second, "/voice").status_code == 401
    assert get_with_cookie(service, lunch.group, first, "/voice").status_code == 200
    assert lunch["Ann"].get("voice").status_code == 200  # the link stays good
    page = service.get(f"/g/{lunch.group}/devices", headers={"cookie": headers["cookie"]})
    assert page.status_code == 200
    assert "Firefox, Android" in page.text


def test_a_session_ends_when_nobody_uses_it_or_the_link_is_issued_again(service):
    lunch = SampleGroup(service)
    app = service.app.state.service
    cookie = open_session_cookie(service, lunch.group, lunch["Ann"].token)
    real = app.groups.clock
    monitor = app.session_clock_monitor
    app.groups.clock = lambda: real() + SESSION_IDLE_SECONDS - 60
    monitor.forget_offset()  # so that this is no jump, but a quarter of a year later
    assert get_with_cookie(service, lunch.group, cookie, "/voice").status_code == 200
    app.groups.clock = lambda: real() + 2 * SESSION_IDLE_SECONDS + 86400
    monitor.forget_offset()
    assert get_with_cookie(service, lunch.group, cookie, "/voice").status_code == 401
    app.groups.clock = real
    monitor.forget_offset()
    cookie = open_session_cookie(service, lunch.group, lunch["Bob"].token)
    assert lunch.organiser.post("links", {"role": "member", "number": 1}).status_code == 201
    assert get_with_cookie(service, lunch.group, cookie, "/voice").status_code == 401


def test_a_stale_cookie_is_cleared_and_never_a_guess(tmp_path):
    with make_client(open_store(f"sqlite:///{tmp_path / 'a.db'}"), guesses=(5, 1e-6)) as client:
        lunch = SampleGroup(client)
        cookie = open_session_cookie(client, lunch.group, lunch["Ann"].token)
        again = lunch.organiser.post("links", {"role": "member", "number": 0}).json()["token"]
        for path in ("", "/voice"):
            for _ in range(20):
                answer = get_with_cookie(client, lunch.group, cookie, path)
                assert answer.status_code == (401 if path else 200)
                assert "Max-Age=0" in answer.headers["set-cookie"]
        page = client.get(f"/g/{lunch.group}", headers={"cookie": f"{make_cookie_name(lunch.group, False)}={cookie}"})
        assert (page.status_code, "Max-Age=0" in page.headers["set-cookie"]) == (200, True)
        assert open_session_cookie(client, lunch.group, again)  # her new link is good, whatever her old cookie was


def test_a_link_that_is_used_without_a_page_is_opened_and_listed(service):
    """Whoever has everybody's links cannot act by them unseen: the use is an opening, and takes the name."""
    lunch = SampleGroup(service)
    join = {"token": lunch.made["join"]}
    people = lunch.nobody.post("join", join).json()["people"]
    assert [one["taken"] for one in people] == [False] * 3
    assert lunch["Bob"].rate({"Thai": 5}).is_success
    links = {one["name"]: one["used"] for one in lunch.organiser.get("links").json()["links"]}
    assert links["Bob"] is not None
    assert links["Ann"] is None
    people = lunch.nobody.post("join", join).json()["people"]
    assert [one["taken"] for one in people] == [False, True, False]
    assert [one["since"] for one in people] == [None, links["Bob"], None], "whoever looks for the name sees since when"
    cookie = open_session_cookie(service, lunch.group, lunch["Bob"].token)
    devices = get_with_cookie(service, lunch.group, cookie, "/devices").json()["devices"]
    assert [one["label"] for one in devices] == ["Firefox, Android", "a program (link)"]
    headers = {"idempotency-key": "e", "cookie": f"{make_cookie_name(lunch.group, False)}={cookie}"}
    place = devices[1]["place"]
    assert service.post(f"/api/groups/{lunch.group}/devices/end", json={"place": place}, headers=headers).is_success
    assert lunch["Bob"].get("voice").status_code == 401, "the link has ended with it"
    assert get_with_cookie(service, lunch.group, cookie, "/voice").status_code == 200


def test_a_wrong_clock_signs_nobody_out_for_good(service):
    lunch, app = SampleGroup(service), service.app.state.service
    cookie = open_session_cookie(service, lunch.group, lunch["Ann"].token)
    now, steady = app.groups.clock(), [0.0]
    app.scheduler.monotonic = lambda: steady[0]
    app.groups.clock = lambda: now + steady[0]
    app.scheduler.tick()
    steady[0] = 2.0
    app.groups.clock = lambda: now + 2 * SESSION_IDLE_SECONDS
    answer = get_with_cookie(service, lunch.group, cookie, "/voice")
    assert (answer.status_code, "set-cookie" in answer.headers) == (200, False), "the jump is noticed at once"
    app.scheduler.tick()
    assert get_with_cookie(service, lunch.group, cookie, "/voice").status_code == 200
    app.groups.clock = lambda: now + steady[0]
    app.scheduler.tick()
    assert get_with_cookie(service, lunch.group, cookie, "/voice").status_code == 200


def test_nobody_has_devices_without_end(service):
    lunch = SampleGroup(service)
    cookies = [
        open_session_cookie(service, lunch.group, lunch["Ann"].token) for _ in range(MAX_SESSIONS_PER_PERSON + 3)
    ]
    assert (
        len(get_with_cookie(service, lunch.group, cookies[-1], "/devices").json()["devices"]) == MAX_SESSIONS_PER_PERSON
    )


def test_a_member_sees_that_their_link_was_issued_again_and_the_record_too(service):
    lunch = SampleGroup(service)
    assert lunch["Ann"].post("keys", lunch.key("Ann", bytes(32))).is_success
    lunch.decide()
    assert lunch["Ann"].get().json()["you"]["reissued"] is None
    before = lunch.record()
    helper = lunch.organiser.post("coorganisers", {"name": "Hal"}).json()["token"]
    lunch.organiser.token, own = helper, lunch.organiser.token
    link = lunch.organiser.post("links", {"role": "member", "number": 0}).json()["token"]
    lunch.organiser.token = own
    lunch["Ann"].token = link
    assert lunch["Ann"].get().json()["you"]["reissued"]["by"] == "helper"
    cookie = open_session_cookie(service, lunch.group, link)
    page = service.get(f"/g/{lunch.group}", headers={"cookie": f"{make_cookie_name(lunch.group, False)}={cookie}"})
    assert "Your link was issued again by a co-organiser on" in page.text
    lunch.decide()
    rosters = [line for line in lunch.record().removeprefix(before).splitlines() if b'"line":"roster"' in line]
    assert len(rosters) == 1  # for everybody to see: their key is gone

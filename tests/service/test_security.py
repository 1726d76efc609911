"""Who may do what, and what an enemy gets: every route for every role, and every odd request answered by a sentence."""

import json
import logging
import re

import pytest
from api_clients import LUNCH_GROUP, GroupClient, SampleGroup, make_client

from isegoria.service.actions.administration import create_start_link
from isegoria.service.api.endpoints import API_ENDPOINTS
from isegoria.service.api.routing import ANY_ROLE, build_openapi
from isegoria.service.http.request import MAX_BODY_BYTES, MAX_LARGE_BODY_BYTES
from isegoria.service.http.tokens import hash_token
from isegoria.service.pages.page_routes import PAGE_ROUTES
from isegoria.service.store import open_store

GROUP_ROUTES = [row for row in API_ENDPOINTS if "{group}" in row.path and row.media != "text/event-stream"]
GETS = [row for row in GROUP_ROUTES if row.method == "GET"]


def make_clients_of_each_role(client) -> tuple[SampleGroup, dict[str, GroupClient]]:
    """A group, and everyone who may come to its door."""
    lunch = SampleGroup(client)
    helper = lunch.organiser.post("coorganisers", {"name": "Helper"}).json()["token"]
    visitors = {
        "nobody": lunch.nobody,
        "member A": lunch["Ann"],
        "member B": lunch["Bob"],
        "organiser": lunch.organiser,
        "co-organiser": GroupClient(client, lunch.group, helper),
        "stranger": GroupClient(client, lunch.group, SampleGroup(client).organiser.token),
    }
    return lunch, visitors


def role_of(who: str) -> str:
    return "member" if who.startswith("member") else who


def test_every_route_for_every_role(quick):
    lunch, visitors = make_clients_of_each_role(quick)
    lunch.decide()
    seen = {}
    for row in GROUP_ROUTES:
        path = row.path.removeprefix("/api/groups/{group}").lstrip("/")
        for who, visitor in visitors.items():
            answer = visitor.get(path) if row.method == "GET" else visitor.post(path, {"odd": 1})
            seen[row.method, path, who] = answer.status_code
            if row.roles == ANY_ROLE or role_of(who) in row.roles:
                assert answer.status_code not in (401, 403, 500), (row.path, who, answer.text)
            elif who in ("nobody", "stranger"):
                assert answer.status_code == 401, (row.path, who, answer.text)
            else:
                assert answer.status_code == 403, (row.path, who, answer.text)
            if answer.status_code >= 400:
                assert set(answer.json()) == {"error"}, (row.path, who)
    assert len(seen) == len(GROUP_ROUTES) * 6


def test_a_member_sees_and_changes_only_her_own(quick):
    _, visitors = make_clients_of_each_role(quick)
    visitors["member A"].rate({"Thai": 5})
    bob = visitors["member B"].get().json()
    assert bob["you"]["ratings"] == {}
    assert "Ann" not in json.dumps(bob)
    assert visitors["member B"].get("receipt").json()["name"] == "Bob"
    visitors["member B"].rate({"Thai": 1})
    assert visitors["member A"].get().json()["you"]["ratings"] == {"Thai": 5}


@pytest.mark.parametrize("name", ["%00", "a%00b", "é", "A", "-", "x" * 65])
def test_a_name_that_no_group_can_have_is_not_even_looked_for(client, name):
    """PostgreSQL takes no NUL in a text: it was asked for one, and said 503."""
    api = f"/api/groups/{name}"
    for path in (api, f"{api}/events?once=1", f"{api}/record", f"/g/{name}"):
        for headers in ({}, {"authorization": "Bearer " + "x" * 24}):
            assert client.get(path, headers=headers).status_code == 404, path


def dump_store(store) -> str:
    """All that the tables hold."""
    with store.reading() as session:
        tables = ("groups", "events", "people", "tokens", "answers", "snapshots", "contacts", "outbox")
        return "\n".join(repr(sorted(session._run(f"SELECT * FROM {name}", ())[0], key=repr)) for name in tables)


def test_every_get_leaves_the_store_as_it_was(store):
    with make_client(store) as client:
        lunch, visitors = make_clients_of_each_role(client)
        lunch.decide()
        for visitor in visitors.values():  # the first use of a link is an opening, and noted
            visitor.get()
        before = dump_store(store)
        for visitor in visitors.values():
            for row in GETS:
                visitor.get(row.path.removeprefix("/api/groups/{group}").lstrip("/"))
            for page in PAGE_ROUTES:
                if page.method == "GET":
                    client.get(page.path.replace("{group}", lunch.group), headers=visitor.headers(None))
        assert client.get("/healthz").status_code == 200
        assert dump_store(store) == before


def test_no_token_is_stored_or_logged(store, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    with make_client(store) as client:
        lunch, visitors = make_clients_of_each_role(client)
        lunch["Ann"].post("session", {"token": lunch["Ann"].token})
        lunch["Ann"].rate({"Thai": 5})
        joined = lunch.add_member("Dan").token
        reissued = lunch.organiser.post("links", {"role": "member", "number": 0}).json()["token"]
        client.get(f"/g/{lunch.group}")
        tokens = [visitor.token for visitor in visitors.values() if visitor.token] + [joined, reissued]
        assert len(set(tokens)) == 7
        assert not [token for token in tokens if token in caplog.text]
        for token in tokens:  # until it is first opened a link can be shown again; then only its hash is kept
            with store.reading() as session:
                known = session.token(hash_token(token))
            if known is not None:
                GroupClient(client, known.group, token).post("session", {"token": token})
        assert not [token for token in tokens if token in dump_store(store) + caplog.text]
        assert lunch["Ann"].get("voice").status_code == 401
        assert GroupClient(client, lunch.group, reissued).get("voice").status_code == 200


def test_a_link_issued_again_is_another_token_and_keeps_the_ballot_secret(quick):
    lunch = SampleGroup(quick)
    lunch["Ann"].rate({"Thai": 5})
    lunch.decide()
    before = lunch["Ann"].get("receipt").json()
    assert before["ratings"]
    token = lunch.organiser.post("links", {"number": 0}).json()["token"]
    assert lunch["Ann"].get("receipt").status_code == 401
    after = GroupClient(quick, lunch.group, token).get("receipt").json()
    assert (after["secret"], after["ratings"]) == (before["secret"], before["ratings"])
    assert token not in str(after)
    assert after["secret"] not in quick.get(f"/g/{lunch.group}").text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://elsewhere.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://other.localhost"},
        {"origin": "https://localhost"},
    ],
)
def test_a_post_from_another_site_is_refused(quick, headers):
    lunch = SampleGroup(quick)
    lunch["Ann"].post("session", {"token": lunch["Ann"].token})
    given = {"content-type": "application/json", "idempotency-key": "k"} | headers
    body = json.dumps({"round": None, "slot": None, "values": {"Thai": 5}})
    for extra in ({}, {"authorization": f"Bearer {lunch['Ann'].token}"}):
        answer = quick.post(f"/api/groups/{lunch.group}/ratings", content=body, headers=given | extra)
        assert answer.status_code == 403, answer.text
    same = {"origin": "http://localhost", "sec-fetch-site": "same-origin"}
    assert quick.post(f"/api/groups/{lunch.group}/ratings", content=body, headers=given | same).status_code == 200


def test_a_form_cannot_speak_to_the_api(quick):
    lunch = SampleGroup(quick)
    headers = lunch["Ann"].headers(None)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        answer = quick.post(f"/api/groups/{lunch.group}/leave", content="{}", headers=headers | {"content-type": kind})
        assert answer.status_code == 400


def test_guessing_is_locked_out_and_the_rightful_still_come_in(store):
    with make_client(store, guesses=(5, 0.001)) as client:
        lunch = SampleGroup(client)
        guesses = [GroupClient(client, lunch.group, f"{number:024d}") for number in range(8)]
        assert [guess.get("voice").status_code for guess in guesses] == [401] * 5 + [429] * 3
        blocked = lunch.nobody.post("session", {"token": "x" * 24})
        assert blocked.status_code == 429
        assert int(blocked.headers["retry-after"]) > 0
        assert lunch["Ann"].get("voice").status_code == 200
        assert lunch.nobody.get().status_code == 200


def test_new_groups_are_limited(quick, store):
    with make_client(store, new_groups=(2, 0.001)) as client:
        statuses = [
            client.post("/api/groups", json=LUNCH_GROUP, headers={"idempotency-key": str(number)}).status_code
            for number in range(3)
        ]
        assert statuses == [201, 201, 429]


def test_a_closed_server_wants_its_start_link(store):
    with make_client(store, closed=True) as client:
        headers = {"idempotency-key": "k"}
        assert client.post("/api/groups", json=LUNCH_GROUP, headers=headers).status_code == 401
        wrong = headers | {"authorization": "Bearer " + "x" * 24}
        assert client.post("/api/groups", json=LUNCH_GROUP, headers=wrong).status_code == 401
        token = create_start_link(client.app.state.service.store)
        right = headers | {"authorization": f"Bearer {token}"}
        assert client.post("/api/groups", json=LUNCH_GROUP, headers=right).status_code == 201
        assert client.post("/new", data={"title": "x", "arms": "a", "members": "b", "start": "no"}).status_code == 401


def test_every_answer_carries_the_headers(quick):
    lunch = SampleGroup(quick)
    for answer in (
        quick.get("/"),
        quick.get(f"/g/{lunch.group}"),
        quick.get("/static/app/sign_in.js"),
        quick.get("/nowhere"),
        lunch.nobody.get("voice"),
        lunch.nobody.get(),
        quick.put("/healthz"),
        quick.get("/healthz"),
    ):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_pages_hold_nothing_that_the_policy_forbids(quick):
    lunch = SampleGroup(quick)
    lunch["Ann"].post("session", {"token": lunch["Ann"].token})
    for path in ("/", f"/g/{lunch.group}"):
        page = quick.get(path).text
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert not re.search(r"\son[a-z]+=|style=|javascript:", page)
        assert not re.search(r"(src|href)=\"(https?:)?//", page)


def test_under_https_the_cookie_is_bound_to_the_host(store):
    with make_client(store) as client:
        client.base_url = "https://localhost"
        lunch = SampleGroup(client)
        cookie = lunch["Ann"].post("session", {"token": lunch["Ann"].token}).headers["set-cookie"]
        assert cookie.startswith(f"__Host-isegoria-{lunch.group}=")
        assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
        assert "Domain" not in cookie
        assert client.get("/healthz").headers["strict-transport-security"]


def test_another_host_is_refused(store):
    with make_client(store, hosts=frozenset({"lunch.example"})) as client:
        for host, expected in {
            "lunch.example": 200,
            "LUNCH.example:8000": 200,
            "localhost:1": 200,
            "[::1]:8000": 200,
            "127.0.0.1": 200,
            "evil.example": 400,
            "lunch.example.evil.com": 400,
            "": 400,
            "localhost.evil.com": 400,
        }.items():
            assert client.get("/healthz", headers={"host": host}).status_code == expected, host


def test_one_browser_may_sit_in_two_groups(quick):
    first, second = SampleGroup(quick), SampleGroup(quick)
    first["Ann"].post("session", {"token": first["Ann"].token})
    second["Bob"].post("session", {"token": second["Bob"].token})
    assert quick.get(f"/api/groups/{first.group}").json()["you"]["name"] == "Ann"
    assert quick.get(f"/api/groups/{second.group}").json()["you"]["name"] == "Bob"
    out = quick.post(f"/api/groups/{first.group}/session/end", json={}, headers={"idempotency-key": "k"})
    assert "Max-Age=0" in out.headers["set-cookie"]
    assert quick.get(f"/api/groups/{first.group}").json()["you"] is None


# -- odd bodies --------------------------------------------------------------------------------------------------------

DEEP = "[" * 100_000 + "]" * 100_000
ODD = {
    "nothing": (b"", 400),
    "not JSON": (b"{", 400),
    "not UTF-8": (b'{"title": "\xff"}', 400),
    "a list": (b"[]", 400),
    "deep": (DEEP.encode(), 400),
    "deep object": (('{"a":' * 50_000 + "1" + "}" * 50_000).encode(), 400),
    "twice": (b'{"title": "a", "title": "b"}', 400),
    "NaN": (json.dumps(LUNCH_GROUP | {"scale": [0, 1]}).replace("[0, 1]", "[0, NaN]").encode(), 400),
    "huge number": (json.dumps(LUNCH_GROUP).replace("[0, 5]", "[0, " + "9" * 5000 + "]").encode(), 400),
    "a million options": (json.dumps(LUNCH_GROUP | {"arms": [f"option {n}" for n in range(10**6)]}).encode(), 413),
    "many options": (json.dumps(LUNCH_GROUP | {"arms": [f"o{n}" for n in range(1001)]}).encode(), 400),
    "no options": (json.dumps(LUNCH_GROUP | {"arms": []}).encode(), 400),
    "an option twice": (json.dumps(LUNCH_GROUP | {"arms": ["a", "b", "a"]}).encode(), 400),
    "wrong types": (json.dumps(LUNCH_GROUP | {"arms": {"a": 1}}).encode(), 400),
    "a lone surrogate": (b'{"title": "\\ud800", "arms": ["a"], "members": ["b"]}', 400),
    "a control character": (json.dumps(LUNCH_GROUP | {"title": "a\nb"}).encode(), 400),
    "a blank name": (json.dumps(LUNCH_GROUP | {"members": ["  "]}).encode(), 400),
    "a long name": (json.dumps(LUNCH_GROUP | {"members": ["x" * 101]}).encode(), 400),
    "an unknown learner": (json.dumps(LUNCH_GROUP | {"learner": "oracle"}).encode(), 400),
    "an unknown source": (json.dumps(LUNCH_GROUP | {"source": "coin"}).encode(), 400),
    "a scale upside down": (json.dumps(LUNCH_GROUP | {"scale": [5, 0]}).encode(), 400),
    "a block of 21": (json.dumps(LUNCH_GROUP | {"block": 21}).encode(), 400),
    "true for a number": (json.dumps(LUNCH_GROUP | {"block": True}).encode(), 400),
    "a spare entry": (json.dumps(LUNCH_GROUP | {"admin": True}).encode(), 400),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_group_is_answered_by_a_sentence(quick, name):
    body, status = ODD[name]
    headers = {"content-type": "application/json", "idempotency-key": "k"}
    answer = quick.post("/api/groups", content=body, headers=headers)
    assert answer.status_code == status, answer.text[:200]
    sentence = answer.json()["error"]
    assert sentence.endswith(".")
    assert len(sentence) < 400


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"round": None, "slot": None, "values": {"Sushi": 1}}, 400),
        ({"round": None, "slot": None, "values": {"Thai": 6}}, 400),
        ({"round": None, "slot": None, "values": {"Thai": "5"}}, 400),
        ({"round": None, "slot": None, "values": {}}, 400),
        ({"round": None, "slot": 0, "values": {"Thai": 5}}, 400),
        ({"round": 1, "slot": 0, "values": {"Thai": 5}}, 409),
        ({"round": 0, "slot": 0, "values": {"Thai": 5}}, 400),
        ({"round": None, "slot": None}, 400),
        ({"round": None, "slot": None, "values": {"Thai": None}}, 200),
    ],
)
def test_an_odd_rating_is_answered_by_a_sentence(quick, body, status):
    answer = SampleGroup(quick)["Ann"].post("ratings", body)
    assert answer.status_code == status, answer.text


def test_bodies_are_limited(quick):
    lunch = SampleGroup(quick)
    for path, most in ((f"/api/groups/{lunch.group}/ratings", MAX_BODY_BYTES), ("/api/groups", MAX_LARGE_BODY_BYTES)):
        answer = quick.post(path, content=b" " * (most + 1), headers=lunch["Ann"].headers(None))
        assert answer.status_code == 413


def test_names_with_markup_are_shown_as_text(quick):
    evil = "<script>alert(1)</script>"
    lunch = SampleGroup(quick, title=evil, arms=[evil, '"><img src=x>'], members=[evil, "Bob"])
    lunch.decide()
    for visitor, path in ((lunch.nobody, ""), (lunch[evil], ""), (lunch.organiser, "/organise")):
        quick.cookies.clear()
        if visitor.token:
            visitor.post("session", {"token": visitor.token})
        page = quick.get(f"/g/{lunch.group}{path}").text
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "&lt;script&gt;alert(1)" in page


def test_the_idempotency_key_is_required_and_binds_the_body(quick):
    lunch = SampleGroup(quick)
    headers = lunch["Ann"].headers("k") | {"idempotency-key": ""}
    assert quick.post(f"/api/groups/{lunch.group}/ratings", content="{}", headers=headers).status_code == 400
    body = {"round": None, "slot": None, "values": {"Thai": 5}}
    first = lunch["Ann"].post("ratings", body, key="same-request-of-this-test")
    assert lunch["Ann"].post("ratings", body, key="same-request-of-this-test").content == first.content
    assert (
        lunch["Ann"].post("ratings", body | {"values": {"Thai": 4}}, key="same-request-of-this-test").status_code == 409
    )
    assert lunch["Ann"].post("leave", {}, key="same-request-of-this-test").status_code == 409
    assert (
        lunch["Bob"].post("ratings", body | {"values": {"Thai": 4}}, key="same-request-of-this-test").status_code == 200
    )
    assert lunch["Ann"].get().json()["you"]["ratings"] == {"Thai": 5}


def test_nobody_can_take_a_transitions_key_before_the_organiser(quick):
    lunch = SampleGroup(quick)
    assert lunch["Ann"].post("ratings", {"round": None, "slot": None, "values": {"Thai": 1}}, key="freeze:1").is_success
    assert lunch["Ann"].post("freeze", key="freeze:1").status_code == 403
    assert lunch.organiser.post("freeze", key="freeze:1").status_code == 201


def test_unknown_groups_and_pages_are_not_there(quick):
    for path in ("/api/groups/none", "/api/groups/none/record", "/g/none", "/api/groups/..%2f", "/nowhere"):
        assert quick.get(path).status_code == 404, path
    assert GroupClient(quick, "none", None).post("ratings", {}).status_code == 404
    assert quick.delete("/healthz").status_code == 405


# -- the description ---------------------------------------------------------------------------------------------------


def test_the_description_is_that_of_the_routes(quick):
    told = quick.get("/openapi.json").json()
    assert told == json.loads(json.dumps(build_openapi(API_ENDPOINTS, told["info"]["version"])))
    app = quick.app.app
    routes = {(route.path, method) for route in app.routes if hasattr(route, "methods") for method in route.methods}
    said = {(path, method.upper()) for path, row in told["paths"].items() for method in row}
    pages = {(page.path, page.method) for page in PAGE_ROUTES}
    assert {pair for pair in routes if pair[1] != "HEAD"} == said | pages
    for path, row in told["paths"].items():
        for operation in row.values():
            assert operation["summary"].endswith(".")
            names = {entry["name"] for entry in operation["parameters"] if entry["in"] == "path"}
            assert names == set(re.findall(r"{(\w+)}", path))


def test_the_services_store_can_be_another_one(tmp_path):
    with make_client(open_store(f"sqlite:///{tmp_path}/deep/er/a.db")) as client:
        assert client.get("/healthz").json()["status"] == "ok"

"""The table of who-sees-what.md, cell by cell: every page, route, table and log line is read as each of the four."""

import hashlib
import hmac
import itertools
import json
import logging
import re
import sqlite3
import time
from pathlib import Path

import pytest
from api_clients import GroupClient, SampleGroup
from starlette.testclient import TestClient

from isegoria.service.api.endpoints import API_ENDPOINTS
from isegoria.service.app import create_app
from isegoria.service.delivery.mail import SmtpServer
from isegoria.service.http.tokens import make_cookie_name
from isegoria.service.pages.page_routes import PAGE_ROUTES
from isegoria.service.settings import Settings
from isegoria.service.store import open_store

DOCUMENT = Path(__file__).parents[2] / "docs" / "explanation" / "who-sees-what.md"
ADDRESS = "203.0.113.97"
PEOPLE = ["Zebedee Quux", "Ysolde Rumm", "Xaver Pimm"]
MAILS = ["zebedee@example.org", "ysolde@example.net"]
HOOK = "http://127.0.0.1:1/hidden-hook"
ONLY_OWN = "their own"


def table() -> dict[str, list[str]]:
    """The rows of the page: what, and what each of the four sees."""
    lines = [line for line in DOCUMENT.read_text("utf-8").splitlines() if line.startswith("| ")][1:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {what: cells for what, *cells in rows}


def expected(cell: str, privacy: str) -> str:
    """What a cell promises: everybody's (all), only their own, or nothing."""
    if cell in ("yes", "yes, by an export"):
        return "all"
    own, _, more = cell.partition("; ")
    if "in an *open* group" in (more or own) and privacy == "open":
        return "all"
    return ONLY_OWN if own == ONLY_OWN else "no"


@pytest.fixture(params=["ballots", "open"])
def scene(request, tmp_path, caplog):
    """A group in which something happened, asked from one address; and everything that each of the four can read."""
    store = f"sqlite:///{tmp_path / 'groups.db'}"
    smtp, hooks = SmtpServer("127.0.0.1", 1, "lunch@example.org"), frozenset({"127.0.0.1:1"})  # where nobody listens
    app = create_app(Settings(store=store, keeps_time=False, smtp=smtp, webhooks=hooks))
    with caplog.at_level(logging.DEBUG), TestClient(app, base_url="http://localhost", client=(ADDRESS, 5000)) as client:
        lunch = SampleGroup(client, members=PEOPLE, privacy=request.param)
        for number, name in enumerate(PEOPLE[:2]):
            assert lunch[name].rate({"Thai": 3.125 + number, "Pizza": 1}).status_code == 200
        lunch.organiser.post("settings", {"waiting": True, "webhook": HOOK})
        assert lunch[PEOPLE[0]].post("mail", {"address": MAILS[0]}).status_code == 200
        assert lunch.organiser.post("people/mail", {"member": 1, "address": MAILS[1]}).status_code == 200
        helper = lunch.organiser.post("coorganisers", {"name": "Wanda Helps"}).json()["token"]
        sessions = {}
        for who, agent in ((PEOPLE[0], "Firefox Android"), (PEOPLE[1], "Edg Windows"), ("organiser", "OPR iPad")):
            visitor = lunch.organiser if who == "organiser" else lunch[who]
            headers = {"idempotency-key": "s", "user-agent": agent}
            answer = client.post(f"/api/groups/{lunch.group}/session", json={"token": visitor.token}, headers=headers)
            role = "organiser" if who == "organiser" else "member"
            sessions[who] = answer.cookies[make_cookie_name(lunch.group, False, role)]
            client.cookies.clear()
        lunch.decide()
        lunch["Zebedee Quux"].rate({"Salad": 0.5})
        with app.state.service.store.reading() as session:
            secrets = [json.loads(row.secrets) for row in session.people(lunch.group)]
        lunch.hook_key = lunch.organiser.get("webhook").json()["key"]
        read = {
            "a stranger": read_all_pages(client, lunch, None, None),
            "a member": read_all_pages(client, lunch, lunch[PEOPLE[0]].token, sessions[PEOPLE[0]]),
            "an organiser": read_all_pages(client, lunch, lunch.organiser.token, sessions["organiser"], "organiser"),
            "a helper": read_all_pages(client, lunch, helper, None),
        }
        wait_for_delivery(caplog)
    log = "\n".join(
        record.getMessage() for record in caplog.records if not record.name.startswith(("httpx", "asyncio"))
    )
    return lunch, request.param, sessions, secrets, read, dump_database(tmp_path / "groups.db"), log


def read_all_pages(client, lunch, token, cookie, role="member") -> str:
    """All that one can read: every route and page that is read, by link and by cookie."""
    seen = []
    paths = [row.path for row in API_ENDPOINTS if row.method == "GET" and row.media != "text/event-stream"]
    paths += [f"{path}?format=csv" for path in paths if path.endswith("export")]
    paths += [page.path for page in PAGE_ROUTES if page.method == "GET"]
    for path in paths:
        ways = [{}] if token is None else [{"authorization": f"Bearer {token}"}]
        if cookie is not None:
            ways.append({"cookie": f"{make_cookie_name(lunch.group, False, role)}={cookie}"})
        for headers in ways:
            answer = client.get(path.replace("{group}", lunch.group), headers=headers)
            assert answer.status_code < 500
            if answer.status_code == 200:
                seen.append(answer.text)
    return "\n".join(seen)


def wait_for_delivery(caplog) -> None:
    """Wait until the outbox has tried what nobody takes: that it failed is in the log, too."""
    end = time.monotonic() + 60
    while caplog.text.count("was not told") < 2 and time.monotonic() < end:
        time.sleep(0.02)
    assert caplog.text.count("was not told") >= 2


def dump_database(path: Path) -> str:
    """Every value in every table."""
    rows = sqlite3.connect(path)
    tables = [name for (name,) in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    said = "\n".join(repr(row) for name in tables for row in rows.execute(f"SELECT * FROM {name}").fetchall())
    store = open_store(f"sqlite:///{path}")
    with store.reading() as session:  # whoever runs the server has its key too
        for name in session.groups():
            opened = [[session.group(name)], session.people(name), session.tokens(name), session.contacts(name)]
            said += "\n".join(repr(row) for part in [*opened, session.events(name)] for row in part)
    store.close()
    rows.close()
    return said.replace("\\\\", "\\")


def secret_of(tables: str) -> str:
    """The vault of the one group that there is."""
    return re.search(r'\{"secret":"([0-9a-f]{64})"\}', tables)[1]


def list_private_values(lunch, sessions, secrets) -> dict[str, tuple[list[str], list[str]]]:
    """For each row of the page what shows it: (of Zebedee, of others)."""
    unopened, joining = lunch[PEOPLE[2]].token, lunch.made["join"]
    return {
        "title, options": (["Thai"], ["Lunch"]),
        "the record": (['"line":"freeze"'], ['"line":"draw"']),
        "names of members": ([PEOPLE[0]], PEOPLE[1:]),
        "whose row is whose": ([secrets[0]["salt"]], [secrets[1]["salt"]]),
        "what somebody rated": (["3.125"], ["4.125"]),
        "private links": ([unopened], [unopened]),
        "the join link": ([joining], [joining]),
        "tokens": (
            [lunch[PEOPLE[0]].token, sessions[PEOPLE[0]]],
            [lunch[PEOPLE[1]].token, lunch.organiser.token, sessions[PEOPLE[1]], sessions["organiser"]],
        ),
        "secrets": ([secrets[0]["secret"]], [secrets[1]["secret"]]),
        "mail addresses": ([MAILS[0]], [MAILS[1]]),
        "the webhook": ([lunch.hook_key, HOOK], [lunch.hook_key, HOOK]),
        "address": ([ADDRESS], [ADDRESS]),
    }


def test_every_cell_is_so(scene):
    lunch, privacy, sessions, secrets, read, tables, log = scene
    helped = read.pop("a helper")
    key = hmac.new(bytes.fromhex(secret_of(tables)), b"isegoria webhook 1", hashlib.sha256).hexdigest()
    read = read | {"whoever runs the server": f"{tables}\n{log}\n{key}"}  # who has the store makes the key from it
    known, rows = list_private_values(lunch, sessions, secrets), table()
    for (what, cells), column in itertools.product(rows.items(), range(4)):
        row = next((key for key in known if what.startswith(key)), None)
        if row is None:
            continue
        who = list(read)[column]
        promised = expected(cells[column], privacy)
        own, others = ([probe in read[who] for probe in some] for some in known[row])
        if promised == "all":
            assert all(others), (what, who, privacy)
        elif promised == ONLY_OWN:
            assert all(own), (what, who, privacy)
            assert not any(others), (what, who, privacy)
        else:
            assert not any(others), (what, who, privacy)
            assert row in ("names of members",) or not any(own), (what, who, privacy)
        if who == "an organiser" and promised != "all":
            assert not any(probe in helped for probe in known[row][1]), (what, "a helper", privacy)


def test_the_log_names_nobody_and_holds_nothing_private(scene):
    lunch, _, sessions, secrets, _, _, log = scene
    known = list_private_values(lunch, sessions, secrets)
    private = set(known) - {"title, options", "the record"}
    for row in sorted(private):
        for probe in itertools.chain(*known[row]):
            assert probe not in log, row


def test_who_has_answered_and_devices_as_the_page_says(scene):
    lunch, privacy, *_ = scene
    rows = table()
    app = create_app(Settings(store=lunch.client.app.state.service.settings.store, keeps_time=False))
    with TestClient(app, base_url="http://localhost") as client:
        stranger, member = (GroupClient(client, lunch.group, token) for token in (None, lunch[PEOPLE[0]].token))
        organiser = GroupClient(client, lunch.group, lunch.organiser.token)
        cells = rows["who has answered"]
        assert expected(cells[0], privacy) == "no"
        assert "waiting_for" not in stranger.get().json()
        named = member.get().json()["waiting_for"]
        assert named == (["Xaver Pimm"] if expected(cells[1], privacy) == "all" else None)
        people = organiser.get().json()["people"]
        assert [one["answered"] for one in people] == [True, True, False]
        assert stranger.get("devices").status_code == 401
        for visitor, label in ((member, "Firefox, Android"), (organiser, "Opera, iPad")):
            labels = [one["label"] for one in visitor.get("devices").json()["devices"]]
            assert sorted(labels) == sorted([label, "a program (link)"]), "and the link itself, which the test sends"


def test_every_row_of_the_page_is_looked_at():
    looked = (
        "title, options",
        "the record",
        "private links",
        "the join link",
        "names of members",
        "whose row is whose",
        "what somebody rated",
        "tokens",
        "secrets",
        "address",
        "who has answered",
        "devices",
        "mail addresses",
        "the webhook",
        "objections",  # tests/service/test_credentials.py
        "how many members agree",  # tests/service/test_credentials.py
        "security events",  # tests/service/test_security_events.py
    )
    for what in table():
        assert what.startswith(looked), f"no test looks at the row {what!r}"


KEPT = {
    "answers": "actor at body digest key status",
    "consents": "at grp number",
    "contacts": "address confirmed grp language number refused stop typed_by",
    "counts": "grp number state",
    "events": "actor at body grp key kind line prev seq",
    "first_letters": "at hash",
    "groups": "due head id length lines made touched vault",
    "held": "at grp number slip",
    "kept": "at grp place program seq state",
    "objections": "at device grp number",
    "outbox": "channel due grp key made number tries",
    "people": "grp name number secrets",
    "refusals": "at hash",
    "schema_version": "version",
    "server_key": "id",
    "security_events": "at grp kind number role subject subject_role",
    "sessions": "begun grp hash how label number place role seen",
    "snapshots": "grp head seq state",
    "starts": "hash made",
    "tokens": "grp hash how issued number role secret used",
}


def test_every_column_of_the_store_was_looked_at_when_the_page_was_written(scene, tmp_path):
    """A new column fails here, until somebody has asked who sees it, whether a backup has it, and how it is erased."""
    rows = sqlite3.connect(tmp_path / "groups.db")
    tables = [name for (name,) in rows.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    columns = {name: sorted(row[1] for row in rows.execute(f"PRAGMA table_info({name})")) for name in tables}
    rows.close()
    assert {name: " ".join(each) for name, each in columns.items()} == KEPT

"""It comes to people: mail by a real SMTP server, webhooks to a real HTTP server, and both of them down."""

import hashlib
import hmac
import json
import re
import socket
import threading
import time
from contextlib import contextmanager
from datetime import datetime
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from zoneinfo import ZoneInfo

import pytest
from api_clients import GroupClient, SampleGroup, make_client

from isegoria.errors import InputError
from isegoria.service.delivery import outbox
from isegoria.service.delivery.announcements import describe_status
from isegoria.service.delivery.mail import SmtpServer
from isegoria.service.delivery.outbox import CLAIM_TIMEOUT_SECONDS, MAX_RETRY_AGE_SECONDS
from isegoria.service.delivery.webhooks import neutralise_markup, sign_webhook_body
from isegoria.service.store import EventRow, GroupRow, OutboxRow, open_store
from isegoria.service.web.translations import make_translator
from service.test_page_responses import sign_in

pytestmark = pytest.mark.peers
controller = pytest.importorskip("aiosmtpd.controller")

BERLIN = ZoneInfo("Europe/Berlin")


class MailServer:
    """A real SMTP server on this computer, which keeps what it is sent; it can be away, and come back."""

    def __init__(self):
        self.letters, self.refuses = [], set()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.controller = None

    def come(self):
        self.controller = controller.Controller(self, hostname="127.0.0.1", port=self.port)
        self.controller.start()

    def go(self):
        if self.controller is not None:
            self.controller.stop()
            self.controller = None

    async def handle_RCPT(self, server, session, envelope, address, options):
        if address in self.refuses:
            return "550 nobody of that name"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        self.letters.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 OK"


class WebhookServer(ThreadingHTTPServer):
    """A chat tool that takes webhooks."""

    def __init__(self):
        self.got, self.status = [], 200
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.address = f"http://127.0.0.1:{self.server_port}/hook"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.server.status == 200:
                self.server.got.append((dict(self.headers), body))
            self.send_response(self.server.status)
            self.end_headers()

        def log_message(self, *arguments):
            pass


@pytest.fixture
def postman():
    one = MailServer()
    one.come()
    yield one
    one.go()


@pytest.fixture
def chat():
    one = WebhookServer()
    yield one
    one.shutdown()
    one.server_close()


class ServiceWithDelivery:
    """A service with mail and webhooks, a group in it, and a clock that the test sets."""

    def __init__(self, address, postman, chat, **changes):
        smtp = SmtpServer("127.0.0.1", postman.port, "lunch@example.org")
        hosts = frozenset({f"127.0.0.1:{chat.server_port}"})
        self.store, self.postman = open_store(address), postman
        self.open = make_client(self.store, smtp=smtp, webhooks=hosts, site="https://lunch.example")
        self.client = self.open.__enter__()
        self.service = self.client.app.state.service
        self.now = int(datetime(2026, 3, 2, 8, tzinfo=BERLIN).timestamp())
        self.service.groups.clock = lambda: self.now
        self.service.scheduler.monotonic = lambda: self.now
        table = {"recurrence": "daily", "time": "12:00", "zone": "Europe/Berlin", "lead": 60}
        self.group = SampleGroup(self.client, **{"block": 3, "timetable": table} | changes)

    def at(self, hour: float, day: int = 2) -> None:
        """Set the clock, and let timetable and outbox look."""
        self.now = int(datetime(2026, 3, day, int(hour), int(hour % 1 * 60), tzinfo=BERLIN).timestamp())
        for _ in range(3):
            self.service.scheduler.tick()
        self.go_out()

    def go_out(self) -> None:
        self.service.outbox.look(self.group.group)
        self.service.outbox.send()
        wait_until(
            lambda: (
                not [letter for letter in list_pending_messages(self) if letter.due == self.now + CLAIM_TIMEOUT_SECONDS]
            )
        )

    def confirm(self, *members: int) -> None:
        """Say yes to more mail, as recipients do by the link in their first letter; wait until all has arrived."""
        with self.store.reading() as session:
            contacts = {one.number: one for one in session.contacts(self.group.group)}
        for member in members:
            path = f"/mail/{contacts[member].stop}"
            wait_until(lambda path=path: any(path in letter.get_content() for letter in self.postman.letters))
            assert self.client.get(path).status_code == 200
            assert self.client.post(path).status_code == 200
        self.go_out()

    def address(self, member: int, address: str | None):
        return self.group.organiser.post("people/mail", {"member": member, "address": address})


@contextmanager
def close_service(town):
    """A town of a test's own, closed at its end."""
    try:
        yield town
    finally:
        town.open.__exit__(None, None, None)


@pytest.fixture
def town(tmp_path, postman, chat):
    made = ServiceWithDelivery(f"sqlite:///{tmp_path / 'groups.db'}", postman, chat)
    yield made
    made.open.__exit__(None, None, None)


@pytest.fixture
def either_town(address, postman, chat):
    """A town on each kind of store."""
    made = ServiceWithDelivery(address, postman, chat)
    yield made
    made.open.__exit__(None, None, None)


def wait_until(truth, seconds: float = 60.0):
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not truth() and time.monotonic() < end:
        time.sleep(0.02)
    assert truth()


def test_an_invitation_brings_her_own_link_and_nobody_elses(town, postman):
    assert town.address(0, "ann@example.org").json() == {"member": 0, "address": "ann@example.org"}
    wait_until(lambda: len(postman.letters) == 1)
    first = postman.letters[0]
    assert "#k=" not in first.get_content(), "nothing of the group before the recipient said yes"
    assert not {"Lunch", "Ann", town.group.group} & set(re.findall(r"[\w-]+", first["Subject"] + first.get_content()))
    town.confirm(0)
    wait_until(lambda: len(postman.letters) == 2)
    letter = postman.letters[1]
    assert (letter["To"], letter["From"]) == ("ann@example.org", "lunch@example.org")
    text = letter.get_content()
    tokens = re.findall(r"#k=([\w-]+)", text)
    assert len(tokens) == 1
    ann = GroupClient(town.client, town.group.group, tokens[0])
    assert ann.get().json()["you"]["name"] == "Ann"
    assert town.group["Ann"].get("voice").status_code == 401, "a link that came too late is void"
    assert f"https://lunch.example/g/{town.group.group}#k=" in text
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    town.group["Bob"].post("session", {"token": town.group["Bob"].token})
    town.address(1, "bob@example.org")
    town.confirm(1)
    wait_until(lambda: len(postman.letters) == 3)
    assert "#k=" not in postman.letters[2].get_content(), "a link that was opened is in no mail any more"


def test_a_stranger_cannot_flood_an_address(tmp_path, postman, chat):
    """Many groups, one victim: three first letters a day in all, with no word of the stranger; none without a yes."""
    town = ServiceWithDelivery(f"sqlite:///{tmp_path / 'groups.db'}", postman, chat)
    with close_service(town):
        codes, title = [], "Your account is locked, see http://evil.example"
        for _ in range(6):
            bad = SampleGroup(town.client, title=title, members=["Dear you"])
            body = {"member": 0, "address": "victim@example.org"}
            codes.append(bad.organiser.post("people/mail", body).status_code)
            bad.organiser.post("settings", {"results": True})
            bad["Dear you"].rate({"Thai": 5})
            bad.decide()
            assert bad.organiser.post("remind").json() == {"asked": 0}
            town.service.outbox.look(bad.group)
            town.service.outbox.send()
        assert codes == [200] * 3 + [429] * 3
        wait_until(lambda: len(postman.letters) == 3)
        for letter in postman.letters:
            assert not re.search("evil|account|locked|Dear", str(letter["Subject"]) + letter.get_content())
        stop = re.search(r"https://lunch\.example(/stop/[\w-]+)", postman.letters[0].get_content())[1]
        assert town.client.post(stop).status_code == 200
        town.now += 10 * 86400
        other = SampleGroup(town.client)
        refused = other.organiser.post("people/mail", {"member": 0, "address": "Victim@example.org"})
        assert (refused.status_code, "asked for no mail" in refused.text) == (409, True), "in every group"


def test_whoever_is_missing_is_asked_once_and_whoever_answered_is_not(town, postman):
    for number, name in enumerate(("ann", "bob")):
        assert town.address(number, f"{name}@example.org").status_code == 200
    town.confirm(0, 1)
    town.group.organiser.post("settings", {"remind": 30})
    town.group["Ann"].rate({"Thai": 5})
    wait_until(lambda: len(postman.letters) >= 4)
    before = len(postman.letters)
    town.at(10)
    town.at(10.5)
    wait_until(lambda: len(postman.letters) == before + 1)
    town.at(10.75)
    asked = postman.letters[before:]
    assert [letter["To"] for letter in asked] == ["bob@example.org"]
    assert "Lunch: your answer is wanted until Monday 2 March, 11:00." in asked[0].get_content()
    assert "#k=" not in asked[0].get_content()
    assert town.group.organiser.post("remind").json() == {"asked": 1}
    wait_until(lambda: len(postman.letters) == before + 2)


def test_a_result_and_then_a_message_every_day(town, postman, chat):
    town.address(0, "ann@example.org")
    town.confirm(0)
    town.group.organiser.post("settings", {"results": True, "webhook": chat.address})
    for name in ("Ann", "Bob", "Cem"):
        town.group[name].rate({"Thai": 5, "Pizza": 0, "Salad": 0})
    town.at(11)
    town.at(12)
    wait_until(lambda: any("decided" in letter["Subject"] for letter in postman.letters))
    told = [letter.get_content() for letter in postman.letters if "decided" in letter["Subject"]]
    assert "Lunch, today, Monday 2 March: Thai. Then Tuesday 3 March: Thai, Wednesday 4 March: Thai." in told[0]
    town.at(10.9, day=3)
    before = len(postman.letters)
    town.at(11, day=3)
    wait_until(lambda: len(postman.letters) == before + 1)
    town.at(12, day=3)
    town.at(13, day=3)
    assert len(postman.letters) == before + 1, "one message a day"
    assert "Lunch, today, Tuesday 3 March: Thai." in postman.letters[-1].get_content()
    wait_until(lambda: any(b"today, Tuesday 3 March" in body for _, body in chat.got))
    texts = [json.loads(body)["text"] for _, body in chat.got]
    assert any(re.match(r"Lunch: Thai 100 %\. It is decided on Monday 2 March, 12:00\.", text) for text in texts)


def test_a_delivery_is_signed_and_says_nobodys_secret(town, chat):
    assert town.group.organiser.post("settings", {"webhook": chat.address}).status_code == 200
    town.at(11)
    wait_until(lambda: chat.got)
    headers, body = chat.got[-1]
    key = town.group.organiser.get("webhook").json()["key"]
    sent = {name.lower(): value for name, value in headers.items()}
    assert sent["x-isegoria-signature"] == sign_webhook_body(key, body)
    assert sign_webhook_body(key, body) == "sha256=" + hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
    said = json.loads(body)
    assert {"text", "group", "title", "phase", "round", "lines", "head", "words", "line", "at", "plan"} == set(said)
    for token in (town.group.made["organiser"], town.group.made["join"], *town.group.made["members"].values()):
        assert token not in body.decode()
    assert town.group["Ann"].get("webhook").status_code == 403


def test_a_chat_tool_reads_no_command_in_what_members_write(town, chat):
    title = "<!channel> <https://evil.example/login|your result> @everyone [a](http://b.example)"
    town.group.organiser.post("settings", {"webhook": chat.address})
    state = town.service.groups._cache(town.group.group).group
    text = neutralise_markup(describe_status(state, town.now, make_translator("en")).replace("Lunch", title))
    assert not re.search(r"[<>]|://|@\w|evil\.example|\]\(", text)
    town.at(11)
    wait_until(lambda: chat.got)
    assert json.loads(chat.got[-1][1])["text"].startswith("Lunch: ")


def test_phones_are_reminded_while_a_page_is_fixed(tmp_path, postman, chat):
    noon = int(datetime(2026, 3, 2, 12, tzinfo=BERLIN).timestamp())
    town = ServiceWithDelivery(
        f"sqlite:///{tmp_path / 'groups.db'}", postman, chat, source="beacon", first=noon, every=86400
    )
    with close_service(town):
        refused = town.group.organiser.post("remind")
        for number, name in enumerate(("Ann", "Bob", "Cem")):
            town.group[name].rate({"Thai": 5})
            town.group[name].post("keys", town.group.key(name, bytes([number]) * 32))
        town.at(11)
        refused = town.group.organiser.post("remind")
        assert (refused.status_code, "has no webhook" in refused.text) == (409, True)
        town.group.organiser.post("settings", {"webhook": chat.address})
        town.go_out()
        wait_until(lambda: chat.got)
        before = len(chat.got)
        assert town.group.organiser.post("remind").json() == {"asked": 1}
        assert town.group.organiser.post("remind").json() == {"asked": 0}, "once in ten minutes"
        town.go_out()
        wait_until(lambda: len(chat.got) > before)
        text = json.loads(chat.got[-1][1])["text"]
        assert text.endswith("12:00. 0 of 3 phones have seen this page; 1 is wanted by 11:59."), text
        sign_in(town.client, town.group["Ann"])
        page = town.client.get(f"/g/{town.group.group}").text
        assert re.search(r'id="remind" data-text="[^"]*1 is wanted by 11:59\."', page)
        sign_in(town.client, town.group.organiser)
        assert "/do/remind" in town.client.get(f"/g/{town.group.group}/organise").text


def test_both_down_nobody_waits_and_nothing_is_lost(either_town, postman, chat):
    town = either_town
    postman.go()
    chat.status = 503
    assert town.address(0, "ann@example.org").status_code == 200
    with town.store.writing() as session:  # she has said yes before
        contact = session.contacts(town.group.group)[0]
        session.keep_contact(town.group.group, contact._replace(confirmed=town.now))
        session.post(OutboxRow(town.group.group, "confirm:again:0", "mail", 0, town.now, town.now, 0))
    assert town.group.organiser.post("settings", {"results": True, "webhook": chat.address}).status_code == 200
    for name in ("Ann", "Bob", "Cem"):
        assert town.group[name].rate({"Thai": 5}).status_code == 200
    town.at(11)
    town.at(12)
    assert town.group.nobody.get().json()["round"] == 1
    with town.store.reading() as session:
        waiting = {letter.key.partition(":")[0] for letter in session.waiting_letters(town.now + 10**6)}
    assert waiting == {"confirm", "result", "head"}
    postman.come()
    chat.status = 200
    town.now += 3600
    town.go_out()
    wait_until(lambda: len(postman.letters) == 2 and chat.got)
    assert sorted(letter["Subject"] for letter in postman.letters) == [
        "Lunch: decided",
        "Your address was entered for a group",
    ]
    town.now += 7200
    town.go_out()
    assert len(postman.letters) == 2, "nothing is told twice"


def test_what_was_to_be_told_outlives_the_process(tmp_path, postman, chat):
    postman.go()
    first = ServiceWithDelivery(f"sqlite:///{tmp_path / 'groups.db'}", postman, chat)
    first.address(0, "ann@example.org")
    first.go_out()
    first.open.__exit__(None, None, None)
    postman.come()
    second = make_client(
        open_store(first.store.address), smtp=SmtpServer("127.0.0.1", postman.port, "a@b.c"), site="http://x.y"
    )
    second.app.state.service.groups.clock = lambda: first.now + 4000
    with second:
        second.app.state.service.outbox.send()
        wait_until(lambda: len(postman.letters) == 1)


def test_mail_ends_without_a_login_and_stays_ended(town, postman):
    town.address(0, "ann@example.org")
    wait_until(lambda: postman.letters)
    stop = re.search(r"https://lunch\.example(/stop/[\w-]+)", postman.letters[0].get_content())[1]
    assert postman.letters[0]["List-Unsubscribe"] == f"<https://lunch.example{stop}>"
    page = town.client.get(stop)
    assert (page.status_code, "End the mail" in page.text) == (200, True)
    with town.store.reading() as session:
        assert session.contacts(town.group.group)[0].address == "ann@example.org", "reading changes nothing"
    assert town.client.post(stop, content="List-Unsubscribe=One-Click").status_code == 200
    with town.store.reading() as session:
        assert session.contacts(town.group.group)[0].address is None
    refused = town.address(0, "Ann@example.org")
    assert (refused.status_code, "asked for no mail" in refused.text) == (409, True)
    assert town.client.get("/stop/" + "x" * 24).status_code == 404


def test_who_asked_for_no_mail_is_asked_again_by_no_way(town, postman):
    group = town.group.group
    town.address(0, "ann@example.org")
    wait_until(lambda: postman.letters)
    stop = re.search(r"https://lunch\.example(/stop/[\w-]+)", postman.letters[0].get_content())[1]
    assert town.client.post(stop).status_code == 200
    for before in (None, "other@example.org", None):
        assert town.address(0, before).status_code == 200
        assert town.address(0, "ann@example.org").status_code == 409
        assert town.address(1, "Ann@Example.org").status_code == 409
    other = SampleGroup(town.client)
    assert other["Ann"].post("mail", {"address": "ann@example.org"}).status_code == 409, "nor in another group"
    assert town.group.organiser.post("people/erase", {"member": 0}).status_code == 200
    with town.store.reading() as session:
        assert session.contacts(group) == []


def test_a_webhook_that_answers_nonsense_is_tried_again_and_told_of_in_few_words(town, chat, caplog):
    class Nonsense(BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.wfile.write(b"ann@example.org says no\r\n\r\n")
            self.close_connection = True

        def log_message(self, *arguments):
            pass

    chat.RequestHandlerClass = Nonsense
    for path in ("/hook/hidden-part", "/hook/hidden part"):
        caplog.clear()
        assert town.group.organiser.post("settings", {"webhook": chat.address[:-5] + path}).status_code in (200, 400)
        town.group.decide()
        town.go_out()
        wait_until(lambda: "was not told" in caplog.text)
        assert "Traceback" not in caplog.text
        assert "hidden" not in caplog.text
        assert "example.org" not in caplog.text
        assert all(letter.due > town.now for letter in list_pending_messages(town))


def test_a_fault_of_ours_is_tried_later_and_later_and_comes_to_an_end(town, chat, caplog, monkeypatch):
    def fault(*_):
        raise ZeroDivisionError

    assert town.group.organiser.post("settings", {"webhook": chat.address}).status_code == 200
    town.group.decide()
    town.go_out()
    wait_until(lambda: not list_pending_messages(town))  # the heads of this round are told; the next line has one
    monkeypatch.setattr(outbox, "build_webhook_body", fault)
    assert town.group.organiser.post("freeze").status_code == 201
    town.go_out()
    (letter,) = list_pending_messages(town)
    waits = []
    while True:
        found = next((one for one in list_pending_messages(town) if one.key == letter.key), None)
        if found is None:
            break
        waits.append(found.due - town.now)
        town.now = found.due
        town.service.outbox.send()
        wait_until(
            lambda: not [one for one in list_pending_messages(town) if one.due == town.now + CLAIM_TIMEOUT_SECONDS]
        )
    assert waits[:6] == [10, 20, 40, 80, 160, 320]
    assert max(waits) == 3600
    assert MAX_RETRY_AGE_SECONDS < sum(waits) <= MAX_RETRY_AGE_SECONDS + 3600
    assert caplog.text.count("Traceback") == 1
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("most", [1, 500])
def test_a_webhook_that_answers_slowly_is_told_everything_once(town, chat, monkeypatch, most):
    monkeypatch.setattr(outbox, "MAX_QUEUED_PER_HOST", most)
    answers, begun, tired = threading.Event(), threading.Event(), []

    class Slow(WebhookServer.Handler):
        def do_POST(self):
            begun.set()
            if not answers.wait(60):
                tired.append(self)
            super().do_POST()

    chat.RequestHandlerClass = Slow
    assert town.group.organiser.post("settings", {"webhook": chat.address}).status_code == 200
    for _ in range(3):
        town.group.decide()
        town.service.outbox.look(town.group.group)
        town.service.outbox.send()
    assert begun.wait(60)
    for _ in range(2):  # two letters wait behind the first, longer than they are claimed for
        town.now += CLAIM_TIMEOUT_SECONDS + 1
        town.service.outbox.send()
    host = town.service.outbox._hosts[f"127.0.0.1:{chat.server_port}"]
    assert 1 <= host.waiting <= min(most, 18)  # not more and more of them, while it takes nothing
    town.group.decide()  # a delivery hangs, and nobody waits for it
    assert tired == []
    answers.set()
    town.service.outbox.look(town.group.group)
    while list_pending_messages(town):
        town.now += CLAIM_TIMEOUT_SECONDS + 1
        town.service.outbox.send()
        wait_until(lambda: not host.waiting)
    host.stop(60)
    with town.store.reading() as session:
        ((letters,),) = session._run("SELECT COUNT(*) FROM outbox", ())[0]
    assert letters >= 3
    assert len(chat.got) == letters


def test_a_group_that_cannot_be_read_delays_no_letter_of_another(town, chat, monkeypatch):
    assert town.group.organiser.post("settings", {"webhook": chat.address}).status_code == 200
    town.group.decide()
    with town.store.writing() as session:
        session.add_group(GroupRow("old", 1, 1, 1, 1, "aa", None, '{"secret": "00"}'))
        session.place("old", EventRow(1, "charter", "charter", "old:organiser:0", 1, "{}", '{"line":"charter"}', "00"))
        session.post(OutboxRow("old", "head:1", "webhook", -1, town.now, 1, 0))  # the first that is due
    town.go_out()
    wait_until(lambda: chat.got)
    assert [one.due > town.now for one in list_pending_messages(town) if one.group == "old"] == [True]


def test_addresses_are_private_and_go_with_the_person(town, postman):
    town.address(1, "bob@example.org")
    assert town.group["Ann"].post("mail", {"address": "ann@example.org"}).json()["address"] == "ann@example.org"
    wait_until(lambda: len(postman.letters) == 1)
    for visitor in (town.group.nobody, town.group["Cem"], town.group.organiser):
        for path in ("", "record", "calendar.ics", "links", "export"):
            assert "example.org" not in visitor.get(path).text
    town.group.decide()
    assert b"example.org" not in town.group.record()
    assert town.group.organiser.post("people/erase", {"member": 1}).status_code == 200
    with town.store.reading() as session:
        assert [one.number for one in session.contacts(town.group.group)] == [0]


def test_an_address_that_nobody_has_is_not_tried_for_a_week(town, postman):
    postman.refuses.add("gone@example.org")
    town.address(0, "gone@example.org")
    town.go_out()
    wait_until(lambda: not list_pending_messages(town))
    assert postman.letters == []


def list_pending_messages(town) -> list:
    with town.store.reading() as session:
        return session.waiting_letters(town.now + 10**7)


@pytest.mark.parametrize(
    ("url", "sender"),
    [("mail.example", "a@b.c"), ("http://x", "a@b.c"), ("smtp://", "a@b.c"), ("smtp://x", None), ("smtp://x", "a b")],
)
def test_what_is_no_mail_server_is_said(url, sender):
    with pytest.raises(InputError, match=r"expected|say from whom"):
        SmtpServer.from_url(url, sender)


def test_what_is_no_address_is_refused_and_no_header_is_begun(town):
    for wrong in ("ann", "ann@", "a@b\nBcc: x@y.z", "a@b, c@d", "<a@b>"):
        assert town.address(0, wrong).status_code in (400, 409), wrong


def test_a_server_without_mail_says_so(quick):
    lunch = SampleGroup(quick)
    refused = lunch.organiser.post("people/mail", {"member": 0, "address": "ann@example.org"})
    assert (refused.status_code, "--smtp" in refused.text) == (409, True)

"""A member's phone through every phase of a draw by a public beacon, and by the members' own numbers: what it says.

The beacon is drand's quicknet, and what it says is real, told by a relay on this machine; so the clocks of server and
phones stand in that year, and go on when a test says so. With ISEGORIA_WHOLE=1 (`make browsers`) all pages of each
phase are looked at, light and dark; else the one that a phone shows, and axe looks at some.
"""

import json
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from wsgiref.handlers import format_date_time

import pytest
from playwright.sync_api import TimeoutError

from browser.app_server import AppServer
from browser.fixtures import collect_page_errors, find_overflowing_elements
from isegoria.record.sources.beacon import QUICKNET_CHAIN
from isegoria.service.app import create_app
from isegoria.service.settings import Settings
from pages.conftest import RunningService
from pages.page_steps import retry_navigation, tap_favourite, wait_until
from pages.test_pages import enter
from service.test_plain_language import TECHNICAL

RUN_ALL_CHECKS = bool(os.environ.get("ISEGORIA_WHOLE"))
NUMBER = 657413
SPOKEN = "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b"
SPEAKS = QUICKNET_CHAIN["genesis"] + (NUMBER - 1) * QUICKNET_CHAIN["period"]
"""When quicknet said that: on Friday 15 September 2023, 13:00:03 in Berlin."""
HOUR = 3600
INCLUDES = "said => document.querySelector('main')?.innerText.replace(/\\s+/g, ' ').includes(said)"


class FakeRelay(ThreadingHTTPServer):
    """Tells one word of the beacon; it may be away."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), self.Handler)
        self.away, self.asked = False, 0
        self.address = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.server.asked += 1
            told = self.path == f"/{QUICKNET_CHAIN['chain']}/public/{NUMBER}" and not self.server.away
            self.send_response(200 if told else 503)
            self.end_headers()
            self.wfile.write(json.dumps({"round": NUMBER, "signature": SPOKEN}).encode() if told else b"{}")

        def log_message(self, *arguments):
            pass


class TimedService(RunningService):
    """A service whose clock stands where a test has set it, and phones that go by the same."""

    def __init__(self, folder, relay: FakeRelay, now: int):
        self.now, self.relay, self.phones = now, relay, []
        app = create_app(Settings(store=f"sqlite:///{folder / 'phases.db'}", relay=relay.address))
        service = app.state.service
        self.store = service.store
        service.groups.clock = service.scheduler.monotonic = lambda: self.now
        AppServer.__init__(self, app, dated=lambda: format_date_time(self.now))

    def at(self, now: int) -> None:
        """It is so late now, for everybody: the phones first, since what the server does then makes them sign."""
        for page in self.phones:
            page.clock.set_fixed_time(now)
        self.now = now


class PhonePage:
    """Somebody's phone, 320 pixels wide: `says` waits for sentences, and looks at the page that has them."""

    def __init__(self, service: TimedService, group, browser, axe, name: str | None, language: str):
        self.service, self.group, self.name, self.language, self.axe = service, group, name, language, axe
        context = browser.new_context(
            viewport={"width": 320, "height": 700}, locale=language, reduced_motion="reduce", color_scheme="light"
        )
        context.set_default_timeout(60_000)
        self.page = context.new_page()
        self.page.clock.set_fixed_time(service.now)
        service.phones.append(self.page)
        self.home = f"{service.site}/g/{group.id}"
        enter(self.page, group.link(name), "#h-rate" if name else "#h-people")
        self.faults = collect_page_errors(self.page)

    def answers(self) -> None:
        """She taps the first option, and her phone has a key in the group."""
        tap_favourite(self.page, self.group, self.name, "input[name=arm0]")
        token = self.group.made["members"][self.name]
        wait_until(self.page, lambda: self.service.get(self.group.api, token)["you"]["key"])

    def away(self) -> None:
        retry_navigation(lambda: self.page.goto("about:blank"))

    def back(self, place: str = "") -> None:
        retry_navigation(lambda: self.page.goto(self.home + place))

    def says(self, *sentences: str, closely: bool = False) -> None:
        for one in sentences:
            try:
                self.page.wait_for_function(INCLUDES, arg=one)
            except TimeoutError as error:
                text = " ".join(self.page.inner_text("main").split())
                raise AssertionError(f"the page does not say {one!r} but {text!r}; {self.faults}") from error
        self.look(closely or RUN_ALL_CHECKS)
        if RUN_ALL_CHECKS and self.name is not None:
            for place in ("/voice", "/group", "/board"):
                self.back(place)
                self.page.wait_for_selector("main h1", state="attached")
                self.look(True)
            self.back()

    def look(self, closely: bool) -> None:
        """Nothing sticks out, nobody meets a technical word, and axe finds nothing where it looks."""
        text = re.sub(r"https?:\S+", "", self.page.inner_text("main"))
        assert not re.search(r"\{\w+\}|undefined|None\b", text), text
        if self.name is not None:
            assert not re.search(TECHNICAL[self.language], text, re.IGNORECASE), text
        assert find_overflowing_elements(self.page) == []
        for scheme in ("light", "dark") if RUN_ALL_CHECKS else ("light",) if closely else ():
            self.page.emulate_media(color_scheme=scheme)
            assert self.axe(self.page) == [], (scheme, text)

    def wrong(self) -> list[str]:
        """What went wrong on this phone; that another was quicker (409), so that it signs again, is no fault."""
        return [one for one in self.faults if "409 (Conflict)" not in one]

    def shows_no(self, *sentences: str) -> None:
        text = " ".join(self.page.inner_text("main").split())
        assert not [one for one in sentences if one in text], text


@pytest.fixture(scope="module")
def relay():
    running = FakeRelay()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def service(tmp_path, relay):
    running = TimedService(tmp_path, relay, SPEAKS - 4 * HOUR)
    yield running
    running.close()


@pytest.fixture
def phone(service, browser, axe):
    """`phone(group, name, language)`; no name is the organiser's."""
    opened = []

    def one(group, name, language="en") -> PhonePage:
        opened.append(PhonePage(service, group, browser, axe, name, language))
        return opened[-1]

    yield one
    for each in opened:
        each.page.context.close()


def test_by_a_beacon(service, relay, phone, browser):
    table = {"recurrence": "daily", "zone": "Europe/Berlin", "lead": 180}
    group = service.group(["Ann", "Bob", "Cem"], source="beacon", first=SPEAKS, every=24 * HOUR, timetable=table)
    ann, bob, cem = phone(group, "Ann"), phone(group, "Bob", "de"), phone(group, "Cem", "de")
    organiser = phone(group, None, "de")
    for one in (ann, bob, cem):
        one.answers()
    cem.away()
    ann.says("Answers close on Friday 15 September, 10:00; it is decided on Friday 15 September, 13:00.")
    bob.says("Antworten bis Freitag, 15. September, 10:00 Uhr; entschieden wird Freitag, 15. September, 13:00 Uhr.")

    service.at(SPEAKS - 3 * HOUR)  # fixed by the timetable
    seen = "Drawn at 13:00. 2 of 3 phones have seen this page; 1 is wanted by 12:59. This phone has."
    ann.says("Answers are closed", "Noodles 100 %", seen, closely=True)
    bob.says("Gezogen wird um 13:00. 2 von 3 Geräten haben das schon gesehen", "Dieses Gerät hat es gesehen.")
    organiser.back("/organise?row=round")
    organiser.says("Entschieden wird Freitag, 15. September, 13:00 Uhr.")
    assert organiser.page.locator("#row-round button:visible").count() == 0, "there is nothing for anybody to do"

    service.at(SPEAKS - 30)
    cem.back()
    cem.says("Dieses Gerät noch nicht: der Beacon spricht in weniger als einer Minute oder hat schon gesprochen;")

    relay.away, relay.asked = True, 0
    service.at(SPEAKS + 20)
    wait_until(ann.page, lambda: relay.asked)
    ann.back()
    spoken = "The beacon has spoken: it is drawn as soon as this server has heard it."
    ann.says(f"{spoken} This phone had seen the page by then.")
    ann.shows_no("It is decided on", "wanted by")
    cem.back()
    cem.says("Der Beacon hat gesprochen: Gezogen wird, sobald dieser Server ihn gehört hat.")
    cem.says("Dieses Gerät hatte es bis dahin nicht gesehen; es unterschreibt nach der Ziehung.", closely=True)
    cem.away()
    organiser.back("/organise?row=round")
    organiser.page.click("#row-round button.strong")
    organiser.says("hat Runde 657413 nicht mitgeteilt")

    relay.away = False
    service.at(SPEAKS + HOUR)  # the timetable has asked again
    proved = "Proved for you if this phone’s key is yours alone: it had the page at 10:00, before anyone could know"
    ann.says("Today, Friday 15 September", "Noodles", proved)
    bob.says("Heute, Freitag, 15. September", "Für Sie bewiesen, wenn der Schlüssel dieses Geräts nur Ihrer ist")
    outside = browser.new_context(locale="en", viewport={"width": 320, "height": 700}).new_page()
    outside.goto(f"{service.site}/g/{group.id}")
    said = "2 phones had the page before the draw. Proved for everyone once 3 of 3 have looked in; 2 have,"
    outside.wait_for_function(INCLUDES, arg=said)
    outside.context.close()
    cem.back()
    cem.says("3 von 3 haben seither hereingeschaut, keines davon mit einer anderen Runde: bewiesen für alle,")
    ann.back("/voice")
    ann.page.click("#check")
    ann.says("is yours alone: 1 of 1 draw, made from what was fixed", "signed, on September 15 at 14:00.")
    for one in (ann, bob, cem):
        assert one.wrong() == []


def test_by_the_members_own_numbers(service, phone):
    group = service.group(["Ann", "Bob", "Cem"], source="commit_reveal")
    ann, bob, cem = phone(group, "Ann"), phone(group, "Bob", "de"), phone(group, "Cem")
    organiser = phone(group, None)
    for one in (ann, bob, cem):
        one.answers()
    ann.says("Waiting for answers. 3 of 3 are in.")

    organiser.back("/organise?row=round")
    organiser.page.click("#row-round button.strong")
    organiser.says("3 phones are here; take these 3? Ann, Bob, Cem")
    ann.says("This phone is asked for a number for the draw: keep this page open.", closely=True)
    bob.says("Dieses Gerät soll eine Zahl zur Ziehung beitragen: Lassen Sie diese Seite offen.")

    cem.away()
    organiser.page.click("button:has-text('Take these')")
    organiser.says("Waiting for the numbers of Cem.")
    ann.says("Answers are closed", "Waiting for 1 number.", "This phone has added its number.")
    bob.says("Es fehlt noch eine Zahl.", "Dieses Gerät hat seine Zahl beigetragen.")
    organiser.page.click("button:has-text('Draw')")
    organiser.says("The number of Cem is missing; a round is drawn with all of them, or never.")

    service.at(service.now + 25 * HOUR)
    ann.back()
    ann.says("Round 1 was never drawn, and the history will always say so.")
    ann.shows_no("Answers are closed", "Waiting for", "Ask the others")
    bob.back()
    bob.says("Runde 1 wurde nie gezogen, und das bleibt für immer in der Geschichte.")
    organiser.back("/organise?row=round")
    organiser.says("What did you do instead?", "Waiting for the numbers of Cem.")

    organiser.page.click("summary:has-text('Leave this one undrawn')")
    organiser.page.click("button:has-text('Leave this one undrawn')")
    organiser.says("The decision that is fixed now is never made; everybody will see that it was left.")
    organiser.page.click("button:has-text('Leave it undrawn')")
    organiser.says("2 phones are here; take these 2? Ann, Bob")
    bob.says("Dieses Gerät soll eine Zahl zur Ziehung beitragen")
    organiser.page.click("button:has-text('Take these')")
    organiser.says("All numbers are here: it can be drawn.")
    ann.says("All numbers are here: it can be drawn.", "This phone has added its number.")
    bob.says("Alle Zahlen sind da: Es kann gezogen werden.")
    cem.back()
    cem.says("This phone has added no number: it was not open when numbers were asked for.")

    organiser.page.click("button:has-text('Draw')")
    ann.says("Noodles", "Drawn after one that was never drawn: the person who stopped it could choose among 2.")
    bob.says("Gezogen, nachdem eine Runde nie gezogen wurde: Wer das tat, konnte unter 2 wählen.")
    organiser.says("Drawn after one that was never drawn: the person who stopped it could choose among 2.")
    for one in (ann, bob, cem):
        assert one.wrong() == []

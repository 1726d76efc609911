"""Ten people on a host name that is not this computer's own, from an empty server to their first decided day.

A tap is any pressing, or a field begun; typing inside it is not counted, and scanning is one. Nothing is lost by a
reload, by going back, or with a closed tab, which is tried at every step. With ISEGORIA_HUMAN=1 people pause as people
do, and the minutes are printed.
"""

import os
import re
import time

import pytest

from browser.fixtures import collect_page_errors
from pages.conftest import NAMES, RunningService
from pages.page_steps import retry_navigation
from pages.test_pages import write

ARMS = ["Noodles", "Pizza", "Salad", "Curry"]
HUMAN = bool(os.environ.get("ISEGORIA_HUMAN"))
LOOK, LETTER = 2.0, 0.2  # seconds for a look at what to tap next, and for a letter
SHARE_SPY_SCRIPT = """
    window.handed = [];
    document.execCommand = () => { handed.push(document.activeElement.value); return true; };
    Object.defineProperty(navigator, 'share', { value: async (what) => { handed.push(JSON.stringify(what)); } });
"""


class CountingUser:
    """Somebody at a page, whose taps are counted."""

    def __init__(self, page):
        self.page, self.taps, self.faults = page, 0, collect_page_errors(page)
        page.add_init_script(SHARE_SPY_SCRIPT)
        self.started, self.spent = time.monotonic(), 0.0

    def _tap(self, seconds: float = LOOK) -> None:
        self.taps += 1
        if HUMAN:
            time.sleep(seconds)

    def open(self, address: str) -> None:
        self._tap()
        self.page.goto(address)

    def tap(self, selector: str) -> None:
        self._tap()
        self.page.click(selector)

    def write(self, name: str, text: str) -> None:
        self._tap(LOOK + LETTER * len(text))
        write(self.page, name, text)

    def choose(self, name: str, value: str) -> None:
        self._tap()
        self.page.select_option(f"[name={name}]", value)

    def shaken(self, selector: str) -> None:
        """Reload, go away and come back, close the tab and open it again: what was there is there."""
        page, address = self.page, self.page.url
        retry_navigation(page.reload)
        page.wait_for_selector(selector)
        retry_navigation(lambda: page.goto("about:blank"))
        page.go_back()
        page.wait_for_selector(selector)
        self.page = page.context.new_page()
        page.close()
        self.faults += collect_page_errors(self.page)
        self.page.add_init_script(SHARE_SPY_SCRIPT)
        self.page.goto(address)
        self.page.wait_for_selector(selector)

    def seconds(self) -> float:
        return time.monotonic() - self.started


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """An empty server under a name that is not loopback, and so without a secure context."""
    running = RunningService(tmp_path_factory.mktemp("town"))
    yield running
    running.close()


def phone(browser) -> CountingUser:
    context = browser.new_context(viewport={"width": 390, "height": 780})
    context.set_default_timeout(60_000)
    return CountingUser(context.new_page())


def test_ten_people_decide_their_first_day(town, browser):
    organiser = phone(browser)
    organiser.open(town.named)
    assert organiser.page.evaluate("isSecureContext") is False
    organiser.write("title", "Lunch")
    organiser.write("arms", ", ".join(ARMS))
    organiser.write("members", ", ".join(NAMES[1:]))
    organiser.write("me", NAMES[0])
    organiser.page.wait_for_selector("#count-members:has-text('10 people')")
    organiser.tap("text=Make the group")
    organiser.page.wait_for_selector("#join")
    organiser.shaken("#join")
    join = organiser.page.get_attribute("#join", "href")
    assert join.startswith(town.named)
    secrets = secrets_of(organiser.page)
    members = [member_answers(browser, join, i, name) for i, name in enumerate(NAMES) if i]
    organiser.tap("text=Open the group")
    organiser.shaken("form.favourites")
    organiser.tap("label.tile:has-text('Noodles')")
    organiser.page.wait_for_selector(".saved button")
    organiser.shaken("form.favourites input:checked")
    organiser.page.wait_for_selector("text=10 of 10 have answered")
    organiser.shaken("button:has-text('Decide now')")
    organiser.tap("button:has-text('Decide now')")
    organiser.page.wait_for_selector(".drawn:visible")
    assert re.match(r"(Today, )?\w+day \d+ \w+", organiser.page.inner_text("#h-today"))
    organiser.shaken(".drawn")
    decided = organiser.page.inner_text(".drawn")
    last = members[-1]
    retry_navigation(lambda: last.page.goto(organiser.page.url))
    last.page.wait_for_function("decided => document.querySelector('.drawn')?.innerText === decided", arg=decided)
    assert organiser.taps <= 10
    assert max(member.taps for member in members) <= 3
    assert organiser.faults == []
    check_nothing_leaks(organiser, secrets)
    if HUMAN:  # members answer at the same time, each on her own phone; here they come one after another
        slowest, together = max(one.spent for one in members), sum(one.spent for one in members)
        minutes = (organiser.seconds() - together + slowest) / 60
        print(f"\n{minutes:.1f} minutes: organiser {organiser.taps} taps; member {members[0].taps}, {slowest:.0f} s")
    for one in [organiser, *members]:
        one.page.context.close()


def member_answers(browser, join: str, number: int, name: str) -> CountingUser:
    """A member scans the join link, taps her name and what she likes; she is shaken like the organiser."""
    member = phone(browser)
    member.open(join)
    closely = number == len(NAMES) - 1
    member.page.wait_for_selector(f"button:has-text('{name}')")
    if closely:
        member.page.reload()
        member.page.wait_for_selector(f"button:has-text('{name}')")
        assert "k=" not in member.page.url
    member.tap(f"#names button:has-text('{name}')")
    member.page.wait_for_selector(f"h2:has-text('{name}, your answer')")
    if closely:
        member.shaken("form.favourites")
    member.tap(f"label.tile:has-text('{ARMS[number % 4]}')")
    member.page.wait_for_selector(".saved button")
    if closely:
        member.shaken("form.favourites input:checked")
    else:
        member.page.goto("about:blank")
    assert member.faults == []
    member.spent = member.seconds()
    return member


def secrets_of(page) -> dict[str, str]:
    """Every private secret on the page of links, by whose it is."""
    assert page.locator("a[data-name]").count() == 0, "a private link is made on request only"
    return {"organiser": page.get_attribute("#own", "href").partition("#k=")[2]}


def check_nothing_leaks(organiser: CountingUser, secrets: dict[str, str]) -> None:
    """What is copied or shared for the group holds nobody's secret, and what is printed not the organiser's."""
    page = organiser.page
    page.goto(page.url.split("?")[0] + "/links")
    page.wait_for_selector("button.copy:visible")
    page.click("button[data-copies=join]")
    page.wait_for_selector("#copied:not(:empty)")
    page.click("button[data-shares=join]")
    page.wait_for_function("() => handed.length === 2")
    handed = page.evaluate("handed")
    page.goto(page.url.removesuffix("/links"))
    page.click("#share")
    page.wait_for_function("() => handed.length === 1")
    handed += page.evaluate("handed")
    page.go_back()
    page.wait_for_selector("button.copy:visible")
    assert not [name for name, secret in secrets.items() for text in handed if secret in text]
    page.emulate_media(media="print")
    shown = page.evaluate(
        "document.body.innerText + [...document.querySelectorAll('a')].filter(a => a.offsetParent).map(a => a.href)"
    )
    assert secrets["organiser"] not in shown
    page.emulate_media(media="screen")


@pytest.mark.parametrize(("paper", "size"), [("a4", (595, 842)), ("letter", (612, 792))])
def test_the_sheet_for_the_board_is_one_page_of_either_paper(town, browser, paper, size):
    group = town.group(arms=["N" * 60, "Pizza"], timetable={"recurrence": "daily", "zone": "Europe/Berlin"})
    group.rate_all()
    group.decide()
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{town.named}/g/{group.id}/board?paper={paper}")
    page.wait_for_selector(".board tr")
    sheet = page.pdf(prefer_css_page_size=True)
    context.close()
    assert len(re.findall(rb"/Type\s*/Page\b", sheet)) == 1
    box = re.search(rb"/MediaBox\s*\[\s*0\s+0\s+([\d.]+)\s+([\d.]+)", sheet)
    assert [round(float(side)) for side in box.groups()] == pytest.approx(size, abs=1)


def test_without_a_secure_context_text_and_code_take_the_place_of_the_share_sheet(town, browser):
    group = town.group(members=["Ann", "Bob"])
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{town.named}/g/{group.id}#k={group.made['organiser']}")
    page.wait_for_selector("#h-people")
    page.goto(f"{town.named}/g/{group.id}/links")
    page.wait_for_selector("button[data-copies=join]:visible")
    told = page.evaluate("({secure: isSecureContext, share: !!navigator.share, clipboard: !!navigator.clipboard})")
    assert told == {"secure": False, "share": False, "clipboard": False}
    assert page.is_hidden("button[data-shares=join]")
    assert page.inner_text("#join") == page.get_attribute("#join", "href"), "the link can be marked and copied by hand"
    assert page.is_visible(".join .qr svg")
    page.click("button[data-copies=join]")
    page.wait_for_selector("#copied:not(:empty)")
    context.close()


def test_just_this_once_ends_by_itself(town, browser):
    """One decision with one button; an open phone sees the wheel, and the group decides nothing any more."""
    organiser = phone(browser)
    organiser.open(town.site)
    organiser.tap("label:has-text('Just this once')")
    assert organiser.page.input_value("[name=recurrence]") == "hand"
    for field, text in (("title", "Friday"), ("arms", "Noodles, Pizza"), ("members", "Bob"), ("me", "Ann")):
        organiser.write(field, text)
    organiser.tap("text=Make the group")
    organiser.page.wait_for_selector("#join")
    join = organiser.page.get_attribute("#join", "href")
    member = phone(browser)
    member.open(join)
    member.tap("#names button:has-text('Bob')")
    member.tap("label.tile:has-text('Noodles')")
    member.page.wait_for_selector(".saved button")
    organiser.tap("text=Open the group")
    organiser.tap("button:has-text('Decide now')")
    organiser.tap("button:has-text('Go on without them')")
    member.page.wait_for_selector(".wheel .pointer")
    assert member.page.locator(".drawn").count() == 0
    organiser.page.wait_for_selector(".drawn:visible")
    member.page.wait_for_selector(".drawn:visible")
    assert town.get("/api/groups/" + join.split("/g/")[1].split("/")[0])["phase"] == "ended"
    assert organiser.page.locator("button:has-text('Decide now')").count() == 0
    for one in (organiser, member):
        assert [fault for fault in one.faults if "409 (Conflict)" not in fault] == []  # drawn before it signed
        one.page.context.close()


def test_closed_today_is_said_on_today(town, browser):
    group = town.group(members=["Ann", "Bob"], arms=["Noodles", "Pizza"])
    group.rate_all()
    group.decide()
    organiser = phone(browser)
    organiser.open(group.link())
    organiser.page.wait_for_selector("#h-people")
    organiser.page.goto(f"{town.site}/g/{group.id}")
    drawn = organiser.page.inner_text(".drawn")
    organiser.tap("summary:has-text('Closed today?')")
    organiser.tap("#closed button")
    organiser.page.wait_for_selector(f".hero:has-text('{drawn} was drawn; the organiser changed it: closed today.')")
    assert organiser.page.inner_text(".drawn") != drawn
    assert organiser.faults == []
    organiser.page.context.close()

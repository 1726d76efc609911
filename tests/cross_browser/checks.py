"""What every engine must do with the pages of a group: a check has the engine's name, and raises where it fails."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from browser import downloads
from browser.fixtures import OVERFLOW_SCRIPT, UNREACHABLE_AREAS_SCRIPT
from cross_browser.engines import start_engine
from cross_browser.slow_proxy import SlowProxy
from cross_browser.webdriver import BrowserSession
from isegoria.service.web.one_page import build_one_page
from pages.conftest import ARMS, NAMES, OPEN_ALL_DETAILS, BrowserGroup, RunningService

WIDTHS = (320, 375, 1280)
PICTURES = Path("out") / "browsers"
AXE = downloads.install_package("axe-core") / "axe.min.js"
AXE_OF = {"webkit": "", "firefox": "{exclude: ['.hub', '.hub-small', '.ball-number']}"}
"""In Firefox axe takes the box around an arc for the arc, and so a colour of the ring for what is behind its middle and
behind the numbers of balls, which are black on white."""


def check_first_day(name: str, service: RunningService) -> str:
    """From an empty page to a decided day, on two devices; after each step reload, back, forward and a new tab."""
    with start_engine(name) as organiser, start_engine(name) as member:
        organiser.open(service.site)
        organiser.write("[name=title]", "Lunch")
        organiser.write("[data-for=arms] input", ", ".join(ARMS))
        organiser.write("[data-for=members] input", "Bob, Cleo")
        organiser.write("[name=me]", "Ann")
        organiser.see("#count-members", "3 people")
        organiser.tap("button", "Make the group")
        check_survives_reload(organiser, "#join")
        join = organiser.script("return document.querySelector('#join').href")
        member.open(join)
        member.tap("#names button", "Bob")
        check_survives_reload(member, "form.favourites")
        member.tap("label.tile", "Pizza")
        member.see(".saved button")
        check_survives_reload(member, "form.favourites input:checked + span")
        organiser.tap("a", "Open the group")
        organiser.tap("label.tile", "Noodles")
        organiser.see(".saved button")
        home = member.script("return location.origin + location.pathname")
        check_survives_reload(organiser, "button", "Decide now")
        organiser.tap("button", "Decide now")
        tap_and_confirm(organiser, ".drawn")
        check_survives_reload(organiser, ".drawn")
        member.open(home)
        assert member.text(".drawn") == organiser.text(".drawn")
        return f"both see {member.text('.drawn')}; a secure context: {member.script('return isSecureContext')}"


def tap_and_confirm(session: BrowserSession, selector: str, text: str = "") -> None:
    """Wait for what a tap leads to; a question that comes once before it is answered with yes."""
    if session.meets("#h-ask", selector, text):
        session.tap("main form button")
    session.see(selector, text)


def check_survives_reload(session: BrowserSession, selector: str, text: str = "") -> None:
    """What is there is there after a reload, after going away and back, and in a new tab when the old one is closed."""
    session.see(selector, text)
    session.reload()
    session.see(selector, text)
    here = session.script("return location.href")
    session.open("about:blank")
    session.back()
    session.see(selector, text)
    first = session.tab()
    second = session.call("GetWindowHandle", {})
    session.open(here)
    session.front(first)
    session.close_tab()
    session.front(second)
    session.see(selector, text)


def check_signing(name: str, service: RunningService) -> str:
    """A device makes its key, signs the page that is fixed, and finds nothing wrong when it checks."""
    group = service.group(members=NAMES[:3])
    with start_engine(name) as session:
        session.open(group.link("Ann"))
        session.tap("label.tile", "Pizza")
        session.see(".saved button")
        wait_until(lambda: service.get(group.api, group.made["members"]["Ann"])["you"]["key"], "a key")
        group.freeze()
        session.see("#proof", "This phone has.")
        group.draw()
        session.see(".drawn")
        session.open(f"{service.site}/g/{group.id}/voice")
        session.tap("#check")
        session.see("#verdict")
        session.until("return document.querySelector('#verdict').dataset.verdict === 'consistent'", "the verdict")
        return "signed before the draw; a rehearsal, so consistent and no more"


def wait_until(condition: Callable[[], object], what: str) -> None:
    for _ in range(450):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"{what} never came")


def check_keyboard(name: str, service: RunningService) -> str:
    """From the top of the page to a saved favourite with Tab and Space alone."""
    group = service.group(members=NAMES[:3])
    with start_engine(name) as session:
        session.open(group.link("Bob"))
        session.see("form.favourites")
        pressed = press_until(session, "document.activeElement.dataset.arm === 'Salad'")
        session.press("Space")
        session.see(".saved button")
        told = service.get(group.api, group.made["members"]["Bob"])["you"]["ratings"]
        assert told["Salad"] == 5, told
        return f"{pressed} times Tab"


def check_two_tabs(name: str, service: RunningService) -> str:
    """Two tabs of one member: both show what was told last, and both learn of the draw."""
    group = service.group(members=NAMES[:3])
    group.rate_all()
    with start_engine(name) as session:
        session.open(group.link("Cleo"))
        session.see("form.favourites")
        first = session.tab()
        second = session.call("GetWindowHandle", {})
        session.open(f"{service.site}/g/{group.id}")
        session.see("form.favourites")
        session.tap("label.tile", "Curry")
        session.see(".saved button")
        session.front(first)
        session.reload()
        session.see("form.favourites input[data-arm=Curry]:checked + span")
        group.decide()
        session.see(".drawn")
        drawn = session.text(".drawn")
        session.front(second)
        session.see(".drawn", drawn)
        return "the same in both"


def check_slow_network(name: str, service: RunningService) -> str:
    """A line of 50 kB a second and 300 ms: what is tapped early is not lost."""
    group = service.group(members=NAMES[:3])
    line = SlowProxy(service.port)
    with start_engine(name) as session:
        start = time.monotonic()
        session.open(group.link("Ann", f"http://127.0.0.1:{line.port}"))
        session.tap("label.tile", "Noodles")
        took = time.monotonic() - start
        wait_until(lambda: service.get(group.api, group.made["members"]["Ann"])["you"]["ratings"], "what was tapped")
    line.close()
    return f"tapped after {took:.1f} s, and kept"


def check_without_scripts(name: str, service: RunningService) -> str:
    """With JavaScript off the pages say what to do."""
    group = service.group(members=NAMES[:3])
    with start_engine(name, scripts=False) as session:
        session.open(f"{service.site}/g/{group.id}/join#k={group.made['join']}")
        session.picture(PICTURES / f"{name}-no-script-join.png")
        said = {"script": "return document.body.innerText", "args": []}
        assert "JavaScript" in session.call("ExecuteScript", said)
        session.open(f"{service.site}/g/{group.id}")
        assert "0 of 3 have answered" in session.call("ExecuteScript", said)
        return "the join page asks for JavaScript or a private link; today can be read"


def check_layout(name: str, service: RunningService) -> str:
    """Every page at three widths, light and dark: nothing sticks out, and axe-core finds nothing hard to use."""
    group = make_full_group(service)
    home = f"{service.site}/g/{group.id}"
    members = {page or "today": f"{home}/{page}".rstrip("/") for page in ("", "voice", "group", "devices", "board")}
    members |= {"check": f"{service.site}/verify/?record=/api/groups/{group.id}/record"}
    organisers = {"organise": f"{home}/organise", "links": f"{home}/links", "first": service.site}
    seen, hard = 0, []
    for scheme in ("light", "dark"):
        with start_engine(name, scheme) as member, start_engine(name, scheme) as organiser:
            member.open(group.link(group.names[0]))
            member.see("form.favourites")
            organiser.open(group.link())
            organiser.see("#h-people")
            for session, pages in ((member, members), (organiser, organisers)):
                for page, address in pages.items():
                    hard += find_layout_faults(session, address, f"{name}-{page}-{scheme}")
                    seen += len(WIDTHS)
    assert not hard, "\n".join(hard)
    return f"{seen} looks: axe 0, nothing too wide"


def make_full_group(service: RunningService) -> BrowserGroup:
    names = ["W" * 40, *NAMES[1:]]
    group = service.group(
        members=names, arms=["Noodles", "P" * 40, "Salad", "Curry"], timetable={"recurrence": "daily"}
    )
    group.rate_all()
    group.decide()
    return group


def find_layout_faults(session: BrowserSession, address: str, name: str) -> list[str]:
    """What is wrong with a page at all widths, with every fold open."""
    session.open(address)
    session.see("main, [role=main]")
    session.script(OPEN_ALL_DETAILS)
    time.sleep(0.5)  # what a fold shows is drawn when it opens
    hard = []
    for width in WIDTHS:
        session.width(width)
        session.picture(PICTURES / f"{name}-{width}.png")
        settings = AXE_OF[name.partition("-")[0]]
        found = session.script(f"{AXE.read_text('utf-8')}; return (await axe.run({settings})).violations")
        said = [f"{one['id']}: {one['nodes'][0]['html'][:160]}" for one in found]
        said += [f"out of reach: {one}" for one in session.script(f"return ({UNREACHABLE_AREAS_SCRIPT})()")]
        said += [f"too wide: {one}" for one in session.script(f"return ({OVERFLOW_SCRIPT})()")]
        hard += [f"{name}-{width}: {one}" for one in said]
    return hard


def check_one_page(name: str, service: RunningService) -> str:
    """The page that needs no installation, from a file: a table by keyboard, one phone, and how every view looks."""
    hard: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "isegoria.html"
        path.write_text(build_one_page(), encoding="utf-8")
        for scheme, language in (("light", "en"), ("dark", "de")):
            with start_engine(name, scheme) as session:
                place = f"{path.as_uri()}?lang={language}"
                session.open(place)
                session.see("body[data-ready] #example")
                pressed = press_until(session, "document.activeElement.id === 'example'")
                session.press("Enter")
                session.see("#story .said.bad")
                pressed += press_until(session, "document.activeElement.dataset.rule === 'procedural'")
                session.press("Space")
                session.see("#story .said.good")
                hard += find_layout_faults(session, f"{place}#table", f"{name}-one-page-table-{scheme}")
                session.open(f"{place}#phone")
                session.write("#p-options", "tea, milk")
                session.write("#p-names", "Ann, Ben")
                session.tap("#view-phone .strong")
                for member in ("Ann", "Ben"):
                    session.tap("#view-phone .name", member)
                    session.tap("#view-phone .tile")
                    session.tap("#view-phone .strong")
                session.tap("#view-phone .strong")
                session.tap("#view-phone .strong")
                session.see("#view-phone [data-verdict=consistent]")
                for view in ("phone", "chat", "turns", "verify"):
                    hard += find_layout_faults(session, f"{place}#{view}", f"{name}-one-page-{view}-{scheme}")
                assert session.script("return performance.getEntriesByType('resource').length") == 0
    assert not hard, "\n".join(hard)
    return f"{pressed} times Tab to everyone's voice; a round is consistent; 30 looks: axe 0, nothing too wide"


def press_until(session: BrowserSession, condition: str) -> int:
    """Press Tab until a condition holds of what has the focus; how often."""
    for pressed in range(80):
        if session.script(f"return {condition}"):
            return pressed
        session.press("Tab")
    raise AssertionError(f"not reached by Tab: {condition}")


CHECKS = [
    check_one_page,
    check_first_day,
    check_signing,
    check_keyboard,
    check_two_tabs,
    check_slow_network,
    check_without_scripts,
    check_layout,
]

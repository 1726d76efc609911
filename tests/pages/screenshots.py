"""Every page as a picture, for people to look at: small, usual and large groups, on phones and desks, light and dark.

    .venv/bin/python tests/pages/screenshots.py [FOLDER] [WORD …]     only pictures whose name has one of the words

Nothing is asserted here; `test_pages.py` measures what can be measured.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from playwright.sync_api import sync_playwright

from browser import downloads
from browser.fixtures import CHROMIUM_ARGUMENTS
from pages.conftest import ARMS, NAMES, RunningService

SCREEN_VARIANTS = [(320, "dark"), (375, "light"), (375, "dark"), (1280, "light"), (1280, "dark")]
LONG = [f"{'Wolfeschlegelsteinhausenbergerdorff-Ann'[:36]} {i:02}" for i in range(60)]
DISHES = [f"Dish number {i + 1}" for i in range(19)] + ["A dish whose name has exactly 40 letters"]
DAILY = {"recurrence": "daily", "time": "12:30", "zone": "Europe/Berlin", "lead": 60}


def rate_by_tapping(group, like) -> None:
    """Everyone taps: `like(i, k)` says whether the i-th likes the k-th option."""
    for i, token in enumerate(group.made["members"].values()):
        values = {arm: 5 if like(i, k) else 0 for k, arm in enumerate(group.arms)}
        group.service.post(f"{group.api}/ratings", {"round": None, "slot": None, "values": values}, token)


def make_groups(service) -> dict:
    """The groups that are looked at, by name."""
    two = service.group(members=["Ann", "Bob"], arms=["Tea", "Coffee"])
    rate_by_tapping(two, lambda i, k: i == k)
    two.decide()
    empty = service.group()
    ten = service.group(timetable=DAILY)
    rate_by_tapping(ten, lambda i, k: (i + k) % 3 == 0 or i == k)
    ten.decide()
    fixed = service.group(ballot="stars")
    fixed.rate_all()
    fixed.freeze()
    sixty = service.group(members=LONG, arms=DISHES, timetable=DAILY)
    rate_by_tapping(sixty, lambda i, k: (i * 7 + k) % 9 == 0)
    sixty.decide()
    learns = service.group(members=NAMES[:5], learner="guided", rounds=6)
    films = service.group(members=NAMES[:5], arms=ARMS, turns={"mode": "lottery", "single_use": True})
    rate_by_tapping(films, lambda i, k: (i + k) % 2 == 0)
    films.decide()
    return {"two": two, "empty": empty, "ten": ten, "fixed": fixed, "sixty": sixty, "learns": learns, "films": films}


def list_pages(service, name: str, group) -> list[tuple[str, str, str | None]]:
    """(picture, address, whose link) of each page of a group."""
    home, first = f"{service.site}/g/{group.id}", group.names[0]
    found = [("today", home, first), ("voice", f"{home}/voice", first), ("group", f"{home}/group", first)]
    found += [("organise", f"{home}/organise", None)]
    if name in ("ten", "sixty"):
        found += [
            ("links", f"{home}/links", None),
            ("board", f"{home}/board", None),
            ("devices", f"{home}/devices", first),
        ]
        found += [("join", f"{home}/join#k={group.made['join']}", "nobody")]
    return [(f"{name}-{page}", address, who) for page, address, who in found]


def main(folder: str = "out/looks", *words: str) -> None:
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    program, surroundings = downloads.install_chromium()
    with tempfile.TemporaryDirectory() as store, sync_playwright() as playwright:
        service = RunningService(Path(store))
        browser = playwright.chromium.launch(
            executable_path=program, args=CHROMIUM_ARGUMENTS, env={**os.environ, **surroundings}, timeout=120_000
        )
        todo = [
            ("home", service.site, "nobody"),
            ("example", f"{service.site}/example", "nobody"),
            ("missing", f"{service.site}/nope", "nobody"),
        ]
        for name, group in make_groups(service).items():
            todo += list_pages(service, name, group)
        for name, address, who in todo:
            if words and not any(word in name for word in words):
                continue
            for width, scheme in SCREEN_VARIANTS:
                take_screenshot(browser, service, target / f"{name}-{width}-{scheme}.png", address, who, width, scheme)
        browser.close()
        service.close()


def take_screenshot(browser, service, target: Path, address: str, who: str | None, width: int, scheme: str) -> None:
    """One picture, in a browser of its own."""
    context = browser.new_context(
        viewport={"width": width, "height": 780}, color_scheme=scheme, reduced_motion="reduce"
    )
    page = context.new_page()
    if who != "nobody":
        name = address.split("/g/")[1].split("/")[0]
        group = KNOWN[name]
        page.goto(group.link(who))
        page.wait_for_selector("#h-people" if who is None else "#h-today", state="attached")
        page.wait_for_timeout(150)
    page.goto(address)
    page.wait_for_timeout(500)
    page.screenshot(path=target, full_page=True)
    context.close()


KNOWN: dict = {}

if __name__ == "__main__":
    made = RunningService.group

    def remembered(self, *given, **choices):
        group = made(self, *given, **choices)
        KNOWN[group.id] = group
        return group

    RunningService.group = remembered
    main(*sys.argv[1:])

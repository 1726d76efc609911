"""The tutorial "Ten colleagues, one link": its steps in a real browser, and its pictures.

`make pictures` writes the pictures of the tutorial anew; a plain test run walks the same steps and leaves them alone.
"""

import os
from pathlib import Path

from pages.conftest import NAMES
from pages.test_pages import enter

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial" / "ten-colleagues.md"
IMAGES = TUTORIAL.parents[1] / "images"


def shot(page, name: str) -> None:
    if os.environ.get("ISEGORIA_PICTURES"):
        page.screenshot(path=IMAGES / f"{name}.png")


def test_the_steps_of_the_tutorial(service, browser, page):
    text = TUTORIAL.read_text(encoding="utf-8")
    for name in ("new-group", "links", "rating", "drawn", "my-voice"):
        assert f"../images/{name}.png" in text
        assert (IMAGES / f"{name}.png").stat().st_size > 5_000
    page.goto(service.site)
    page.fill("[name=title]", "Where we have lunch")
    page.fill("[name=arms]", "Noodles\nPizza\nSalad\nCurry")
    page.fill("[name=members]", "\n".join(NAMES))
    shot(page, "new-group")
    page.click("text=Make the group")
    page.wait_for_selector("#copy-all")
    shot(page, "links")
    links = dict(page.eval_on_selector_all("a[data-name]", "all => all.map(a => [a.dataset.name, a.href])"))
    phone = browser.new_context(viewport={"width": 390, "height": 780}, device_scale_factor=1)
    member = phone.new_page()
    enter(member, links["Ann"])
    for arm, stars in enumerate((5, 3, 1, 2)):
        member.check(f"input[name=arm{arm}][value='{stars}']")
    member.locator("#h-rate").scroll_into_view_if_needed()
    shot(member, "rating")
    member.click("text=Save my ratings")
    member.wait_for_selector("text=Saved.")
    group = links["Ann"].split("/g/")[1].split("#")[0]
    for i, name in enumerate(NAMES[1:], 1):
        values = {arm: (3 * k + 2 * i) % 6 for k, arm in enumerate(("Noodles", "Pizza", "Salad", "Curry"))}
        token = links[name].split("#k=")[1]
        service.post(f"/api/groups/{group}/ratings", {"round": None, "slot": None, "values": values}, token)
    organiser = next(address for name, address in links.items() if name not in NAMES)
    enter(page, organiser, "#h-people")
    page.click("text=Freeze round 1")
    page.click("button:has-text('Draw')")
    page.wait_for_selector("text=Round 2")
    member.goto(f"{service.site}/g/{group}")
    member.wait_for_selector(".turns li")
    member.click("#drum summary")
    member.wait_for_selector("#drum svg circle.ball")
    shot(member, "drawn")
    member.click("nav >> text=My voice")
    member.click("#check")
    member.wait_for_selector("#countersigned")
    member.evaluate("scrollTo(0, 0)")
    shot(member, "my-voice")
    phone.close()

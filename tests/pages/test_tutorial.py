"""The tutorial "Ten colleagues, one link": its steps in a real browser, and its pictures.

`make pictures` writes the pictures of the tutorial again; a plain test run walks the same steps and leaves them alone.
"""

import base64
import os
from pathlib import Path

from pages.conftest import NAMES
from pages.test_pages import write

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial" / "ten-colleagues.md"
IMAGES = TUTORIAL.parents[1] / "images"


def shot(page, name: str) -> None:
    if os.environ.get("ISEGORIA_PICTURES"):
        page.screenshot(path=IMAGES / f"{name}.png")


def side_by_side(browser, *names: str) -> None:
    """Two pictures of a phone as one, for the first page of the documents."""
    if not os.environ.get("ISEGORIA_PICTURES"):
        return
    images = [base64.b64encode((IMAGES / f"{name}.png").read_bytes()).decode() for name in names]
    context = browser.new_context(viewport={"width": 860, "height": 800})
    page = context.new_page()
    frame = "border:1px solid #bbb;border-radius:24px;width:390px;height:780px"
    shown = "".join(f'<img style="{frame}" src="data:image/png;base64,{one}">' for one in images)
    page.set_content(f'<body style="margin:8px;display:flex;gap:24px;background:#fff">{shown}')
    page.screenshot(path=IMAGES / "phone.png")
    context.close()


def test_the_steps_of_the_tutorial(service, browser, page):
    page.goto(service.named)
    page.fill("[name=title]", "Where we have lunch")
    write(page, "arms", "Noodles, Pizza, Salad, Curry")
    write(page, "members", ", ".join(NAMES[1:]))
    page.fill("[name=me]", NAMES[0])
    page.locator("form:has([name=title])").evaluate("form => form.scrollIntoView()")
    shot(page, "new-group")
    page.click("text=Make the group")
    page.wait_for_selector("#join")
    shot(page, "links")
    join, group = page.get_attribute("#join", "href"), page.url.split("/g/")[1].split("/")[0]
    tokens = service.issue_links(group, {name: number for number, name in enumerate(NAMES) if number > 1})
    phone = browser.new_context(viewport={"width": 390, "height": 780}, reduced_motion="reduce")
    member = phone.new_page()
    member.goto(join)
    member.wait_for_selector("#names button:has-text('Bob')")
    shot(member, "join")
    member.click("#names button:has-text('Bob')")
    member.wait_for_selector("form.favourites .save", state="hidden")
    member.click("label.tile:has-text('Noodles')")
    member.wait_for_selector(".saved button")
    shot(member, "rating")
    for i, name in enumerate(NAMES[2:], 2):
        values = {arm: 5 * ((i + k) % 3 == 0) for k, arm in enumerate(("Noodles", "Pizza", "Salad", "Curry"))}
        service.post(f"/api/groups/{group}/ratings", {"round": None, "slot": None, "values": values}, tokens[name])
    page.click("text=Open the group")
    page.click("label.tile:has-text('Pizza')")
    page.wait_for_selector(".saved button")
    page.click("nav >> text=Organise")
    page.wait_for_selector("#h-people")
    shot(page, "organise")
    page.click("button:has-text('Decide now')")
    page.wait_for_selector(".drawn:visible")
    member.wait_for_selector(".drawn")  # the phone shows it by itself
    member.wait_for_selector(".wheel", state="detached")
    shot(member, "today")
    member.click("#drum summary")
    member.wait_for_selector("#drum svg circle.ball")
    member.click("nav >> text=My voice")
    member.wait_for_selector(".dots li")
    member.click("#check")
    member.wait_for_selector("#countersigned")
    member.evaluate("scrollTo(0, 0)")
    shot(member, "my-voice")
    phone.close()
    side_by_side(browser, "today", "my-voice")
    text = TUTORIAL.read_text(encoding="utf-8")
    for name in ("new-group", "links", "join", "rating", "organise", "today", "my-voice"):
        assert f"../images/{name}.png" in text
        assert (IMAGES / f"{name}.png").stat().st_size > 5_000

"""Names, shares and long lists as pages show them: counted once, never cut into letters, and found by a search."""

import re

from isegoria.service.pages.rendering import format_percentage, format_percentages
from pages.page_steps import retry_navigation, wait_until
from pages.test_pages import enter


def test_percentages_add_up_and_never_show_zero():
    for parts in ((7, 3, 2), (58, 29, 13), (998, 1, 1), (1,) * 7, (1, 0, 2)):
        shares = [one / sum(parts) for one in parts]
        shown = format_percentages(shares)
        assert sum(int(one) for one in shown if one != "<1") == 100
        assert all((one == "0") == (share == 0) for one, share in zip(shown, shares, strict=True))
    assert [format_percentage(share) for share in (0.0, 0.004, 0.47)] == ["0", "<1", "47"]


def test_typed_names_are_counted_once(service, page):
    page.goto(service.site)
    page.wait_for_selector("[data-for=arms] input")
    page.locator("[data-for=arms] input").press_sequentially("Tea,")
    assert page.inner_text("#count-arms") == "1 option"
    page.locator("[data-for=arms] input").press_sequentially("Milk")
    page.keyboard.press("Enter")
    assert page.inner_text("#count-arms") == "2 options"


def test_start_button_leads_into_the_first_field(service, page):
    page.goto(service.site)
    page.wait_for_selector("#sheet:visible")
    page.click("text=Start a group")
    page.wait_for_function("() => document.activeElement.name === 'title'")


def test_masked_tile_keeps_its_word_whole(service, page):
    page.set_viewport_size({"width": 320, "height": 700})
    group = service.group(arms=["Curry", "Paddington 2", "Noodles"])
    service.post(f"{group.api}/mask", {"unavailable": ["Curry"]}, group.made["organiser"])
    enter(page, group.link("Ann"))
    for place, lines in ((0, 2), (1, 1), (2, 1)):  # the note stands below the name
        words = page.locator(".tile .words").nth(place)
        line = words.evaluate("one => parseFloat(getComputedStyle(one).lineHeight)")
        assert words.bounding_box()["height"] < (lines + 0.5) * line, words.inner_text()


def test_long_lists_are_sorted_and_searched(service, page, axe):
    names, arms = [f"Person {n:02}" for n in range(60)], [f"Place {n:02}" for n in range(40)]
    group = service.group(members=names[::-1], arms=arms)
    page.goto(f"{service.site}/g/{group.id}/join#k={group.made['join']}")
    page.wait_for_selector("#names button")
    assert page.locator("#names button").all_inner_texts() == names
    page.fill(".filter", "son 07")
    assert page.locator("#names button:visible").all_inner_texts() == ["Person 07"]
    page.click("#names button:visible")
    page.wait_for_selector(".tile")
    page.wait_for_selector(".filter")
    page.fill(".filter", "23")
    assert page.locator(".tile:visible").count() == 1
    page.click(".tile:visible")
    page.wait_for_selector(".saved:has-text('1 chosen')")
    assert axe(page) == []


def test_letting_somebody_join_says_so(service, page):
    group = service.group(members=["Ann", "Bob"])
    enter(page, group.link(), "#h-people")
    page.click("#h-people")
    page.fill("form[action$='do/join'] [name=name]", "Kim")
    page.click("form[action$='do/join'] button")
    page.wait_for_selector("#joined:has-text('Kim can join now')")


def test_back_after_a_question_sends_nothing_again(service, page):
    group = service.group(members=["Ann", "Bob"])
    enter(page, group.link("Ann"))
    page.click("summary:has-text('This device')")
    page.click("form[action$='do/leave'] button")
    page.wait_for_selector("h1:has-text('Leave the group?')")
    page.wait_for_function("() => !location.pathname.includes('/do/')")
    page.click("text=No, go back")
    page.wait_for_selector("#h-rate")
    retry_navigation(page.go_back)
    wait_until(page, lambda: page.locator("#h-ask, #h-rate").count())


def test_leaving_says_goodbye(service, page):
    group = service.group(members=["Ann", "Bob"])
    enter(page, group.link("Ann"))
    page.click("summary:has-text('This device')")
    page.click("form[action$='do/leave'] button")
    page.click("button:has-text('Leave')")
    page.wait_for_selector("#nobody:has-text('You left this group. Goodbye.')")


def test_board_has_every_turn(service, page):
    group = service.group(members=[f"P{n}" for n in range(20)], timetable={"recurrence": "daily"})
    group.rate_all()
    group.decide()
    page.goto(f"{service.site}/g/{group.id}/board")
    assert page.locator(".board tr").count() == 20
    page.emulate_media(media="print")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 1


def test_override_is_nobodys_turn(service, page):
    group = service.group(members=["Ann"], arms=["Noodles", "Pizza"])
    group.rate_all()
    group.decide()
    enter(page, group.link("Ann"))
    drawn = page.inner_text(".drawn")
    body = {"round": 1, "slot": 0, "arm": next(arm for arm in group.arms if arm != drawn), "reason": "closed today"}
    service.post(f"{group.api}/override", body, group.made["organiser"])
    said = f"{drawn} was drawn, on your turn; the organiser changed it: closed today."
    page.wait_for_selector(f".hero:has-text('{said}')")
    assert "Decided by your voice" not in page.inner_text(".hero")
    retry_navigation(lambda: page.goto(f"{service.site}/g/{group.id}/voice"))
    assert "Your own turn came 0 times" in page.inner_text(".voice")
    assert "One turn of yours was changed by the organiser" in page.inner_text("#lost")


def test_organiser_without_a_voice_reads_nothing_of_one(service, page):
    group = service.group(members=["Ann", "Bob"], rounds=1)
    enter(page, group.link(), "#h-people")
    page.goto(f"{service.site}/g/{group.id}")
    page.wait_for_selector(".drawn")
    assert "turn" not in page.inner_text(".hero p:nth-of-type(2)").lower()
    assert "voice" not in page.inner_text(".hero")


def test_override_names_whose_turn_it_was_in_an_open_group(service, page):
    group = service.group(members=["Ann", "Bob"], arms=["Noodles", "Pizza"], privacy="open", block=1)
    for name in ("Ann", "Bob"):
        values = {"Noodles": 5 * (name == "Ann"), "Pizza": 5 * (name == "Bob")}
        token = group.made["members"][name]
        service.post(f"{group.api}/ratings", {"round": None, "slot": None, "values": values}, token)
    group.decide()
    drawn = service.get(group.api)["last"]["slots"][0]["arm"]
    owner, other = ("Ann", "Bob") if drawn == "Noodles" else ("Bob", "Ann")
    body = {"round": 1, "slot": 0, "arm": "Pizza" if drawn == "Noodles" else "Noodles", "reason": "closed today"}
    service.post(f"{group.api}/override", body, group.made["organiser"])
    enter(page, group.link(other))
    page.wait_for_selector(f".hero:has-text('{drawn} was drawn, on {owner}’s turn; the organiser changed it')")

"""Pages in a real browser: three widths, light and dark, by keyboard, without a secure context, and on guard."""

import gzip
import hashlib
import json
import re
from itertools import count

import pytest

from browser.fixtures import find_overflowing_elements, take_screenshot
from isegoria.service.pages.example import EXAMPLE_FAVOURITES, EXAMPLE_OPTIONS, compute_example_summary
from isegoria.service.web import STATIC_FOLDER, TEMPLATES_FOLDER
from pages.conftest import NAMES, OPEN_ALL_DETAILS
from pages.page_steps import retry_navigation, wait_until

LOOKS = [(320, "dark"), (390, "light"), (1280, "light")]


def enter(page, address: str, selector: str = "#h-rate"):
    """Open an address; a private link leads on to its owner's own page, which is the second document."""
    documents, last = count(1), 2 if "#k=" in address else 1
    with page.expect_event("requestfinished", lambda one: one.is_navigation_request() and next(documents) == last):
        page.goto(address)
    page.wait_for_selector(selector)
    return page


@pytest.mark.parametrize("size", [0, 3, 200])
def test_every_page_fits_every_width_and_everyone(service, page, axe, size):
    """No data yet, a few with long names, and two hundred members."""
    names = NAMES if size == 0 else [f"{'Wolfeschlegelsteinhausen' if i == 0 else 'Member'} {i}" for i in range(size)]
    group = service.group(members=names, arms=["Noodles", "P" * 60, "<b>Salad</b>"])
    if size:
        group.rate_all()
        group.decide()
    enter(page, group.link(names[0]))
    home = f"{service.site}/g/{group.id}"
    places = {"today": home, "voice": f"{home}/voice", "group": f"{home}/group"}
    check_all(page, axe, places, size)
    if size != 200:  # the same page with a longer table
        enter(page, group.link(), "#h-people")
        check_all(page, axe, {"organise": f"{home}/organise", "home": service.site}, size)


def check_all(page, axe, places, size):
    for name, address in places.items():
        page.goto(address)
        page.wait_for_selector("main h1", state="attached")
        if name == "organise":
            page.evaluate(OPEN_ALL_DETAILS)
        check(page, axe, f"{name}-{size}")


def check(page, axe, name):
    """The page that is open, at three widths, light and dark."""
    for width, scheme in LOOKS:
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        assert find_overflowing_elements(page) == [], (name, width)
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        assert axe(page) == [], (name, scheme)
    take_screenshot(page, name)


def test_the_links_fit_too(service, page, axe):
    fill_in(page, service, title="T" * 60, arms="Thai, Pizza", members="W" * 40 + ", Bob, Cleo")
    page.wait_for_selector("#join")
    check(page, axe, "links")
    for fold in page.locator("details > summary").all():
        fold.click()
    check(page, axe, "links-open")
    page.goto(f"{page.url}?show=join")
    check(page, axe, "links-large")


def test_the_pages_of_the_first_minute_and_of_the_board_fit_too(service, page, axe):
    group = service.group(members=["W" * 40, "Bob", "Cleo"], timetable={"recurrence": "daily"})
    page.goto(f"{service.site}/g/{group.id}/join#k={group.made['join']}")
    page.wait_for_selector("#names button")
    check(page, axe, "join")
    enter(page, group.link("Bob"))
    check(page, axe, "favourites")
    group.rate_all()
    group.decide()
    retry_navigation(lambda: page.goto(f"{service.site}/g/{group.id}/board"))
    check(page, axe, "board")
    enter(page, group.link("Cleo"))
    page.click("details:has(form[action$='do/leave']) summary")
    page.click("form[action$='do/leave'] button")
    page.wait_for_selector("#h-ask")
    check(page, axe, "confirm")


def test_a_refusal_fits_too(service, browser, axe):
    context = browser.new_context()  # the console speaks of every 400
    page = context.new_page()
    page.goto(service.site)
    page.click("text=How we decide")
    page.fill("[name=low]", "7")
    fill_in_more(page, title="Lunch", arms="Thai, Pizza", members="Ann, Bob")
    page.wait_for_selector("#new details[open] #wrong")
    assert page.input_value("[name=members]") == "Ann\nBob", "nothing that was typed is lost"
    page.wait_for_function("() => document.querySelectorAll('[data-for=members] .chip').length === 2")
    check(page, axe, "refused")
    page.fill("[name=low]", "0")
    page.click("text=Make the group")
    page.wait_for_selector("#join")
    context.close()


def test_names_become_chips_as_one_types_and_doubles_are_told(service, page):
    page.goto(service.site)
    field = page.locator("[data-for=members] input")
    field.press_sequentially("Bob,Cem")
    field.press("Enter")
    page.evaluate("""() => { const given = new DataTransfer(); given.setData('text', 'Dia\\nEli\\nBob');
        document.querySelector('[data-for=members] input').dispatchEvent(
            new ClipboardEvent('paste', { clipboardData: given, cancelable: true })); }""")
    assert page.locator("[data-for=members] .chip").all_inner_texts() == ["Bob\n×", "Cem\n×", "Dia\n×", "Eli\n×"]
    assert "4 people · Bob stood there twice" in page.inner_text("#count-members")
    page.fill("[name=me]", "Ann")
    assert page.inner_text("#count-members") == "5 people"
    page.click("button[aria-label='take Cem away']")
    field.press("Backspace")
    assert page.input_value("[name=members]", strict=True) == "Bob\nDia"
    assert page.inner_text("#count-members") == "3 people"


def test_the_first_page_shows_what_it_is_and_the_example_what_it_gives(service, page, axe):
    page.goto(service.site)
    assert page.locator(".flowing svg path").count() == 5
    page.click("text=See an example")
    page.wait_for_selector(".year rect")
    assert page.locator(".year rect").count() == 265
    rows = page.locator("#h-year ~ table tbody tr").all_inner_texts()
    assert len(rows) == 5
    days = [EXAMPLE_OPTIONS[number] for number in compute_example_summary()["days"]]
    for row in rows:
        name, promised, came = row.split()
        assert int(came) == sum(day in EXAMPLE_FAVOURITES[name] for day in days)
        assert abs(int(promised) - int(came)) < 65  # eight standard deviations: these were really drawn
    assert "choose among 2" in page.inner_text("[aria-labelledby=h-doubt]")
    check(page, axe, "example")
    page.click("text=Start a group")
    page.wait_for_selector("form#new")


def test_a_new_member_can_get_a_private_link(lunch, page):
    enter(page, lunch.link(), "#h-people")
    page.click("#h-people")
    page.fill("form[action$='do/join'] [name=name]", "Kim")
    page.click("form[action$='do/join'] button")
    page.wait_for_selector("select[name=number] option:has-text('Kim')", state="attached")
    retry_navigation(page.reload)
    page.wait_for_selector("select[name=number] option:has-text('Kim')", state="attached")


def test_rows_of_organise_say_how_it_stands_and_open_one_at_a_time(service, browser):
    group = service.group(timetable={"recurrence": "daily", "time": "12:30", "zone": "Europe/Berlin"})
    group.rate_all()
    context = browser.new_context()
    page = enter(context.new_page(), group.link(), "#h-people")
    page.wait_for_selector("#row-end > summary")  # the page is here whole
    page.context.set_offline(True)  # from here on without any script's help
    states = page.locator(".row-fold .state").all_inner_texts()
    assert states[:3] == ["answers come in", "10 of 10 have answered", "4"]
    assert re.fullmatch(r"next: \w{3} \d\d:30", states[3]), states[3]
    opened = []
    for row in ("people", "options", "time", "chance", "messages", "rare", "end"):
        page.click(f"#row-{row} > summary")
        opened.append(page.locator(".row-fold[open]").evaluate_all("all => all.map(one => one.id)"))
    assert opened == [[f"row-{row}"] for row in ("people", "options", "time", "chance", "messages", "rare", "end")]
    context.close()


def write(page, field, text):
    """Fill in a field of the first page, whose names become chips."""
    chips = page.locator(f"[data-for={field}] input") if field in ("arms", "members") else None
    if chips is not None:
        page.wait_for_selector(f"[data-for={field}] input")
        chips.fill(text)
    else:
        page.fill(f"[name={field}]", text)


def fill_in(page, service, **fields):
    page.goto(service.site)
    fill_in_more(page, **fields)


def fill_in_more(page, **fields):
    for field, text in fields.items():
        write(page, field, text)
    page.click("text=Make the group")


def test_rating_by_keyboard_alone(service, page):
    lunch = service.group(ballot="stars")
    enter(page, lunch.link("Bob"))
    page.wait_for_selector("form.saves .save", state="hidden")
    page.focus("input[name=arm1][value='0']")
    page.keyboard.press("Space")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_selector(".saved button")
    token = lunch.made["members"]["Bob"]
    wait_until(page, lambda: service.get(lunch.api, token)["you"]["ratings"].get("Pizza") == 3)  # each step is saved
    assert service.get(lunch.api, token)["you"]["ratings"] == {"Pizza": 3}


def test_favourites_are_tapped_by_keyboard_saved_and_taken_back(service, page):
    lunch = service.group()
    enter(page, lunch.link("Bob"))
    page.wait_for_selector("form.favourites .save", state="hidden")
    page.focus("input[data-arm=Pizza]")
    page.keyboard.press("Space")
    page.wait_for_selector(".saved:has-text('Saved')")
    token = lunch.made["members"]["Bob"]
    assert service.get(lunch.api, token)["you"]["ratings"] == {"Noodles": 0, "Pizza": 5, "Salad": 0, "Curry": 0}
    page.click(".saved >> text=Undo")
    page.wait_for_selector(".saved button", state="detached")
    assert service.get(lunch.api, token)["you"]["ratings"] == {}
    page.check("input[data-arm=Curry]", force=True)
    page.wait_for_selector(".saved button")
    retry_navigation(page.reload)
    page.wait_for_selector("form.favourites")
    assert page.is_checked("input[data-arm=Curry]")


def test_everything_works_on_plain_http_under_a_name(lunch, page):
    enter(page, lunch.link("Cleo", lunch.service.named))
    assert page.evaluate("isSecureContext") is False
    page.goto(f"{lunch.service.named}/g/{lunch.id}/voice")
    page.click("text=The whole course")
    page.wait_for_selector("#course svg")
    page.click("#check")
    page.wait_for_selector("#countersigned")
    assert page.get_attribute("#verdict", "data-verdict") == "consistent"  # a rehearsal proves nothing


def test_a_device_signs_what_it_saw_before_the_draw(service, browser):
    group = service.group()
    context = browser.new_context()
    page = context.new_page()
    group.rate_all()
    enter(page, group.link("Ann"))
    wait_until(page, lambda: service.get(group.api, group.made["members"]["Ann"])["you"]["key"])
    group.freeze()
    page.click("#device button:has-text('yes')")  # her ratings came from elsewhere: was it her?
    page.wait_for_selector("#proof:has-text('This phone has.')")
    group.draw()
    page.wait_for_selector(".turns li")
    record = [json.loads(line) for line in raw(service, group).splitlines()]
    (say,) = [line for line in record if line["line"] == "statement" and line["size"] == 3]
    assert (say["member"], say["kind"]) == (0, "seen")
    assert len(say["signature"]) == 128
    context.close()


def test_a_rewritten_record_turns_the_page_red(lunch, page):
    """A server that lies: the same lines with another title, chained anew, so that every hash in them fits."""
    enter(page, lunch.link("Dan"))
    page.wait_for_function("() => localStorage.getItem(`isegoria kept ${document.body.dataset.group}`)")
    assert not page.locator("body.alarmed").count()
    page.route(f"**{lunch.api}/record?*", lambda asked: asked.fulfill(body=rewritten(raw(lunch.service, lunch))))
    lunch.decide()  # whatever happens next, the open page looks again
    page.wait_for_selector("body.alarmed .alarm:has-text('changed behind your back')")
    page.goto(f"{lunch.service.site}/g/{lunch.id}/voice?lang=de")
    page.click("#check")
    page.wait_for_selector("body.alarmed .alarm:has-text('hinter Ihrem Rücken geändert')")
    page.wait_for_function("() => document.getElementById('verdict').textContent === ''")


def test_a_record_in_many_parts_is_one_and_what_does_not_follow_turns_the_page_red(lunch, browser):
    """Two lines a part instead of 250; then a server shows other lines before those that it showed, and then
    the same two whatever is asked.
    """
    context = browser.new_context()
    page, asked, lying = context.new_page(), [], []

    def two_lines(request):
        answer = request.fetch()
        request.fulfill(
            response=answer,
            body=answer.text().replace("const RECORD_PART_LINES = 250;", "const RECORD_PART_LINES = 2;"),
        )

    def part(request):
        asked.append(request.request.url)
        if not lying or ("other" in lying and f"after={'0' * 64}" not in request.request.url):
            request.continue_()
            return
        shown = rewritten if "other" in lying else str
        request.fulfill(body="".join(shown(raw(lunch.service, lunch)).splitlines(keepends=True)[:2]))

    page.route("**/static/app/group_page.js", two_lines)
    page.route(f"**{lunch.api}/record?*", part)
    enter(page, lunch.link("Dan"))
    record = raw(lunch.service, lunch).encode().splitlines()
    kept = {"lines": len(record), "head": hashlib.sha256(record[-1]).hexdigest()}
    page.wait_for_function(
        "(kept) => localStorage.getItem(`isegoria kept ${document.body.dataset.group}`) === kept",
        arg=json.dumps(kept, separators=(",", ":")),
    )
    assert len(asked) > len(record) // 2
    assert not page.locator("body.alarmed").count()
    for lie in ("other", "the same for ever"):
        lying[:], asked[:] = [lie], []
        page.reload()
        page.wait_for_selector("body.alarmed .alarm:has-text('changed behind your back')")
        assert len(asked) < 20
    context.close()


def test_a_server_that_cannot_answer_now_accuses_nobody(lunch, browser):
    """A refusal for the moment is no other history: the page does not turn red."""
    context = browser.new_context()
    page = context.new_page()
    enter(page, lunch.link("Dan"))
    page.wait_for_function("() => localStorage.getItem(`isegoria kept ${document.body.dataset.group}`)")
    page.route(f"**{lunch.api}/record?*", lambda asked: asked.fulfill(status=503, body='{"error": "later."}'))
    with page.expect_event("pageerror") as thrown:
        page.goto(f"{lunch.service.site}/g/{lunch.id}/group")
    assert "did not come: 503" in thrown.value.message
    assert not page.locator("body.alarmed").count()
    context.close()


def test_the_drum_shows_the_ball(lunch, page, axe):
    enter(page, lunch.link("Eve"))
    page.click("#drum summary")
    page.wait_for_selector("#drum svg circle.ball")
    assert page.locator("#drum svg circle.ball").count() == 10
    assert axe(page) == []


def test_the_tables_of_the_drum_are_reached_and_scrolled_by_keyboard(lunch, page):
    page.set_viewport_size({"width": 320, "height": 640})
    enter(page, lunch.link("Eve"))
    page.click("#drum summary")
    page.wait_for_selector("#drum svg circle.ball")
    page.evaluate("for (const one of document.querySelectorAll('#drum table')) one.style.minWidth = '900px'")
    for caption in ("The chances", "What came"):
        page.keyboard.press("Tab")
        focused = page.locator(":focus")
        assert (focused.get_attribute("role"), focused.get_attribute("aria-label")) == ("region", caption)
        page.keyboard.press("ArrowRight")
        page.wait_for_function("() => document.activeElement.scrollLeft > 0")


def test_people_and_options_come_from_a_spreadsheet(service, page):
    from explorer.conftest import LUNCH

    page.goto(service.site)
    page.wait_for_selector("#sheet:visible")
    page.set_input_files("#sheet", LUNCH)
    page.wait_for_selector("text=10 people and 4 options were read")
    assert page.input_value("[name=arms]").splitlines() == ["noodles", "pizza", "salad", "curry"]
    bad = {"name": "x.csv", "mimeType": "text/csv", "buffer": b"agent,a,b\nAnn,1,many\n"}
    page.set_input_files("#sheet", bad)
    page.wait_for_selector("#sheet-said:has-text('many')")


def test_nothing_is_shown_before_it_answers(service, page):
    page.route("**/static/translations/*.json", lambda route: None)  # the words of the page never come
    page.goto(service.site)
    page.wait_for_selector("form#new")
    page.wait_for_timeout(300)
    assert page.query_selector("#sheet:visible") is None


def test_a_lost_link_is_told_in_a_sentence(lunch, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{lunch.service.site}/g/{lunch.id}#k={'x' * 24}")
    page.wait_for_selector(".refused:has-text('Ask your organiser')")
    assert "k=" not in page.url
    context.close()


def test_german_pages_and_the_choice_is_kept(lunch, page):
    enter(page, lunch.link("Femi"))
    page.click("text=Deutsch")
    page.wait_for_selector("text=Femi, Ihre Antwort")
    page.goto(f"{lunch.service.site}/g/{lunch.id}/voice")
    page.wait_for_selector("h1:has-text('Meine Stimme')")


def test_the_tables_of_messages_have_the_same_names_and_all_that_are_used():
    tables = {
        code: json.loads((STATIC_FOLDER / "translations" / f"pages.{code}.json").read_text("utf-8"))
        for code in ("en", "de")
    }
    assert tables["en"].keys() == tables["de"].keys()
    for key, text in tables["en"].items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", tables["de"][key])), key
    used = set()
    for path in [*TEMPLATES_FOLDER.glob("*.html"), *(STATIC_FOLDER / "app").glob("*.js")]:
        if path.name != "explorer.html":
            used |= set(re.findall(r"say\([\"'](\w+)[\"'](?! ~)", path.read_text("utf-8")))
    assert used <= tables["en"].keys()


def test_the_first_page_is_light(lunch, browser):
    """All that the first page of a member loads, compressed as a proxy would send it: 110 kB at most. The record comes
    once: what a page asks for again is answered from what the browser has.
    """
    context = browser.new_context()
    page = context.new_page()
    done = []
    page.on("requestfinished", lambda one: done.append(one))
    enter(page, lunch.link("Gus"))
    page.wait_for_selector("#proof[data-state]", state="attached")
    page.wait_for_timeout(500)
    sent = [one.url for one in done if one.method == "GET" and one.sizes()["responseBodySize"]]
    size = sum(len(gzip.compress(context.request.get(address).body())) for address in sent)
    asked = sum("/record?" in one.url for one in done)
    context.close()
    assert 50_000 < size < 110_000
    assert asked > sum("/record?" in address for address in sent) == 1


def rewritten(record: str) -> str:
    """The record with another title, and every `prev` made to fit."""
    told, prev = "", "0" * 64
    for line in map(json.loads, record.splitlines()):
        line |= {"prev": prev} | ({"title": "Another title"} if line["line"] == "charter" else {})
        text = json.dumps(line, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        told, prev = f"{told}{text}\n", hashlib.sha256(text.encode()).hexdigest()
    return told


def raw(service, group) -> str:
    import urllib.request

    with urllib.request.urlopen(f"{service.site}{group.api}/record") as answer:
        return answer.read().decode()


TAPPED = "a[href], button, input, select, textarea, summary"
SMALL = """([tapped, least]) => [...document.querySelectorAll(tapped)].flatMap((one) => {
    const inLabel = one.matches(".stars input, .tile input, .choice input");
    const box = (inLabel ? one.closest("label") : one).getBoundingClientRect();
    const inText = one.matches("a:not(.button, nav a)") && getComputedStyle(one).display === "inline";
    const seen = one.checkVisibility({ visibilityProperty: true, opacityProperty: false }) && box.width > 1 && !inText;
    const small = Math.min(box.width, box.height) < least && !one.matches(".unseen, .skip");
    return seen && small ? [`${one.outerHTML.slice(0, 90)} ${Math.round(box.width)} x ${Math.round(box.height)}`] : [];
})"""


def test_everything_that_is_tapped_is_44_pixels_wide_and_high(service, page):
    """On the narrowest phone, every row and fold open; links inside a sentence are as high as its lines."""
    page.set_viewport_size({"width": 320, "height": 700})
    stars = service.group(ballot="stars", timetable={"recurrence": "daily", "time": "12:30", "zone": "Europe/Berlin"})
    stars.rate_all()
    stars.decide()
    turns = service.group(turns={"mode": "lottery", "single_use": True})
    turns.rate_all()
    found = {}

    def look(name, address, shown="main h1"):
        page.goto(address)
        page.wait_for_selector(shown, state="attached")
        page.evaluate(OPEN_ALL_DETAILS)
        page.wait_for_timeout(150)
        if small := page.evaluate(SMALL, [TAPPED, 43.5]):
            found[name] = small

    everywhere = {stars: ("", "/voice", "/group", "/devices", "/board"), turns: ("", "/voice")}
    for group, places in everywhere.items():
        home = f"{service.site}/g/{group.id}"
        enter(page, group.link(NAMES[0]))
        for place in places:
            look(home + place, home + place)
        enter(page, group.link(), "#h-people")
        look(f"{home}/organise", f"{home}/organise")
    look(f"{home}/links", f"{home}/links")
    page.context.clear_cookies()  # whoever is known here already is led on from the names to her own page
    look(f"{home}/join", f"{home}/join#k={group.made['join']}", "#names button")
    page.goto(service.site)
    for field, name in (("members", "Ann, Bob, Wolfeschlegelsteinhausen, Cem,"), ("arms", "Tea, Coffee,")):
        page.locator(f".names-field:has([name={field}]) .chips input").type(name)
    page.evaluate(OPEN_ALL_DETAILS)
    found["new"] = page.evaluate(SMALL, [TAPPED, 43.5])
    look("example", f"{service.site}/example")
    look("verify", f"{service.site}/verify/?record=/api/groups/{stars.id}/record")
    assert {name: small for name, small in found.items() if small} == {}

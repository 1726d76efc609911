"""What can be tapped answers, what is heavy waits until something is to be seen, and a check is never lost."""

import gzip
import json
import shutil

from browser.fixtures import collect_page_errors
from isegoria.service.web import STATIC_FOLDER, translations
from pages.conftest import RunningService
from pages.page_steps import retry_navigation, wait_for_idle_network, wait_until
from pages.test_pages import enter

FIRST_PAINT, ALL_PAGES = 40_000, 150_000  # bytes: as sent; compressed
SENT = "performance.getEntriesByType('resource').filter(one => one.name.endsWith('.css'))"
HEAVY = "performance.getEntriesByType('resource').filter(one => one.name.includes('/verify/'))"
SPY = """window.ran = [];
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (way, how) { ran.push(how.duration); return animate.call(this, way, how); };"""
IDLE = """() => [...document.querySelectorAll('button, select, input:not([type=hidden], [type=file]), [role=button]')]
    .filter(one => one.checkVisibility({ visibilityProperty: true }) && !one.closest('form[action]'))
    .map(one => one.outerHTML.slice(0, 120))"""

UNSPOKEN = r"""(names) => {
    const found = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const names_of = 'h2[id^=device-], h2[id^=device-] + p + form';
    const aside = 'script, noscript, code, .mark, .initials, .words, [lang=en], [lang=de], svg, time, ' + names_of;
    while (walk.nextNode()) {
        const node = walk.currentNode, parent = node.parentElement;
        const text = names.reduce((left, name) => left.replaceAll(name, ''), node.textContent);
        const spoken = !/[A-Za-z]{3}/.test(text) || parent.closest(aside) || parent.textContent.includes('¡');
        if (!spoken) found.push(text.trim());
    }
    return found;
}"""


def test_nothing_can_be_tapped_that_needs_a_script_before_it_has_come(lunch, browser):
    """With every script on its way for ever: what is shown belongs to a form that the browser itself sends."""
    context = browser.new_context()
    page = enter(context.new_page(), lunch.link("Ann"))
    desk = browser.new_context()
    enter(desk.new_page(), lunch.link(), "#h-people")
    home = f"{lunch.service.site}/g/{lunch.id}"
    mine, theirs = [home, f"{home}/voice", f"{home}/group", f"{home}/devices", f"{home}/join", f"{home}/board"], []
    theirs = [f"{home}/organise", f"{home}/links", lunch.service.site, f"{lunch.service.site}/verify/"]
    for whose, places in ((context, mine), (desk, theirs)):
        page = whose.new_page()
        page.route("**/*.js", lambda asked: asked.abort())
        for place in places:
            page.goto(place)
            page.wait_for_selector("main h1", state="attached")
            assert page.evaluate(IDLE) == [], place
    context.close()
    desk.close()


def test_a_form_sent_before_the_script_came_is_not_called_back_by_it(service, browser):
    """The script finds that something changed, by the form itself; a page that is on its way elsewhere stays on it."""
    group = service.group(members=["Ann", "Bob"])
    context = browser.new_context()
    page = enter(context.new_page(), group.link(), "#h-people")
    held = {}
    page.route("**/static/app/organise.js", lambda asked: held.update(script=asked))
    page.route("**/do/join", lambda asked: held.update(answer=asked.fetch(), form=asked))  # done, and still on its way
    page.goto(f"{service.site}/g/{group.id}/organise?row=people")
    page.fill("form[action$='do/join'] [name=name]", "Kim")
    page.click("form[action$='do/join'] button", no_wait_after=True)
    wait_until(page, lambda: len(held) == 3)
    held["script"].continue_()
    page.wait_for_timeout(1500)  # it has looked, and would have shown the page anew by now
    held["form"].fulfill(response=held["answer"])
    page.wait_for_selector("select[name=number] option:has-text('Kim')", state="attached")
    context.close()


def test_answer_given_offline_is_sent_later(service, browser):
    """It is kept through a reload, shown as not sent, and sent without a tap when the server answers."""
    group = service.group(members=["Ann", "Bob"])
    context = browser.new_context()
    page = enter(context.new_page(), group.link("Ann"))
    page.wait_for_selector("form.favourites .save", state="hidden")
    page.route(f"**{group.api}/ratings", lambda asked: asked.abort())
    page.check("input[data-arm=Pizza]", force=True)
    page.wait_for_selector(".saved:has-text('Not sent yet.')")
    page.check("input[data-arm=Curry]", force=True)
    page.reload()
    page.wait_for_selector(".saved:has-text('Not sent yet.')")
    assert page.locator("form.favourites input:checked").count() == 2
    page.unroute(f"**{group.api}/ratings")
    page.wait_for_selector(".saved:has-text('Saved. 2 chosen.')")
    assert page.is_hidden("form.favourites .save")
    told = service.get(group.api, group.made["members"]["Ann"])["you"]["ratings"]
    assert told == {"Noodles": 0, "Pizza": 5, "Salad": 0, "Curry": 5}
    context.close()


def test_answers_of_others_change_counts_in_place(service, browser):
    """No page loads again and no tap is lost while everyone answers; focus, scroll and folds outlive a new phase."""
    group = service.group(members=["Ann", "Bob", "Cem"])
    pages, loads = [], []
    for name in ("Ann", "Bob", "Cem"):
        page = browser.new_context(viewport={"width": 375, "height": 640}).new_page()
        enter(page, group.link(name))
        page.wait_for_selector("form.favourites .save", state="hidden")
        slow_down(page)
        page.on("load", lambda page: loads.append(page.url))
        pages.append(page)
    for _ in range(2):
        for page in pages:
            page.locator("label.tile").nth(1).click()
    for page in pages:
        page.locator("label.tile").nth(2).click()
    for page in pages:
        page.wait_for_function("() => document.getElementById('h-answers').innerText === '3 of 3 have answered'")
    everyone = [service.get(group.api, token)["you"]["ratings"] for token in group.made["members"].values()]
    wait_until(pages[0], lambda: everyone == [{"Noodles": 0, "Pizza": 0, "Salad": 5, "Curry": 0}] * 3)
    ann = pages[0]
    ann.focus("input[data-arm=Curry]")
    ann.click("summary:has-text('This device')")
    ann.focus("input[data-arm=Curry]")
    top = "document.getElementById('h-rate').getBoundingClientRect().top"
    before = ann.evaluate(top)
    group.freeze()
    ann.wait_for_selector("h2:has-text('Answers are closed')", state="attached")
    assert ann.evaluate("document.activeElement.dataset.arm") == "Curry"
    assert ann.locator("details[open] summary:has-text('This device')").count() == 1
    assert ann.evaluate("scrollY") > 0
    assert abs(ann.evaluate(top) - before) < 2
    assert loads == []
    for page in pages:
        page.context.close()


def test_a_link_that_is_pasted_where_the_group_is_open_leads_on(lunch, browser):
    """Only what stands behind the # changes then, and a browser loads nothing by itself."""
    context = browser.new_context()
    page = enter(context.new_page(), lunch.link("Ann"))
    page.goto(lunch.link())  # how many documents follow depends on what the open page was loading
    page.wait_for_selector("#h-people")
    assert "k=" not in page.url
    context.close()


def test_a_check_is_whole_though_somebody_signs_in_the_middle_of_it(service, browser):
    """The history grows between the fetching of the one file and of the other; that is no fault of anybody's."""
    group = service.group(members=["Ann", "Bob"], rounds=1)
    context = browser.new_context()
    page = enter(context.new_page(), group.link("Ann"))
    page.goto(f"{service.site}/g/{group.id}/voice")
    page.wait_for_selector("#check:visible")
    seen = []

    def slowly(asked):
        if not seen:
            group.decide()
        seen.append(asked.request.url)
        asked.continue_()

    page.route(f"**{group.api}/receipt", slowly)
    page.click("#check")
    page.wait_for_selector("#countersigned")
    assert page.get_attribute("#verdict", "data-verdict") == "consistent"
    assert len(seen) >= 1
    page.wait_for_selector("#alarm:has-text('There is something new')")
    page.wait_for_timeout(500)
    assert page.is_visible("#countersigned"), "no news takes the answer away, its own signature least of all"
    context.close()


def test_in_a_new_group_a_check_finds_that_nothing_was_drawn(service, browser):
    group = service.group(members=["Ann", "Bob"])
    context = browser.new_context()
    page = enter(context.new_page(), group.link("Ann"))
    page.goto(f"{service.site}/g/{group.id}/voice")
    page.click("#check")
    page.wait_for_selector("#verdict:has-text('Nothing is wrong, and nothing was drawn yet.')")
    context.close()


def test_a_check_that_could_not_be_made_says_so_and_is_made_again(lunch, browser):
    context = browser.new_context()
    page = enter(context.new_page(), lunch.link("Bob"))
    page.goto(f"{lunch.service.site}/g/{lunch.id}/voice")
    page.wait_for_selector("#check:visible")
    page.route(f"**{lunch.api}/receipt", lambda asked: asked.abort())
    page.click("#check")
    page.wait_for_selector("#verdict:has-text('Try again')")
    page.unroute(f"**{lunch.api}/receipt")
    page.click("#check")
    page.wait_for_selector("#countersigned")
    context.close()


def test_the_first_paint_is_light_and_the_verifier_comes_after_it(lunch, browser):
    context = browser.new_context(viewport={"width": 375, "height": 780})
    page = enter(context.new_page(), lunch.link("Gus"))
    page.goto(f"{lunch.service.site}/g/{lunch.id}")
    page.wait_for_selector("#proof:not(:empty)")
    page.wait_for_function(f"() => {HEAVY}.length > 2")
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
    painted = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    assert min(page.evaluate(f"{HEAVY}.map(one => one.startTime)")) >= painted
    needed = page.evaluate(
        f"[...{SENT}, performance.getEntriesByType('navigation')[0]].map(one => one.encodedBodySize)"
    )
    assert len(needed) == 3
    assert 3_000 < sum(needed) <= FIRST_PAINT
    context.close()
    blind = browser.new_context(java_script_enabled=False, viewport={"width": 375, "height": 780})
    without = blind.new_page()
    without.goto(f"{lunch.service.site}/g/{lunch.id}")
    assert without.inner_text(".drawn"), "what was decided is there without a script"
    blind.close()


def test_all_pages_of_a_group_with_the_verifier_are_light(lunch, browser):
    context = browser.new_context()
    page = enter(context.new_page(), lunch.link("Gus"))
    whole = {}
    for place in ("", "/voice", "/group", "/devices", "/board"):
        page.goto(f"{lunch.service.site}/g/{lunch.id}{place}")
        page.wait_for_selector("main h1", state="attached")
        if place == "":
            page.click("#drum summary")
            page.wait_for_selector("#drum svg circle.ball")
        if place == "/voice":
            page.click("#check")
            page.wait_for_selector("#countersigned")
        wait_for_idle_network(page)
        for url in [page.url, *page.evaluate("performance.getEntriesByType('resource').map(one => one.name)")]:
            if url not in whole and not url.endswith("/events"):
                whole[url] = len(gzip.compress(page.request.get(url).body()))
    context.close()
    assert any(url.endswith("/verify/verify.js") for url in whole)
    print({"bytes": sum(whole.values()), "answers": len(whole)})
    assert sum(whole.values()) <= ALL_PAGES


def test_waiting_phones_see_the_wheel_before_the_result(service, browser):
    for motion, milliseconds in (("no-preference", 2000), ("reduce", 1200)):
        group = service.group(members=["Ann", "Bob"])
        group.rate_all()
        group.freeze()
        context = browser.new_context(reduced_motion=motion)
        page = context.new_page()
        page.add_init_script(SPY)
        enter(page, group.link("Ann"))
        page.wait_for_function(f"() => sessionStorage.getItem('isegoria waits {group.id}')")
        group.draw()
        page.wait_for_selector(".wheel .pointer")
        assert page.locator(".drawn").count() == 0, "the result is nowhere before the wheel has stopped"
        assert page.locator(".wheel .mine").count() > 0
        page.wait_for_selector(".wheel", state="detached")
        assert page.is_visible(".drawn")
        assert milliseconds in page.evaluate("ran")
        page.reload()
        page.wait_for_selector(".drawn")
        assert page.locator(".wheel").count() == 0, "who has seen it sees the result at once"
        context.close()


def test_first_paint_after_waiting_hides_the_result(service, browser):
    group = service.group(members=["Ann", "Bob"])
    group.rate_all()
    group.freeze()
    context = browser.new_context()
    page = enter(context.new_page(), group.link("Ann"))
    page.wait_for_function(f"() => sessionStorage.getItem('isegoria waits {group.id}')")
    page.goto("about:blank")
    group.draw()
    held = []
    page.route("**/static/app/today.js", lambda asked: held.append(asked))
    page.goto(f"{service.site}/g/{group.id}", wait_until="commit")
    page.wait_for_selector(".drawn", state="attached")
    wait_until(page, lambda: held)
    assert page.is_hidden(".drawn")
    held[0].continue_()
    page.wait_for_selector(".wheel .pointer")
    page.wait_for_selector(".wheel", state="detached")
    assert page.is_visible(".drawn")
    context.close()


def test_a_third_language_is_one_file(tmp_path, browser, monkeypatch):
    """Every page speaks it, its scripts, the check's findings and refusals too."""
    static = shutil.copytree(STATIC_FOLDER, tmp_path / "static")
    english = json.loads((static / "translations" / "pages.en.json").read_text("utf-8"))
    parts = ("_names", "weekday_short", "decimal_point")  # of sentences, and no sentences themselves
    other = {name: text if name.endswith(parts) else f"¡{text}" for name, text in english.items()}
    other |= {"language": "Français", "refusals": {"'{}' is an option already.": "¡{0}"}}
    other["explore"] = {"title": "¡Explore"}
    other["check"] = {"heading": "¡Check a draw", "sentences": {"whom": "¡Consistent."}}
    (static / "translations" / "pages.fr.json").write_text(json.dumps(other), "utf-8")
    for place in ("isegoria.service.web.translations.STATIC_FOLDER", "isegoria.service.app.STATIC_FOLDER"):
        monkeypatch.setattr(place, static)
    caches = (
        translations.list_languages,
        translations.load_messages,
        translations.load_explorer_messages,
        translations.load_verifier_messages,
    )
    for one in caches:
        one.cache_clear()
    running = RunningService(tmp_path)
    try:
        group = running.group(members=["Ann", "Bob"], rounds=1)
        context = browser.new_context(locale="fr-FR")
        page = enter(context.new_page(), group.link("Ann"))
        faults = collect_page_errors(page)
        for place in ("", "/voice", "/group", "/devices", "/board"):
            page.goto(f"{running.site}/g/{group.id}{place}")
            page.wait_for_selector("main h1", state="attached")
            if place == "/voice":
                page.click("#check")
                page.wait_for_selector("#countersigned")
                page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
            assert page.get_attribute("html", "lang") == "fr"
            names = ["Ann", "Bob", *group.arms, "Where we have lunch", *translations.list_languages().values()]
            assert page.evaluate(UNSPOKEN, names) == [], place
        page.goto(f"{running.site}/verify/?record=/api/groups/{group.id}/record")
        page.wait_for_selector("html[lang=fr] #proved:not([hidden])")
        assert page.inner_text("h1") == "¡Check a draw"
        assert page.inner_text("#verdict") == "¡Consistent."
        assert page.inner_text("#proved li").startswith("¡")
        assert translations.load_explorer_messages("fr")["title"] == "¡Explore"
        assert faults == []
        context.close()
    finally:
        running.close()
        for one in caches:
            one.cache_clear()


SHIFTS = """window.shifts = []; new PerformanceObserver((list) => {
    const called = ({ node }) => (node?.outerHTML ?? String(node?.data)).slice(0, 80);
    for (const one of list.getEntries()) window.shifts.push([one.value, one.sources.map(called)]);
}).observe({ type: "layout-shift", buffered: true });"""


def slow_down(page) -> None:
    """From now on every answer comes 80 milliseconds late."""
    line = page.context.new_cdp_session(page)
    line.send("Network.enable")
    late = {"offline": False, "latency": 80, "downloadThroughput": -1, "uploadThroughput": -1}
    line.send("Network.emulateNetworkConditions", late)


def test_nothing_moves_when_words_and_live_data_come(service, browser):
    """On a phone whose server takes its time for each answer, nothing that stands on a page is pushed away."""
    group = service.group(rounds=2)
    context = browser.new_context(viewport={"width": 375, "height": 740}, device_scale_factor=1)
    page = context.new_page()
    enter(page, group.link("Ann"))
    enter(context.new_page(), group.link(), "a[href$='/organise']")

    slow_down(page)
    page.add_init_script(SHIFTS)
    home, found = f"{service.site}/g/{group.id}", {}
    other = browser.new_context(viewport={"width": 375, "height": 740})
    stranger = other.new_page()
    slow_down(stranger)
    stranger.add_init_script(SHIFTS)
    for place in ("", "/voice", "/group", "/organise"):
        page.goto(home + place)
        wait_for_idle_network(page)
        found[place] = page.evaluate("shifts")
    stranger.goto(f"{home}/join#k={group.made['join']}")
    stranger.wait_for_selector("#names button:not([disabled])")
    wait_for_idle_network(stranger)
    found["/join"] = stranger.evaluate("shifts")
    context.close()
    other.close()
    total = {place: round(sum(value for value, _ in shifts), 3) for place, shifts in found.items()}
    print(total)
    assert {place: found[place] for place, moved in total.items() if moved > 0.03} == {}, total  # one wrapped line


def test_unreachable_server_is_said_and_left_again(tmp_path, browser):
    """A device that knows the group gets a page instead of the browser's error, and the group once it is back."""
    running = RunningService(tmp_path)
    group = running.group(members=["Ann", "Bob"])
    context = browser.new_context()
    page = enter(context.new_page(), group.link("Ann"))
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page.goto(running.site)
    page.wait_for_selector("#mine a:has-text('Where we have lunch')")
    context.set_offline(True)
    page.click("#mine a")
    page.wait_for_selector("h1:has-text('The server cannot be reached')")
    context.set_offline(False)
    page.wait_for_selector("#h-rate")
    page.click("summary:has-text('This device')")
    page.click("form[action$='do/forget'] button")
    page.click("button:has-text('Forget me')")
    page.wait_for_selector("#nobody")
    wait_until(page, lambda: page.evaluate("localStorage.getItem('isegoria groups')") == "{}")
    retry_navigation(lambda: page.goto(running.site))
    page.wait_for_selector("#sheet", state="attached")
    assert page.is_hidden("#mine")
    context.close()
    running.close()

"""The page that needs no installation, in a real browser: opened from a file, with no network."""

import json
import re

import numpy as np
import pytest

import isegoria as iso
from browser.fixtures import collect_page_errors, find_overflowing_elements, take_screenshot
from isegoria.service.web import STATIC_FOLDER
from isegoria.service.web.one_page import build_one_page
from isegoria.service.web.translations import list_languages, load_explorer_messages, load_page_messages
from one_page import engines

PHONE, DESK = {"width": 320, "height": 640}, {"width": 1280, "height": 800}
VIEWS = ("table", "phone", "chat", "turns", "verify")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "isegoria.html"
    path.write_text(build_one_page(), encoding="utf-8")
    return path


def open_view(page, file, view="table", size=DESK):
    page.set_viewport_size(size)
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{file.as_uri()}#{view}")
    page.wait_for_selector("body[data-ready]")
    return page


def show_example(page, file, size=DESK):
    open_view(page, file, size=size)
    page.click("#example")
    page.wait_for_selector("#story .said")
    return page


def download(page, selector) -> bytes:
    with page.expect_download() as saved:
        page.click(selector)
    return saved.value.path().read_bytes()


def test_the_file_is_small_and_asks_nobody(file):
    import gzip

    text = file.read_bytes()
    assert len(text) <= 450_000
    assert len(gzip.compress(text, 9)) <= 150_000
    assert b"default-src 'none'" in text
    assert not re.search(rb'(?:src|href)="(?!data:|#)', text)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_every_view_fits_and_can_be_used_by_all(file, browser, axe, size, scheme, language):
    context = browser.new_context(viewport=size, locale=language, color_scheme=scheme, offline=True)
    page = context.new_page()
    faults = collect_page_errors(page)
    for view in VIEWS:
        open_view(page, file, view, size)
        page.reload()
        page.wait_for_selector("body[data-ready]")
        if view == "table":
            page.click("#example")
            page.click("#story .choice-large >> nth=1")
            page.click("#story [data-person='4']")
            for summary in page.locator("#shown details:not([hidden]) > summary").all():
                summary.click()
        assert find_overflowing_elements(page) == [], view
        assert axe(page) == [], view
        take_screenshot(page, f"page-{view}-{size['width']}-{scheme}-{language[:2]}")
    context.close()
    assert not faults, "\n".join(faults)


def test_the_switch_names_who_is_never_heard(file, page):
    show_example(page, file)
    assert (
        page.inner_text("#story .said").replace(", and", " and")
        == "Every time: pizza. Femi, Gus, Hana, Ines and Jun never get what they like best."
    )
    assert page.locator("#story .name.unheard").count() == 5
    page.click("#story .choice-large[data-rule=procedural]")
    assert page.inner_text("#story .said").startswith("Everyone is heard: each voice, exactly 1/10")
    assert page.locator("#story .name.unheard").count() == 0
    assert "Checked in whole numbers" in page.inner_text("#story")
    page.click("#story [data-person='5']")
    assert "Femi" in page.inner_text(".person")
    page.click("#story .person .tile:has-text('salad')")
    page.click("#story .person .tile:has-text('pizza')")
    page.click("#story .choice-large[data-rule=majority]")
    assert "Femi" not in page.inner_text("#story .said")


def test_flows_move_and_a_month_is_lived(file, page):
    show_example(page, file)
    page.emulate_media(reduced_motion="no-preference")
    before = page.get_attribute("#story .flow svg path >> nth=0", "d")
    page.click("#story .choice-large[data-rule=procedural]")
    page.wait_for_function(
        "before => document.querySelector('#story .flow svg path').getAttribute('d') !== before", arg=before
    )
    page.emulate_media(reduced_motion="reduce")
    page.click("#story button:has-text('Live a month')")
    page.wait_for_selector("#story .today:has-text('After 20 days: under the majority 5 got nothing')")
    rows = page.locator("#story .month tbody tr")
    assert rows.nth(0).locator("td").nth(0).inner_text() == "20"
    assert rows.nth(5).locator("td").nth(0).inner_text() == "0"
    assert sum(int(rows.nth(i).locator("td").nth(1).inner_text()) > 0 for i in range(10)) == 10


def test_a_pasted_table_is_answered_at_once_and_a_wrong_cell_is_named(file, page):
    open_view(page, file)
    rng = np.random.default_rng(67)
    lines = [",".join(["agent", *(f"o{k}" for k in range(10))])]
    lines += [",".join([f"m{i}", *(str(int(one)) for one in rng.integers(1, 6, 10))]) for i in range(100)]
    page.fill("#pasted", "\n".join(lines))
    page.click("#read")
    page.wait_for_selector("#shown:not([hidden])")
    assert page.inner_text("#size") == "100 people, 10 options. Ratings run from 1 to 5."
    page.click("#begin summary")
    page.fill("#pasted", "agent,tea,milk\nAnn,1,0\nBob,wow,0\n")
    page.click("#read")
    assert page.inner_text("#refused") == "Line 3 (Bob), column “tea”: “wow” is no number; write a rating, yes or no."


def test_a_table_is_kept_as_a_page_a_link_and_files_that_the_library_reads(file, page, tmp_path):
    show_example(page, file)
    page.click("#story .choice-large[data-rule=procedural]")
    saved = tmp_path / "saved.html"
    saved.write_bytes(download(page, "#keep button:has-text('Save as one page')"))
    for suffix, word in (("csv", "Table (CSV)"), ("json", "JSON")):
        (tmp_path / f"t.{suffix}").write_bytes(download(page, f"#keep button:has-text('{word}')"))
        table = iso.read(tmp_path / f"t.{suffix}")
        assert table.agents[4] == "Eve"
        assert table.means[4].tolist() == [1, 0, 0, 1]
    assert download(page, "#keep button:has-text('Picture (SVG)')").startswith(b"<svg")
    assert download(page, "#keep button:has-text('Picture (PNG)')").startswith(b"\x89PNG")
    page.click("#keep button:has-text('Make a link')")
    link = page.get_attribute("#keep a", "href")
    for address in (saved.as_uri(), link):
        other = page.context.browser.new_context().new_page()
        faults = collect_page_errors(other)
        other.goto(address)
        other.wait_for_selector("#story .said")
        assert "10 people" in other.inner_text("#size")
        other.click("#story .choice-large[data-rule=majority]")
        assert "Femi" in other.inner_text("#story .said")
        again = download(other, "#keep button:has-text('Save as one page')")  # a copy of a copy
        assert again.count(b'id="kept"') == saved.read_bytes().count(b'id="kept"')
        assert not faults, faults
        other.context.close()
    page.reload()  # the state survives
    page.wait_for_selector("#story .said:has-text('Everyone is heard')")


def test_ten_people_decide_with_one_phone(file, page, tmp_path):
    """At most three taps for each, and twelve for the host, from the open file to the saved and verified record."""
    open_view(page, file, "phone", PHONE)
    page.evaluate("window.taps = 0; addEventListener('click', (event) => event.isTrusted && window.taps++, true)")
    names, options = [f"Member {n}" for n in range(10)], ["pizza", "salad", "curry"]
    page.fill("#p-title", "Dinner")
    page.fill("#p-options", "\n".join(options))
    page.fill("#p-names", "\n".join(names))
    page.click("#view-phone .strong")
    host = page.evaluate("window.taps")
    for n in range(10):
        page.click(f"#view-phone .name:text-is('Member {n}')")
        page.click(f"#view-phone .tile:has-text('{options[n % 3]}')")
        page.click("#view-phone .strong")
        assert page.locator("#view-phone .tile").count() == 0  # nobody sees what the one before tapped
    assert page.evaluate("window.taps") == host + 30
    page.click("#view-phone .strong")
    page.click("#view-phone .strong")
    page.wait_for_selector("#view-phone [data-verdict=consistent]")
    record = download(page, "#view-phone button:has-text('Save the record')")
    people = download(page, "#view-phone button:has-text('Save the names')")
    page.click("#to-verify")
    (tmp_path / "dinner.record").write_bytes(record)
    (tmp_path / "dinner.names").write_bytes(people)
    page.set_input_files("#record", [str(tmp_path / "dinner.record"), str(tmp_path / "dinner.names")])
    page.wait_for_selector("#answer[data-verdict=consistent]")
    assert page.evaluate("window.taps") - 30 <= 12
    assert "The names fit" in page.inner_text("#proved")
    for verify in (engines.verify_with_python, engines.verify_with_reference):
        (verdict,) = verify([{"record": record, "names": people, "now": 2_000_000_000}])
        assert (verdict["exit_code"], len(verdict["rounds"])) == (3, 1)


def test_dice_are_typed_and_a_wrong_throw_is_named(file, page):
    open_view(page, file, "phone")
    page.fill("#p-options", "a\nb")
    page.fill("#p-names", "Ann\nBen")
    page.select_option("#p-source", "dice")
    page.click("#view-phone .strong")
    for name in ("Ann", "Ben"):
        page.click(f"#view-phone .name:text-is('{name}')")
        page.click("#view-phone .tile >> nth=0")
        page.click("#view-phone .strong")
    page.click("#view-phone .strong")
    page.fill("#p-throw", "12345678")
    page.click("#view-phone .strong")
    assert "Type 9 numbers from 1 to 6" in page.inner_text("#view-phone .bad")
    page.fill("#p-throw", "1 2 3 4 5 6 1 2 3")
    page.click("#view-phone .strong")
    page.wait_for_selector("#view-phone h2:text-is('a')")
    lines = [json.loads(line) for line in download(page, "#view-phone .strong").splitlines()]
    assert lines[-1]["source_bytes"] == b"1.2.3.4.5.6.1.2.3.".hex()


def test_a_chat_decides_without_a_server(file, page):
    page.route(
        "http://page.group.test/**",
        lambda route: route.fulfill(body=file.read_text(encoding="utf-8"), content_type="text/html"),
    )
    page.goto("http://page.group.test/isegoria.html#chat")
    page.fill("#c-options", "tea\nmilk")
    page.fill("#c-names", "Ann\nBen")
    page.click("#view-chat .strong")
    link, codes = page.get_attribute("#c-link", "href"), []
    for name, option in (("Ann", "tea"), ("Ben", "milk")):
        page.goto("about:blank")
        page.goto(link)
        page.select_option("#c-me", label=name)
        page.click(f"#view-chat .tile:has-text('{option}')")
        page.click("#view-chat .strong")
        codes.append(page.inner_text("#view-chat .code"))
    page.fill("#c-text", "\n".join(codes))
    assert "2 of 2 answers found" in page.inner_text("#c-out")
    page.click("#c-out button:has-text('Close the answers')")
    codes.append(page.inner_text("#c-out .code"))
    for name in ("Ann", "Ben"):
        page.fill("#c-text", "\n".join(codes))
        page.click(f"#c-out button:has-text('Show the number of {name}')")
        codes.append(page.inner_text("#c-out .code"))
    page.fill("#c-text", "\n".join(f"{minute} {code}" for minute, code in enumerate(codes)))
    assert re.fullmatch("(tea, by the voice of Ann|milk, by the voice of Ben).", page.inner_text("#c-drawn"))
    page.fill("#c-text", "\n".join(codes[:-1]))
    assert "Missing numbers: Ben" in page.inner_text("#c-out")


def test_turns_remember_in_a_file_and_in_a_link(file, page, tmp_path):
    open_view(page, file, "turns")
    page.fill("#u-options", "Alien\nBrazil")
    page.fill("#u-names", "Ann\nBen")
    page.click("#view-turns form button >> nth=0")
    page.click("#view-turns .tile >> nth=0")
    page.click("#view-turns .tile >> nth=3")
    page.fill("#u-seed", "3 1 4")
    page.click("#view-turns .strong")
    instance, turns = iso.Instance([[1, 0], [0, 1]], arms=["Alien", "Brazil"], agents=["Ann", "Ben"]), iso.Turns()
    turn = turns.draw(turns.propose(instance), "3 1 4")
    assert page.inner_text("#u-drawn") == f"{turn.option}, by the voice of {turn.voice}."
    state = download(page, "#view-turns button:has-text('Save as a file')").decode()
    assert iso.Turns.from_json(state).to_json() == turns.to_json() == state.strip()
    other = page.context.new_page()
    other.goto(page.get_attribute("#u-link", "href"))
    other.wait_for_selector("#view-turns h3:has-text('Round 2')")
    page.reload()
    page.wait_for_selector("#view-turns h3:has-text('Round 2')")
    assert page.inner_text("#u-drawn").startswith(turn.option)
    page.click("#view-turns .strong")
    assert page.inner_text("#view-turns .bad") == "Nobody has tapped a favourite yet."
    page.fill("#u-names", "Ann\nAnn")
    page.click("#view-turns form button >> nth=0")
    assert "is there twice" in page.inner_text("#view-turns .bad")
    assert page.input_value("#u-names") == "Ann\nAnn"
    (tmp_path / "bad.json").write_text('{"format":"isegoria turns"}')
    page.set_input_files("#view-turns input[type=file]", str(tmp_path / "bad.json"))
    page.wait_for_selector("#view-turns .bad:has-text('no state of turns')")


def test_everything_is_reached_by_keyboard(file, page):
    open_view(page, file)
    page.focus("#example")
    page.keyboard.press("Enter")
    page.focus("#story .choice-large[data-rule=procedural]")
    page.keyboard.press("Space")
    assert page.get_attribute("#story .choice-large[data-rule=procedural]", "aria-pressed") == "true"
    page.focus("#story [data-person='3']")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    reached = [page.evaluate("document.activeElement.className + document.activeElement.textContent")]
    for _ in range(12):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.className + document.activeElement.textContent"))
    assert any("tile" in one for one in reached)


def test_the_tables_of_messages_have_the_same_names():
    english = load_page_messages("en")
    for code in list_languages():
        table = load_page_messages(code)
        assert table.keys() == english.keys()
        for key, text in table.items():
            assert set(re.findall(r"\{(\w+)", text)) == set(re.findall(r"\{(\w+)", english[key])), (code, key)
    used = set()
    for path in (STATIC_FOLDER / "page").iterdir():
        text = path.read_text(encoding="utf-8")
        used |= set(re.findall(r'(?:translate|refuse|button|field)\((?:"[\w-]+", )?"(\w+)"', text))
        used |= set(re.findall(r'data-word="(\w+)"', text))
    assert len(used) > 100
    assert used <= english.keys() | load_explorer_messages("en").keys() | {"majority", "procedural"}


def test_reload_keeps_answers_of_the_phone(file, page):
    open_view(page, file, "phone", PHONE)
    page.fill("#p-options", "a\nb")
    page.fill("#p-names", "Ann\nBen")
    page.click("#view-phone .strong")
    page.click("#view-phone .name:text-is('Ann')")
    page.click("#view-phone .tile >> nth=1")
    page.click("#view-phone .strong")
    page.reload()
    page.wait_for_selector("#view-phone .name.done:has-text('Ann')")
    assert page.locator("#view-phone .name.done").count() == 1
    page.click("#view-phone button:has-text('Change options or names')")
    page.reload()
    page.wait_for_selector("#p-options")


def test_scale_of_ratings_can_be_chosen(file, page):
    open_view(page, file)
    page.fill("#pasted", "name,tea,milk\nAnn,3,6\nBen,4,3\n")
    page.click("#read")
    page.wait_for_selector("#size:has-text('Ratings run from 1 to 7.')")
    page.click("#scale summary")
    page.fill("#scale-from", "9")
    page.click("#scale button")
    assert page.inner_text("#refused") == "Give two numbers, the lower one first."
    page.fill("#scale-from", "0")
    page.fill("#scale-to", "6")
    page.click("#scale button")
    page.wait_for_selector("#size:has-text('Ratings run from 0 to 6.')")
    means = json.loads(download(page, "#keep button:has-text('JSON')"))["means"]
    np.testing.assert_allclose(means, [[0.5, 1], [4 / 6, 0.5]])

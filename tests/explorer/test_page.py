"""The explorer in a real browser: seen at three widths, by keyboard, in both languages, and by nobody else."""

import json
import re
import urllib.error
import urllib.request

import pytest

from browser.fixtures import find_overflowing_elements, take_screenshot
from explorer.conftest import LUNCH, RunningExplorer
from isegoria.rules import RULE_GROUPS
from isegoria.service.explorer.uploads import PendingFile

SHOWN = "body[data-shown]"
PRICE_REDRAWN_SCRIPT = """() => { const place = document.querySelector('#price .picture');
    const drawn = place?.firstElementChild;
    return drawn && Math.abs(drawn.getAttribute('width') - place.clientWidth) <= 4; }"""
JSON = {"Content-Type": "application/json"}


def open_explorer(page, running, width=1280, scheme="light"):
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(running.address)
    page.wait_for_selector(SHOWN)
    return page


@pytest.mark.parametrize(("width", "scheme"), [(320, "dark"), (390, "light"), (1280, "light")])
def test_every_width_fits_and_can_be_used_by_all(lunch, page, axe, width, scheme):
    open_explorer(page, lunch, width, scheme)
    page.click("#ask-core")
    page.wait_for_selector("#verdicts .good")
    for summary in page.locator("details > summary").all():
        if summary.is_visible():
            summary.click()
    assert find_overflowing_elements(page) == []
    assert axe(page) == []
    take_screenshot(page, f"explore-{width}-{scheme}")


def test_sliders_show_who_is_neglected_at_once(lunch, page):
    open_explorer(page, lunch)
    assert "is fair" in page.inner_text("#fair")
    assert page.locator("#flow svg path").count() >= 10
    before = int(page.get_attribute("#judged", "data-times"))
    page.focus("#arm-1")
    page.keyboard.press("Home")
    page.wait_for_selector(f"#judged[data-times='{before + 1}']", state="attached")
    assert "Neglected: Femi, Gus" in page.inner_text("#fair")
    assert "p=0.6" in page.url
    assert page.locator("#flow svg rect[stroke-dasharray]").count() >= 2


def test_the_view_stands_in_the_address(lunch, page):
    open_explorer(page, lunch)
    before = int(page.get_attribute("#judged", "data-times"))
    page.focus("#arm-0")
    page.keyboard.press("End")
    page.wait_for_selector(f"#judged[data-times='{before + 1}']", state="attached")
    chance, address = page.inner_text("output[for=arm-0]"), page.url
    other = page.context.new_page()
    other.goto(address)
    other.wait_for_selector(SHOWN)
    assert other.inner_text("output[for=arm-0]") == chance
    assert "k=" not in address


def test_a_table_is_dropped_and_the_ways_out_are_buttons(empty, page):
    page.goto(empty.address)
    page.wait_for_selector("#example:visible")
    page.set_input_files("#file", LUNCH)
    page.wait_for_selector("#refused:not([hidden])")
    assert "--" not in page.inner_text("#refused")
    page.click("#ways-out button:has-text('Ratings run from 1 to 5: use that')")
    page.wait_for_selector(SHOWN)
    assert page.inner_text("#size").startswith("10 people, 4 options")
    assert page.locator("#policies tbody tr").count() == len(RULE_GROUPS["paper"])
    names = (
        "import('/static/explorer/translations.js')"
        ".then(({ translateRow }) => ['nash', 'new'].map((id) => translateRow('objective', id)))"
    )
    assert page.evaluate(names)[0] != "nash"
    assert page.evaluate(names)[1] == "new"  # an objective without a word of its own goes by its id


def test_page_asks_for_the_scale_of_a_named_file(page):
    pending = PendingFile("lunch.csv", LUNCH.read_bytes(), {"missing": "drop"})
    running = RunningExplorer(pending=pending)
    try:
        page.goto(running.address)
        page.wait_for_selector("#refused:not([hidden])")
        assert page.input_value("#read-missing") == "drop"
        page.click("#ways-out button:has-text('Ratings run from 1 to 5: use that')")
        page.wait_for_selector(SHOWN)
        assert page.inner_text("#name") == "lunch.csv"
        assert page.inner_text("#size").startswith("10 people, 4 options")
    finally:
        running.close()


def test_what_is_left_to_fill_in_is_laid_out(empty, page):
    page.goto(empty.address)
    page.wait_for_selector("#example:visible")
    words = b"name,tea,coffee\nAnn,splendid,meagre\nBob,meagre,splendid\n"
    page.set_input_files("#file", {"name": "x.csv", "mimeType": "text/csv", "buffer": words})
    page.wait_for_selector("#ways-out button")
    page.click("#ways-out button >> nth=0")
    page.wait_for_selector("#read-answers:focus")
    page.fill("#read-answers", "splendid=1,meagre=0")
    page.click("#again")
    page.wait_for_selector(SHOWN)


def test_columns_fit_a_desk_and_labels_of_the_frontier_stand_apart(lunch, page):
    open_explorer(page, lunch)
    wide = page.evaluate(
        "() => { const one = document.getElementById('policies'); return one.scrollWidth - one.clientWidth }"
    )
    assert wide <= 0
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(PRICE_REDRAWN_SCRIPT)
        boxes = page.locator("#price .mark-label").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect()).map(one => [one.left, one.right, one.top, one.bottom])"
        )
        assert len(boxes) == 7
        for i, (left, right, top, bottom) in enumerate(boxes):
            for other in boxes[:i]:
                meet = left < other[1] - 1 and other[0] < right - 1 and top < other[3] - 3 and other[2] < bottom - 3
                assert not meet, (width, boxes[i], other)


def test_learning_is_live_and_every_picture_comes_with_its_data(lunch, page):
    open_explorer(page, lunch)
    page.fill("#rounds", "6000")
    page.click("#learn button")
    page.wait_for_selector("#progress:has-text('Done.')")
    assert int(page.get_attribute("#course", "data-frames")) >= 60
    assert page.locator("#course svg polyline").count() == 2
    assert page.locator("#summary li").count() == 2
    for place, least in (("#bars", 6), ("#flow", 10), ("#price", 3), ("#course", 100)):
        page.click(f"{place} details summary")
        for suffix, button in ((".svg", "SVG"), (".csv", "CSV")):
            with page.expect_download() as saved:
                page.click(f"{place} .downloads button:has-text('{button}')")
            assert saved.value.suggested_filename.endswith(suffix)
            text = saved.value.path().read_text(encoding="utf-8")
            assert text.startswith("<svg") if suffix == ".svg" else len(text.splitlines()) > least
        page.wait_for_selector(f"{place} tbody tr")
        assert page.locator(f"{place} tbody tr").count() >= least


def test_the_figures_are_the_servers(lunch, page):
    open_explorer(page, lunch)
    page.click("#bars details summary")
    with page.expect_download() as saved:
        page.click("#bars .downloads button:has-text('CSV')")
    rows = [line.split(",") for line in saved.value.path().read_text().splitlines()]
    told = page.evaluate("async () => (await fetch(location.origin + '/api/start')).json()")
    asked = page.evaluate(f"async () => (await fetch('/api/tables/{told['first']['table']}/compare')).json()")
    for id, *numbers in rows[1:]:
        row = asked["rules"][id]
        assert [float(x) for x in numbers] == pytest.approx([*row["scores"].values(), *row["policy"]], abs=1e-12)


def test_german_has_every_word(lunch, page):
    open_explorer(page, lunch)
    page.select_option("#language", "de")
    page.wait_for_selector("h1:has-text('Wer gehört wird')")
    assert page.get_attribute("html", "lang") == "de"
    page.wait_for_selector("#size:has-text('10 Personen')")
    page.wait_for_selector("#flow button:has-text('Bild sichern')", state="attached")


def test_the_tables_of_messages_have_the_same_names():
    from isegoria.service.web import STATIC_FOLDER
    from isegoria.service.web.translations import load_page_messages

    tables = {
        path.name: json.loads(path.read_text(encoding="utf-8"))
        for path in (STATIC_FOLDER / "translations").glob("explorer.*.json")
    }
    assert {"explorer.en.json", "explorer.de.json"} <= set(tables)
    english = tables["explorer.en.json"]
    for name, table in tables.items():
        assert table.keys() == english.keys(), name
        for key, text in table.items():
            assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", english[key])), (name, key)
    used = set()
    for path in [*(STATIC_FOLDER / "explorer").glob("*.js"), STATIC_FOLDER.parent / "templates" / "explorer.html"]:
        text = path.read_text(encoding="utf-8")
        used |= set(re.findall(r'say\("(\w+)"', text)) | set(re.findall(r'data-(?:say|label)="(\w+)"', text))
    assert used <= english.keys() | load_page_messages("en").keys()


def test_a_large_table_is_shown_and_answers(large, page):
    open_explorer(page, large)
    assert page.inner_text("#size").startswith("1,000 people, 20 options")
    assert page.locator("#flow svg").count() == 1


def test_only_who_opened_the_address_is_answered(lunch):
    def ask(path, data=None, **headers):
        request = urllib.request.Request(lunch.site + path, data=data, headers=headers)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    assert ask("/api/start")[0] == 401
    assert ask("/api/tables?name=a.csv", b"agent,a\nAnn,1\n")[0] == 401
    assert ask("/api/open", b'{"token": "wrong"}', **JSON)[0] == 401
    assert ask("/api/open", b"[" * 100000, **JSON)[0] == 400
    good = json.dumps({"token": lunch.explorer.token}).encode()
    assert ask("/api/open", good, **JSON, Origin="http://evil.example")[0] == 403
    assert ask("/", Host="evil.example")[0] == 400
    status, headers, _ = ask("/api/open", good, **JSON)
    assert status == 200
    assert "HttpOnly; SameSite=Strict" in headers["set-cookie"]
    status, _, told = ask("/api/open", good, **JSON)
    assert (status, json.loads(told)["error"].startswith("this address was used before")) == (401, True)
    cookie = headers["set-cookie"].partition(";")[0]
    table = json.loads(ask("/api/start", Cookie=cookie)[2])["first"]["table"]
    assert ask(f"/api/tables/{table}/nonsense", Cookie=cookie)[0] == 400
    assert ask("/api/tables/0000/compare", Cookie=cookie)[0] == 400
    assert ask(f"/api/tables/{table}/lottery", b"{", **JSON, Cookie=cookie)[0] == 400


def test_it_opens_with_the_people_and_is_saved_as_one_file(lunch, page, tmp_path):
    open_explorer(page, lunch)
    said = page.locator("#story .said")
    assert said.inner_text().replace(", and", " and") == (
        "Every time: noodles. Femi, Gus, Hana, Ines and Jun never get what they like best."
    )
    page.click("#story .choice-large[data-rule=procedural]")
    assert "each voice, exactly 1/10" in said.inner_text()
    assert "rule=procedural" in page.url
    page.reload()
    page.wait_for_selector("#story .said:has-text('each voice')")
    page.click("#story [data-person='0']")
    page.click("#story .person .tile:has-text('curry')")
    assert "tastes=0%3A0.3" in page.url
    page.reload()
    page.click("#story [data-person='0']")
    assert page.get_attribute("#story .person .tile:has-text('curry')", "aria-pressed") == "true"
    with page.expect_download() as saved:
        page.click("#keep button:has-text('Save as one page')")
    saved.value.save_as(tmp_path / "lunch.html")
    other = page.context.new_page()
    other.goto((tmp_path / "lunch.html").as_uri())
    other.wait_for_selector("#story .said:has-text('each voice')")
    assert other.locator("#story .name").count() == 10
    other.click("#story [data-person='0']")
    assert other.get_attribute("#story .person .tile:has-text('curry')", "aria-pressed") == "true"

"""The page as a stranger meets it: one saved file, opened without a server, on a phone and on a desk."""

import json
import re

import pytest
from attack_rows import real_beacon
from engines import WEB
from record_maker import RecordMaker, canonical
from sample_records import make_eventful_record, make_plain_record

from browser.fixtures import find_overflowing_elements, take_screenshot
from isegoria.service.web.translations import load_verifier_messages
from isegoria.verifier import build_page as one_file_page

PHONE, DESK = {"width": 320, "height": 640}, {"width": 1280, "height": 800}


@pytest.fixture
def saved(tmp_path, page):
    """The one-file page, saved and opened from file://, with a way to hand it files."""
    (tmp_path / "verify.html").write_text(one_file_page(), encoding="utf-8")
    page.goto((tmp_path / "verify.html").as_uri())

    def give(**files: bytes):
        paths = []
        for name, data in files.items():
            (tmp_path / f"{name}.jsonl").write_bytes(data)
            paths.append(str(tmp_path / f"{name}.jsonl"))
        page.evaluate("document.getElementById('record').value = ''")  # as a click does
        page.set_input_files("#record", paths)
        page.wait_for_selector("#answer:not([hidden])")

    def trust(who: str, head: str = ""):
        page.fill("#trust", who)
        page.fill("#head", head)
        page.press("#head", "Tab")

    page.give, page.trust = give, trust
    return page


def verdict(page) -> str:
    return page.inner_text("#verdict")


def test_it_proves_a_record_and_draws_its_drum(saved, axe):
    made = make_plain_record(100, "dice", members=6, arms=4)
    saved.give(record=made.bytes(), receipt=canonical(made.receipt(2)) + b"\n")
    saved.wait_for_selector('#answer[data-verdict="consistent"]')
    assert "Say whom you trust" in verdict(saved)
    saved.trust("members", made.head(2))
    saved.wait_for_selector('#answer[data-verdict="proved"]')
    assert verdict(saved).startswith("Rounds 1 to 2: proved for you, unless ")
    assert "Member 2 is «Member 2 é»" in saved.inner_text("#proved")
    assert "nobody can prove that" in saved.inner_text("#unproved")
    assert saved.locator("#drum svg .ball").count() == 6
    drawn = next(line for line in reversed(made.lines) if line["line"] == "draw")
    cells = saved.locator("#drum table >> nth=1").locator("tbody tr")
    assert [cells.nth(i).locator("td").nth(1).inner_text() for i in range(6)] == [f"arm {a}" for a in drawn["arms"]]
    assert axe(saved) == []
    saved.click("#earlier")
    assert saved.inner_text("#round-sentence").startswith("Round 1: ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_it_fits_the_screen_and_can_be_read(saved, axe, size, scheme):
    saved.set_viewport_size(size)
    saved.emulate_media(color_scheme=scheme)
    assert axe(saved) == []
    saved.give(record=make_eventful_record(101, "commit_reveal").bytes())
    take_screenshot(saved, f"verifier-{size['width']}-{scheme}")
    assert find_overflowing_elements(saved) == []
    assert axe(saved) == []


def test_it_says_what_is_wrong_first(saved):
    data = make_plain_record(102, "dice").bytes()
    saved.give(record=data.replace(b'"round":2', b'"round":3', 1))
    saved.wait_for_selector('#answer[data-verdict="false"]')
    assert verdict(saved).startswith("False: line ")
    saved.give(record=data[:-20])
    saved.wait_for_selector('#answer[data-verdict="unreadable"]')
    assert (
        verdict(saved)
        == "Unreadable: the record is empty, or its last line is cut off: it does not end with a newline."
    )
    assert saved.locator("#drawn").is_hidden()


def test_a_draw_that_too_few_had_in_time_says_how_many(saved):
    made = RecordMaker(103, source="dice", members=5)
    made.freeze()
    made.draw()
    saved.give(record=made.bytes())
    saved.trust("members", made.head(2))
    saved.wait_for_selector("text=Consistent, not proved for you")
    assert "had by 0 keys in time, 3 needed" in saved.inner_text("#round-sentence")


def test_it_refuses_another_history_than_the_one_it_saw(saved):
    made = make_plain_record(104, "dice", rounds=1)
    saved.give(record=made.bytes())
    saved.wait_for_selector('#answer[data-verdict="consistent"]')
    other = RecordMaker(104, source="dice", members=5)
    other.freeze(title="another day")
    saved.give(record=other.bytes())
    saved.wait_for_selector('#answer[data-verdict="false"]')
    assert verdict(saved) == "False: the kept head is not on this chain."
    made.whole_round()
    saved.give(record=made.bytes())
    saved.wait_for_selector('#answer[data-verdict="consistent"]')
    saved.give(record=other.bytes())
    saved.wait_for_selector("#forget:not([hidden])")
    saved.click("#forget")
    saved.wait_for_selector('#answer[data-verdict="consistent"]')


def test_ten_words_serve_as_a_head(saved):
    made = make_plain_record(105, "dice")
    saved.give(record=made.bytes())
    words = saved.inner_text("#words")
    saved.trust("", words.replace("-", " ").title())
    saved.wait_for_selector("text=The kept head is line")
    saved.trust("", " ".join(["babab"] * 10))
    saved.wait_for_selector('#answer[data-verdict="false"]')


def test_two_records_side_by_side_show_where_they_part(saved):
    made = make_plain_record(107, "dice", rounds=1)
    other = made.fork()
    made.whole_round(title="this way")
    other.whole_round(title="that way")
    saved.trust("members", made.head(2))
    saved.give(record=made.bytes(), other=other.bytes())
    saved.wait_for_selector('#answer[data-verdict="false"]')
    assert "there are two histories of this record" in verdict(saved)


def test_files_can_be_dropped_and_a_beacon_is_checked(saved):
    made = real_beacon()
    saved.trust("members", made.head(2))
    saved.evaluate(
        """async (text) => {
            const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
            const data = new DataTransfer();
            data.items.add(new File([bytes], "lunch.jsonl"));
            document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
        }""",
        __import__("base64").b64encode(made.bytes()).decode(),
    )
    saved.wait_for_selector('#answer[data-verdict="proved"]')
    assert "record: lunch.jsonl" in saved.inner_text("#files")


ENGLISH = """() => {
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT), found = [];
    while (texts.nextNode()) {
        const { parentElement: at, data } = texts.currentNode;
        const said = data.replaceAll(/«[^»]*»|„[^“]*“/g, "");
        const english = /\\b(the|of|were|that|this|and|by|not|every|your|round)\\b/i;
        if (!at.closest("[lang=en], noscript, td") && english.test(said)) found.push(data);
    }
    return found;
}"""


def test_a_saved_page_speaks_the_reader_s_language(tmp_path, browser, axe):
    """German of the browser's own, without any server; the program's sentence is there word for word."""
    (tmp_path / "verify.html").write_text(one_file_page(json.dumps(load_verifier_messages())), encoding="utf-8")
    context = browser.new_context(locale="de-AT", viewport=PHONE)
    page = context.new_page()
    page.goto((tmp_path / "verify.html").as_uri())
    made, odd = make_plain_record(100, "dice", members=6, arms=4), make_eventful_record(101, "commit_reveal")
    whole = made.bytes()
    other = made.fork()
    other.whole_round(title="that way")
    cases = [
        ({"record": whole, "receipt": canonical(made.receipt(2)) + b"\n"}, "", "consistent", "Stimmig: Alles"),
        (
            {"record": whole, "receipt": canonical(made.receipt(2)) + b"\n"},
            "members",
            "proved",
            "Runden 1 bis 2: für Sie",
        ),
        ({"record": whole, "other": other.bytes()}, "members", "proved", "Runden 1 bis 2: für Sie"),
        ({"record": odd.bytes()}, "", "consistent", "Stimmig: Alles"),
        ({"record": whole.replace(b'"round":2', b'"round":3', 1)}, "", "false", "Falsch: Zeile "),
        ({"record": whole[:-20]}, "", "unreadable", "Nicht lesbar: Die Geschichte ist leer"),
        ({"record": whole}, "Nobody", "unreadable", "Nicht lesbar: Nobody ist kein Schlüssel"),
    ]
    for files, trust, verdict_, begins in cases:
        page.evaluate("localStorage.clear()")
        page.reload()
        page.fill("#trust", trust)
        page.fill("#head", made.head(2) if trust else "")
        for name, data in files.items():
            (tmp_path / f"{name}.jsonl").write_bytes(data)
        page.set_input_files("#record", [str(tmp_path / f"{name}.jsonl") for name in files])
        page.wait_for_selector(f'#answer[data-verdict="{verdict_}"]')
        page.wait_for_function(
            "begins => document.getElementById('verdict').textContent.startsWith(begins)", arg=begins
        )
        assert page.evaluate(ENGLISH) == []
        exact = page.text_content("#exact p")
        assert exact.startswith(("Consistent", "Rounds", "False", "Unreadable"))
        assert exact != verdict(page)
        assert find_overflowing_elements(page) == []
    assert page.get_attribute("html", "lang") == "de"
    assert axe(page) == []
    page.click("#languages a")
    page.wait_for_selector("html[lang=en]")
    assert page.inner_text("h1") == "Check a draw"
    context.close()


def test_the_page_can_ask_nobody():
    text = one_file_page(json.dumps(load_verifier_messages()))
    assert "default-src 'none'" in text
    assert not re.search(r'(?:src|href)="(?!data:)', text)
    assert "import(" not in text
    assert len(text) < 264_000  # with German


@pytest.mark.slow
def test_a_server_can_open_it_with_a_record(page):
    data = make_plain_record(106, "dice").bytes()

    def serve(route):
        path = route.request.url.split("/", 3)[3].partition("?")[0]
        if path == "g/record":
            route.fulfill(body=data, content_type="application/jsonl")
        else:
            kind = {"html": "text/html", "css": "text/css"}.get(path.rpartition(".")[2], "text/javascript")
            policy = {"Content-Security-Policy": "default-src 'self'; img-src 'self' data:"}
            route.fulfill(body=(WEB / path).read_text(encoding="utf-8"), content_type=kind, headers=policy)

    page.route("http://lunch.group.test/**", serve)
    page.goto("http://lunch.group.test/index.html?record=/g/record")
    page.wait_for_selector('#answer[data-verdict="consistent"]')
    assert page.evaluate("isSecureContext") is False

"""A member's browser as the device that signs: each of its rules against a server that lies, forgets, or asks twice."""

import json
import time
from email.utils import formatdate

import pytest

from browser.fixtures import collect_page_errors
from isegoria.service.actions import device_commitments
from pages.page_steps import retry_navigation, tap_favourite, wait_until
from pages.test_pages import enter, raw, rewritten

DICE = "3,1,4,1,5,2,6,5,3"


def list_statements(service, group, **wanted) -> list[dict]:
    lines = [json.loads(line) for line in raw(service, group).splitlines()]
    found = [line for line in lines if line["line"] == "statement"]
    return [line for line in found if all(line[key] == value for key, value in wanted.items())]


@pytest.fixture
def phone(service, browser):
    """`phone(name, group)`: a browser of one's own that has opened somebody's link, with its key registered."""
    contexts = []

    def opened(name, group, waits=True):
        context = browser.new_context()
        contexts.append(context)
        page = context.new_page()
        page.faults = collect_page_errors(page)
        enter(page, group.link(name))
        if waits:
            wait_until(page, lambda: service.get(group.api, group.made["members"][name])["you"]["key"])
        return page

    yield opened
    for context in contexts:
        for page in context.pages:
            page.unroute_all(behavior="ignoreErrors")
        context.close()


def memory(page, group) -> dict:
    place = page.evaluate("Object.keys(localStorage).find((name) => name.startsWith('isegoria device'))")
    return json.loads(page.evaluate("(name) => localStorage.getItem(name)", place))


def change_device_memory(page, group, **changes) -> None:
    place = page.evaluate("Object.keys(localStorage).find((name) => name.startsWith('isegoria device'))")
    page.evaluate(
        "([name, kept]) => localStorage.setItem(name, JSON.stringify(kept))", [place, memory(page, group) | changes]
    )


@pytest.fixture
def three(service):
    """Three people and dice: two of them sign."""
    return service.group(members=["Ann", "Bob", "Cem"], source="dice")


def freeze(service, group, **body) -> dict:
    form = {"count": 9, "low": 1, "high": 6, "order": "throw"}
    return service.post(f"{group.api}/freeze", {"form": form, **body}, group.made["organiser"])


def test_ratings_are_signed_and_a_draw_is_proved_to_those_who_were_there(service, three, phone):
    ann, bob = phone("Ann", three), phone("Bob", three)
    for name, page in (("Ann", ann), ("Bob", bob)):
        tap_favourite(page, three, name, "input[name=arm0]")
    you = service.get(three.api, three.made["members"]["Ann"])["you"]
    assert (you["ratings"], you["unsigned"]) == ({"Noodles": 5, "Pizza": 0, "Salad": 0, "Curry": 0}, False)
    freeze(service, three)
    for page in (ann, bob):
        page.wait_for_selector("#proof:has-text('This phone has.')")
    receipt = service.get(f"{three.api}/receipt", three.made["members"]["Ann"])
    assert [len(one["leaf"]["signature"]) for one in receipt["ratings"]] == [128]
    for page in (ann, bob):
        page.fill("#seen [name=value]", DICE)
        page.check("#seen [name=first]")
        page.click("#seen button")
        page.wait_for_selector("#device:has-text('Signed.')")
    service.post(f"{three.api}/draw", {"value": [int(one) for one in DICE.split(",")]}, three.made["organiser"])
    ann.wait_for_selector("#proof[data-state=mine]")
    assert "Proved for you if this phone’s key is yours alone" in ann.inner_text("#proof")
    wait_until(ann, lambda: len(list_statements(service, three)) == 6)  # page, throw and draw, once for each of two
    retry_navigation(ann.reload)
    ann.wait_for_selector("#proof[data-state=mine]")
    ann.wait_for_timeout(500)
    assert len(list_statements(service, three)) == 6
    assert ann.faults == []


def test_in_a_group_with_turns_too_what_one_likes_is_signed(service, phone):
    films = service.group(
        ["Ann", "Bob"], ["Alien", "Brazil"], turns={"mode": "lottery", "single_use": True}, source="dice"
    )
    ann, bob = phone("Ann", films), phone("Bob", films)
    tap_favourite(ann, films, "Ann", "input[name=arm0]")
    held, tapped = [], []  # Ann's page has not got them when she taps again
    ann.route(f"**{films.api}", lambda asked: asked.continue_() if tapped else held.append(asked))
    for name in ("Cube", "Dune"):
        service.post(f"{films.api}/propose", {"name": name}, films.made["members"]["Bob"])
    service.post(f"{films.api}/withdraw", {"name": "Cube"}, films.made["members"]["Bob"])
    ann.check("input[name=arm1]")
    wait_until(ann, lambda: held)
    tapped.append(True)
    for asked in held:
        asked.continue_()
    wait_until(ann, lambda: len(service.get(films.api, films.made["members"]["Ann"])["you"]["ratings"]) == 2)
    bob.wait_for_selector("input[name=arm3]")
    tap_favourite(bob, films, "Bob", "input[name=arm3]")
    assert [service.get(films.api, token)["you"]["unsigned"] for token in films.made["members"].values()] == [False] * 2
    freeze(service, films)
    for page in (ann, bob):
        page.wait_for_selector("#proof:has-text('This phone has.')")
        assert "%" not in page.inner_text("#proof"), "nothing is said of odds where options are used up"
    receipt = service.get(f"{films.api}/receipt", films.made["members"]["Ann"])
    (leaf,) = [one["leaf"] for one in receipt["ratings"]]
    assert (leaf["values"], len(leaf["signature"])) == (["5", "5", None, None], 128)
    lost = {"round": None, "slot": None, "at": int(time.time()), "values": [None, None, None, "5"], "counts": 1}
    change_device_memory(bob, films, sentRatings=[*memory(bob, films)["sentRatings"], lost], statements=[])
    retry_navigation(bob.reload)
    bob.wait_for_selector("#alarm:has-text('does not hold what this device told last')")


def test_a_late_phone_reads_what_the_others_prove(service, three, phone):
    ann, _, cem = (phone(name, three) for name in ("Ann", "Bob", "Cem"))
    freeze(service, three)
    wait_until(ann, lambda: len(list_statements(service, three)) == 3)
    service.post(f"{three.api}/draw", {"value": [int(one) for one in DICE.split(",")]}, three.made["organiser"])
    cem.wait_for_selector("#proof[data-state=few]")
    assert "nobody can prove it to others" in cem.inner_text("#proof")


def test_a_fork_turns_the_page_red_and_is_not_signed(service, three, phone):
    ann = phone("Ann", three)
    freeze(service, three)
    ann.wait_for_selector("#proof:has-text('This phone has.')")
    sent = []
    ann.on("request", lambda asked: sent.append(asked.url) if asked.url.endswith("/say") else None)
    change_device_memory(ann, three, statements=[one | {"head": "0" * 64} for one in memory(ann, three)["statements"]])
    retry_navigation(ann.reload)
    ann.wait_for_selector("body.alarmed")
    assert ann.inner_text("#alarm") == "This phone had another page for round 1. Show this to the others."
    ann.evaluate("localStorage.removeItem(Object.keys(localStorage).find((name) => name.includes('kept')))")
    change_device_memory(ann, three, statements=[], checked=None)
    ann.route(f"**{three.api}/record?*", lambda asked: asked.fulfill(body=rewritten(raw(service, three))))
    retry_navigation(ann.reload)  # another title, chained anew: her own memory of the record's id finds it
    ann.wait_for_selector("body.alarmed")
    assert ann.inner_text("#alarm").startswith("This device signs another history.")
    assert sent == []


def test_a_wrong_clock_signs_nothing(service, three, phone):
    ann = phone("Ann", three)

    def off_by(asked):
        answer = asked.fetch()
        asked.fulfill(response=answer, headers={**answer.headers, "date": formatdate(time.time() + 90, usegmt=True)})

    ann.route(f"**{three.api}/receipt", off_by)
    freeze(service, three)
    ann.wait_for_selector("#proof:has-text('This phone has not: its clock is off')")
    assert list_statements(service, three) == []


def test_close_to_its_beacon_a_page_is_not_signed(service, phone):
    soon = int(time.time()) + 200
    group = service.group(members=["Ann", "Bob"], source="beacon", first=soon, every=86400)
    ann, bob, late = phone("Ann", group), phone("Bob", group), soon - 30

    def near(asked):
        answer = asked.fetch()
        asked.fulfill(response=answer, headers={**answer.headers, "date": formatdate(late, usegmt=True)})

    bob.route(f"**{group.api}/receipt", near)
    bob.clock.set_fixed_time(late)
    group.freeze()
    ann.wait_for_selector("#proof:has-text('This phone has.')")
    assert "Drawn at" in ann.inner_text("#proof")
    bob.wait_for_selector("#proof:has-text('This phone has not: the beacon speaks within a minute')")
    assert [one["member"] for one in list_statements(service, group)] == [0]


def test_an_altered_receipt_turns_the_page_red(service, three, phone):
    three.rate_all()
    ann = phone("Ann", three)

    def altered(asked):
        answer = asked.fetch()
        said = json.loads(answer.body())
        said["ratings"][0]["leaf"]["values"][0] = "1" if said["ratings"][0]["leaf"]["values"][0] != "1" else "2"
        text = json.dumps(said, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        asked.fulfill(response=answer, body=text + "\n")

    ann.route(f"**{three.api}/receipt", altered)
    freeze(service, three)
    ann.wait_for_selector("body.alarmed")
    assert "nothing was signed" in ann.inner_text("#alarm")
    assert list_statements(service, three) == []


def test_what_was_told_elsewhere_is_asked_for_and_what_was_lost_is_red(service, three, phone):
    three.rate_all()  # by another program, with her token
    ann = phone("Ann", three)
    freeze(service, three)
    ann.wait_for_selector("#device:has-text('by another device. Was it you?')")
    assert list_statements(service, three) == []
    ann.goto(f"{service.site}/g/{three.id}/voice")
    ann.click("#check")
    ann.wait_for_selector("#countersigned:has-text('there is a question for you on Today')")
    ann.goto(f"{service.site}/g/{three.id}")
    ann.click("#device button:has-text('yes')")
    ann.wait_for_selector("#proof:has-text('This phone has.')")
    lost = {"round": None, "slot": None, "at": int(time.time()), "values": ["5", None, None, None], "counts": 1}
    change_device_memory(ann, three, sentRatings=[*memory(ann, three)["sentRatings"], lost], statements=[])
    before = len(list_statements(service, three))
    retry_navigation(ann.reload)
    ann.wait_for_selector("body.alarmed")
    assert ann.inner_text("#alarm").startswith("The history does not hold what this device told last")
    change_device_memory(
        ann,
        three,
        sentRatings=[one | {"values": ["1", "1", "1", "1"]} for one in memory(ann, three)["sentRatings"][:-1]],
    )
    retry_navigation(ann.reload)
    ann.wait_for_selector("#alarm:has-text('other answers than this device told')")
    assert len(list_statements(service, three)) == before


def test_rating_without_an_answer_is_remembered(service, three, phone):
    ann = phone("Ann", three)
    ann.route(f"**{three.api}/ratings", lambda asked: (asked.fetch(), asked.abort()))  # it arrives; the answer does not
    tap_favourite(ann, three, "Ann", "input[name=arm0]")
    wait_until(ann, lambda: memory(ann, three)["sentRatings"])
    assert [one["counts"] for one in memory(ann, three)["sentRatings"]] == [None]
    retry_navigation(ann.reload)
    freeze(service, three)
    ann.wait_for_selector("#proof:has-text('This phone has.')")
    assert "Was it you" not in ann.inner_text("#device")


@pytest.fixture
def patient(service, monkeypatch):
    """Numbers are held for minutes, and a page counts as open for longer: a busy machine has other things to do.

    `patient(seconds)` lets so many pass.
    """
    monkeypatch.setattr(device_commitments, "COMMITMENT_WINDOW_SECONDS", 600)
    monkeypatch.setattr(device_commitments, "PRESENCE_TIMEOUT_SECONDS", 20)
    groups = service.app.state.service.groups

    def pass_by(seconds):
        monkeypatch.setattr(groups, "clock", lambda: time.time() + seconds)

    return pass_by


def test_a_number_is_revealed_once_and_asked_again_it_is_the_same(service, phone, patient):
    group = service.group(members=["Ann", "Bob"], source="commit_reveal")
    pages = [phone(name, group) for name in ("Ann", "Bob")]
    service.post(f"{group.api}/freeze", {}, group.made["organiser"])  # asks the phones
    wait_until(pages[0], lambda: len(service.get(group.api, group.made["organiser"])["phones"]) == 2)
    dropped = []

    def drop(asked):
        dropped.append(json.loads(asked.request.post_data))
        asked.fulfill(status=503, body="{}", content_type="application/json")

    pages[0].route(f"**{group.api}/say", drop)
    group.freeze()
    wait_until(pages[0], lambda: service.get(group.api)["last"]["missing"] == [0])
    wait_until(pages[0], lambda: any(one["kind"] == "reveal" for one in dropped))
    pages[0].unroute(f"**{group.api}/say")
    retry_navigation(pages[0].reload)
    wait_until(pages[0], lambda: not service.get(group.api)["last"]["missing"])
    (revealed,) = list_statements(service, group, member=0, kind="reveal")
    assert {one["value"] for one in dropped if one["kind"] == "reveal"} == {revealed["value"]}
    assert group.draw()["round"] == 1


def test_only_phones_that_are_still_there_are_taken(service, phone, page, patient):
    group = service.group(members=["Ann", "Bob", "Cem"], source="commit_reveal")
    ann, bob, cem = (phone(name, group) for name in ("Ann", "Bob", "Cem"))
    for name, one in (("Ann", ann), ("Bob", bob), ("Cem", cem)):
        tap_favourite(one, group, name, "input[name=arm0]")
    enter(page, group.link(), "nav a[href$=organise]")
    page.goto(f"{service.site}/g/{group.id}/organise")
    page.click("#row-round form button.strong")
    page.wait_for_selector("#here:has-text('3 phones are here; take these 3?')")
    cem.close()
    patient(22)
    page.wait_for_selector("#here:has-text('2 phones are here; take these 2?')")
    assert page.inner_text("#who") == "Ann, Bob"
    page.click("button:has-text('Take these')")
    wait_until(ann, lambda: service.get(group.api)["last"] and service.get(group.api)["last"]["missing"] == [])
    assert sorted(one["member"] for one in list_statements(service, group, kind="commit")) == [0, 1]
    assert group.draw()["round"] == 1
    for one in (ann, bob):
        one.wait_for_selector("#proof[data-state=mine]")


def test_one_throw_is_confirmed_for_one_page_ever(service, three, phone):
    ann = phone("Ann", three)
    freeze(service, three)
    ann.wait_for_selector("#proof:has-text('This phone has.')")
    for typed, answer in ((DICE, "Signed."), ("1,1,1,1,1,1,1,1,1", "has confirmed another throw")):
        ann.fill("#seen [name=value]", typed)
        ann.check("#seen [name=first]")
        ann.click("#seen button")
        ann.wait_for_selector(f"#device:has-text('{answer}')")
    with ann.expect_response(f"**{three.api}/receipt"):
        phone("Bob", three)  # whatever happens then, she still reads what she was answered
    ann.wait_for_timeout(300)
    assert answer in ann.inner_text("#device")
    assert [one["value"] for one in list_statements(service, three, kind="dice")] == [
        "".join(f"{one}." for one in DICE.split(",")).encode().hex()
    ]
    service.post(f"{three.api}/draw", {"value": [2] * 9}, three.made["organiser"])
    ann.wait_for_selector("body.alarmed")
    assert "was drawn from another throw" in ann.inner_text("#alarm")


def test_dice_are_confirmed_only_over_a_page_that_was_signed_before(service, three, phone):
    ann = phone("Ann", three)
    freeze(service, three)
    ann.wait_for_selector("#proof:has-text('This phone has.')")
    tried = """async ([statements, value]) => {
        const rules = await import("/static/app/signing_rules.js");
        const page = { kind: "dice", name: "page", round: 1 };
        try {
            rules.requireDicePage({ statements }, page, value);
            return "confirmed";
        } catch (refusal) { return refusal.messageKey; }
    }"""
    of = {"freeze": "page", "kind": "seen", "value": None}
    for before, why in (
        ([], "device_page_first"),
        ([of | {"freeze": "another page"}], "device_page_first"),
        ([of], "confirmed"),
        ([of, of | {"kind": "dice", "value": "31"}], "confirmed"),
        ([of, of | {"kind": "dice", "value": "32"}], "device_one_throw"),
    ):
        assert ann.evaluate(tried, [before, "31"]) == why


def test_a_second_device_looks_and_does_not_sign_and_a_silent_one_neither(service, three, phone):
    ann = phone("Ann", three)
    key = service.get(three.api, three.made["members"]["Ann"])["you"]["key"]
    second = phone("Ann", three)
    second.wait_for_selector("#device:has-text('Another device of yours')")
    assert service.get(three.api, three.made["members"]["Ann"])["you"]["key"] == key
    ann.click("summary:has-text('This device')")
    ann.check("#silent")
    ann.wait_for_selector("#device:has-text('This device does not sign.')")
    freeze(service, three)
    ann.wait_for_selector("#device:has-text('This device does not sign.')")
    second.wait_for_selector("#proof:has-text('This phone has not')")
    assert list_statements(service, three) == []


@pytest.mark.parametrize("asked", ["receipt", "say", "record", "state"])
def test_phone_looks_in_once_the_server_answers_again(service, three, phone, asked):
    """A busy server refuses the first requests of a phone: nothing turns red, and the phone signs when it can."""
    refused = []

    def refuse(route):
        if len(refused) < 2:
            refused.append(route.request.url)
            route.fulfill(status=503, body='{"error": "busy"}', content_type="application/json")
        else:
            route.continue_()

    ann = phone("Ann", three)
    ann.goto("about:blank")
    freeze(service, three)
    end = {"state": three.api, "record": f"{three.api}/record?*"}.get(asked, f"{three.api}/{asked}")
    ann.route(f"**{end}", refuse)
    ann.goto(f"{service.site}/g/{three.id}")
    wait_until(ann, lambda: list_statements(service, three, member=0))
    assert len(refused) == 2
    assert not ann.evaluate("document.body.classList.contains('alarmed')")
    ann.wait_for_selector("#proof:has-text('This phone has.')")
    ann.faults[:] = [one for one in ann.faults if "503" not in one]

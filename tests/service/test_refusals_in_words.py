"""Refusals in the language of the page: every sentence that a person may meet has its words, and none is stale."""

import ast
import html
import json
import re
from pathlib import Path

import pytest
from visitors import Circle

import isegoria.service
from isegoria.service.endpoints import NEW_GROUP
from isegoria.service.forms import FORMS
from isegoria.service.http.fields import ByName, Field, Many, Maybe, Object
from isegoria.service.routing import MEMBERS
from isegoria.service.web import STATIC
from isegoria.service.web.words import languages, messages, reworded

ROOM = Path(isegoria.service.__file__).parent
NAMES = ("people", "proposals", "ratings", "rounds", "format/order", "sources/beacon", "sources/group")
ACTIONS = [ROOM.parent / "record" / f"{name}.py" for name in NAMES]
SERVICE = (
    "contacts", "creating", "devices", "groups", "joining", "limits", "links", "numbers", "organising", "rounds",
    "sources", "starting", "timetable", "webhooks",
)  # fmt: skip
OF_PEOPLE = [
    *ACTIONS,
    *(ROOM / f"{name}.py" for name in SERVICE),
    ROOM / "http" / "request.py",
]
OTHERS = [ROOM / name for name in ("app.py", "forms.py", "endpoints.py", "exports.py", "http/fields.py")]
FOR_PROGRAMS = {
    "a beacon needs a timetable: --first UNIX-SECONDS and --every SECONDS.",
    "the source beacon takes no {}; leave it out.",
    "the first occasion, {}, is before the beacon's first round, {}.",
    "occasions come every {} seconds; expected 1 or more.",
    "the source beacon takes no form; leave it out.",
    "under a beacon a freeze needs its occasion, a number of the timetable.",
    "round {} waits for round {} of the beacon: say --value with its signature in hexadecimal, "
    "or let --relay fetch it.",
    "the source bytes are not what members revealed in round {}.",
    "it speaks of another round",
    "cannot read {}: {}.",
    "there is no group {} in this store.",
    "the body is larger than {} bytes; send less at once.",
    "the body must be JSON; send it with Content-Type: application/json.",
    "the body is nested too deeply; expected a plain object.",
    "the body is not UTF-8; send JSON in UTF-8.",
    "the body is not JSON ({}).",
    "an entry occurs twice",
    "{} is not a number of JSON",
    "the header Idempotency-Key is missing; send any new text of 1 to 200 characters with each request.",
    "format is {}; expected json or csv.",
    "no line of the record has this hash; ask for the whole record.",
    "{} is {}; expected a whole number above 0.",
    "{} is {}; expected a text.",
    "{} is not {} hexadecimal digits in lower case.",
    "{} is {}; expected true or false.",
    "{} is {}; expected a list.",
    "{} is {}; expected an object of names and values.",
    "{} is {}; expected an object with {}.",
    "{} has {}, which is not known here; expected {}.",
}


def sentences(path: Path) -> set[str]:
    """The sentences that a module raises, each value in them as {}."""
    raised = [node.exc for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Raise)]
    return {plain(call.args[0]) for call in raised if isinstance(call, ast.Call) and call.args} - {""}


def plain(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)


@pytest.mark.parametrize("language", [code for code in languages() if code != "en"])
def test_every_refusal_has_its_words(language):
    table = json.loads((STATIC / "words" / f"refusals.{language}.json").read_text("utf-8"))
    raised = set().union(*map(sentences, OF_PEOPLE + OTHERS))
    assert table.keys() | FOR_PROGRAMS == raised
    for english, said in table.items():
        assert sorted(re.findall(r"\{\d\}", said)) == [f"{{{i}}}" for i in range(english.count("{}"))], english


def test_a_page_refuses_in_its_language(quick):
    for language, word in (("de", "niedrigste"), ("en", "expected the lowest")):
        form = {"title": "Lunch", "arms": "Thai", "members": "Ann\nBob", "key": "k", "low": "7"}
        answer = quick.post("/new", data=form, headers={"accept-language": language})
        assert (answer.status_code, word in answer.text) == (400, True)
    answer = quick.get("/api/groups/nowhere-abcdef", headers={"accept-language": "de"})
    assert answer.json() == {"error": "Diese Gruppe gibt es nicht; sehen Sie sich den Link noch einmal an."}


def test_what_a_person_wrote_is_not_read_as_a_pattern():
    assert reworded("'{0}(.*)' is an option already.", "de") == "'{0}(.*)' ist schon eine Möglichkeit."


def names_in(field: Field, name: str) -> set[str]:
    """The names of messages for a field and what is inside it."""
    if isinstance(field, Maybe):
        return names_in(field.item, name)
    if isinstance(field, Object):
        return {name}.union(*(names_in(inner, f"field_{key}") for key, inner in field.fields.items())) - {""}
    return {name, f"{name}_item"} if isinstance(field, Many | ByName) else {name}


def test_every_field_of_every_form_has_a_name_that_people_know():
    read = re.findall(r'\b(?:text|whole|real|lines|people)\(given, "(\w+)"', "".join(
        (ROOM / f"{name}.py").read_text("utf-8") for name in ("forms", "starting")
    ))  # fmt: skip
    by_hand = {f"field_{name}" for name in read} - {f"field_{name}" for name in ("csrf", "key", "sure", "ballot")}
    taken = set().union(*(names_in(form.endpoint.takes, "") for form in FORMS.values()), names_in(NEW_GROUP, ""))
    for language in languages():
        assert (by_hand | taken) - messages(language).keys() == set(), language


WRONG = ("five", "\x07", "x" * 600)
BY_HAND = {"rate": ["arm0"], "freeze": ["dice", "sides"], "timetable": ["lead", "time", "zone"]}


@pytest.mark.parametrize(("language", "word"), [("en", "the number of dice"), ("de", "Zahl der Würfel")])
def test_a_refused_form_names_its_field_as_the_page_does(quick, language, word):
    """Each form of a group, with each of its fields wrong in several ways: no sentence begins with a program's name."""
    lunch = Circle(quick, ballot="stars")
    quick.headers["accept-language"] = language
    known = {name for form in FORMS.values() for name in form.endpoint.takes.fields}
    known = known.union(*BY_HAND.values()) - {"time", "title"}  # which are words of the page too
    seen = set()
    for form in FORMS.values():
        who = lunch.organiser if form.endpoint.roles != MEMBERS else lunch["Ann"]
        assert who.post("session", {"token": who.token}).status_code == 200
        csrf = re.search(r'name="csrf" value="([^"]+)"', quick.get(f"/g/{lunch.group}{form.page}").text)[1]
        for field in [*form.endpoint.takes.fields, *BY_HAND.get(form.name, [])]:
            for value in WRONG:
                given = {"csrf": csrf, "recurrence": "daily", field: value}
                answer = quick.post(f"/g/{lunch.group}/do/{form.name}", data=given, follow_redirects=False)
                seen |= set(re.findall(r'id="wrong">([^<]*)<', answer.text))
    assert len(seen) > 12
    begun = {re.match(r"[\w.\[\]]*", html.unescape(one))[0] for one in seen}
    assert {one for one in begun if one.lower().partition(".")[0].partition("[")[0] in known} == set()
    assert any(word in one.lower() or word in one for one in seen)

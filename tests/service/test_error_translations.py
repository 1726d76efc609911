"""Refusals in the language of the page: every sentence that a person may meet has its words, and none is stale."""

import ast
import html
import re
from pathlib import Path

import pytest
from api_clients import SampleGroup

import isegoria.service
from isegoria.service.api.body_schemas import NEW_GROUP_SCHEMA
from isegoria.service.api.routing import MEMBER_ROLES
from isegoria.service.pages.forms import FORMS_BY_NAME
from isegoria.service.web.translations import list_languages, load_messages, translate_error
from isegoria.utils.fields import Field, ListField, MapField, NullableField, ObjectField
from isegoria.utils.messages import Message, load_error_catalogue

PACKAGE = Path(isegoria.service.__file__).parent.parent
ENGLISH_CODES = {
    "value_not_possible",
    "ball_no_row",
    "ball_not_drum",
    "beacon_needs_timetable",
    "block_not_divide_drum",
    "body_larger_bytes",
    "body_must_json",
    "body_nested_too_deeply",
    "body_not_json",
    "body_not_utf8",
    "choose_learners_each_once",
    "dice_need_form",
    "every_available_arm_played",
    "expected_ascending",
    "expected_list",
    "expected_object",
    "expected_object_names_values",
    "expected_positive_integer",
    "expected_text",
    "expected_true_false",
    "explorer_opened_somebody_else",
    "field_not_known",
    "file_larger_mb",
    "first_occurrence_before_beacon_first_round",
    "form_expected_numbers_lowest_not_above",
    "form_write_count_low_high_such",
    "format_expected_json_csv",
    "give_whole_number",
    "group_restored_meanwhile",
    "group_total_weight_too_large_exact",
    "header_idempotency_key_missing",
    "lottery_list_chances_each_arm_up",
    "many_listen_here_already",
    "member_not_sign_key_roster",
    "no_known_kind",
    "no_line_record_hash",
    "no_question",
    "not_hexadecimal_digits_lower_case",
    "occurrences_come_every_seconds",
    "people_given_not_members_latest_roster",
    "prev_not_hash_line_before",
    "record_version_never_released",
    "rehearsal_bytes_not",
    "rehearsal_needs_organiser_secret_file_secrets",
    "round_waits",
    "round_waits_round_beacon",
    "source_beacon_takes_no",
    "source_beacon_takes_no_form",
    "source_bytes_not_members_revealed_round",
    "source_dice_takes_no_occurrence",
    "source_takes_no",
    "source_takes_no_leave_out",
    "source_takes_no_value",
    "table_not_here_any",
    "table_too_large_learn_live",
    "under_beacon_freeze_needs_occurrence_number",
    "value_expected_commas_between",
    "voices_page_not_those_largest_product",
    "write_numbers_comma_between_them_such",
}
"""Messages to programs, to the one user of the explorer, and of records in files."""


def find_messages(path: Path) -> list[ast.Call]:
    """The messages with a code that a module makes."""
    calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "Message"]


def plain(node: ast.expr) -> str:
    """What an error says, its values as {}."""
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        return re.sub(r"\{[^{}]*\}", "{}", load_error_catalogue("en")[node.args[0].value])
    if isinstance(node, ast.Constant):
        return str(node.value)
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in parts)


def list_values(template: str) -> set[str]:
    """The names of the values in a template."""
    return set(re.findall(r"\{(\w+)", template))


def test_messages_have_a_catalogue_entry_with_their_values():
    made = [call for path in PACKAGE.rglob("*.py") for call in find_messages(path) if call.args]
    codes = {call.args[0].value for call in made if isinstance(call.args[0], ast.Constant)}
    table = load_error_catalogue("en")
    assert codes == table.keys()
    for call in made:
        if isinstance(call.args[0], ast.Constant):
            given = {keyword.arg for keyword in call.keywords}
            assert given == list_values(table[call.args[0].value]), call.args[0].value


def test_errors_that_pages_show_have_a_code():
    folders = ("record/actions", *(f"service/{name}" for name in ("actions", "api", "groups", "pages")))
    for path in [path for folder in folders for path in (PACKAGE / folder).glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            call = node.exc if isinstance(node, ast.Raise) else None
            if isinstance(call, ast.Call) and ast.unparse(call.func) not in ("ValueError", "IndexError", "KeyError"):
                assert not (call.args and isinstance(call.args[0], ast.Constant | ast.JoinedStr)), (path, node.lineno)


@pytest.mark.parametrize("language", [code for code in list_languages() if code != "en"])
def test_messages_to_people_are_translated(language):
    table, english = load_error_catalogue(language), load_error_catalogue("en")
    assert english.keys() - table.keys() == ENGLISH_CODES
    for code, template in table.items():
        assert list_values(template) <= list_values(english[code]), code


def test_a_page_refuses_in_its_language(quick):
    for language, word in (("de", "niedrigste"), ("en", "expected the lowest")):
        form = {"title": "Lunch", "arms": "Thai", "members": "Ann\nBob", "key": "k", "low": "7"}
        answer = quick.post("/new", data=form, headers={"accept-language": language})
        assert (answer.status_code, word in answer.text) == (400, True)
    answer = quick.get("/api/groups/nowhere-abcdef", headers={"accept-language": "de"})
    assert answer.json() == {"error": "Diese Gruppe gibt es nicht; sehen Sie sich den Link noch einmal an."}


def test_what_a_person_wrote_is_not_read_as_a_pattern():
    message = Message("option_already", name="{0}(.*)")
    assert translate_error(message, "de") == "'{0}(.*)' ist schon eine Möglichkeit."


def names_in(field: Field, name: str) -> set[str]:
    """The names of messages for a field and what is inside it."""
    if isinstance(field, NullableField):
        return names_in(field.item, name)
    if isinstance(field, ObjectField):
        return {name}.union(*(names_in(inner, f"field_{key}") for key, inner in field.fields.items())) - {""}
    return {name, f"{name}_item"} if isinstance(field, ListField | MapField) else {name}


def test_every_field_of_every_form_has_a_name_that_people_know():
    read = re.findall(
        r'\b(?:get_text|get_integer|get_number|get_lines|parse_names)\(given, "(\w+)"',
        "".join((PACKAGE / "service" / name).read_text("utf-8") for name in ("api/form_bodies.py", "pages/home.py")),
    )
    by_hand = {f"field_{name}" for name in read} - {f"field_{name}" for name in ("csrf", "key", "sure", "ballot")}
    taken = set().union(
        *(names_in(endpoint.body, "") for _, endpoint in FORMS_BY_NAME.values()), names_in(NEW_GROUP_SCHEMA, "")
    )
    for language in list_languages():
        assert (by_hand | taken) - load_messages(language).keys() == set(), language


WRONG = ("five", "\x07", "x" * 600)
BY_HAND = {"rate": ["arm0"], "freeze": ["dice", "sides"], "timetable": ["lead", "time", "zone"]}


@pytest.mark.parametrize(("language", "word"), [("en", "the number of dice"), ("de", "Zahl der Würfel")])
def test_a_refused_form_names_its_field_as_the_page_does(quick, language, word):
    """Each form of a group, with each of its fields wrong in several ways: no sentence begins with a program's name."""
    lunch = SampleGroup(quick, ballot="stars")
    quick.headers["accept-language"] = language
    known = {name for _, endpoint in FORMS_BY_NAME.values() for name in endpoint.body.fields}
    known = known.union(*BY_HAND.values()) - {"time", "title"}  # which are words of the page too
    seen = set()
    for form, endpoint in FORMS_BY_NAME.values():
        who = lunch.organiser if endpoint.roles != MEMBER_ROLES else lunch["Ann"]
        assert who.post("session", {"token": who.token}).status_code == 200
        where = "" if form.page == "/group" else form.page  # that page has a form only with turns
        csrf = re.search(r'name="csrf" value="([^"]+)"', quick.get(f"/g/{lunch.group}{where}").text)[1]
        for field in [*endpoint.body.fields, *BY_HAND.get(form.name, [])]:
            for value in WRONG:
                given = {"csrf": csrf, "recurrence": "daily", field: value}
                answer = quick.post(f"/g/{lunch.group}/do/{form.name}", data=given, follow_redirects=False)
                seen |= set(re.findall(r'id="wrong">([^<]*)<', answer.text))
    assert len(seen) > 12
    begun = {re.match(r"[\w.\[\]]*", html.unescape(one))[0] for one in seen}
    assert {one for one in begun if one.lower().partition(".")[0].partition("[")[0] in known} == set()
    assert any(word in one.lower() or word in one for one in seen)

"""No page of a member has a technical word, whether a template, a script or the check says it; each has its German."""

import json
import re
from pathlib import Path

import pytest

import isegoria.verifier
from isegoria.service.web import STATIC_FOLDER, TEMPLATES_FOLDER
from isegoria.service.web.translations import load_verifier_messages
from isegoria.utils.messages import load_error_catalogue

WORDS = STATIC_FOLDER / "translations"
VERIFIER = Path(isegoria.verifier.__file__).parent / "web"
ORGANISERS = ("organise", "links")
TECHNICAL = {
    "en": r"\b(freez\w*|frozen|record|head|drum|balls?|slots?|units|witness\w*|policy|roster|charter)\b",
    "de": r"\b(einfrier\w*|eingefroren\w*|Protokoll\w*|Trommel|Kugeln?|Kopf|Slots?|Zeug\w*)\b",
}
SENTENCES = ("listProvedClaims", "listReceiptFindings", "listUnprovedClaims", "collectNotes")
"""The functions of verdict.js whose sentences a page lists."""
SEVERAL = {
    "They are owed {}{}.{} of a decision and have waited {} rounds.": ["owed"],
    "{} can be given so that someone gains more than a factor 1 + γ at nobody's cost: γ = {}.": [
        "best",
        "best_resolved",
    ],
    "Line {} amends {}: {}": ["amend_arms", "amend_source", "amend_block", "amend_resting", "amend_end", "amend_title"],
    "Line {}: {}: {}.": ["joined", "left", "replaced", "marks", "hand_marks"],
    "Round {}, slot {}: {} {}: {} {}": ["put_keeper", "put_member", "put_alone_keeper", "put_alone_member"],
}
"""Sentences whose parts are chosen among words: the ids of all that they can become."""


def table(language: str) -> dict[str, str]:
    return json.loads((WORDS / f"pages.{language}.json").read_text("utf-8"))


def said_in(paths) -> set[str]:
    """The names of messages in templates and scripts."""
    return {name for path in paths for name in re.findall(r"[\"'](\w+)[\"']", path.read_text("utf-8"))}


def of_organisers(words: dict[str, str]) -> set[str]:
    """The names that only pages of organisers say; names made of parts belong to whoever says a part of theirs."""
    theirs = [TEMPLATES_FOLDER / f"{name}.html" for name in ORGANISERS]
    everyone = [
        path for path in [*TEMPLATES_FOLDER.glob("*.html"), *(STATIC_FOLDER / "app").glob("*.js")] if path not in theirs
    ]
    return (said_in(theirs) & words.keys()) - said_in(everyone)


@pytest.mark.parametrize("language", TECHNICAL)
def test_pages_and_their_scripts_say_it_in_people_s_words(language):
    words = table(language)
    members = words.keys() - of_organisers(words)
    assert len(members) > 250
    assert {"finding_chain", "device_false", "check_proved", "drum_title"} <= members, "what scripts say is among them"
    shown = {name: re.sub(r"\{\w+\}", "…", words[name]) for name in members}
    wrong = {name: text for name, text in shown.items() if re.search(TECHNICAL[language], text, re.IGNORECASE)}
    assert wrong == {}


def test_german_refusals_say_it_in_the_words_of_the_pages():
    refusals = load_error_catalogue("de")
    assert len(refusals) > 100
    assert [said for said in refusals.values() if re.search(TECHNICAL["de"] + r"|\bfrieren\b", said)] == []


def literals(text: str) -> list[str]:
    """The strings and templates of a script, each value in them as {}."""
    found, at = [], 0
    while (match := re.compile(r"[`\"]").search(text, at)) is not None:
        mark, at, said = match[0], match.end(), ""
        while text[at] != mark:
            if mark == "`" and text.startswith("${", at):
                depth, at = 1, at + 2
                while depth:
                    depth += {"{": 1, "}": -1}.get(text[at], 0)
                    at += 1
                said += "{}"
            else:
                said, at = said + text[at], at + 1
        found.append(said)
        at += 1
    return found


def scripts_of_the_check() -> str:
    """Everything that the verifier may say, without its comments."""
    texts = [
        path.read_text("utf-8")
        for path in sorted(VERIFIER.glob("*.js"))
        if path.stem not in ("page", "translations", "drum")
    ]
    text = re.sub(r"/\*.*?\*/", "", "\n".join(texts), flags=re.DOTALL)
    text = re.sub(r"^\s*//.*$|\s// .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"([\"`]) \+\n\s*\1", "", text)


def body_of(text: str, name: str) -> str:
    return text.partition(f"function {name}(")[2].partition("\n}\n")[0]


def verifier_sentences() -> set[str]:
    """Every sentence on a record that the verifier lists: what is proved, what is not, and what to know."""
    scripts = {
        name: (VERIFIER / f"{name}.js").read_text("utf-8") for name in ("verdict", "record-checker", "freeze", "turns")
    }
    parts = [body_of(scripts["verdict"], name) for name in SENTENCES] + [
        body_of(scripts["record-checker"], "describeUndrawn")
    ]
    noted = re.findall(r"notes\.push\((.*?)\);\n", scripts["record-checker"] + scripts["freeze"], re.DOTALL)
    owed = re.findall(r"return (`They are owed.*?`);", scripts["turns"])
    text = "\n".join([*parts, *noted, *owed]).replace('" +\n      "', "")
    return {one for one in literals(text) if re.match(r"[A-Z{]", one) and " " in one and one[-1] in ".}"}


def test_every_sentence_of_the_check_has_an_id_and_its_words_in_each_language():
    known = json.loads((WORDS / "findings.json").read_text("utf-8"))
    ids = {text: [id] for id, text in known.items()} | SEVERAL
    sentences = verifier_sentences()
    assert len(sentences) > 35
    assert {one for one in sentences if one not in ids} == set(), "give it an id in findings.json, and words"
    used = {id for one in sentences for id in ids[one]}
    assert used == known.keys()
    for language in TECHNICAL:
        words = table(language)
        for id, text in known.items():
            values = set(re.findall(r"\{(\d)\}", words[f"finding_{id}"]))
            assert values <= {str(i) for i in range(text.count("{}"))}, (language, id)


CHOSEN = {
    "it must be for a round that is {}.": ["to come", "open", "drawn"],
    "the {} in round {} does not follow from the ratings.": ["set", "leader"],
}
"""Faults with a word in them that is one of a few: which ones."""


def faults() -> set[str]:
    """Every sentence by which the verifier says what is wrong with a record, a receipt or what the reader typed."""
    said = {one for one in literals(scripts_of_the_check()) if re.match(r"(\{\}[ \w]|[a-z]).* .*\.$", one)}
    said = {one.removeprefix("{}").removeprefix("line {} of {}: ") for one in said}
    plain = {one for one in said if one not in CHOSEN}
    return plain | {one.replace("{}", word, 1) for one, words in CHOSEN.items() if one in said for word in words}


def test_the_verifier_s_page_has_words_for_each_verdict_and_each_fault():
    """No sentence that says what is wrong is without an id, and each id has its words with the values it was given."""
    check = load_verifier_messages()
    known = {id: text.replace("{n}", "{}") for id, text in check["sentences"].items()}
    found = faults()
    assert len(found) > 60
    assert {one for one in found if not any(text.endswith(one) for text in known.values())} == set()
    for language, words in check["languages"].items():
        assert words["sentences"].keys() == known.keys(), language
        for id, text in known.items():
            values = set(re.findall(r"\{(\d)\}", words["sentences"][id]))
            assert values <= {str(i) for i in range(text.count("{}"))}, (language, id)


def test_the_verifier_s_page_has_its_words_in_each_language():
    page = (VERIFIER / "index.html").read_text("utf-8")
    script = (VERIFIER / "page.js").read_text("utf-8")
    names = set(re.findall(r'data-(?:say|label)="(\w+)"', page)) | set(re.findall(r'\btranslate\("(\w+)"', script))
    names |= set(re.findall(r'\? "(ring\w*)" : "', script)) | set(re.findall(r'" : "(ring\w*)"', script))
    names |= {f"meaning_{one}" for one in ("proved", "consistent", "false", "unreadable")} | {"title"}
    names |= {f"file_{one}" for one in ("record", "receipt", "names")}
    for language, words in load_verifier_messages()["languages"].items():
        assert words.keys() - {"language", "sentences"} == names, language

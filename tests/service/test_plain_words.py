"""No page of a member has a technical word, whether a template, a script or the check says it; each has its German."""

import json
import re
from pathlib import Path

import pytest

import isegoria.verifier
from isegoria.service.web import STATIC, TEMPLATES

WORDS = STATIC / "words"
VERIFIER = Path(isegoria.verifier.__file__).parent / "web"
ORGANISERS = ("organise", "links")
TECHNICAL = {
    "en": r"\b(freez\w*|frozen|record|head|drum|balls?|slots?|units|witness\w*|policy|roster|charter)\b",
    "de": r"\b(einfrier\w*|eingefroren\w*|Protokoll\w*|Trommel|Kugeln?|Kopf|Slots?|Zeug\w*)\b",
}
SENTENCES = ("provedSentences", "receiptSentences", "unprovedSentences", "lastNotes")
"""The functions of sentences.js whose sentences a page lists."""
SEVERAL = {
    "She is owed {}{}.{} of a decision and has waited {} rounds.": ["owed"],
    "{} can be given so that someone gains more than a factor 1 + γ at nobody's cost: γ = {}.": [
        "best",
        "best_resolved",
    ],
    "Line {} amends {}: {}": ["amend_arms", "amend_source", "amend_block", "amend_end", "amend_title"],
    "Line {}: {}: {}.": ["joined", "left", "links", "replaced", "marks"],
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
    theirs = [TEMPLATES / f"{name}.html" for name in ORGANISERS]
    everyone = [path for path in [*TEMPLATES.glob("*.html"), *(STATIC / "app").glob("*.js")] if path not in theirs]
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


def body_of(text: str, name: str) -> str:
    return text.partition(f"function {name}(")[2].partition("\n}\n")[0]


def verifier_sentences() -> set[str]:
    """Every sentence on a record that the verifier lists: what is proved, what is not, and what to know."""
    scripts = {
        name: (VERIFIER / f"{name}.js").read_text("utf-8") for name in ("sentences", "walk", "freezing", "turns")
    }
    parts = [body_of(scripts["sentences"], name) for name in SENTENCES] + [body_of(scripts["walk"], "neverDrawn")]
    noted = re.findall(r"notes\.push\((.*?)\);\n", scripts["walk"] + scripts["freezing"], re.DOTALL)
    owed = re.findall(r"return (`She is owed.*?`);", scripts["turns"])
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

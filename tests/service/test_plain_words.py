"""What the templates of members' pages say has no technical word; what scripts add is looked at by hand only."""

import json
import re

import pytest

from isegoria.service.web import STATIC, TEMPLATES

PAGES = ("today", "voice", "group", "join", "home", "base", "proposing", "owed", "options", "confirm")
TECHNICAL = {
    "en": r"\b(freez\w*|frozen|record|head|drum|ball|slots?|units|witness\w*)\b",
    "de": r"\b(einfrier\w*|eingefroren\w*|Trommel|Kugel|Kopf)\b",
}


def shown(text: str) -> str:
    """A message without the names of what is filled in."""
    return re.sub(r"\{\w+\}", "…", text)


@pytest.mark.parametrize("language", TECHNICAL)
def test_members_pages_say_it_in_people_s_words(language):
    words = json.loads((STATIC / "words" / f"pages.{language}.json").read_text(encoding="utf-8"))
    said = "".join((TEMPLATES / f"{name}.html").read_text(encoding="utf-8") for name in PAGES)
    keys = set(re.findall(r'say\("(\w+)"', said)) & words.keys()
    assert len(keys) > 60
    wrong = {key: words[key] for key in sorted(keys) if re.search(TECHNICAL[language], shown(words[key]), re.I)}
    assert wrong == {}

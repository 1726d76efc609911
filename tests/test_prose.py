"""Check the prose of documents, help texts, docstrings and pages for private words, long sentences and crowded numbers.

The bars of this file may only fall.
"""

import inspect
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import isegoria
from isegoria.cli import main
from isegoria.cli.commands import COMMANDS

ROOT = Path(__file__).parents[1]
WEB_FOLDER = Path(isegoria.__file__).parent / "service" / "web" / "static" / "translations"
MAX_FINDINGS_PER_1000_WORDS = 1.5
MAX_SENTENCE_WORDS = 35
MAX_SENTENCE_NUMBERS = 2
EXCEPTIONS = {
    'name: "AUTHOR NAME"': "the head of paper.md is data for the journal",
}
"""Beginnings of faults that are none, each with its reason."""

PRIVATE_WORDS = re.compile(
    r"\b(anew|alike|whoever|whomever|(?:of )?one's(?: own)?|for ever|into the blue|(?:is|are) had|(?:is|are) told"
    r"|is said|keepers|truths|the least(?! (?:squares|norm|upper bound|fixed point)|-)|whatever it"
    r"|what it says of itself|hardly|thereby|therein|upon)\b",
    re.IGNORECASE,
)
GENERIC_SHE = re.compile(r"\b(she|her|hers|herself)\b", re.IGNORECASE)
BARE_SUBJECT = re.compile(
    r"(?:^|[.:;!?]\s+|\n)(?:Who|What|Whoever|Whatever)\s+"
    r"(?!is\b.*\?|are\b.*\?|does\b|do\b|did\b|can\b|if\b)[a-z]+\s[^?]*?[.;]"
)
NUMBER = re.compile(r"(?<![\w.])\d[\d.,/:]*")
UNCOUNTED_NUMBER = re.compile(
    r"\([^()]*\b(?:1[89]|20)\d\d[a-z]?\)|\b(?:1[89]|20)\d\d\b|^\s*\d+\.\s|§\s*[\d.]+"
    r"|\b(?:Theorem|Lemma|Table|Figure|Proposition|Definition|Algorithm|Python|section|version)s? [\d.]+"
)
"""Years, citations, list numbers and numbered results."""
MARKUP = [
    (re.compile(r"```.*?```", re.DOTALL), " "),
    (re.compile(r"^ *(>>>|\.\.\.) .*?(\n\s*\n|\Z)", re.DOTALL | re.MULTILINE), "\n\n"),
    (re.compile(r"^\w[\w, *]* : .*$", re.MULTILINE), "\n"),
    (re.compile(r"\{[^{}]*\}|\[default: [^\]]*\]"), "X"),
    (re.compile(r"\$\$.*?\$\$", re.DOTALL), " X "),
    (re.compile(r"^\s*\|.*$", re.MULTILINE), "\n"),
    (re.compile(r"^\s*(#|>|<|!\[).*$", re.MULTILINE), "\n"),
    (re.compile(r"`[^`]*`|\$[^$]+\$"), "X"),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
]
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n\s*[-*] ")


def strip_markup(text: str) -> str:
    """Return the running text of a Markdown document: no code, tables, headings, quotes or formulas."""
    for pattern, replacement in MARKUP:
        text = pattern.sub(replacement, text)
    return text


def find_faults(text: str) -> list[str]:
    """Return every fault of a plain text, with its kind."""
    patterns = {"word": PRIVATE_WORDS, "she": GENERIC_SHE, "bare subject": BARE_SUBJECT}
    paragraphs = re.split(r"\n\s*\n", text)
    faults = [
        f"{kind}: {' '.join(match[0].split())[:60]}"
        for kind, pattern in patterns.items()
        for paragraph in paragraphs
        for match in pattern.finditer(paragraph)
    ]
    for sentence in SENTENCE_END.split(text):
        start = " ".join(sentence.split())[:60]
        if len(re.findall(r"[A-Za-z][\w'’-]*", sentence)) > MAX_SENTENCE_WORDS:
            faults.append(f"long sentence: {start}")
        if len(NUMBER.findall(UNCOUNTED_NUMBER.sub(" ", sentence))) > MAX_SENTENCE_NUMBERS:
            faults.append(f"numbers: {start}")
    return [fault for fault in faults if not any(start in fault for start in EXCEPTIONS)]


def read_documents() -> Iterator[tuple[str, str]]:
    """Yield every tracked Markdown file that readers see."""
    done = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in done.stdout.splitlines():
        if name.startswith("docs/") or "/" not in name:
            yield name, strip_markup((ROOT / name).read_text(encoding="utf-8"))


def read_help_texts() -> Iterator[tuple[str, str]]:
    """Yield the help of each command and of its options, which separate the items of a list by semicolons."""
    waiting: list[tuple[str, click.Command]] = [("isegoria", main)]
    waiting += [(row.id, row.load()) for row in COMMANDS.values()]
    for name, command in waiting:
        waiting += [(f"{name} {step}", inside) for step, inside in getattr(command, "commands", {}).items()]
        options = [re.sub(r'; |"[^"]*"', "\n\n", getattr(option, "help", "") or "") for option in command.params]
        yield name, strip_markup("\n\n".join([(command.help or "").split("\b")[0], *options]))


def read_docstrings() -> Iterator[tuple[str, str]]:
    """Yield the docstring of each public name and of its public members, without examples."""
    for name in isegoria._PUBLIC_NAMES:
        value = getattr(isegoria, name)
        members = vars(value).values() if inspect.isclass(value) else ()
        public = [member for member in members if not getattr(member, "__name__", "_").startswith("_")]
        texts = [inspect.getdoc(one) or "" for one in ([value, *public] if callable(value) else [])]
        yield name, strip_markup("\n\n".join(text.split("Examples\n---")[0] for text in texts))


def read_pages() -> Iterator[tuple[str, str]]:
    """Yield the English words of the service's pages, of the explorer and of error messages."""
    for path in [*WEB_FOLDER.glob("*.en.json"), *WEB_FOLDER.parents[3].glob("utils/translations/*.en.json")]:
        values = json.loads(path.read_text(encoding="utf-8"))
        yield path.name, strip_markup("\n\n".join(list_strings(values)))


def list_strings(value: object) -> list[str]:
    """Return every string inside a JSON value."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in list_strings(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in list_strings(inner)]
    return [value] if isinstance(value, str) else []


def test_prose_check_knows_examples():
    assert find_faults("You draw once a week. The page says who won.") == []
    assert find_faults("Whoever joins is told.")[0].startswith("word")
    assert find_faults("A member sees her row.") == ["she: her"]
    assert find_faults("It takes 3, 4 or 5 rounds.") == ["numbers: It takes 3, 4 or 5 rounds."]
    assert find_faults(" ".join(["word"] * 36))[0].startswith("long sentence")
    assert find_faults("It depends. What is missing counts as zero.")[0].startswith("bare subject")


def find_broken_tables(text: str) -> list[str]:
    """Return the first line after each row of a Markdown table that does not end in its line."""
    lines = re.sub(r"```.*?```", "", text, flags=re.DOTALL).splitlines()
    following = zip(lines, [*lines[1:], ""], strict=True)
    return [after for line, after in following if line.startswith("|") and not line.rstrip().endswith("|")]


def test_tables_of_documents_have_one_line_a_row():
    assert find_broken_tables("| a |\n|---|\n| a long\nrow |\n") == ["row |"]
    done = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    broken = {name: find_broken_tables((ROOT / name).read_text(encoding="utf-8")) for name in done.stdout.splitlines()}
    assert not {name: lines for name, lines in broken.items() if lines}


@pytest.mark.parametrize("read", [read_documents, read_help_texts, read_docstrings, read_pages])
def test_prose_stays_below_its_bar(read):
    texts = list(read())
    words = sum(len(re.findall(r"\w+", text)) for _, text in texts)
    faults = [f"{name}: {fault}" for name, text in texts for fault in find_faults(text)]
    assert words > 2000
    assert len(faults) <= MAX_FINDINGS_PER_1000_WORDS * words / 1000, "\n".join([f"of {words} words:", *faults])

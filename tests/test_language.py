"""Check names and docstrings of the package against the bars of the project's language guide.

The limits of this file may only fall.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import isegoria

PACKAGE = Path(isegoria.__file__).parent
MAX_PARTICIPLE_SHARE = 0.02
MAX_DOCSTRING_SHARE = 0.01
MAX_REPEATED_CONSTANTS = 0
MAX_REPEATED_MODULES = 8

WORDS = {
    "irregular": """
        said told found kept given taken drawn made known chosen shown written held heard left lost meant met paid sent
        seen spent thought done gone built bound brought led owed thrown spoken broken begun grown hidden bent""",
    "regular": "speed exceed proceed succeed hundred embed indeed",
    "allowed": "cached signed sorted deprecated weighted normalised unchanged",
    "not verbs": """
        the a an what who whose which whether how where when why one two three all its as every each no those these this
        that for whatever whoever some any is are does could nothing none nobody everything everyone another both her
        his their our it of with by from in on at under within without before after about not only such if while and or
        so least most policy member table rule""",
}
IRREGULAR_PARTICIPLES, NOT_PARTICIPLES, ALLOWED_NAMES, NOT_VERBS = (frozenset(text.split()) for text in WORDS.values())
PREDICATE = re.compile(r"_*(is|has|can|are|was|were|should)_")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def is_participle(word: str) -> bool:
    """Return whether a word is a past participle."""
    regular = word.endswith("ed") and len(word) > 4 and word not in NOT_PARTICIPLES
    return regular or word in IRREGULAR_PARTICIPLES


def is_participle_name(name: str) -> bool:
    """Return whether a name ends in a participle without a noun behind it."""
    words = re.findall(r"[A-Z]?[a-z]+", name)
    allowed = name.strip("_") in ALLOWED_NAMES or PREDICATE.match(name) is not None
    return bool(words) and is_participle(words[-1].lower()) and not allowed


def starts_with_verb(docstring: str) -> bool:
    """Return whether the first word of a docstring can be an imperative."""
    first = (re.findall(r"[A-Za-z]+", docstring) or [""])[0].lower()
    noun = first in NOT_VERBS or first.endswith(("ing", "tion")) or is_participle(first) or len(first) < 2
    plural = first.endswith("s") and not first.endswith("ss")
    return docstring[:1].isalpha() and not noun and not plural


def read_trees() -> Iterator[tuple[str, ast.Module]]:
    """Yield the path and the syntax tree of each Python file of the package."""
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def list_definitions() -> list[tuple[str, Definition]]:
    """Return every function and class of the package, without dunder methods, with its place."""
    return [
        (f"{place}:{node.lineno} {node.name}", node)
        for place, tree in read_trees()
        for node in ast.walk(tree)
        if isinstance(node, Definition) and not node.name.startswith("__")
    ]


def is_property(node: Definition) -> bool:
    """Return whether a definition is a property, whose docstring may start with a noun."""
    return any("property" in ast.unparse(decorator) for decorator in node.decorator_list)


def test_participle_detection_knows_examples():
    assert is_participle_name("_settled")
    assert is_participle_name("what_was_told")
    assert not is_participle_name("cached_page")
    assert not is_participle_name("is_closed")


def test_imperative_detection_knows_examples():
    assert starts_with_verb("Return the policy.")
    assert not starts_with_verb("The policy of a group.")
    assert not starts_with_verb("`policy` as an array.")


@pytest.mark.slow
def test_few_definitions_are_named_by_participle():
    definitions = list_definitions()
    offenders = [place for place, node in definitions if is_participle_name(node.name)]
    assert len(offenders) <= MAX_PARTICIPLE_SHARE * len(definitions), offenders


@pytest.mark.slow
def test_function_docstrings_start_with_a_verb():
    docstrings = [
        (place, docstring)
        for place, node in list_definitions()
        if not isinstance(node, ast.ClassDef) and not is_property(node) and (docstring := ast.get_docstring(node))
    ]
    offenders = [place for place, docstring in docstrings if not starts_with_verb(docstring)]
    assert len(offenders) <= MAX_DOCSTRING_SHARE * len(docstrings), offenders


@pytest.mark.slow
def test_one_word_constants_are_defined_once():
    modules = defaultdict(set)
    for place, tree in read_trees():
        for node in tree.body:
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            for target in targets if isinstance(node, ast.Assign | ast.AnnAssign) else ():
                name = target.id.strip("_") if isinstance(target, ast.Name) else ""
                if name.isupper() and "_" not in name and len(name) > 2:
                    modules[name].add(place)
    repeated = {name: sorted(places) for name, places in modules.items() if len(places) > 1}
    assert len(repeated) <= MAX_REPEATED_CONSTANTS, repeated


@pytest.mark.slow
def test_module_names_are_used_once():
    modules = defaultdict(list)
    for place, _ in read_trees():
        stem = Path(place).stem
        if stem not in {"__init__", "__main__"}:
            modules[stem].append(place)
    repeated = {stem: places for stem, places in modules.items() if len(places) > 1}
    assert len(repeated) <= MAX_REPEATED_MODULES, repeated

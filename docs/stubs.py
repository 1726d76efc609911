"""Stubs of the compiled modules and of the package itself, read from their sources, for editors and type checkers.

`make docs` writes them beside the kernels, and a test checks it was run. A kernel's arrays and numbers have their
Python types; what a kernel leaves untyped, or returns, is Any: it speaks to trusted code of this package alone.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "isegoria"
HEADER = "# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there."
KINDS = {
    "double": "float",
    "float": "float",
    "bint": "bool",
    "int": "int",
    "char": "int",
    "Py_ssize_t": "int",
    "int64_t": "int",
    "int32_t": "int",
    "uint64_t": "int",
    "str": "str",
    "bytes": "bytes",
    "ndarray": "np.ndarray",
    "dict": "dict[Any, Any]",
    "list": "list[Any]",
    "tuple": "tuple[Any, ...]",
    "object": "Any",
}
ROOMS = ("agents", "axioms", "datasets", "preferences", "testing")
"""Modules that are used as such: iso.axioms.check."""
ENUM = re.compile(r"^cpdef enum\b.*:$")
MEMBER = re.compile(r"^    (?P<name>[A-Z]\w*) = (?P<value>\d+)")
IMPORT = re.compile(r"^from (?P<home>isegoria\S*) cimport (?P<names>.+)$")
HEAD = re.compile(r"^(?P<indent> *)(?:def|cpdef) (?:[\w.]+(?:\[[^\]]*\])? )?(?P<name>\w+)\((?P<rest>.*)$")
CLASS = re.compile(r"^(?:cdef )?class (?P<name>\w+)(?:\((?P<base>[\w., ]*)\))?:")
CONSTANT = re.compile(r"^(?P<name>[A-Z][A-Z_0-9]*) = ")
WORD = re.compile(r"^    (?P<name>[A-Z][A-Z_]*) = (?P<value>\"\w+\")")
FIELD = re.compile(r"^    cdef (?:readonly|public) (?P<kind>\w+) (?P<names>[\w, ]+)$")
SPECIAL = {"__dealloc__", "__reduce__", "__reduce_cython__", "__setstate_cython__"}


def stub(source: Path) -> str:
    """The text of the stub of one kernel."""
    lines, at = source.read_text(encoding="utf-8").splitlines(), 0
    declared = source.with_suffix(".pxd")
    heading = declared.read_text(encoding="utf-8").splitlines() if declared.exists() else []
    fields, body = _fields(heading), _constants(heading)
    homes = {
        name: found["home"]
        for line in (*heading, *lines)
        if (found := IMPORT.match(line))
        for name in re.split(r",\s*", found["names"])
    }
    decorated, seen, bases = False, set(), set()
    asked = set(re.findall(r"\b(\w+) is (?:not )?None\b", "\n".join(lines)))  # arguments that may be None
    while at < len(lines):
        line = lines[at]
        if found := CLASS.match(line):
            base = f"({found['base']})" if found["base"] in ("StrEnum", *seen, *homes) else ""
            bases |= {found["base"]} & set(homes)
            seen.add(found["name"])
            body += ["", f"class {found['name']}{base}:"]
            body += ["    def __getattr__(self, name: str) -> Any: ..."] if line.startswith("cdef") else ["    ..."]
            body += fields.get(found["name"], [])
        elif found := FIELD.match(line):
            body += _declared(found)
        elif found := CONSTANT.match(line):
            body += [f"{found['name']}: Any"]
        elif found := WORD.match(line):
            body += [f"    {found['name']} = {found['value']}"]
        elif (found := HEAD.match(line)) and len(found["indent"]) in (0, 4):
            text, at = _whole(lines, at)
            if found["name"] not in SPECIAL:
                body += _function(found["indent"], found["name"], text, decorated, asked)
        decorated = line.strip() == "@property"
        at += 1
    text = "\n".join(body).strip("\n")
    imports = "from typing import Any\n\nimport numpy as np\n" if "np." in text else "from typing import Any\n"
    enum = "from enum import StrEnum\n" if "StrEnum" in text else ""
    ours = "".join(f"\nfrom {homes[base]} import {base}\n" for base in sorted(bases))
    return f"{HEADER}\n{enum}{imports}{ours}\n{text}\n"


def _constants(lines: list[str]) -> list[str]:
    """The whole numbers that a declaration file shares with Python, as `cpdef enum`."""
    inside, found = False, []
    for line in lines:
        member = MEMBER.match(line) if inside else None
        inside = bool(ENUM.match(line) or member)
        found += [f"{member['name']}: int"] if member else []
    return found


def _fields(lines: list[str]) -> dict[str, list[str]]:
    """The attributes that a declaration file shows of each class."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in lines:
        if match := re.match(r"^cdef class (\w+)", line):
            name = match[1]
        elif match := FIELD.match(line):
            found.setdefault(name, []).extend(_declared(match))
    return found


def _declared(match: re.Match) -> list[str]:
    return [f"    {name.strip()}: {KINDS.get(match['kind'], 'Any')}" for name in match["names"].split(",")]


def _whole(lines: list[str], at: int) -> tuple[str, int]:
    """The parameters of a function that may go over several lines, and its last line."""
    text = lines[at].split("(", 1)[1]
    while text.count("(") >= text.count(")"):
        at += 1
        text += " " + lines[at].strip()
    depth = 1
    for place, mark in enumerate(text):
        depth += (mark == "(") - (mark == ")")
        if depth == 0:
            return text[:place], at
    raise ValueError(lines[at])


def _function(indent: str, name: str, text: str, is_property: bool, asked: set[str]) -> list[str]:
    name = "__init__" if name == "__cinit__" else name
    given = ", ".join(_parameter(part, asked) for part in _split(text))
    back = {"__init__": "None", "__len__": "int"}.get(name, "Any")
    lines = [f"{indent}@property"] if is_property else []
    return [*lines, f"{indent}def {name}({given}) -> {back}: ..."]


def _split(text: str) -> list[str]:
    parts, depth, part = [], 0, ""
    for mark in text:
        depth += (mark in "([{") - (mark in ")]}")
        if mark == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += mark
    return [each.strip() for each in (*parts, part) if each.strip()]


def _parameter(text: str, asked: set[str]) -> str:
    text, equals, _ = text.partition("=")
    words = re.sub(r"\bconst\b|\bnot None\b|\bunsigned\b", "", text).split()
    name = words[-1]
    if name in ("self", "cls", "*", "/"):
        return name
    if name.startswith("*"):
        return f"{name}: Any"
    kind = " ".join(words[:-1])
    known = "np.ndarray" if "[" in kind else KINDS.get(kind, "Any")
    absent = " | None" if known == "np.ndarray" and (equals or name in asked) else ""
    return f"{name}: {known}{absent}" + (" = ..." if equals else "")


def names_stub(source: Path) -> str:
    """The text of the stub of the package: every name of its table, imported from where it lives."""
    assigned = (node for node in ast.parse(source.read_text(encoding="utf-8")).body if isinstance(node, ast.Assign))
    homes = next(ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == "_PUBLIC_NAMES")
    rooms = [f"from isegoria import {room} as {room}" for room in ROOMS]
    lines = [*rooms, *sorted(f"from isegoria.{home} import {name} as {name}" for name, home in homes.items())]
    listed = "".join(f'    "{name}",\n' for name in ("__version__", *homes, *ROOMS))
    header = HEADER.replace("the source of the kernel", "the table of names in __init__.py")
    return "\n".join(
        [
            header,
            *lines,
            "",
            "__version__: str",
            "_PUBLIC_NAMES: dict[str, str]",
            "_PUBLIC_MODULES: tuple[str, ...]",
            f"__all__ = [\n{listed}]",
            "",
        ]
    )


def stubs() -> dict[Path, str]:
    """The stub of every kernel and of the package, by its path."""
    made = {path.with_suffix(".pyi"): stub(path) for path in sorted(SOURCE.rglob("*.pyx"))}
    made[SOURCE / "__init__.pyi"] = names_stub(SOURCE / "__init__.py")
    for text in made.values():
        ast.parse(text)
    return made

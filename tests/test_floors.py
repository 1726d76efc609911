"""The building has floors, and imports point downward only: a module knows no floor above its own."""

import ast
import re
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import isegoria

SOURCE = Path(isegoria.__file__).parent
FLOORS = [
    {"errors", "tolerances", "registry", "wording", "lazy", "arguments", "progress", "display", "seeds", "threads"}
    | {"data", "rows", "instance", "io", "preferences"},
    {"solvers"},
    {"tables"},
    {"objectives", "scores", "voice", "auditing", "stability", "price", "comparison", "dominance", "rules", "axioms"},
    {"learning"},
    {"record", "verifier", "verification"},
    {"figures"},
    {"studies"},
    {"cli", "service", "testing", "__main__"},
]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
BARE = {
    "solvers",
    "rows",
    "errors",
    "threads",
    "tolerances",
}  # all that a solver may know: no names, no files
ALONE = {"verifier"}  # written from the specification of the record alone: it imports nothing of ours
MODULES = sorted(path for suffix in ("*.py", "*.pyx", "*.pxd") for path in SOURCE.rglob(suffix))
CIMPORT = re.compile(
    r"^\s*(?:from\s+(?P<source>[\w.]+)\s+c?import\s+\(?(?P<names>[^#]+)|c?import\s+(?P<plain>[\w., ]+))"
)


def dotted(path: Path) -> str:
    """The dotted name of a source file: src/isegoria/io/csv.py is isegoria.io.csv."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room(module: str) -> str:
    """The top-level room of a dotted name, with the public names of the package looked up where they live."""
    parts = module.split(".")
    if len(parts) == 1:
        return ""
    return isegoria._HOME.get(parts[1], parts[1]).split(".")[0]


def imported(path: Path) -> set[str]:
    """The dotted names inside the package that a source file imports, at its top or inside a function."""
    text = path.read_text(encoding="utf-8")
    found = _from_python(text) if path.suffix == ".py" else _from_cython(text)
    package = dotted(path).split(".") if path.stem == "__init__" else dotted(path).split(".")[:-1]
    names = set()
    for level, source, name in found:
        base = package[: len(package) - level + 1] if level else []
        names.add(".".join([*base, *filter(None, [source]), *filter(None, [name])]))
    return {name for name in names if name.split(".")[0] == "isegoria"}


def _from_python(text: str):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, node.module or "", alias.name) for alias in node.names)


def _from_cython(text: str):
    for match in filter(None, map(CIMPORT.match, text.splitlines())):
        if match["plain"]:
            yield from ((0, name.split(" as ")[0].strip(), "") for name in match["plain"].split(","))
        else:
            source = match["source"].lstrip(".")
            level = len(match["source"]) - len(source)
            yield from ((level, source, name.split(" as ")[0].strip(" )")) for name in match["names"].split(","))


def test_every_room_stands_on_a_floor():
    rooms = {room(dotted(path)) for path in MODULES} - {""}
    assert rooms <= set(FLOOR), f"no floor for {rooms - set(FLOOR)}: add it to FLOORS"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_downward(path):
    here = room(dotted(path))
    for name in imported(path):
        there = room(name)
        if there in FLOOR and here in FLOOR:
            assert FLOOR[there] <= FLOOR[here], f"{dotted(path)} imports {name}, which is on a floor above it"
        if here == "solvers":
            assert there in BARE, f"{dotted(path)} imports {name}; solvers know bare arrays only"
        if here in ALONE:
            assert there == here, f"{dotted(path)} imports {name}; the verifier stands alone"


def test_no_circle_within_a_floor():
    knows: dict[str, set[str]] = {}
    for path in MODULES:
        here = room(dotted(path))
        if here in FLOOR:
            knows.setdefault(here, set()).update({room(name) for name in imported(path)} & set(FLOOR) - {here})
    TopologicalSorter(knows).prepare()  # raises CycleError, which names the circle


def test_a_type_checker_sees_the_names_that_exist():
    """The stub of the package says what its table of names says."""
    tree = ast.parse((SOURCE / "__init__.pyi").read_text(encoding="utf-8"))
    seen = {
        alias.asname: node.module.removeprefix("isegoria.")
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == isegoria._HOME | {"axioms": "isegoria"}  # a module that is used as such
    listed = next(node.value for node in tree.body if isinstance(node, ast.Assign))
    assert ast.literal_eval(listed) == isegoria.__all__


def test_no_module_shares_its_name_with_a_public_one():
    modules = {path.stem for path in SOURCE.glob("*.py")} | {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert not modules & set(isegoria.__all__)


def test_the_name_of_a_class_means_one_thing():
    homes: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        if path.name == "isegoria_verify.py":  # it shares nothing with the rest, and is read alone
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(dotted(path))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}

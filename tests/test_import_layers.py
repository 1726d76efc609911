"""Check the layers of the package, its public names, and that no class name is used twice."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import grimp
import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import isegoria

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "isegoria"
MAX_CYCLE_MODULES = 4
"""The limit may only fall; imports that only type checkers see are counted."""
KERNEL_IMPORT = re.compile(r"^\s*from (isegoria\.[\w.]+) c?import", re.MULTILINE)
KERNEL_LAYERS = {
    "io": {"io", "solvers", "utils", "errors"},
    "learning": {"learning", "solvers", "utils", "errors"},
    "out_of_core": {"out_of_core", "solvers", "utils", "errors"},
    "solvers": {"solvers", "utils", "errors"},
    "testing": {"testing", "learning", "solvers", "utils", "errors"},
}
"""What the compiled modules of each package may import; import-linter reads Python files only."""


def module_name(path: Path) -> str:
    """Return the dotted name of a source file."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_import_contracts_hold():
    """Ask in a process of its own, since import-linter disables every logger that exists."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_contributing_lists_the_layers():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.split("## Architecture")[1].split("\n\n```")[0]
    assert ["__main__", *re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)] == contracts[0]["layers"]


def test_kernels_import_lower_layers_only():
    for path in [*SOURCE.rglob("*.pyx"), *SOURCE.rglob("*.pxd")]:
        allowed = KERNEL_LAYERS[path.relative_to(SOURCE).parts[0]]
        imported = {name.split(".")[1] for name in KERNEL_IMPORT.findall(path.read_text(encoding="utf-8"))}
        assert imported <= allowed, path


def test_import_cycles_are_small():
    graph = grimp.build_graph("isegoria")
    modules = sorted(graph.modules)
    number = {name: i for i, name in enumerate(modules)}
    pairs = [(number[a], number[b]) for a in modules for b in graph.find_modules_directly_imported_by(a)]
    rows, columns = np.array(pairs).T
    links = coo_array((np.ones(len(pairs)), (rows, columns)), shape=(len(modules), len(modules)))
    labels = connected_components(links, connection="strong")[1].tolist()
    label, size = Counter(labels).most_common(1)[0]
    assert size <= MAX_CYCLE_MODULES, [name for name in modules if labels[number[name]] == label]


def test_a_type_checker_sees_the_names_that_exist():
    """The stub of the package says what its table of names says."""
    tree = ast.parse((SOURCE / "__init__.pyi").read_text(encoding="utf-8"))
    seen = {
        alias.asname: node.module.removeprefix("isegoria.")
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == isegoria._PUBLIC_NAMES | dict.fromkeys(isegoria._PUBLIC_MODULES, "isegoria")
    listed = next(node.value for node in tree.body if isinstance(node, ast.Assign))
    assert ast.literal_eval(listed) == isegoria.__all__


def test_no_module_shares_its_name_with_a_public_one():
    modules = {path.stem for path in SOURCE.glob("*.py")} | {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert modules & set(isegoria.__all__) == set(isegoria._PUBLIC_MODULES)


@pytest.mark.slow
def test_the_name_of_a_class_means_one_thing():
    homes: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        if path.name == "isegoria_verify.py":  # it shares nothing with the rest, and is read alone
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(module_name(path))
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}

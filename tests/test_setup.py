"""Set-up on machines that differ from the developers': pins, paths, compilers, browsers."""

import importlib.metadata
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE))
PYTHON_VERSIONS = ["3.11.0", "3.11.2", "3.12.0", "3.13.0", "3.14.0"]


def normalise_name(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_pins_accept_every_supported_python():
    """3.11.2 is the Python of Debian 12; a pin that needs a later patch release stops the set-up there."""
    pinned = {normalise_name(name): version for name, version in PINS.items()}
    checked = 0
    for package in importlib.metadata.distributions():
        name = normalise_name(package.metadata["Name"])
        if pinned.get(name) == package.version:
            accepted = SpecifierSet(package.metadata.get("Requires-Python", ""))
            refused = [version for version in PYTHON_VERSIONS if version not in accepted]
            assert not refused, f"{name} {package.version} needs Python {accepted}: choose another pin"
            checked += 1
    assert checked > 25


def test_pins_satisfy_every_requirement():
    pinned = {normalise_name(name): version for name, version in PINS.items()}
    extras = PROJECT["optional-dependencies"].values()
    for line in [*PROJECT["dependencies"], *(line for extra in extras for line in extra)]:
        requirement = Requirement(line)
        version = pinned.get(normalise_name(requirement.name))
        fits = version is not None and version in requirement.specifier
        assert fits, f"constraints.txt has no pin that fits {line}"


def test_python_versions_are_those_of_the_classifiers():
    declared = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)}
    assert declared == {version.rpartition(".")[0] for version in PYTHON_VERSIONS}


def run_make(folder: Path, *words: str, **environment: str) -> str:
    """Return what a target prints that shows the environment of every recipe, in a folder with our Makefile."""
    for name in ("Makefile", "constraints.txt"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    (folder / "src").mkdir()
    command = ["make", "--no-print-directory", f"PYTHON={sys.executable}", "--eval", "show: ; @env", "show", *words]
    settings = {
        key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "MAKE", "LC_", "MFLAGS"))
    }
    done = subprocess.run(command, cwd=folder, env=settings | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["My Gruppe ä", "a#b", "50%20"])
def test_constraints_are_found_below_any_path(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    shown = dict(line.partition("=")[::2] for line in run_make(folder).splitlines())
    for variable in ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT"):
        assert " " not in shown[variable]
        assert Path(url2pathname(urlsplit(shown[variable]).path)) == folder / "constraints.txt"


def test_make_overrides_settings_that_break_the_set_up(tmp_path):
    shown = run_make(tmp_path, PIP_USER="1", LC_ALL="C", MAKEFLAGS="-j4", PIP_REQUIRE_VIRTUALENV="1").splitlines()
    assert {"PIP_USER=0", "LC_ALL=C.UTF-8", "PIP_REQUIRE_VIRTUALENV=0"} <= set(shown)


@pytest.mark.parametrize("command", ["no-such-compiler -O2", "env no-such-compiler"])
def test_missing_compiler_is_one_sentence(command):
    settings = {**os.environ, "CC": command, "PATH": "/nowhere"}
    done = subprocess.run(
        [sys.executable, ROOT / "wheels" / "compiler.py"], env=settings, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert re.fullmatch(r"There is no C compiler \(.*\): install one .*install\.md\.\n", done.stderr)


def test_missing_headers_are_one_sentence(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "wheels")
    compiler = importlib.import_module("compiler")
    monkeypatch.setenv("CC", shlex.quote(sys.executable))  # a program that is there
    monkeypatch.setattr(compiler.sysconfig, "get_path", lambda name: str(tmp_path))
    assert re.fullmatch(r"The headers of Python 3\.\d+ are missing: .*install\.md\.", compiler.find_obstacle())
    (tmp_path / "Python.h").touch()
    assert compiler.find_obstacle() is None


BROWSER_TRIAL = """
import sys
from pathlib import Path
sys.path.insert(0, "tests")
from browser import downloads
downloads.BROWSER_FOLDER = Path(sys.argv[1])
import pytest
sys.exit(pytest.main(["-n", "0", "-p", "no:cacheprovider", "tests/browser/test_harness.py", "-k", "fault or archive"]))
"""


@pytest.mark.parametrize(
    ("required", "code", "words"), [("", 0, "Skipped for want of the browser: 1 tests"), ("1", 1, "error")]
)
def test_missing_browser_skips_unless_it_is_required(tmp_path, required, code, words):
    (tmp_path / "npm").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "npm").chmod(0o755)
    settings = os.environ | {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "ISEGORIA_REQUIRE_BROWSER": required,
    }
    settings.pop("ISEGORIA_CHROMIUM", None)
    command = [sys.executable, "-c", BROWSER_TRIAL, str(tmp_path / "folder")]
    done = subprocess.run(command, cwd=ROOT, env=settings, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    assert words in done.stdout
    assert "python tests/browser/downloads.py" in done.stdout
    assert "1 passed" in done.stdout


NAMED_PATH = re.compile(
    r"(?<![\w/.-])(?:wheels|tests|docs|benchmarks|examples|conda|\.ci)/[\w/.-]*\w\.(?:py|sh|yaml|lock)\b"
)
SCRIPTS = [
    *ROOT.glob("*.md"),
    *ROOT.glob("wheels/*.py"),
    *ROOT.glob(".github/workflows/*.yml"),
    *ROOT.glob("docs/**/*.md"),
]
SCRIPTS += [ROOT / name for name in ("Makefile", ".ci/run", ".pre-commit-config.yaml", "conda/recipe.yaml")]


def list_missing_files(script: Path) -> list[str]:
    text = script.read_text(encoding="utf-8")
    named = NAMED_PATH.findall(text)
    named += ["/".join(re.findall(r'"([^"]+)"', path)) for path in re.findall(r'ROOT((?: / "[\w.-]+")+)', text)]
    made = ("dist", "build", "site")  # by make
    return [f"{script.name}: {path}" for path in named if not path.startswith(made) and not (ROOT / path).exists()]


def test_scripts_name_files_that_exist():
    assert [line for script in SCRIPTS for line in list_missing_files(script)] == []


@pytest.mark.parametrize(("tag", "code"), [("v{}", 0), ("v{}1", 1)])
def test_release_needs_the_tag_of_the_version(tag, code):
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    command = re.search(r"run: (python -c .*)", workflow)[1].replace("python", f"'{sys.executable}'", 1)
    settings = os.environ | {"GITHUB_REF_NAME": tag.format(importlib.metadata.version("isegoria"))}
    assert subprocess.run(command, shell=True, cwd=ROOT, env=settings).returncode == code

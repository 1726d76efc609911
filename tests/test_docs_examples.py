"""The documents tell the truth: every command in them runs and prints what they show; every link leads somewhere.

Python examples are doctests, run by pytest itself; here are the shell examples, in blocks marked `console`.
"""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from isegoria.cli.commands import COMMANDS
from isegoria.utils import tolerances

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
ELSEWHERE = ("make ", "pip ", "git ", "python -m pytest", "source ")  # set-up: looked at, not run


def sessions(path: Path) -> list[list[tuple[str, str]]]:
    """The console blocks of a document, each a list of (command, output shown)."""
    found = []
    for block in BLOCK.findall(path.read_text(encoding="utf-8")):
        parts = re.split(r"^\$ ", block, flags=re.MULTILINE)
        assert not parts[0].strip(), f"{path}: a console block begins with '$ ': {parts[0][:60]!r}"
        found.append([tuple(part.partition("\n")[::2]) for part in parts[1:]])
    return found


@pytest.fixture
def shell(tmp_path):
    """Run a command line in an empty folder that has the examples, with `isegoria` on the path."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, module in (("isegoria", "-m isegoria "), ("python", "")):
        script = tools / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {module}"$@"\n')
        script.chmod(0o755)
    desk = tmp_path / "desk"
    desk.mkdir()
    (desk / "examples").symlink_to(ROOT / "examples")
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}

    def call(line: str) -> str:
        done = subprocess.run(
            line, shell=True, cwd=desk, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        assert "Traceback" not in done.stdout, done.stdout
        assert "a fault in isegoria itself" not in done.stdout, done.stdout
        return done.stdout

    return call


def matches(shown: str, printed: str) -> bool:
    """Whether the output is the one shown; a line `…` in it stands for any lines."""
    tidy = [[line.rstrip() for line in text.strip("\n").splitlines()] for text in (shown, printed)]
    pattern = "\n".join("(?s:.*)" if line == "…" else re.escape(line) for line in tidy[0])
    return re.fullmatch(pattern, "\n".join(tidy[1])) is not None


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in DOCUMENTS if sessions(path)], ids=lambda path: path.name)
def test_every_command_prints_what_the_document_shows(path, shell):
    for session in sessions(path):
        for line, shown in session:
            if line.startswith(ELSEWHERE):
                assert not line.startswith("make ") or f"\n{line.split()[1]}:" in (ROOT / "Makefile").read_text()
                continue
            printed = shell(line)
            if not shown.strip():
                assert not printed.startswith("Error:"), f"{path.name}: $ {line}\nprints:\n{printed}"
            else:
                assert matches(shown, printed), f"{path.name}: $ {line}\nshows:\n{shown}\nbut prints:\n{printed}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    for link in LINK.findall(path.read_text(encoding="utf-8")):
        if "://" not in link and not link.startswith("mailto:"):
            assert (path.parent / link).exists(), f"{path.name} links to {link}"


def test_every_page_is_in_the_index():
    linked = set(LINK.findall((ROOT / "docs" / "index.md").read_text(encoding="utf-8")))
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")} - {"index.md"}
    assert pages <= linked, f"not in docs/index.md: {pages - linked}"


def test_home_names_pages_by_their_titles():
    home = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").partition("## All pages")[2]
    for title, name in re.findall(r"- \[([^\]]+)\]\(([^)]+\.md)\):", home):
        assert (ROOT / "docs" / name).read_text(encoding="utf-8").startswith(f"# {title}\n"), name


@pytest.mark.slow
def test_gallery_draws_its_figures(tmp_path, monkeypatch):
    page, globs = ROOT / "docs" / "how-to" / "gallery.md", {}
    monkeypatch.chdir(ROOT)
    folder = ROOT / "docs" / "images" if os.environ.get("ISEGORIA_PICTURES") == "1" else tmp_path
    for part in re.split(r"(?=^!\[)", page.read_text(encoding="utf-8"), flags=re.MULTILINE):
        if image := re.match(r"!\[[^\]]*\]\(\.\./images/(gallery-\d\.png)\)", part):
            figure = globs["ax"].figure
            figure.savefig(folder / image[1], dpi=80, bbox_inches="tight")
            assert (folder / image[1]).stat().st_size > 5000
        for example in doctest.DocTestParser().get_examples(part):
            exec(example.source, globs)


def test_an_entry_of_the_changelog_stands_once_under_a_heading():
    parts = (ROOT / "CHANGELOG.md").read_text().split("\n### ")
    entries = [entry for part in parts[1:] for entry in part.split("\n- ")[1:]]
    beginnings = [entry[:60] for entry in entries]
    assert "\n- " not in parts[0]
    assert len(entries) > 10
    assert not [one for one in beginnings if beginnings.count(one) > 1]


@pytest.mark.slow
def test_the_references_are_the_ones_that_the_tables_make():
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, f"{done.stdout}{done.stderr}: run `make docs`"


def test_the_command_line_is_all_there():
    page = (ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8")
    assert all(f"## isegoria {name}" in page for name in COMMANDS)
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"`isegoria {name}" in front for name in COMMANDS)
    page = (ROOT / "docs" / "reference" / "tolerances.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in page for name in vars(tolerances) if name.isupper())


PRIVATE_USE = re.compile(
    r"(?:from|import) isegoria\.(?!(?:agents|axioms|datasets|preferences|testing)\b)\w+"
    r"|\biso\.\w+\._\w+|\b(?:self|learner|trace)\._\w+"
)


def test_documents_and_notebooks_use_public_names_only():
    pages = [path for path in DOCUMENTS if path.name not in ("CONTRIBUTING.md", "CHANGELOG.md")]
    for path in [*pages, *(ROOT / "examples" / "notebooks").glob("*.ipynb")]:
        found = PRIVATE_USE.search(path.read_text(encoding="utf-8"))
        assert not found, f"{path}: {found[0]} is private"


RESEARCH_JOBS = {
    "A study of your own preference model": 7,
    "Your own environment and your own learner": 10,
    "From raw ratings to a page for your manager": 8,
    "Parallel runs of what you wrote in a cell": 3,
    "Resume, extend and open again": 3,
}
"""The jobs of the researcher's handbook, and in how many lines each must be done (its own block of code, the last)."""


@pytest.mark.parametrize("job", RESEARCH_JOBS)
def test_each_research_job_takes_few_lines(job):
    page = (ROOT / "docs" / "how-to" / "research-handbook.md").read_text(encoding="utf-8")
    part = page.split(f"**{job}")[1].split("\n**")[0].split("\n## ")[0]
    code = re.findall(r"```python\n(.*?)```", part, re.DOTALL)[-1]
    lines = [line for line in code.splitlines() if line.startswith((">>> ", "... "))]
    assert 0 < len(lines) <= RESEARCH_JOBS[job], lines

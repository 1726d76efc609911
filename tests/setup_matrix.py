"""Set up scratch clones under the conditions of other machines, run a slice of the tests, and print a table.

    python tests/setup_matrix.py [NAME ...] [--keep FOLDER] [--compile]     all conditions, or those named

Every condition clones this folder's last commit, runs `make` there with its own environment, and looks at the exit code
and at the words that it must find. Compiling costs most of the time: without `--compile` the kernels that lie in this
folder's `src` are copied where the same Python is used. A condition whose Python is not on this machine is told so.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SLICE = ["test_setup.py", "solvers", "rules", "io/test_csv.py", "browser", "service/test_backup.py"]
RUN_SLICE = ["test", "PYTEST_OPTIONS=-n 2 " + " ".join(f"tests/{name}" for name in SLICE)]
CHECK_SLICE = ["check", "CHECK_PATHS=tests/test_setup.py tests/io/test_csv.py tests/solvers/algebra"]
REPRODUCE_AND_RUN_SLICE = ["reproduce", *RUN_SLICE]
NO_NPM = {"npm_config_registry": "http://127.0.0.1:9/"}
OTHER_USER = 65534


@dataclass(frozen=True)
class Condition:
    """A machine to imitate: its clone, what make is asked for, the exit code and the words that must come."""

    targets: list[str] = field(default_factory=lambda: RUN_SLICE)
    python: str = ""
    folder: str = "clone"
    settings: dict[str, str] = field(default_factory=dict)
    unset: tuple[str, ...] = ()
    umask: int = 0o022
    foreign_environment: bool = False
    user: int | None = None
    without: tuple[str, ...] = ()
    code: int = 0
    words: str = r"\d+ passed"
    most_lines: int | None = None


def make_python_condition(version: str) -> Condition:
    """Return the two commands of the README for one Python, as another user in a folder with a space and an umlaut."""
    folder, settings = "My Gruppe ä", {"HOME": "{scratch}"}
    return Condition(REPRODUCE_AND_RUN_SLICE, python=version, folder=folder, settings=settings, user=OTHER_USER)


CONDITIONS = {
    "python-3.11.2": make_python_condition("3.11.2"),
    "python-3.12": make_python_condition("3.12"),
    "python-3.13": make_python_condition("3.13"),
    "python-3.14": make_python_condition("3.14"),
    "path": Condition(CHECK_SLICE, folder="My Gruppe ä"),
    "path-and-C": Condition(CHECK_SLICE, folder="My Gruppe ä", settings={"LC_ALL": "C"}),
    "no-npm": Condition(settings=NO_NPM, words=r"Skipped for want of the browser: \d+ tests"),
    "no-npm-required": Condition(
        settings={**NO_NPM, "ISEGORIA_REQUIRE_BROWSER": "1"}, code=2, words="npm could not fetch"
    ),
    "no-compiler": Condition(
        ["check"], without=("gcc", "cc", "clang"), code=2, words="There is no C compiler", most_lines=3
    ),
    "umask-077": Condition(CHECK_SLICE, umask=0o077),
    "pip-user": Condition(CHECK_SLICE, settings={"PIP_USER": "1"}),
    "makeflags": Condition(CHECK_SLICE, settings={"MAKEFLAGS": "-j4"}),
    "foreign-environment": Condition(CHECK_SLICE, foreign_environment=True),
    "time-zone": Condition(CHECK_SLICE, settings={"TZ": "Asia/Kolkata"}),
    "all-at-once": Condition(
        python="3.11.2",
        folder="My Gruppe ä",
        user=OTHER_USER,
        umask=0o077,
        settings={
            **NO_NPM,
            "HOME": "{scratch}",
            "PIP_USER": "1",
            "MAKEFLAGS": "-j4",
            "TZ": "Asia/Kolkata",
            "LC_ALL": "C",
        },
        words=r"Skipped for want of the browser: \d+ tests",
    ),
}


def find_python(version: str) -> str | None:
    """Return a Python of this version: on the path, in /usr/bin, or pyenv's."""
    minor = ".".join(version.split(".")[:2])
    places = [f"/usr/bin/python{minor}", shutil.which(f"python{minor}") or ""]
    places += sorted(map(str, Path.home().glob(f".pyenv/versions/{minor}*/bin/python")))
    for place in filter(None, places):
        try:
            shown = subprocess.run([place, "--version"], capture_output=True, text=True)
        except FileNotFoundError:
            continue
        if shown.returncode == 0 and f"{shown.stdout.split()[-1]}.".startswith(f"{version}."):
            return place
    return None


def hide_programs(names: tuple[str, ...], folder: Path) -> str:
    """Return a PATH on which everything is found as before, except for the programs named (and their versions)."""
    hidden = re.compile(rf"(.*-)?({'|'.join(map(re.escape, names))})(-\d+)?")
    folder.mkdir()
    for place in map(Path, os.environ["PATH"].split(os.pathsep)):
        for program in place.iterdir() if place.is_dir() else ():
            link = folder / program.name
            if not hidden.fullmatch(program.name) and not link.is_symlink():
                link.symlink_to(program)
    return str(folder)


def make_environment(condition: Condition, scratch: Path, python: str) -> dict[str, str]:
    """Return the environment of a condition: this one's without what make or an activated environment left in it."""
    inherited = {
        key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "MFLAGS", "VIRTUAL_ENV"))
    }
    settings = inherited | {name: value.format(scratch=scratch) for name, value in condition.settings.items()}
    if condition.without:
        settings["PATH"] = hide_programs(condition.without, scratch / "bin")
    if condition.foreign_environment:
        subprocess.run([python, "-m", "venv", scratch / "foreign"], check=True)
        settings["VIRTUAL_ENV"] = str(scratch / "foreign")
        settings["PATH"] = f"{scratch / 'foreign' / 'bin'}{os.pathsep}{settings['PATH']}"
    return settings


def copy_kernels(python: str, clone: Path) -> None:
    """Copy translated and compiled kernels of this folder, newer than their sources, if this Python can load them."""
    code = "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))"
    suffix = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    for module in [
        *(ROOT / "build" / "cython").rglob("*.[ct]*"),
        *ROOT.glob(f"build/lib.*/**/*{suffix}"),
    ]:  # in this order
        target = clone / module.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(module, target)


def try_condition(name: str, scratch: Path, compile_kernels: bool) -> tuple[bool, str]:
    """Try a condition in a clone of its own; return whether it held, and a row of the table."""
    condition = CONDITIONS[name]
    python = find_python(condition.python) if condition.python else sys.executable
    if python is None:
        return True, f"| {name} | not tried: no Python {condition.python} here | | | |"
    clone = scratch / condition.folder
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    if not compile_kernels:
        copy_kernels(python, clone)
    identity: dict[str, Any] = {}
    if condition.user is not None and os.geteuid() == 0:  # anyone else is already no root
        identity = {"user": condition.user, "group": condition.user, "extra_groups": []}
        try:
            subprocess.run([python, "--version"], check=True, capture_output=True, **identity)
        except (PermissionError, subprocess.CalledProcessError):
            return True, f"| {name} | not tried: another user than root cannot run {python} | | | |"
        for path in [scratch, *scratch.rglob("*")]:
            os.chown(path, condition.user, condition.user, follow_symlinks=False)
    words = [] if condition.foreign_environment else [f"PYTHON={python}"]
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        ["make", *condition.targets, *words],
        cwd=clone,
        env=make_environment(condition, scratch, python),
        umask=condition.umask,
        **identity,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    (scratch / "log.txt").write_text(done.stdout, encoding="utf-8")
    found = re.findall(condition.words, done.stdout)
    short = condition.most_lines is None or len(done.stdout.splitlines()) <= condition.most_lines
    holds = done.returncode == condition.code and bool(found) and short
    if not holds:
        print(done.stdout[-3000:], file=sys.stderr)
    summary = found[-1] if found else done.stdout.strip().rpartition("\n")[2][-80:]
    used = sum(path.stat().st_size for path in clone.rglob("*") if path.is_file() and not path.is_symlink()) >> 20
    outcome = "holds" if holds else f"FAILS (exit {done.returncode})"
    return holds, f"| {name} | {outcome}: {summary} | {time.monotonic() - began:.0f} | {processor:.0f} | {used} |"


def main() -> int:
    """Try the conditions one after the other, print the table, and return 1 if any does not hold."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CONDITIONS))
    parser.add_argument("--compile", action="store_true", help="compile in every clone, as a stranger's machine would")
    parser.add_argument("--keep", metavar="FOLDER", type=Path, help="leave the clones and their logs in this folder")
    options = parser.parse_args()
    if unknown := set(options.names) - set(CONDITIONS):
        parser.error(f"no such condition: {', '.join(sorted(unknown))}; there are {', '.join(CONDITIONS)}")
    print("| condition | outcome | wall s | processor s | MB |\n|---|---|---|---|---|", flush=True)
    every = True
    for name in options.names or CONDITIONS:
        scratch = Path(tempfile.mkdtemp(prefix="setup-")) if options.keep is None else options.keep / name
        scratch.mkdir(parents=True, exist_ok=True)
        try:
            holds, row = try_condition(name, scratch, options.compile)
        finally:
            if options.keep is None:
                shutil.rmtree(scratch, ignore_errors=True)
        print(row, flush=True)
        every = every and holds
    print(f"load of this machine: {', '.join(f'{load:.1f}' for load in os.getloadavg())}")
    return 0 if every else 1


if __name__ == "__main__":
    sys.exit(main())

"""What the emulators run, fetched by name: packages of Debian, and wheels of the index that pip is set up for.

    python wheels/locked_packages.py --lock [GROUP ...]     fetches the newest of all (or some), writes run.lock

run.lock holds names, versions and hashes, and no host: where packages come from is the machine's own setting. A file
with another hash is refused. Nothing is installed: Debian's packages are unpacked, and `apt-get` is given lists and a
status of its own.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "wheels"
LOCK = ROOT / "wheels" / "run.lock"
SHELF = WORK / "downloads"
SOURCES = Path("/etc/apt/sources.list.d/debian.sources"), Path("/etc/apt/sources.list")
GROUPS = {
    "qemu": ("trixie", "amd64"),
    "arm64": ("trixie", "arm64"),
    "wine": ("bookworm", "amd64"),
    "image": ("bookworm", "amd64"),
    "windows-python": ("index", "source"),
    "windows-library": ("index", "win_amd64"),
    "windows-packages": ("index", "win_amd64"),
    "windows-tests": ("index", "win_amd64"),
    "aarch64-packages": ("index", "manylinux_2_17_aarch64 manylinux_2_27_aarch64 manylinux_2_28_aarch64"),
    "musl-headers": ("index", "musllinux_1_2_x86_64"),
    "macos-arm64-headers": ("index", "macosx_11_0_arm64"),
    "macos-x86_64-headers": ("index", "macosx_10_9_x86_64 macosx_10_13_x86_64"),
}
"""What the rows of run.lock are for: a suite of Debian and its machine, or the index and what pip calls the machine."""


class Pinned(NamedTuple):
    """One file: what it is for, its name, version and SHA-256."""

    group: str
    name: str
    version: str
    sha256: str


class Refused(Exception):
    """What stands in the way, in a sentence."""


def pinned() -> list[Pinned]:
    """Every row of run.lock."""
    lines = LOCK.read_text(encoding="utf-8").splitlines()
    return [Pinned(*line.split()) for line in lines if line and not line.startswith("#")]


def fetched(*groups: str) -> dict[str, Path]:
    """The files of some groups by their names: from the shelf, or fetched and checked."""
    rows = [row for row in pinned() if row.group in groups]
    SHELF.mkdir(parents=True, exist_ok=True)
    for group in groups:
        missing = {row.name: row.version for row in rows if row.group == group and _kept(row) is None}
        if missing:
            _fetch(group, missing, SHELF)
    found = {row.name: _kept(row) for row in rows}
    for row in rows:
        if found[row.name] is None:
            raise Refused(f"{row.name} {row.version} ({row.group}) is not the file that {LOCK.name} names: refused.")
    return {name: path for name, path in found.items() if path is not None}


def _kept(row: Pinned) -> Path | None:
    """The file of a row on the shelf, if its hash is the one that is written down."""
    return next((path for path in _candidates(SHELF, row.name, row.version) if digest(path) == row.sha256), None)


def _candidates(folder: Path, name: str, version: str = "") -> list[Path]:
    """Files that may be this package, of any version if none is given: pip and apt spell names in their own ways."""
    plain = re.sub(r"(\\-|_|\\\.)+", "[-_.]", re.escape(name))
    told = re.escape(version).replace(":", "(%3a|:)") if version else r"\d[^_-]*"
    pattern = re.compile(rf"{plain}[-_]{told}([-_.].*)", re.IGNORECASE)
    return sorted(path for path in folder.iterdir() if pattern.fullmatch(path.name))


def _version(path: Path) -> str:
    """The version that a file's name tells."""
    if path.suffix == ".deb":
        return path.stem.split("_")[1].replace("%3a", ":")
    return path.name.removesuffix(".tar.gz").rsplit("-")[1]


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _fetch(group: str, versions: dict[str, str], folder: Path) -> None:
    """Put files into a folder, by their ordinary clients; an empty version is the newest one."""
    origin, machine = GROUPS[group]
    if origin == "index":
        _from_index(machine, versions, folder)
    else:
        asked = [f"{name}={version}" if version else name for name, version in versions.items()]
        settings = {**os.environ, "APT_CONFIG": str(_lists(origin, machine))}
        _ran(["apt-get", "download", "--quiet", *asked], cwd=folder, env=settings)


def _from_index(machine: str, versions: dict[str, str], folder: Path) -> None:
    asked = [f"{name}=={version}" if version else name for name, version in versions.items()]
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), *asked]
    if machine != "source":
        words += ["--only-binary", ":all:", "--python-version", "3.13", "--implementation", "cp"]
        words += ["--abi", "cp313", "--abi", "abi3", "--abi", "none"]
        words += [word for tag in machine.split() for word in ("--platform", tag)]
    free = {name: value for name, value in os.environ.items() if not name.endswith("_CONSTRAINT")}
    _ran(words, env=free)


def _lists(suite: str, machine: str) -> Path:
    """apt's settings with lists of one suite and one machine, in a folder of their own; fetched once."""
    folder = WORK / "apt" / f"{suite}-{machine}"
    settings = folder / "apt.conf"
    if settings.exists():
        return settings
    if shutil.which("apt-get") is None:
        raise Refused("apt-get is not on this machine: the emulators are unpacked from packages of Debian.")
    text = next((path.read_text(encoding="utf-8") for path in SOURCES if path.exists()), "")
    place = re.search(r"^(?:URIs:|deb(?: \[[^\]]*\])?)\s+(\S+)", text, re.MULTILINE)
    key = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    if place is None or not key.exists():
        raise Refused("this machine is not set up for packages of Debian, from which the emulators are unpacked.")
    for part in ("lists/partial", "cache/archives/partial", "parts"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "status").touch()
    (folder / "sources.list").write_text(f"deb [arch={machine} signed-by={key}] {place[1]} {suite} main\n")
    told = folder / "told.conf"
    told.write_text(
        f'Dir::State "{folder}"; Dir::State::lists "{folder}/lists"; Dir::State::status "{folder}/status";\n'
        f'Dir::Cache "{folder}/cache"; Dir::Etc::sourcelist "{folder}/sources.list";\n'
        f'Dir::Etc::sourceparts "{folder}/parts"; Dir::Etc::preferencesparts "{folder}/parts";\n'
        f'APT::Architectures {{ "{machine}"; }}; APT::Architecture "{machine}"; Acquire::Languages "none";\n'
        'APT::Sandbox::User "root";\n'
    )
    _ran(["apt-get", "update", "--quiet"], env={**os.environ, "APT_CONFIG": str(told)})
    told.rename(settings)
    return settings


def _ran(words: list[str], **options: object) -> None:
    done = subprocess.run(words, capture_output=True, text=True, **options)  # type: ignore[call-overload]
    if done.returncode:
        said = re.sub(r"\w+://\S+", "…", done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "")
        raise Refused(f"{words[0].rsplit('/', 1)[-1]} could not fetch what was asked for: {said}")


def lock(groups: list[str]) -> str:
    """run.lock anew, with the names that it has: of some groups the newest, or what constraints.txt names."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower().splitlines()
    named = dict(line.split("==") for line in lines if "==" in line)
    told = ["# written by locked_packages.py --lock: what for, name, version, SHA-256; to add a package, add its name"]
    rows = [line.split() for line in LOCK.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    SHELF.mkdir(parents=True, exist_ok=True)
    for group, (origin, _) in GROUPS.items():
        names = [row[1] for row in rows if row[0] == group]
        if group not in groups:
            told += [" ".join(row) for row in rows if row[0] == group]
            continue
        versions = {name: named.get(name.lower(), "") if origin == "index" else "" for name in names}
        with tempfile.TemporaryDirectory(dir=WORK) as folder:
            _fetch(group, versions, Path(folder))
            for name in names:
                (path,) = _candidates(Path(folder), name)
                told.append(" ".join([group, name, _version(path), digest(path)]))
                shutil.move(path, SHELF / path.name)
    return "\n".join(told) + "\n"


if __name__ == "__main__":
    asking = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asking.add_argument("--lock", nargs="*", required=True, choices=GROUPS, help="write run.lock anew, or some of it")
    asked = asking.parse_args().lock
    WORK.mkdir(parents=True, exist_ok=True)
    LOCK.write_text(lock(asked or list(GROUPS)), encoding="utf-8", newline="\n")

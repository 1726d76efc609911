"""What was run, on what: a small record beside every study, from which the page tells its readers."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from isegoria import __version__
from isegoria.errors import FileError
from isegoria.io import atomic

NAME = "run.json"
PACKAGES = ("numpy", "scipy", "matplotlib")
SOURCES = (".py", ".pyx", ".pxd", ".h")


@contextmanager
def recorded(folder: Path, study: str, command: str) -> Iterator[dict[str, Any]]:
    """Settings to fill in while the files of a study are written; the record is written last, when all are there.

    It holds no times and no number of workers, so that equal results of equal sources come with equal records.
    """
    path = Path(folder) / NAME
    path.unlink(missing_ok=True)
    settings: dict[str, Any] = {}
    yield settings
    record = {
        "study": study,
        "command": command,
        "settings": settings,
        "versions": {"isegoria": __version__, "python": platform.python_version()} | _installed() | {"blas": _blas()},
        "sources": {"commit": commit(), "sha256": sources_hash()},
        "machine": {"system": platform.platform(), "processor": _processor(), "cores": os.cpu_count()},
    }
    atomic.write_text(path, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def read_record(folder: Path) -> dict[str, Any] | None:
    """The record in a folder; None where no study has been completed."""
    path = Path(folder) / NAME
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def record_of(folder: Path) -> dict[str, Any]:
    """The record of a study that has been completed."""
    found = read_record(folder)
    if found is None:
        raise FileError(f"no study has been completed in {folder}; run isegoria reproduce with that --out.")
    return found


def sources_hash(folder: Path = Path(__file__).parents[1]) -> str:
    """SHA-256 over the sources of the package, names and contents, in the order of their names."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in SOURCES and path.is_file():
            data = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def commit(folder: Path = Path(__file__).parents[3]) -> str:
    """The commit that a checkout of the sources stands at; "unknown" for an installed package."""
    git = folder / ".git"
    if git.is_file():  # a work tree beside the repository
        git = (folder / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()).resolve()
    try:
        head = (git / "HEAD").read_text(encoding="utf-8").strip()
        if not head.startswith("ref:"):
            return head
        name, common = head.removeprefix("ref:").strip(), git / "commondir"
        home = (git / common.read_text(encoding="utf-8").strip()).resolve() if common.exists() else git
        if (home / name).exists():
            return (home / name).read_text(encoding="utf-8").strip()
        packed = (home / "packed-refs").read_text(encoding="utf-8").splitlines()
        return next((line.split()[0] for line in packed if line.endswith(f" {name}")), "unknown")
    except OSError:
        return "unknown"


def _blas() -> str:
    """The linear algebra that NumPy was built with."""
    found = np.show_config(mode="dicts")
    about = found.get("Build Dependencies", {}).get("blas", {}) if isinstance(found, dict) else {}
    return f"{about.get('name', 'unknown')} {about.get('version', '')}".strip()


def _installed() -> dict[str, str]:
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _processor() -> str:
    """The processor's name where the system tells it, else its family."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()

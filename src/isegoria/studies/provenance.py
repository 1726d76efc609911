"""Provenance of a study: a record of what was run, with which sources and on which machine; the page reads it."""

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
from isegoria.io.storage import atomic_write

PROVENANCE_FILE = "run.json"
RECORDED_PACKAGES = ("numpy", "scipy", "matplotlib")
SOURCE_SUFFIXES = (".py", ".pyx", ".pxd", ".h")


@contextmanager
def write_provenance(folder: Path, study: str, command: str) -> Iterator[dict[str, Any]]:
    """Yield a settings dictionary and write the record `run.json` when the block ends.

    An earlier record is deleted first, so a record exists only if all files were written. It has no times and no number
    of workers, so that equal results of equal sources have equal records.
    """
    path = Path(folder) / PROVENANCE_FILE
    path.unlink(missing_ok=True)
    settings: dict[str, Any] = {}
    yield settings
    record = {
        "study": study,
        "command": command,
        "settings": settings,
        "versions": {"isegoria": __version__, "python": platform.python_version()}
        | _installed_versions()
        | {"blas": _blas_version()},
        "sources": {"commit": read_commit(), "sha256": hash_sources()},
        "machine": {"system": platform.platform(), "processor": _processor_name(), "cores": os.cpu_count()},
    }
    atomic_write.write_text(path, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def read_provenance(folder: Path) -> dict[str, Any] | None:
    """Return the record in a folder, or None if no study has been completed there."""
    path = Path(folder) / PROVENANCE_FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def require_provenance(folder: Path) -> dict[str, Any]:
    """Return the record of a completed study; raise `FileError` if there is none."""
    found = read_provenance(folder)
    if found is None:
        raise FileError(f"no study has been completed in {folder}; run isegoria reproduce with that --out.")
    return found


def hash_sources(folder: Path = Path(__file__).parents[1]) -> str:
    """Compute the SHA-256 hash of the package's sources, names and contents, in the order of their names."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in SOURCE_SUFFIXES and path.is_file():
            data = path.read_bytes()
            digest.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def read_commit(folder: Path = Path(__file__).parents[3]) -> str:
    """Return the commit of a source checkout, or "unknown" for an installed package."""
    git = folder / ".git"
    if git.is_file():  # a linked worktree: .git is a file that names its folder
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


def _blas_version() -> str:
    """Return the name and version of the BLAS library that NumPy was built with."""
    found = np.show_config(mode="dicts")
    about = found.get("Build Dependencies", {}).get("blas", {}) if isinstance(found, dict) else {}
    return f"{about.get('name', 'unknown')} {about.get('version', '')}".strip()


def _installed_versions() -> dict[str, str]:
    found = {}
    for package in RECORDED_PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def _processor_name() -> str:
    """Return the processor's name where the system provides it, otherwise its family."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()

"""What was run, on what: a small record beside every study, from which the page tells its readers."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from isegoria import __version__
from isegoria.errors import FileError
from isegoria.io import atomic

NAME = "run.json"
PACKAGES = ("numpy", "scipy", "matplotlib")


@contextmanager
def recorded(folder: Path, study: str, command: str) -> Iterator[dict[str, Any]]:
    """Settings to fill in while the files of a study are written; the record is written last, when all are there.

    It holds no times and no number of workers, so that equal results come with equal records.
    """
    path = Path(folder) / NAME
    path.unlink(missing_ok=True)
    settings: dict[str, Any] = {}
    yield settings
    record = {
        "study": study,
        "command": command,
        "settings": settings,
        "versions": {"isegoria": __version__, "python": platform.python_version()} | _installed(),
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

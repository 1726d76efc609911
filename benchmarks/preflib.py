"""Reading rankings, against preflibtools, and against the package's own reader of one line after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import numpy as np
from preflibtools.instances import OrdinalInstance

from benchmarks.harness import BenchmarkRow, time_alternately
from isegoria.io import read
from isegoria.io.readers import preflib


def write_rankings(folder: str, voters: int, arms: int) -> Path:
    """A file of complete strict orders, every voter with one of its own."""
    rng = np.random.default_rng(42)
    lines = [
        "# FILE NAME: votes.soc",
        "# TITLE: votes",
        "# DATA TYPE: soc",
        f"# NUMBER ALTERNATIVES: {arms}",
        f"# NUMBER VOTERS: {voters}",
        f"# NUMBER UNIQUE ORDERS: {voters}",
        *(f"# ALTERNATIVE NAME {k}: arm {k}" for k in range(1, arms + 1)),
        *("1: " + ",".join(map(str, rng.permutation(arms) + 1)) for _ in range(voters)),
    ]
    path = Path(folder) / "votes.soc"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def line_by_line(path: Path) -> None:
    """As a file is read in which some line is not in good order."""
    with patch.object(preflib, "_scan_fast", return_value=None):
        read(path)


def rows() -> Iterator[BenchmarkRow]:
    """Many short rankings, and few long ones."""
    for shape in ((5_000, 100), (130, 5_904)):
        with tempfile.TemporaryDirectory() as folder:
            path = write_rankings(folder, *shape)
            for name, other, asked in (
                ("preflibtools", lambda path=path: OrdinalInstance(str(path)), 1),
                ("line by line", lambda path=path: line_by_line(path), 5),
            ):
                measured = time_alternately(lambda path=path: read(path), other, rounds=3)
                yield BenchmarkRow(
                    f"reading {shape[0]:,} rankings of {shape[1]:,} arms, against {name}", *measured, asked
                )

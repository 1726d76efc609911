"""Cold starts of the command line, each in a fresh process, against `python -c "import numpy"`.

Both run from bytecode, as they do wherever they are installed: a folder of its own keeps what the first, uncounted run
of each has compiled, also where `PYTHONDONTWRITEBYTECODE` would have our modules compiled anew at every start.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.harness import BenchmarkRow, time_alternately

NUMPY = [sys.executable, "-c", "import numpy"]


def rows() -> Iterator[BenchmarkRow]:
    """`--help`, and `compare` on a table of 50 agents and 4 arms."""
    script = Path(sys.executable).with_name("isegoria")
    command = [str(script)] if script.exists() else [sys.executable, "-m", "isegoria"]
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = folder
        table = Path(folder) / "means.csv"
        means = np.random.default_rng(42).random((50, 4))
        lines = [f"agent {i}," + ",".join(f"{mean:.3f}" for mean in row) for i, row in enumerate(means)]
        table.write_text("\n".join(["agent,a,b,c,d", *lines]), encoding="utf-8")
        for words, asked in ((["--help"], 1.5), (["compare", str(table)], 2.5)):
            measured = time_alternately(
                lambda words=words: _run([*command, *words], environment),
                lambda: _run(NUMPY, environment),
                rounds=15,
                least=0.0,
            )
            shown = "isegoria " + words[0] + (" on a 50 × 4 CSV" if words[0] == "compare" else "")
            yield BenchmarkRow(f"{shown}, in imports of numpy", *measured, asked, faster=False)


def _run(command: list[str], environment: dict[str, str]) -> None:
    subprocess.run(command, check=True, capture_output=True, env=environment)

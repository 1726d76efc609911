"""cython-lint over the kernels, without two of its messages: python tests/cython_lint.py [FILE ...].

A C loop declares its variable and need not use it; and a kernel imports `np` for the examples in its docstrings. What
remains is printed, and makes the exit code 1.
"""

import os
import subprocess
import sys
from pathlib import Path

import pycodestyle

ROOT = Path(__file__).parents[1]
MEANT = ("Loop control variable", "'np' imported but unused")


def complaints(files: list[str]) -> list[str]:
    """What cython-lint says about the files, but for what is meant."""
    program = "from cython_lint.cython_lint import main; raise SystemExit(main())"
    programs = Path(pycodestyle.__file__).parents[3] / "bin"  # cython-lint calls it by its name
    surroundings = {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, "-c", program, *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=surroundings)
    assert not done.stderr, done.stderr
    return [line for line in done.stdout.splitlines() if not any(words in line for words in MEANT)]


if __name__ == "__main__":
    kernels = sys.argv[1:] or sorted(str(p) for kind in ("*.pyx", "*.pxd") for p in (ROOT / "src").rglob(kind))
    found = complaints(kernels)
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(bool(found))

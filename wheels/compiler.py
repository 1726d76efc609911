"""Ask for a C compiler and Python's headers before anything is built, in one sentence.

    python wheels/compiler.py

setup.py and the Makefile ask here, because the message of a build that fails later is 160 lines long.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

WITHOUT_COMPILER = "Or install a wheel, which needs neither: see docs/how-to/install.md."


def find_obstacle() -> str | None:
    """Return one sentence on what is missing for compiling, with the remedy, or None."""
    if os.name == "nt":
        return None  # setuptools looks for compilers in places of its own there
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if not any(shutil.which(word) for word in command):  # CC may start with an assignment or with ccache
        return (
            f"There is no C compiler ({command[0]}): install one (Debian: apt install build-essential; Fedora: "
            f"dnf install gcc; macOS: xcode-select --install). {WITHOUT_COMPILER}"
        )
    if not (Path(sysconfig.get_path("include")) / "Python.h").exists():
        return (
            f"The headers of Python {sysconfig.get_python_version()} are missing: install them (Debian: apt install "
            f"python3-dev; Fedora: dnf install python3-devel). {WITHOUT_COMPILER}"
        )
    return None


if __name__ == "__main__":
    sys.exit(find_obstacle())

"""Kernels that were translated to C once, compiled by zig for another machine."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from compiler_flags import FAITHFUL, FAST, LIMITED, MACROS
from locked_packages import ROOT, WORK, Refused, fetched
from targets import Target

OWN_FLAGS = re.compile(r"^# distutils: extra_compile_args\s*=\s*(.*)$", re.MULTILINE)
ABOUT = "import json, sysconfig; print(json.dumps(sysconfig.get_path('include')))"


class Origin(NamedTuple):
    """What foreign wheels are made of: the native one, the source with its translated kernels, and a Python."""

    native: Path
    source: Path
    python: str
    """The interpreter whose headers are used."""


def compiled(target: Target, origin: Origin, flags: list[str] | None = None) -> dict[str, bytes]:
    """Every module for one machine, by its name in a wheel; `flags` replaces those about rounding, for a trial."""
    source = origin.source
    out = WORK / "cross" / target.id
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    words = [*_compiler(target, origin.python, out), *(FAITHFUL if flags is None else flags)]
    linking = [*_linking(target, out), "-s"]
    translated = source / "build" / "cython" / "src"
    kernels = sorted(translated.rglob("*.c"))
    if not kernels:
        raise Refused(f"no translated kernel is in {translated}: run wheels/build.py first.")

    def one(kernel: Path) -> tuple[str, bytes]:
        name = kernel.relative_to(translated).with_suffix("").as_posix() + target.suffix
        asked = (source / "src" / kernel.relative_to(translated)).with_suffix(".pyx").read_text(encoding="utf-8")
        own = [flag for line in OWN_FLAGS.findall(asked) for flag in line.split()]
        made = out / name.replace("/", ".")
        run_in([*words, *own, str(kernel), "-o", str(made), *linking], source)
        return name, made.read_bytes()

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(pool.map(one, kernels))


def _compiler(target: Target, python: str, out: Path) -> list[str]:
    """zig's words up to the file: the native build's own flags and macros, and the headers of the target."""
    words = [sys.executable, "-m", "ziglang", "cc", "-target", target.zig, "-shared", *FAST]
    words += [f"-D{name}={value}" for name, value in [*MACROS, LIMITED]]
    return [*words, "-Isrc/isegoria", f"-I{_python_headers(target, python, out)}", f"-I{_numpy_headers(target, out)}"]


def _linking(target: Target, out: Path) -> list[str]:
    return [*([f"-L{_import_library(out)}"] if target.windows else []), *target.words]


def _python_headers(target: Target, python: str, out: Path) -> Path:
    """The headers of the building Python; for Windows a copy, in which pyconfig.h is this project's own."""
    own = Path(json.loads(subprocess.run([python, "-c", ABOUT], capture_output=True, check=True).stdout))
    if not target.windows:
        return own
    copy = out / "python"
    if not copy.exists():
        shutil.copytree(own, copy)
        shutil.copyfile(ROOT / "wheels" / "windows" / "pyconfig.h", copy / "pyconfig.h")
    return copy


def _numpy_headers(target: Target, out: Path) -> Path:
    """The headers in the target's own wheel of NumPy: sizes differ between systems."""
    with zipfile.ZipFile(fetched(target.headers)["numpy"]) as wheel:
        inside = [name for name in wheel.namelist() if name.startswith("numpy/_core/include/")]
        wheel.extractall(out, inside)
    return out / "numpy" / "_core" / "include"


def _import_library(out: Path) -> Path:
    """The folder of an import library of python3.dll: every name of the stable interface up to Python 3.12."""
    library = out / "libpython3.a"
    if not library.exists():
        from abi3info import DATAS, FUNCTIONS
        from abi3info.models import PyVersion

        newest = PyVersion(3, 12)
        functions = sorted(name.name for name, row in FUNCTIONS.items() if row.added <= newest)
        data = sorted(name.name for name, row in DATAS.items() if row.added <= newest)
        lines = ["LIBRARY python3.dll", "EXPORTS", *functions, *(f"{name} DATA" for name in data)]
        (out / "python3.def").write_text("\n".join(lines) + "\n")
        words = [sys.executable, "-m", "ziglang", "dlltool", "-m", "i386:x86-64", "-d", "python3.def"]
        run_in([*words, "-l", "libpython3.a"], out)
    return out


def run_in(words: list[str], folder: Path) -> None:
    """Run a compiler in a folder, its caches beside what is built; what it says is shown if it fails."""
    caches = {f"ZIG_{kind}_CACHE_DIR": str(WORK / "zig") for kind in ("GLOBAL", "LOCAL")}
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env={**os.environ, **caches})
    if done.returncode:
        raise Refused(f"{done.stderr[-3000:]}{' '.join(words)} ended with {done.returncode}.")

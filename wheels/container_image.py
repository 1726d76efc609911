"""`make image`: the service as a container image that needs no engine to be built, and its first start.

    python wheels/container_image.py [--out dist]

No base image is fetched: the root is unpacked from a few packages of Debian (run.lock), with Python and without a shell
or a package manager; the wheel in dist/ and what it depends on are installed into it by pip. The result is one file in
the layout of the Open Container Initiative, which `podman load`, `skopeo` and `docker load` read. Then it is unpacked
again from that file and its command started as its user in that root: it must answer, and be able to write nothing but
its data. (`chroot` is all that starts it here, so namespaces and limits of an engine are not tried.)
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from pathlib import Path

from locked_packages import ROOT, WORK, Refused, fetched
from package_metadata import publication

USER = 10001
HOME = "/home/isegoria"
PACKAGES = "/opt/isegoria"
EXTRAS = "serve,postgres"
MEDIA = "application/vnd.oci.image"
CONFIG = {
    "User": str(USER),
    "WorkingDir": HOME,
    "Env": [f"PYTHONPATH={PACKAGES}", "PYTHONDONTWRITEBYTECODE=1", "PATH=/usr/bin", f"HOME={HOME}", "LANG=C.UTF-8"],
    "Entrypoint": ["/usr/bin/python3.11", "-m", "isegoria"],
    "Cmd": ["serve", "--host", "0.0.0.0", "--store", f"sqlite:///{HOME}/data/groups.db", "--closed"],
    "ExposedPorts": {"8000/tcp": {}},
    "Volumes": {f"{HOME}/data": {}},
}
PEOPLE = {
    "etc/passwd": f"root:x:0:0:root:/root:/nonexistent\nisegoria:x:{USER}:{USER}::{HOME}:/nonexistent\n",
    "etc/group": f"root:x:0:\nisegoria:x:{USER}:\n",
    "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
}


def root(out: Path) -> Path:
    """The folder that becomes the image's root: Debian's Python, the wheel in `out` and its dependencies."""
    made = WORK / "image" / "root"
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    for package in fetched("image").values():
        subprocess.run(["dpkg-deb", "--extract", package, made], check=True)
    for name in ("bin", "lib", "lib64"):
        if not (made / name).exists():
            (made / name).symlink_to(f"usr/{name}")
    for folder in ("usr/share/doc", "usr/share/man", "usr/share/lintian"):
        shutil.rmtree(made / folder, ignore_errors=True)
    for name, text in PEOPLE.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    for folder in ("tmp", "dev", "proc", HOME[1:] + "/data"):
        (made / folder).mkdir(parents=True, exist_ok=True)
    _installed(out, made)
    return made


def _installed(out: Path, made: Path) -> None:
    """The wheel for Python 3.11 and its extras, put into the root by this machine's pip."""
    wheels = list(out.glob("isegoria-*-cp311-*manylinux*x86_64.whl"))
    if len(wheels) != 1:
        raise Refused(f"{len(wheels)} wheels for Python 3.11 are in {out}: run make wheels first.")
    words = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--only-binary", ":all:"]
    words += ["--python-version", "3.11", "--implementation", "cp", "--abi", "cp311", "--abi", "abi3", "--abi", "none"]
    for system in ("manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux_2_27_x86_64", "manylinux_2_28_x86_64"):
        words += ["--platform", system]
    words += ["--target", str(made / PACKAGES[1:]), f"isegoria[{EXTRAS}] @ {wheels[0].as_uri()}"]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"pip could not install into the root: {done.stderr.strip()[-500:]}")
    shutil.rmtree(made / PACKAGES[1:] / "bin", ignore_errors=True)  # scripts name this machine's Python


def layer(made: Path) -> bytes:
    """The root as a tar archive: sorted, its times fixed, all of it root's but for the data."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(made.rglob("*")):
            name = path.relative_to(made).as_posix()
            entry = archive.gettarinfo(path, name)
            entry.mtime, entry.uname, entry.gname = 0, "", ""
            entry.uid = entry.gid = USER if f"/{name}".startswith(HOME) else 0
            entry.mode = 0o1777 if name == "tmp" else entry.mode & 0o755
            if entry.isreg():
                with path.open("rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry)
    return buffer.getvalue()


def image(made: Path, to: Path) -> Path:
    """The image in one file: a layer, what it is started with, and a list of both."""
    plain = layer(made)
    packed = gzip.compress(plain, 6, mtime=0)
    config = {
        "architecture": "amd64",
        "os": "linux",
        "config": CONFIG,
        "rootfs": {"type": "layers", "diff_ids": [_name(plain)]},
    }
    blobs = {f"{MEDIA}.layer.v1.tar+gzip": packed, f"{MEDIA}.config.v1+json": _json(config)}
    told = {kind: {"mediaType": kind, "digest": _name(blob), "size": len(blob)} for kind, blob in blobs.items()}
    layers, settings = told.values()
    manifest = _json(
        {"schemaVersion": 2, "mediaType": f"{MEDIA}.manifest.v1+json", "config": settings, "layers": [layers]}
    )
    entry = {"mediaType": f"{MEDIA}.manifest.v1+json", "digest": _name(manifest), "size": len(manifest)}
    named = {**entry, "annotations": {"org.opencontainers.image.ref.name": f"isegoria:{publication().version}"}}
    files = {f"blobs/sha256/{_name(blob)[7:]}": blob for blob in (*blobs.values(), manifest)}
    files["oci-layout"] = _json({"imageLayoutVersion": "1.0.0"})
    files["index.json"] = _json({"schemaVersion": 2, "manifests": [named]})
    with tarfile.open(to, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            item = tarfile.TarInfo(name)
            item.size, item.mode = len(files[name]), 0o644
            archive.addfile(item, io.BytesIO(files[name]))
    return to


def _name(blob: bytes) -> str:
    return f"sha256:{hashlib.sha256(blob).hexdigest()}"


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def unpacked(file: Path, to: Path) -> dict:
    """What an image is started with; its root, read from the file alone and checked against its digests, is in `to`."""
    with tarfile.open(file) as archive:
        blobs = {each.name: archive.extractfile(each).read() for each in archive.getmembers()}  # type: ignore[union-attr]
    for name, blob in blobs.items():
        if name.startswith("blobs/sha256/") and _name(blob)[7:] != name.rsplit("/", 1)[1]:
            raise Refused(f"{name} of {file.name} does not have the digest that it is named by.")
    index = json.loads(blobs["index.json"])
    manifest = json.loads(blobs[f"blobs/sha256/{index['manifests'][0]['digest'][7:]}"])
    for each in manifest["layers"]:
        data = gzip.decompress(blobs[f"blobs/sha256/{each['digest'][7:]}"])
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            archive.extractall(to, filter="fully_trusted", numeric_owner=True)
    return json.loads(blobs[f"blobs/sha256/{manifest['config']['digest'][7:]}"])["config"]


def started(file: Path) -> str:
    """Start the image's command as its user in its root, ask it how it is, and see what it could write."""
    program = shutil.which("chroot", path=f"{os.defpath}:/usr/sbin:/sbin")
    if os.geteuid() != 0 or program is None:
        return "NOT STARTED (only root can change the root of a process)"
    with tempfile.TemporaryDirectory(dir=WORK / "image") as folder:
        home = Path(folder)
        config = unpacked(file, home)
        home.chmod(0o755)  # a folder for a while is its maker's alone
        os.mknod(home / "dev" / "null", 0o020666, os.makedev(1, 3))
        os.mknod(home / "dev" / "urandom", 0o020444, os.makedev(1, 9))
        (home / "dev" / "null").chmod(0o666)
        user = config["User"]
        inside = [program, f"--userspec={user}:{user}", str(home)]
        settings = dict(each.split("=", 1) for each in config["Env"])
        words = [*inside, *config["Entrypoint"], *config["Cmd"][:1], "--port", "0", *config["Cmd"][1:]]
        words[words.index("0.0.0.0")] = "127.0.0.1"  # on this machine, for this machine
        begun = time.monotonic()
        with subprocess.Popen(
            words, env=settings, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        ) as service:
            try:
                lines = []
                for line in service.stderr or ():
                    lines.append(line)
                    if found := re.search(r"serving on (http://\S+);", line):
                        break
                else:
                    raise Refused(f"the service in the image did not start: {''.join(lines)[-1000:]}")
                with urllib.request.urlopen(f"{found[1]}/healthz", timeout=30) as answer:
                    assert json.load(answer)["status"] == "ok"
                took = time.monotonic() - begun
            finally:
                service.kill()
        _writes_nothing_else(inside, config, settings)
    return f"started in its root as user {user}: it answers {took:.1f} s after its start, and can write its data alone"


def _writes_nothing_else(inside: list[str], config: dict, settings: dict[str, str]) -> None:
    """The image's user can make a file among its data, and none beside the package or in the system."""
    attempt = (
        "import os, sys\nfree = [each for each in sys.argv[1:] if os.access(each, os.W_OK)]\nprint(os.getuid(), *free)"
    )
    places = ["/", "/etc", "/usr/bin", PACKAGES, f"{PACKAGES}/isegoria", f"{HOME}/data"]
    words = [*inside, config["Entrypoint"][0], "-c", attempt, *places]
    said = subprocess.run(words, env=settings, capture_output=True, text=True, check=True).stdout.split()
    if said != [config["User"], f"{HOME}/data"]:
        raise Refused(f"in the image, user {said[0]} can write {', '.join(said[1:])}.")


def main() -> None:
    asking = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asking.add_argument("--out", type=Path, default=ROOT / "dist", help="where the wheels are, and the image goes")
    out = asking.parse_args().out.resolve()
    to = WORK / "image" / f"isegoria-{publication().version}-oci.tar"
    made = image(root(out), to)
    print(
        f"{made.relative_to(ROOT)}, {made.stat().st_size / 1e6:.0f} MB, {hashlib.sha256(made.read_bytes()).hexdigest()}"
    )
    print(started(made))


if __name__ == "__main__":
    try:
        main()
    except Refused as problem:
        sys.exit(str(problem))

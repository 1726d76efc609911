"""What `make wheels` relies on, without building: its choices, its settings, and those for other platforms."""

import base64
import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def build():
    sys.path.insert(0, str(ROOT / "wheels"))  # its modules import one another
    spec = importlib.util.spec_from_file_location("wheels_build", ROOT / "wheels" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_interpreter_of_each_version_and_those_that_build_first(build, monkeypatch):
    given = {
        "/a": build.Python("/a", (3, 12), False),
        "/b": build.Python("/b", (3, 12), True),
        "/c": build.Python("/c", (3, 11), True),
        "/broken": None,
        "/d": build.Python("/d", (3, 13), True),
    }
    monkeypatch.setattr(build, "asked", given.get)
    pythons = build.chosen(list(given))
    assert [each.path for each in pythons] == ["/c", "/b", "/d"]
    assert [each.path for each in build.builders(pythons)] == ["/c", "/b"]
    with pytest.raises(build.Refused, match=r"Python 3\.12 or later, with its headers, is not on this machine"):
        build.builders(build.chosen(["/a", "/c"]))


def test_an_interpreter_is_asked_and_what_is_none_is_passed_over(build, tmp_path):
    here = build.asked(sys.executable)
    assert here.version == sys.version_info[:2]
    assert build.asked(str(tmp_path / "none")) is None
    assert build.asked("/bin/true") is None


def test_the_trial_refuses_the_source_and_names_it(build):
    done = subprocess.run(
        [sys.executable, ROOT / "wheels" / "smoke_test.py"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1
    assert "is the source, not an installed package" in done.stderr


def test_a_wheel_for_old_systems_asks_for_the_old_entry_of_each_function(build):
    """What glibc has given a newer entry since 2.17 (exp … pow: 2.29, lgamma: 2.23, hypot: 2.35, fmod: 2.38)."""
    newer = {"exp", "exp2", "log", "log2", "pow", "lgamma", "hypot", "fmod"}
    sources = (ROOT / "src").rglob("*.p[yx][xd]")
    lines = re.findall(r"^from libc.math cimport (.*)$", "\n".join(path.read_text() for path in sources), re.M)
    used = {name.strip() for line in lines for name in line.split(",")}
    assert {"sqrt", "lgamma"} <= used
    header = (ROOT / "wheels" / "old_glibc.h").read_text()
    assert set(re.findall(r"\.symver (\w+), \1@GLIBC_2\.2\.5", header)) == used & newer


def test_the_stable_interface_is_one_version_everywhere(build):
    digits = "".join(map(str, build.STABLE))
    setup = (ROOT / "setup.py").read_text()
    flags = (ROOT / "wheels" / "compiler_flags.py").read_text()
    assert f'"Py_LIMITED_API", "0x{build.STABLE[0]:02X}{build.STABLE[1]:02X}0000"' in flags
    assert f'"cp{digits}" if STABLE' in setup
    assert f"cp{digits}-abi3" in (ROOT / "docs/how-to/install.md").read_text()


@pytest.mark.slow
def test_a_kernel_is_translated_when_it_or_numpy_changed_and_not_when_numpy_was_unpacked_anew(tmp_path):
    for name in (
        "setup.py",
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "wheels/package_metadata.py",
        "wheels/compiler_flags.py",
        "wheels/compiler.py",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "src" / "isegoria").mkdir(parents=True)
    (tmp_path / "src" / "isegoria" / "__init__.py").write_text('__version__ = "1.0"\n')
    kernel, declared = (tmp_path / "src" / "isegoria" / f"toy.{suffix}" for suffix in ("pyx", "pxd"))
    kernel.write_text("cimport numpy as cnp\ncpdef cnp.npy_intp one():\n    return 1\n")
    declared.write_text("cimport numpy as cnp\ncpdef cnp.npy_intp one()\n")
    made = tmp_path / "build" / "cython" / "src" / "isegoria" / "toy.c"
    long_ago = 10**9

    def translated() -> bool:
        """Whether the kernel is translated by a build; afterwards NumPy's declarations are newer than all of it."""
        words = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
        settings = {**os.environ, "CC": "true", "LDSHARED": "true"}  # nothing is compiled
        subprocess.run(words, cwd=tmp_path, env=settings, capture_output=True, timeout=120)
        anew = made.stat().st_mtime > long_ago
        for path in (kernel, declared, made):
            os.utime(path, (long_ago, long_ago))
        return anew

    assert translated()
    assert not translated()
    os.utime(declared)
    assert translated()
    (tmp_path / "build" / "cython" / "numpy.txt").write_text("1.0")
    assert translated()
    assert not translated()


def test_other_platforms_build_the_same_two_wheels(build):
    section = PROJECT["tool"]["cibuildwheel"]
    (stable,) = section["overrides"]
    assert stable["environment"] == {"ISEGORIA_ABI3": "1"}
    assert set(section["build"]) - set(stable["select"]) == {"cp311-*"}
    assert "*-win*" in section["skip"]  # no compiler of cibuildwheel's for Windows knows the kernels' vectors
    tried = section["test-command"].split("{project}/")[1]
    assert (ROOT / tried).exists()
    assert set(section["test-extras"]) <= set(PROJECT["project"]["optional-dependencies"])


@pytest.fixture(scope="module")
def parts(build):
    """The modules beside build.py, which find one another by now."""
    return {name: importlib.import_module(name) for name in ("targets", "repack", "locked_packages")}


def test_every_machine_stands_in_the_table_and_is_tried_on_a_real_one(parts):
    page = (ROOT / "docs/how-to/install.md").read_text(encoding="utf-8")
    release = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    tried = [re.escape(file).replace(r"\*", ".*") for file in re.findall(r'file: "([^"]+)"', release)]
    for target in parts["targets"].TARGETS.values():
        (row,) = (line for line in page.splitlines() if line.startswith(f"| {target.label} |"))
        assert (f"run under {target.runner}" if target.runner else "NOT RUN") in row
        name = f"isegoria-0.1.0-cp312-abi3-{'.'.join(target.platforms)}.whl"
        assert f"…-{name.split('-', 2)[2]}" in row
        assert sum(bool(re.fullmatch(pattern, name)) for pattern in tried) == 1, name
    assert "tested on Windows" not in page


@pytest.fixture
def toy(tmp_path):
    """A wheel with one module, as a builder leaves it."""
    path = tmp_path / "toy-1-cp312-abi3-linux_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("toy/__init__.py", "")
        archive.writestr("toy/a, b.txt", "a name with a comma")
        archive.writestr("toy/kernel.abi3.so", b"native")
        tag = "Tag: cp312-abi3-linux_x86_64"
        archive.writestr("toy-1.dist-info/WHEEL", f"Wheel-Version: 1.0\nRoot-Is-Purelib: false\n{tag}\n")
        archive.writestr("toy-1.dist-info/RECORD", "")
    return path


def test_a_wheel_written_anew_tells_the_truth_twice_in_the_same_bytes(parts, toy, tmp_path):
    repack = parts["repack"]
    module = {"toy/kernel.pyd": b"foreign"}
    made = [repack.repacked(toy, tmp_path / name, ["win_amd64"], module, {"x.json": b"{}"}) for name in ("one", "two")]
    assert made[0].name == "toy-1-cp312-abi3-win_amd64.whl"
    assert made[0].read_bytes() == made[1].read_bytes()
    assert repack.unsound(made[0]) == []
    with zipfile.ZipFile(made[0]) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert [name for name in files if name.endswith((".so", ".pyd"))] == ["toy/kernel.pyd"]
    assert b"Tag: cp312-abi3-win_amd64\n" in files["toy-1.dist-info/WHEEL"]
    assert files["toy-1.dist-info/sboms/x.json"] == b"{}"
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"foreign").digest()).rstrip(b"=").decode()
    assert f"toy/kernel.pyd,sha256={digest},7" in files["toy-1.dist-info/RECORD"].decode().splitlines()


def test_a_wheel_that_was_changed_or_holds_foreign_modules_is_found_out(parts, toy, tmp_path):
    repack = parts["repack"]
    wheel = repack.repacked(toy, tmp_path / "out", ["win_amd64"])
    assert repack.unsound(wheel) == ["toy/kernel.abi3.so is not a module of this system"]
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("toy/more.py", "")
    assert any("does not tell the files" in wrong for wrong in repack.unsound(wheel))


def test_what_is_fetched_is_locked_by_name_and_hash_and_by_no_host(parts):
    fetch = parts["locked_packages"]
    text = fetch.LOCK.read_text(encoding="utf-8")
    assert "//" not in text
    rows = fetch.pinned()
    assert {row.group for row in rows} == set(fetch.GROUPS)
    assert len({(row.group, row.name) for row in rows}) == len(rows) > 50
    assert all(re.fullmatch(r"[0-9a-f]{64}", row.sha256) for row in rows)
    source = (ROOT / "wheels" / "locked_packages.py").read_text(encoding="utf-8")
    assert not re.search(r"https?://", source)


def test_a_file_with_another_hash_is_refused(parts, tmp_path, monkeypatch):
    fetch = parts["locked_packages"]
    monkeypatch.setattr(fetch, "SHELF", tmp_path)
    row = next(row for row in fetch.pinned() if row.group == "windows-library")
    file = tmp_path / f"{row.name}-{row.version}-py3-none-win_amd64.whl"
    monkeypatch.setattr(fetch, "_fetch", lambda group, versions, folder: file.write_bytes(b"another"))
    with pytest.raises(fetch.Refused, match=r"is not the file that run\.lock names: refused"):
        fetch.fetched("windows-library")
    monkeypatch.setattr(fetch, "pinned", lambda: [row._replace(sha256=hashlib.sha256(b"another").hexdigest())])
    assert fetch.fetched("windows-library") == {row.name: file}


def test_every_extra_is_explained(build):
    page = (ROOT / "docs/how-to/install.md").read_text()
    makers = {"dev", "browser", "peers", "bench", "site", "wheels"}
    for extra in set(PROJECT["project"]["optional-dependencies"]) - makers:
        assert f"| `{extra}` |" in page


def test_a_runner_that_cannot_be_had_is_said_and_is_exit_3(build, tmp_path, monkeypatch):
    cross, fetch = importlib.import_module("cross_build"), importlib.import_module("locked_packages")
    wheel = tmp_path / "isegoria-1-cp312-abi3-win_amd64.whl"
    wheel.write_bytes(b"a wheel")
    monkeypatch.setattr(cross, "made", lambda target, origin, out: wheel)

    def nowhere():
        raise fetch.Refused("apt-get is not on this machine.")

    monkeypatch.setitem(cross.RUNNERS, "Wine", nowhere)
    windows, musl = cross.TARGETS["windows"], cross.TARGETS["musl"]
    told, code = cross.told_of(windows, None, tmp_path, no_run=False)
    assert (told.split("; ")[1], code) == ("built, NOT RUN (apt-get is not on this machine.)", 3)
    assert cross.told_of(windows, None, tmp_path, no_run=True)[1] == 0
    told, code = cross.told_of(musl, None, tmp_path, no_run=False)
    assert (told.endswith("built, NOT RUN (no runner for it here)"), code) == (True, 0)


def test_a_wheel_that_fails_in_its_guest_is_not_left_among_the_others(build, tmp_path, monkeypatch):
    cross, fetch = importlib.import_module("cross_build"), importlib.import_module("locked_packages")
    wheel = tmp_path / "isegoria-1-cp312-abi3-win_amd64.whl"
    wheel.write_bytes(b"a wheel")
    closed = []

    class Guest:
        def close(self):
            closed.append(self)

    def finds_others(*_):
        raise fetch.Refused("other policies are found than here.")

    monkeypatch.setattr(cross, "made", lambda target, origin, out: wheel)
    monkeypatch.setitem(cross.RUNNERS, "Wine", Guest)
    monkeypatch.setattr(cross, "tried", finds_others)
    told, code = cross.told_of(cross.TARGETS["windows"], None, tmp_path, no_run=False)
    assert (told.endswith("WRONG (other policies are found than here.)"), code) == (True, 1)
    assert closed
    assert not wheel.exists()


def test_a_source_archive_does_not_tell_when_it_was_made(parts, tmp_path):
    (tmp_path / "a").write_text("a file")
    (tmp_path / "b").write_text("a program")
    (tmp_path / "b").chmod(0o700)
    made = []
    for moment, names in ((10**9, "ab"), (2 * 10**9, "ba")):
        made.append(tmp_path / f"{moment}.tar.gz")
        with tarfile.open(made[-1], "w:gz") as archive:
            for name in names:
                os.utime(tmp_path / name, (moment, moment))
                archive.add(tmp_path / name, f"toy-1/{name}")
    assert made[0].read_bytes() != made[1].read_bytes()
    assert parts["repack"].settled(made[0]).read_bytes() == parts["repack"].settled(made[1]).read_bytes()
    with tarfile.open(made[0]) as archive:
        assert [(each.name, each.mode) for each in archive] == [("toy-1/a", 0o644), ("toy-1/b", 0o755)]
        assert archive.extractfile("toy-1/b").read() == b"a program"


def test_a_copy_in_the_guest_takes_no_place_and_another_file_of_its_name_stays(build, tmp_path):
    originals, copies = tmp_path / "wine", tmp_path / "prefix"
    (copies / "system32").mkdir(parents=True)
    originals.mkdir()
    for name, content in (("a.dll", b"the same"), ("b.dll", b"other")):
        (originals / name).write_bytes(b"the same")
        (copies / "system32" / name).write_bytes(content)
    (copies / "c.dll").write_bytes(b"alone")
    importlib.import_module("emulators").kept_once(copies, originals)
    assert (copies / "system32" / "a.dll").samefile(originals / "a.dll")
    assert (copies / "system32" / "b.dll").read_bytes() == b"other"
    assert (copies / "c.dll").read_bytes() == b"alone"


def test_what_is_not_run_under_wine_is_there_and_has_a_cause(build):
    rooms = importlib.import_module("run_in_wine")
    for name, cause in rooms.unlike().items():
        path, _, test = name.partition("::")
        assert f"def {test.split('[')[0].rpartition('::')[2]}" in (ROOT / path).read_text(encoding="utf-8"), name
        assert len(cause) > 20, name
    assert all((ROOT / path).exists() for path in rooms.LONG)

"""A stranger's file is read in a process of its own: it hangs alone, and what it asks is refused in one sentence."""

import io
import os
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import isegoria as iso
from isegoria.io.sandbox.sandbox import Sandbox, SandboxBusyError, SandboxLimits
from isegoria.io.sandbox.size_limits import validate_declared_size

pytestmark = pytest.mark.peers
openpyxl, pyarrow = pytest.importorskip("openpyxl"), pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

HANGING = Path(__file__).parents[1] / "data" / "hanging.ods"
"""1,445 bytes from which the reader of another package does not come back."""
AT_ONCE = SandboxLimits(wall=0.02)
"""Less time than a child needs to begin: what it would do is stopped, whatever that is."""


def saved(workbook) -> bytes:
    stream = io.BytesIO()
    workbook.save(stream)
    return stream.getvalue()


def npz(**arrays) -> bytes:
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)
    return stream.getvalue()


def test_what_comes_out_of_the_cage_is_what_read_gives(tmp_path):
    rng = np.random.default_rng(1)
    made = iso.Instance(rng.random((5, 3)), arms=["tea", "mate", "café"], weights=[1, 2, 3, 1, 1], tie_tolerance=1e-6)
    for suffix in ("csv", "json", "npz"):
        data = iso.write(made, tmp_path / f"table.{suffix}").read_bytes()
        found, _ = Sandbox().read(f"mine.{suffix}", data, {})
        known = iso.read(tmp_path / f"table.{suffix}")
        assert found.means.tobytes() == known.means.tobytes()
        assert (tuple(found.agents), tuple(found.arms)) == (tuple(known.agents), tuple(known.arms))
        assert found.weights.tolist() == known.weights.tolist()
        assert found.tie_tolerance == known.tie_tolerance


def test_messages_and_notes_name_the_file_as_its_owner_does():
    with pytest.raises(iso.InputError, match=r"^lunch\.csv, line 2"):
        Sandbox().read("C:\\Users\\ann\\lunch.csv", b"agent,tea\nAnn,7\n", {})
    _, notes = Sandbox().read("lunch.csv", b"agent;tea\nAnn;0,5\n", {})
    assert notes
    assert all("isegoria-" not in note for note in notes)


def test_a_document_that_its_reader_would_not_come_back_from_is_refused_first():
    with pytest.raises(iso.InputError, match=r"^hanging\.ods is not a whole spreadsheet"):
        Sandbox().read("hanging.ods", HANGING.read_bytes(), {})
    with pytest.raises(iso.InputError, match="is not a whole spreadsheet"):
        iso.read(HANGING)


def test_a_child_that_does_not_end_is_stopped_and_leaves_nothing_behind():
    before = time.monotonic()
    with pytest.raises(iso.InputError, match=r"could not be read in|more memory or time"):
        Sandbox(AT_ONCE).read("lunch.csv", b"agent,tea\nAnn,1\n", {})
    assert time.monotonic() - before < 30  # it ends; how soon is not the point
    children = subprocess.run(["pgrep", "-P", str(os.getpid()), "-f", "cage_worker"], capture_output=True, text=True)
    assert children.stdout == ""


@pytest.mark.skipif(sys.platform != "linux", reason="limits on memory are Linux's here")
def test_memory_is_limited():
    with pytest.raises(iso.InputError, match="needs more memory or time"):
        Sandbox(SandboxLimits(memory=24)).read("large.npz", npz(means=np.ones((4000, 1000))), {})


def test_two_cells_far_apart_are_refused_before_what_lies_between_is_made(tmp_path):
    book = openpyxl.Workbook()
    book.active["A1"], book.active["CV200000"] = "agent", 1
    (tmp_path / "two.xlsx").write_bytes(saved(book))
    for read in (lambda: Sandbox().read("two.xlsx", saved(book), {}), lambda: iso.read(tmp_path / "two.xlsx")):
        with pytest.raises(iso.InputError, match=r"two\.xlsx has a sheet that spans 100 columns and 200,000 rows"):
            read()


@pytest.mark.slow
@pytest.mark.parametrize("what", ["large arrays", "large header", "bomb", "parquet"])
def test_a_declared_size_is_refused_before_anything_is_unpacked(what):
    if what == "large arrays":
        name, data = "zeros.npz", npz(means=np.zeros((30_000, 1_000)))
    elif what == "large header":
        name, data = "claim.npz", _claiming()
    elif what == "bomb":
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("content.xml", bytes(200 * 2**20))
        name, data = "bomb.ods", stream.getvalue()
    else:
        stream = io.BytesIO()
        parquet.write_table(pyarrow.table({f"c{k}": np.zeros(2_000_000) for k in range(13)}), stream)
        name, data = "zeros.parquet", stream.getvalue()
    assert len(data) < 2**20
    with pytest.raises(iso.FileError, match=f"^{name}.* at most "):
        validate_declared_size(name, data)


def _claiming() -> bytes:
    """An array of a few bytes whose header claims eight terabytes."""
    stream, array = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(array, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)})
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("means.npy", array.getvalue())
    return stream.getvalue()


def test_odd_names_get_a_sentence():
    for name in ("a.\0csv", "a." + "😀" * 150, "../../etc/passwd", ""):
        with pytest.raises(iso.InputError):
            Sandbox().read(name, b"\0\0\0", {})


def test_the_file_that_finds_no_place_waits_and_is_then_refused():
    inside, done = threading.Event(), threading.Event()

    class Slow(Sandbox):
        def _run(self, *asked):
            inside.set()
            done.wait(30)
            return super()._run(*asked)

    cage = Slow(most=1, patience=0.05)
    running = threading.Thread(target=cage.read, args=("lunch.csv", b"agent,tea\nAnn,1\n", {}))
    running.start()
    assert inside.wait(30)
    with pytest.raises(SandboxBusyError, match="wait a moment"):
        cage.read("lunch.csv", b"agent,tea\nAnn,1\n", {})
    done.set()
    running.join()

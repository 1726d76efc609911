"""What is done otherwise on other systems, as far as this one can show it: locks, rights, names, lines, processes.

`wheels/run_in_wine.py` runs tests under Wine; here stand-ins take the place of what Windows has.
"""

import errno
import json
import multiprocessing
import os
import subprocess
import sys
import warnings

import pytest

import isegoria as iso
from isegoria.cli import error_handling
from isegoria.errors import FileError
from isegoria.io.storage import atomic_write, file_lock
from isegoria.learning.simulation import parallel
from isegoria.record.files import secrets_file

STAND_IN = """
import fcntl, os, sys, types
msvcrt = types.ModuleType("msvcrt")
msvcrt.LK_NBLCK, msvcrt.LK_UNLCK = 2, 0
def locking(descriptor, mode, count):
    action = fcntl.LOCK_EX | fcntl.LOCK_NB if mode == 2 else fcntl.LOCK_UN
    fcntl.lockf(descriptor, action, count, 0, os.SEEK_CUR)  # a byte at the present place, as there
msvcrt.locking = locking
sys.modules["msvcrt"] = msvcrt
from isegoria.io.storage import file_lock
file_lock.IS_WINDOWS = True
path = sys.argv[1]
descriptor = os.open(path, os.O_RDWR)
os.lseek(descriptor, 3, os.SEEK_SET)
with file_lock.try_lock(descriptor) as mine:
    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    print(mine, place, flush=True)
    sys.stdin.readline()
print("done", os.lseek(descriptor, 0, os.SEEK_CUR), os.path.getsize(path), flush=True)
"""


def writer(path):
    words = [sys.executable, "-c", STAND_IN, str(path)]
    return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_byte_far_behind_the_end_keeps_a_second_writer_out(tmp_path):
    path = tmp_path / "a.record"
    path.write_bytes(b"0123456789")
    with writer(path) as first:
        assert first.stdout.readline() == "True 3\n"
        with writer(path) as second:
            assert second.communicate("\n")[0] == "False 3\ndone 3 10\n"
        assert path.read_bytes() == b"0123456789"
        assert first.communicate("\n")[0] == "done 3 10\n"
    with writer(path) as third:
        assert third.stdout.readline() == "True 3\n"
        third.kill()  # the lock ends with its process
    with writer(path) as fourth:
        assert fourth.communicate("\n")[0].startswith("True")


def test_a_lock_of_this_system_ends_with_its_block(tmp_path):
    path = tmp_path / "a.record"
    path.touch()
    first, second = (os.open(path, os.O_RDWR) for _ in range(2))
    with file_lock.try_lock(first) as mine, file_lock.try_lock(second) as theirs:
        assert (mine, theirs) == (True, False)
    with file_lock.try_lock(second) as theirs:
        assert theirs
    os.close(first)
    os.close(second)


@pytest.mark.parametrize("code", [errno.EPERM, errno.EOPNOTSUPP])
def test_a_private_file_is_made_once_where_there_are_no_links(tmp_path, monkeypatch, code):
    def refuse(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "a.secrets"
    atomic_write.write_private(path, b"mine", fresh=True)
    assert path.read_bytes() == b"mine"
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileError, match="exists already, and nothing was overwritten"):
        atomic_write.write_private(path, b"yours", fresh=True)
    assert [each.name for each in tmp_path.iterdir()] == ["a.secrets"]
    assert path.read_bytes() == b"mine"


def test_windows_is_not_told_to_say_chmod(tmp_path, monkeypatch):
    path = tmp_path / "a.secrets"
    path.write_bytes(b"whatever they are")
    path.chmod(0o666)
    with pytest.warns(iso.IsegoriaWarning, match="chmod 600"), pytest.raises(FileError, match="damaged"):
        secrets_file.load_secrets(path)
    monkeypatch.setattr(secrets_file, "IS_WINDOWS", True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(FileError, match="damaged"):
            secrets_file.load_secrets(path)


def test_a_file_of_output_has_the_same_bytes_on_every_system(tmp_path, monkeypatch):
    """A stream that turns ends of lines into CR LF and knows one code page only, as Windows opens a file of output."""
    with open(tmp_path / "out", "w", encoding="cp1252", newline="\r\n") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        monkeypatch.setattr(error_handling, "IS_WINDOWS", True)
        error_handling._prepare_streams()
        print(json.dumps({"name": "Zoë 東"}, ensure_ascii=False))
    assert (tmp_path / "out").read_bytes() == '{"name": "Zoë 東"}\n'.encode()


def test_runs_in_spawned_processes_are_the_same_runs(monkeypatch):
    learner, world = iso.ProceduralLearner(2, 2), iso.BernoulliRewards([[0.9, 0.1], [0.2, 0.8]])
    calm = iso.simulate_many(learner, world, 50, seeds=[3, 4], workers=1, records=5)
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    asked, chosen = [], parallel.multiprocessing.get_context
    monkeypatch.setattr(parallel.multiprocessing, "get_context", lambda name: asked.append(name) or chosen(name))
    spawned = iso.simulate_many(learner, world, 50, seeds=[3, 4], workers=2, records=5)
    assert asked == ["spawn"]
    assert [one.to_csv() for one in spawned] == [one.to_csv() for one in calm]

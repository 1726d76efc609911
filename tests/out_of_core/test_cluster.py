"""Tables and tasks on real Dask clusters: unaligned arrays, our own errors, lost workers, lost schedulers."""

import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest

import isegoria as iso
from isegoria.errors import InputError
from isegoria.out_of_core import cluster
from isegoria.out_of_core.executors import WorkersLostError, as_executor, close_after, make_executor
from object_store import object_store

pytestmark = [pytest.mark.peers, pytest.mark.slow]
RULES = ("procedural", "inequality", "utilitarian", "egalitarian", "nash", "gini")
LOCAL_SETTINGS = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "host": "127.0.0.1"}


@pytest.fixture(scope="module")
def votes(tmp_path_factory):
    """A table of four files, and the policies that one process finds in it."""
    folder = tmp_path_factory.mktemp("votes")
    for part in range(4):
        stars = np.random.default_rng(part).integers(1, 6, (3000, 6))
        iso.write(iso.Instance((stars - 1) / 4, arms=list("abcdef")), folder / f"part-{part}.parquet")
    return folder, list_policies(iso.compare(iso.scan(folder)))


def list_policies(table) -> list[bytes]:
    return [table[rule].policy.tobytes() for rule in RULES]


@pytest.fixture(scope="module")
def workers():
    """Two worker processes of a cluster, and a client."""
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, **LOCAL_SETTINGS) as local, Client(local, set_as_default=False) as client:
        yield client


def sum_entries(array: np.ndarray) -> tuple[bool, float]:
    return array.flags.aligned, float(array.sum())


def test_arrays_arrive_aligned(workers):
    arrays = [np.arange(6 + k) / 7 for k in range(24)]
    replies = as_executor(workers.get_executor(retries=0)).run(sum_entries, [(array,) for array in arrays])
    assert replies == [(True, float(array.sum())) for array in arrays]


@pytest.mark.parametrize("number", range(3))
def test_compare_scanned_table_without_retries(votes, workers, number):
    folder, policies = votes
    assert list_policies(iso.compare(iso.scan(folder, executor=workers.get_executor(retries=0)))) == policies


def test_client_is_an_executor(votes, workers):
    folder, policies = votes
    assert list_policies(iso.compare(iso.scan(folder, executor=workers))) == policies


def test_compare_survives_killed_worker(votes):
    from distributed import Client, LocalCluster

    folder, policies = votes
    with LocalCluster(n_workers=2, **LOCAL_SETTINGS) as local, Client(local, set_as_default=False) as client:
        victims = list(client.run(os.getpid).values())[:1]

        def kill_first_worker(passes, done, of):
            if passes == 2 and victims:
                os.kill(victims.pop(), signal.SIGKILL)

        table = iso.scan(folder, executor=client.get_executor(retries=0), on_progress=kill_first_worker)
        assert list_policies(iso.compare(table)) == policies
        assert not victims


def test_scan_reads_object_store_on_cluster(votes, workers, tmp_path, monkeypatch):
    folder, policies = votes
    shutil.copytree(folder, tmp_path / "bucket" / "votes")
    with object_store(tmp_path) as (options, requests):
        address = f"s3://someone:secret@bucket/votes/?{options}"
        table = iso.compare(iso.scan(address, executor=workers.get_executor(retries=0)))
    assert requests
    assert list_policies(table) == policies


def write_and_fail(path: str) -> None:
    with open(path, "a") as file:
        file.write("once\n")
    raise InputError("the table has no arms.")


def fail_otherwise(path: str) -> None:
    with open(path, "a") as file:
        file.write("once\n")
    raise ZeroDivisionError("division of votes")


@pytest.mark.parametrize(("work", "error"), [(write_and_fail, InputError), (fail_otherwise, ZeroDivisionError)])
def test_own_errors_are_not_retried(workers, tmp_path, work, error):
    executor = as_executor(workers.get_executor(retries=3))
    with pytest.raises(error) as caught:
        executor.run(work, [(str(tmp_path / "log"),)])
    assert (tmp_path / "log").read_text() == "once\n"
    assert any(work.__name__ in note for note in getattr(caught.value, "__notes__", [])) == (error is ZeroDivisionError)


def fail_with_lock() -> None:
    import threading

    raise ValueError("a lock cannot be sent", threading.Lock())


def test_error_that_cannot_be_sent_is_told_in_words(workers):
    with pytest.raises(RuntimeError, match=r"ValueError on a worker: .*a lock cannot be sent"):
        as_executor(workers).run(fail_with_lock, [()])


def test_cluster_without_workers_is_reported(monkeypatch, caplog):
    from distributed import LocalCluster

    monkeypatch.setattr(cluster, "FIRST_NOTICE_SECONDS", 0.1)
    monkeypatch.setattr(cluster, "NEXT_NOTICE_SECONDS", 0.1)
    monkeypatch.setattr(cluster, "POLL_INTERVAL_SECONDS", 0.05)
    with LocalCluster(n_workers=0, **LOCAL_SETTINGS) as local:
        address = local.scheduler_address

        class StartWorker(logging.Handler):
            """Start a worker at the second notice, as a person would."""

            notices = 0

            def emit(self, record):
                self.notices += 1
                if self.notices == 2:
                    local.scale(1)

        handler = StartWorker()
        cluster.LOGGER.addHandler(handler)
        try:
            with close_after(make_executor(scheduler=address)) as executor:
                assert executor.run(divmod, [(7, 2), (9, 4)]) == [(3, 1), (2, 1)]
        finally:
            cluster.LOGGER.removeHandler(handler)
    assert f"The Dask scheduler at {address} has no workers; start one with: dask worker {address}" in caplog.messages


@contextmanager
def start_dask(*words: str):
    """Run `dask WORDS` in a process of its own group, and end all of it."""
    command = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]]
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # where this module is found
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, start_new_session=True, env=settings, **quiet) as one:
        try:
            yield one
        finally:
            if one.poll() is None:
                os.killpg(one.pid, signal.SIGKILL)


def find_free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def wait_for_file(folder: str, number: int) -> None:
    """Say that the task runs; all but the first wait until they are killed."""
    open(os.path.join(folder, str(number)), "w").close()
    if number:
        time.sleep(600)


def test_lost_scheduler_is_told_in_one_sentence(tmp_path):
    """Processes as an operator starts them; the scheduler is killed while a task runs."""
    port = find_free_port()
    address = f"tcp://127.0.0.1:{port}"
    quiet = ["--dashboard-address", "127.0.0.1:0"]
    with (
        start_dask("scheduler", "--host", "127.0.0.1", "--port", str(port), *quiet) as scheduler,
        start_dask("worker", address, "--nthreads", "1", "--no-nanny", "--death-timeout", "60", *quiet),
    ):
        for _ in range(20):
            try:
                executor = make_executor(scheduler=address)
                break
            except InputError:
                time.sleep(0.2)
        with close_after(executor):
            results = executor.each(wait_for_file, [(str(tmp_path), number) for number in range(2)])
            assert next(results) == (0, None)
            while not (tmp_path / "1").exists():
                time.sleep(0.02)
            scheduler.kill()
            with pytest.raises(
                WorkersLostError, match="connection to the Dask scheduler was lost; what was finished is"
            ):
                next(results)

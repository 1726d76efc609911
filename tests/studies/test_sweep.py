"""A long run is safe: whatever the workers, shards and interruptions, the same bytes come out, and nothing is lost."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest

from isegoria.errors import CertificationError, InputError
from isegoria.rules import TIE_BREAKS
from isegoria.studies import sweep
from isegoria.studies.grid import Grid
from isegoria.studies.registry import StudyOptions
from isegoria.studies.sweep import SweepShard
from isegoria.studies.synthetic_groups import produce

SMALL = Grid(agents=(2, 3, 4), arms=(2, 4), models=("mallows:0.3", "urn:0.5"), replicates=2, seeds=(42, 43))
TEXT = [
    "reproduce",
    "synthetic",
    "--agents",
    "2:4",
    "--arms",
    "2,4",
    "--models",
    "mallows:0.3,urn:0.5",
    "--replicates",
    "2",
    "--seeds",
    "2",
]


BLOCK_BYTES = sweep.compute_block_file


def tables(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    assert produce(folder, StudyOptions(grid=SMALL, pictures=False))
    return tables(folder)


@pytest.mark.slow
def test_two_workers_write_the_same_bytes(whole, tmp_path):
    assert produce(tmp_path, StudyOptions(grid=SMALL, workers=2, pictures=False))
    assert tables(tmp_path) == whole


def test_shards_in_any_order_write_the_same_bytes(whole, tmp_path):
    for part in (3, 1):
        assert not produce(tmp_path, StudyOptions(grid=SMALL, shard=SweepShard(part, 3), pictures=False))
        assert not tables(tmp_path)
    assert produce(tmp_path, StudyOptions(grid=SMALL, shard=SweepShard(2, 3), pictures=False))
    assert tables(tmp_path) == whole


def test_an_interrupted_run_continues_where_it_was(whole, tmp_path, monkeypatch):
    real, done = sweep.score_block, []

    def fragile(grid, block):
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append((grid.tie_break, block))
        return real(grid, block)

    monkeypatch.setattr(sweep, "score_block", fragile)
    with pytest.raises(KeyboardInterrupt):
        produce(tmp_path, StudyOptions(grid=SMALL, pictures=False))
    monkeypatch.setattr(sweep, "score_block", lambda *what: done.append((what[0].tie_break, what[1])) or real(*what))
    assert produce(tmp_path, StudyOptions(grid=SMALL, pictures=False))
    ties = len(TIE_BREAKS) * len(SMALL.blocks()) // len(SMALL.seeds)  # the first seed under each tie-break
    assert len(done) == len(set(done)) == len(SMALL.blocks()) + ties
    assert tables(tmp_path) == whole


def test_a_killed_run_leaves_whole_blocks_only_and_continues(whole, tmp_path):
    command = [sys.executable, "-m", "isegoria", *TEXT, "--workers", "2", "--out", str(tmp_path)]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    blocks = tmp_path / "synthetic" / "blocks"
    while run.poll() is None and not list(blocks.glob("*.npy") if blocks.exists() else ()):
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    for path in blocks.glob("*.npy"):
        assert np.load(path).shape[1:] == (6, 3)
    assert produce(tmp_path / "synthetic", StudyOptions(grid=SMALL, pictures=False))
    assert tables(tmp_path / "synthetic") == whole


@pytest.mark.slow
def test_a_killed_worker_costs_its_block_only(whole, tmp_path, monkeypatch):
    monkeypatch.setattr(sweep, "compute_block_file", partial(dying, str(tmp_path / "died")))
    assert produce(tmp_path / "out", StudyOptions(grid=SMALL, workers=2, pictures=False))
    assert (tmp_path / "died").exists()
    assert tables(tmp_path / "out") == whole


def dying(mark, grid, block):
    """The work on a block, but the first worker to begin one kills itself."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return BLOCK_BYTES(grid, block)
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_cluster_writes_the_same_bytes(whole, tmp_path, cluster):
    assert produce(tmp_path, StudyOptions(grid=SMALL, scheduler=cluster.scheduler_address, pictures=False))
    assert tables(tmp_path) == whole


@pytest.mark.slow
def test_a_killed_worker_of_a_cluster_costs_its_block_only(whole, tmp_path, monkeypatch):
    """A process of Dask dies by kill -9 in the middle of a block, and another one does the block again."""
    from distributed import LocalCluster

    monkeypatch.setattr(sweep, "compute_block_file", partial(dying, str(tmp_path / "died")))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as local:
        assert produce(tmp_path / "out", StudyOptions(grid=SMALL, scheduler=local.scheduler_address, pictures=False))
    assert (tmp_path / "died").exists()
    assert tables(tmp_path / "out") == whole


def test_more_replicates_reuse_those_that_are_there(tmp_path):
    sweep.run(SMALL, tmp_path)
    more = Grid(SMALL.agents, SMALL.arms, SMALL.favourites, SMALL.models, replicates=3, seeds=(42,))
    assert [block.replicate for block in sweep.find_missing(more, tmp_path)] == [2, 2, 2]
    assert len(sweep.find_missing(Grid(models=("iac",)), tmp_path)) == 9


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "a/b", "1/2/3"])
def test_a_bad_shard_is_refused(text):
    with pytest.raises(InputError, match="write i/n"):
        sweep.parse_shard(text)


def test_a_cell_that_cannot_be_proved_is_named(monkeypatch):
    def refuse(instances, tie_break):
        if any(instance.means.shape == (2, 3) for instance in instances):
            raise CertificationError("no policy could be proved optimal")
        return np.ones((len(instances), 6, 3))

    monkeypatch.setattr(sweep, "compute_scores", refuse)
    grid = Grid(agents=(2,), arms=(2, 3), favourites=(1,), models=("urn:0.5",))
    with pytest.raises(CertificationError, match=r"arms=3, favourites=1, sets='same', model='urn:0.5'.*: no policy"):
        sweep.score_block(grid, grid.blocks()[0])

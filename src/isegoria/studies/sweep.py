"""Run a sweep so that no finished block is lost: blocks are stored one by one, and each is written atomically.

The store is a folder with one file per block. A run computes the missing blocks of its shard, in any number of
processes. The contents of a block depend on its cells only, so the results are byte-identical however they were
computed.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import CertificationError, InputError
from isegoria.io.storage import atomic_write
from isegoria.out_of_core.executors import Executor, SerialExecutor, as_executor, close_after, make_executor
from isegoria.profiles import Instance
from isegoria.rules import list_objectives
from isegoria.studies.grid import Block, Cell, Grid
from isegoria.studies.policy_scores import compute_scores, drop_incomplete

INSTANCES_PER_BATCH = 64
"""Number of instances whose policies are computed objective by objective; few enough to stay in the CPU cache."""

TASK_WORK = 20_000
"""Cells × (agents + 10) in one worker's task, which takes about two tenths of a second."""


class SweepShard(NamedTuple):
    """The `part`-th of `parts` equal shares of the blocks, counted from 1."""

    part: int = 1
    parts: int = 1

    def of(self, blocks: list[Block]) -> list[Block]:
        """Return the blocks of this shard: every `parts`-th one."""
        return blocks[self.part - 1 :: self.parts]


WHOLE_SWEEP = SweepShard()


class SweepResults(NamedTuple):
    """The cells of a sweep, the (cells, objectives, 3) scores of their policies, and the ids of the objectives."""

    cells: list[Cell]
    scores: np.ndarray
    objectives: tuple[str, ...]

    def where(self, **identity: Any) -> SweepResults:
        """Return the results of the cells with these coordinates.

        >>> two = [Cell(42, 0, 2, 3, 1, "same", model) for model in ("iac", "uniform")]
        >>> len(SweepResults(two, np.ones((2, 1, 3)), ("nash",)).where(model="iac").cells)
        1
        """
        keep = [all(getattr(cell, name) == value for name, value in identity.items()) for cell in self.cells]
        cells = [cell for cell, kept in zip(self.cells, keep, strict=True) if kept]
        return SweepResults(cells, self.scores[keep], self.objectives)


def parse_shard(text: str) -> SweepShard:
    """Parse a shard written as "2/3".

    >>> parse_shard("2/3")
    SweepShard(part=2, parts=3)
    """
    try:
        part, parts = (int(number) for number in text.split("/"))
    except ValueError:
        part, parts = 0, 0
    if not 1 <= part <= parts:
        raise InputError(f"--shard is {text!r}; write i/n with i from 1 to n, such as 1/4.")
    return SweepShard(part, parts)


def score_block(grid: Grid, block: Block) -> np.ndarray:
    """Compute the (cells, objectives, 3) scores of a block."""
    means = list(grid.means_of(block))
    return np.concatenate(
        [_score_cells(grid, block, means, start) for start in range(0, len(means), INSTANCES_PER_BATCH)]
    )


def _score_cells(grid: Grid, block: Block, means: list[np.ndarray], start: int) -> np.ndarray:
    """Compute the scores of the next `INSTANCES_PER_BATCH` cells; if one fails, name it in the error."""
    instances = [Instance(table) for table in means[start : start + INSTANCES_PER_BATCH]]
    try:
        return compute_scores(instances, grid.tie_break)
    except CertificationError:
        for cell, instance in zip(grid.cells_of(block)[start:], instances, strict=False):
            try:
                compute_scores([instance], grid.tie_break)
            except CertificationError as reason:
                raise CertificationError(f"{cell}: {reason}") from reason
        raise


def run(
    grid: Grid,
    store: Path,
    workers: int = 1,
    part: SweepShard = WHOLE_SWEEP,
    report: Callable[..., Any] = lambda done, of: None,
    executor: Any = None,
) -> None:
    """Compute and store the blocks of a shard that are not stored yet; `report(done, of)` counts cells.

    After an interruption every finished block is in the store, and the next run continues from there. `executor` is any
    object with `submit` and replaces `workers` processes. Blocks are returned as bytes, so that only this process needs
    access to the store.
    """
    store = Path(store)
    store.mkdir(parents=True, exist_ok=True)
    blocks = part.of(grid.blocks())
    sizes = {block: len(grid.cells_of(block)) for block in blocks}
    missing = [block for block in blocks if not block_path(store, grid, block).exists()]
    done, total = sum(sizes.values()) - sum(sizes[block] for block in missing), sum(sizes.values())
    report(done, total)
    with close_after(make_executor(workers)) if executor is None else nullcontext(as_executor(executor)) as working:
        for block in _compute_blocks(grid, store, missing, working if len(missing) > 1 else SerialExecutor()):
            done += sizes[block]
            report(done, total)


def find_missing(grid: Grid, store: Path) -> list[Block]:
    """Return the blocks of the whole grid that are not in the store yet."""
    return [block for block in grid.blocks() if not block_path(Path(store), grid, block).exists()]


def delete_blocks(grid: Grid, store: Path) -> None:
    """Delete the stored blocks of a grid, so that they are computed again."""
    for block in grid.blocks():
        block_path(Path(store), grid, block).unlink(missing_ok=True)


def load_results(grid: Grid, store: Path) -> SweepResults:
    """Load the results of the whole grid, in the order of its cells, from a complete store.

    An objective of another package that failed on some cell is left out, with a warning.
    """
    parts = [np.load(block_path(Path(store), grid, block), allow_pickle=False) for block in grid.blocks()]
    found = np.concatenate(parts)
    kept, objectives = drop_incomplete(found)
    return SweepResults(list(grid.cells()), found[:, kept], objectives)


def block_path(store: Path, grid: Grid, block: Block) -> Path:
    """Return the file of a block; its name identifies the grid and the block."""
    return store / f"{grid.identity}-{block.name}.npy"


def _compute_blocks(grid: Grid, store: Path, blocks: list[Block], executor: Executor) -> Iterator[Block]:
    """Compute and store the blocks, large ones first; yield each block once it is stored, in order of completion."""
    tasks = _group_tasks(grid, sorted(blocks, key=lambda block: -block.agents), executor.tasks)
    for index, files in executor.each(_compute_files, [(compute_block_file, grid, task) for task in tasks]):
        for block, data in zip(tasks[index], files, strict=True):
            atomic_write.write_bytes(block_path(store, grid, block), data)
            yield block


def _group_tasks(grid: Grid, blocks: list[Block], least: int) -> list[list[Block]]:
    """Group the blocks into `least` tasks or more, with small blocks together.

    Each task is large enough to be worth sending to a worker.
    """
    sizes = [len(grid.cells_of(block)) * (block.agents + 10) for block in blocks]
    enough = min(TASK_WORK, sum(sizes) // least)
    tasks: list[list[Block]] = []
    size = enough
    for block, more in zip(blocks, sizes, strict=True):
        if size >= enough:
            tasks.append([])
            size = 0
        tasks[-1].append(block)
        size += more
    return tasks


def _compute_files(work: Callable[..., Any], grid: Grid, blocks: list[Block]) -> list[bytes]:
    return [work(grid, block) for block in blocks]


def compute_block_file(grid: Grid, block: Block) -> bytes:
    """Compute a block and return its file contents; this runs in a worker."""
    values = score_block(grid, block)
    assert values.shape[1:] == (len(list_objectives()), 3)
    data = io.BytesIO()
    np.save(data, values, allow_pickle=False)
    return data.getvalue()

"""Running a sweep so that nothing finished is ever lost: blocks are stored one by one, each whole or not at all.

The store is a folder of one file per block. A run computes the blocks that are missing from its shard, in any number
of processes; what a block holds depends only on its cells, so the results are the same bytes however they came about.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import CertificationError, InputError
from isegoria.instance import Instance
from isegoria.io import atomic
from isegoria.rules import OBJECTIVES
from isegoria.studies.evaluate import left_out, scores
from isegoria.studies.grid import Block, Cell, Grid
from isegoria.tables.executors import Executor, Serial, as_executor, closing, executor_of

TOGETHER = 64
"""Instances whose policies are computed objective by objective: few enough to stay in the processor's cache."""

ENOUGH = 20_000
"""Cells × (agents + 10) of a task for one worker: some two tenths of a second."""


class Shard(NamedTuple):
    """The `part`-th of `parts` equal shares of the blocks, counted from 1."""

    part: int = 1
    parts: int = 1

    def of(self, blocks: list[Block]) -> list[Block]:
        """The blocks of this shard: every `parts`-th one."""
        return blocks[self.part - 1 :: self.parts]


WHOLE = Shard()


class Results(NamedTuple):
    """The cells of a sweep, the (cells, objectives, 3) scores of their policies, and the ids of the objectives."""

    cells: list[Cell]
    scores: np.ndarray
    objectives: tuple[str, ...]

    def where(self, **identity: Any) -> Results:
        """The results of the cells with these coordinates.

        >>> two = [Cell(42, 0, 2, 3, 1, "same", model) for model in ("iac", "uniform")]
        >>> len(Results(two, np.ones((2, 1, 3)), ("nash",)).where(model="iac").cells)
        1
        """
        keep = [all(getattr(cell, name) == value for name, value in identity.items()) for cell in self.cells]
        cells = [cell for cell, kept in zip(self.cells, keep, strict=True) if kept]
        return Results(cells, self.scores[keep], self.objectives)


def shard(text: str) -> Shard:
    """The shard written as "2/3".

    >>> shard("2/3")
    Shard(part=2, parts=3)
    """
    try:
        part, parts = (int(number) for number in text.split("/"))
    except ValueError:
        part, parts = 0, 0
    if not 1 <= part <= parts:
        raise InputError(f"--shard is {text!r}; write i/n with i from 1 to n, such as 1/4.")
    return Shard(part, parts)


def compute(grid: Grid, block: Block) -> np.ndarray:
    """(cells, objectives, 3) scores of a block."""
    means = list(grid.means_of(block))
    return np.concatenate([_scores(grid, block, means, start) for start in range(0, len(means), TOGETHER)])


def _scores(grid: Grid, block: Block, means: list[np.ndarray], start: int) -> np.ndarray:
    """The scores of the next few cells; should one of them fail, the error says which."""
    instances = [Instance(table) for table in means[start : start + TOGETHER]]
    try:
        return scores(instances, grid.tie_break)
    except CertificationError:
        for cell, instance in zip(grid.cells_of(block)[start:], instances, strict=False):
            try:
                scores([instance], grid.tie_break)
            except CertificationError as reason:
                raise CertificationError(f"{cell}: {reason}") from reason
        raise


def run(
    grid: Grid,
    store: Path,
    workers: int = 1,
    part: Shard = WHOLE,
    report: Callable[..., Any] = lambda done, of: None,
    executor: Any = None,
) -> None:
    """Compute and store the blocks of a shard that are not stored yet; `report(done, of)` counts cells.

    Interrupted, it leaves every finished block in the store, and running again continues from there. `executor` is
    anything with `submit`, in place of `workers` processes; blocks come back as bytes, so that only this process needs
    the store.
    """
    store = Path(store)
    store.mkdir(parents=True, exist_ok=True)
    blocks = part.of(grid.blocks())
    sizes = {block: len(grid.cells_of(block)) for block in blocks}
    missing = [block for block in blocks if not path_of(store, grid, block).exists()]
    done, total = sum(sizes.values()) - sum(sizes[block] for block in missing), sum(sizes.values())
    report(done, total)
    with closing(executor_of(workers)) if executor is None else nullcontext(as_executor(executor)) as working:
        for block in _computed(grid, store, missing, working if len(missing) > 1 else Serial()):
            done += sizes[block]
            report(done, total)


def missing(grid: Grid, store: Path) -> list[Block]:
    """The blocks of the whole grid that the store does not hold yet."""
    return [block for block in grid.blocks() if not path_of(Path(store), grid, block).exists()]


def forget(grid: Grid, store: Path) -> None:
    """Delete the stored blocks of a grid, so that they are computed anew."""
    for block in grid.blocks():
        path_of(Path(store), grid, block).unlink(missing_ok=True)


def gather(grid: Grid, store: Path) -> Results:
    """The results of the whole grid, in the order of its cells, from a store that is complete.

    An objective of another package that had no answer for some cell is left out, with a note.
    """
    parts = [np.load(path_of(Path(store), grid, block), allow_pickle=False) for block in grid.blocks()]
    found = np.concatenate(parts)
    kept, objectives = left_out(found)
    return Results(list(grid.cells()), found[:, kept], objectives)


def path_of(store: Path, grid: Grid, block: Block) -> Path:
    """Where a block is stored; the name says which block of which grid it is."""
    return store / f"{grid.identity}-{block.name}.npy"


def _computed(grid: Grid, store: Path, blocks: list[Block], executor: Executor) -> Iterator[Block]:
    """Each block once it is stored, in the order of finishing; the large ones are begun first."""
    tasks = _tasks(grid, sorted(blocks, key=lambda block: -block.agents), executor.tasks)
    for index, files in executor.each(_files, [(block_bytes, grid, task) for task in tasks]):
        for block, data in zip(tasks[index], files, strict=True):
            atomic.write_bytes(path_of(store, grid, block), data)
            yield block


def _tasks(grid: Grid, blocks: list[Block], least: int) -> list[list[Block]]:
    """The blocks, small ones together, in `least` tasks or more: each is worth its way to a worker."""
    sizes = [len(grid.cells_of(block)) * (block.agents + 10) for block in blocks]
    enough = min(ENOUGH, sum(sizes) // least)
    tasks: list[list[Block]] = []
    size = enough
    for block, more in zip(blocks, sizes, strict=True):
        if size >= enough:
            tasks.append([])
            size = 0
        tasks[-1].append(block)
        size += more
    return tasks


def _files(work: Callable[..., Any], grid: Grid, blocks: list[Block]) -> list[bytes]:
    return [work(grid, block) for block in blocks]


def block_bytes(grid: Grid, block: Block) -> bytes:
    """The file of a block; what a worker does."""
    values = compute(grid, block)
    assert values.shape[1:] == (len(OBJECTIVES), 3)
    data = io.BytesIO()
    np.save(data, values, allow_pickle=False)
    return data.getvalue()

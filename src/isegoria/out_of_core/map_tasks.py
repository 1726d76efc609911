"""The map functions that run on every chunk (unit) of a table, and the reduction of their results in chunk order.

A `MapTask` is a module-level function with its arguments; its result on a chunk depends on nothing else. Sums over
chunks are exact (`math.fsum`), so they do not depend on which chunk finished first.
"""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from isegoria.out_of_core import chunk_kernels
from isegoria.out_of_core.chunk_sources import ChunkSource, RowChunk
from isegoria.out_of_core.column_chunk import Columns
from isegoria.solvers.method_limits import MERGE_ARMS_ABOVE
from isegoria.solvers.rows.merge import merge_codes, merge_rows

R = TypeVar("R")

SAMPLE_ROWS = 20_000
"""Rows that are looked at more closely, to begin somewhere: about so many in all units together."""

WORST_OFF_PER_CHUNK = 64
"""Those of a unit who are worst off: as many as there are ranks that matter to the Gini welfare."""


NUMPY_BATCH_ROWS = 10_000
"""Rows at a time where NumPy does the work."""


class MapTask(NamedTuple):
    """A map over all chunks: `ask(source, unit, columns, *args)`; see `BATCHED_TASKS` for those that run as a batch."""

    ask: Callable[..., Any]
    args: tuple[Any, ...] = ()

    @property
    def key(self) -> bytes:
        """The identity of the question: equal for equal questions."""
        return pickle.dumps((self.ask.__name__, self.args))


Search: TypeAlias = Generator[MapTask, list[Any], R]
"""An objective: it yields questions, is sent the units' answers in order, and returns what it found."""


class AgentRows(NamedTuple):
    """Some agents of a chunk: their `rows` (n, K), `weights` (n,) and `places` (n,) in the whole table."""

    rows: np.ndarray
    weights: np.ndarray
    places: np.ndarray


def take_agents(unit: RowChunk, columns: Columns, places: np.ndarray) -> AgentRows:
    """Return the agents at these positions in the chunk."""
    return AgentRows(columns.take(places), columns.weights_at(places), places + unit.start)


def concat_agents(parts: Sequence[AgentRows]) -> AgentRows:
    """Concatenate the agents of several chunks."""
    return AgentRows(*(np.concatenate(list(column)) for column in zip(*parts, strict=True)))


def exact_sum(parts: Sequence[Any]) -> np.ndarray:
    """Return the exact sum of equally shaped arrays or numbers, rounded once.

    >>> float(exact_sum([1e16, 1.0, -1e16]))
    1.0
    """
    stacked = np.asarray(parts, dtype=float)
    flat = stacked.reshape(len(stacked), -1)
    if not np.isfinite(flat).all():
        return flat.sum(axis=0).reshape(stacked.shape[1:])
    return np.array([math.fsum(column) for column in flat.T.tolist()]).reshape(stacked.shape[1:])


class ChunkSummary(NamedTuple):
    """The result of the first pass on one chunk; see `passes.look`.

    `sets` and `counts` are its distinct favourite sets. Arms with the same number in `alike` (K,) are duplicates here.
    """

    gap: float
    sets: np.ndarray
    counts: np.ndarray
    high: np.ndarray
    low: np.ndarray
    moments: np.ndarray
    nothing: float
    weight: int
    sample: AgentRows
    worst: AgentRows
    alike: np.ndarray


def summarise_chunk(source: ChunkSource, unit: RowChunk, columns: Columns, tolerance: float) -> ChunkSummary:
    """Compute the summary of a chunk in the first pass; raise `FileError` if an entry is invalid."""
    bad, gap, codes, high, low, moments, nothing = chunk_kernels.look(columns, tolerance)
    if bad >= 0:
        _reject_value(source, unit, columns, *divmod(bad, columns.arms))
    if columns.arms <= 64:
        sets, counts = merge_codes(codes, columns.weights)[:2]
    else:
        sets, counts = _collect_favourite_sets(columns, tolerance)
    weight = columns.rows if columns.weights is None else int(columns.weights.sum())
    some = max(WORST_OFF_PER_CHUNK, SAMPLE_ROWS // len(source.units))
    every = np.unique(np.linspace(0, columns.rows - 1, some).astype(np.int64))
    even = np.full((1, columns.arms), 1 / columns.arms)
    worst = chunk_kernels.worst(columns, even, WORST_OFF_PER_CHUNK)[0][1]
    sample, least = take_agents(unit, columns, every), take_agents(unit, columns, worst)
    return ChunkSummary(
        gap, sets, counts, high, low, moments, nothing, weight, sample, least, _find_equal_columns(columns, high, low)
    )


def _find_equal_columns(columns: Columns, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """Return (K,) the first duplicate of each arm in this chunk.

    Only arms with equal sums are compared, by digests of their columns.
    """
    alike = np.arange(columns.arms)
    if columns.arms <= MERGE_ARMS_ABOVE:
        return alike
    _, sums, counts = np.unique(np.column_stack([high, low]), axis=0, return_inverse=True, return_counts=True)
    first: dict[tuple[Any, ...], int] = {}
    for k in np.flatnonzero(counts[sums.ravel()] > 1).tolist():
        column = columns.arrays[k]
        alike[k] = first.setdefault((column.dtype, hashlib.sha256(column).digest()), k)
    return alike


def _collect_favourite_sets(columns: Columns, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the distinct favourite sets as (m, K) rows of 0 and 1, and their counts; for more than 64 arms."""
    sets, counts = [], []
    for start in range(0, columns.rows, NUMPY_BATCH_ROWS):
        places = np.arange(start, min(start + NUMPY_BATCH_ROWS, columns.rows))
        rows = columns.take(places)
        wanted = (rows >= rows.max(axis=1, keepdims=True) - tolerance).astype(float)
        part = merge_rows(wanted, np.ascontiguousarray(columns.weights_at(places)))
        sets.append(part[0])
        counts.append(part[1])
    return merge_rows(np.concatenate(sets), np.concatenate(counts))[:2]


def _reject_value(source: ChunkSource, unit: RowChunk, columns: Columns, row: int, arm: int) -> None:
    value = float(columns.arrays[arm][row])
    low, high = source.scale
    if math.isfinite(value):
        advice = (
            "give the ends of the scale on which ratings were given: scale=(low, high), --scale on the command line."
        )
    else:
        advice = "write a number there, or leave that row out."
    source.refuse(unit, row, source.arms[arm], f"is {value:g}; expected a number from {low:g} to {high:g}; {advice}")


class WorstOffAgents(NamedTuple):
    """The worst-off agents of a chunk under one policy: their `utilities` in increasing order, and their rows."""

    utilities: np.ndarray
    agents: AgentRows


def find_worst_off(source: ChunkSource, unit: RowChunk, columns: Columns, policies: np.ndarray) -> list[WorstOffAgents]:
    """Return the agents with the lowest utility, for each row of `policies` (P, K)."""
    found = chunk_kernels.worst(columns, policies, WORST_OFF_PER_CHUNK)
    return [WorstOffAgents(utilities, take_agents(unit, columns, places)) for utilities, places in found]


def find_worst_off_batch(
    source: ChunkSource, unit: RowChunk, columns: Columns, asked: list[tuple[Any, ...]]
) -> list[list[WorstOffAgents]]:
    """Answer several `find_worst_off` questions in one pass over the columns."""
    found = iter(find_worst_off(source, unit, columns, np.concatenate([policies for (policies,) in asked])))
    return [[next(found) for _ in policies] for (policies,) in asked]


class NewtonSums(NamedTuple):
    """A chunk's part of the Nash welfare at a policy; see `passes.newton`. `extreme` get least of their best."""

    slope: np.ndarray
    curve: np.ndarray
    log: float
    starved: float
    ratios: np.ndarray
    extreme: AgentRows


def compute_newton_sums(
    source: ChunkSource, unit: RowChunk, columns: Columns, policy: np.ndarray, bends: bool
) -> NewtonSums:
    """Compute a chunk's value, gradient and curvature of the Nash welfare at a policy, and its worst-off agents."""
    slope, curve, log, starved, ratios, places = chunk_kernels.newton(columns, policy, WORST_OFF_PER_CHUNK, bends)
    return NewtonSums(slope, curve, log, starved, ratios, take_agents(unit, columns, places))


def compute_variation(
    source: ChunkSource, unit: RowChunk, columns: Columns, policy: np.ndarray, level: float
) -> tuple[Any, ...]:
    """Compute the spread of utilities around `level` at a policy; see `passes.vary`."""
    return chunk_kernels.vary(columns, policy, level)


def measure_neglect(
    source: ChunkSource,
    unit: RowChunk,
    columns: Columns,
    policy: np.ndarray,
    level: float,
    tolerance: float,
    sets: np.ndarray,
) -> tuple[np.ndarray, float]:
    """Find the agents that a policy neglects.

    Return (m,) the minimum of a·p / max a over the agents of each of the `sets`, and the weight of the agents who get
    less than `level`, of their best utility or of their favourites' probability.
    """
    least, weight = np.full(len(sets), np.inf), 0.0
    order = {row.tobytes(): i for i, row in enumerate(sets)} if sets.ndim > 1 else {}
    for start in range(0, columns.rows, NUMPY_BATCH_ROWS):
        places = np.arange(start, min(start + NUMPY_BATCH_ROWS, columns.rows))
        rows = columns.take(places)
        best = rows.max(axis=1)
        wanted = rows >= best[:, None] - tolerance
        parts = np.where(best > 0, (rows @ policy) / np.where(best > 0, best, 1), 1.0)
        if sets.ndim == 1:
            member = np.searchsorted(sets, wanted @ (np.uint64(1) << np.arange(rows.shape[1], dtype=np.uint64)))
        else:
            member = np.array([order[row.tobytes()] for row in wanted.astype(float)])
        np.minimum.at(least, member, parts)
        lacking = (parts < level) | (wanted @ policy < level)
        weight += float(columns.weights_at(places)[lacking].sum())
    return least, weight


BATCHED_TASKS: dict[Callable[..., Any], Callable[..., Any]] = {find_worst_off: find_worst_off_batch}
"""Kinds of questions of which several cost less when they are asked at once."""


def map_chunk(source: ChunkSource, unit: RowChunk, columns: Columns, questions: Sequence[MapTask]) -> list[Any]:
    """Return the answers of a chunk to all questions."""
    found: dict[int, Any] = {}
    for kind, together in BATCHED_TASKS.items():
        alike = [i for i, question in enumerate(questions) if question.ask is kind]
        if len(alike) > 1:
            replies = together(source, unit, columns, [questions[i].args for i in alike])
            found.update(zip(alike, replies, strict=True))
    return [
        found[i] if i in found else question.ask(source, unit, columns, *question.args)
        for i, question in enumerate(questions)
    ]

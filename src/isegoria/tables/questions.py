"""The questions that are asked of every unit, and the sums of their answers, taken in the order of the units.

A question is a function at the top of a module and its arguments; its answer on a unit depends on nothing else. Sums
over units are exact (`math.fsum`), so that they do not depend on who answered first.
"""

from __future__ import annotations

import hashlib
import math
import pickle
from collections.abc import Callable, Generator, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from isegoria.rows.merge import merge_codes, merge_rows
from isegoria.solvers.sizes import CLONED_ARMS
from isegoria.tables import passes
from isegoria.tables.columns import Columns
from isegoria.tables.sources import TableSource, Unit

R = TypeVar("R")

SAMPLE = 20_000
"""Rows that are looked at more closely, to begin somewhere: about so many in all units together."""

LEAST = 64
"""Those of a unit who are worst off: as many as there are ranks that matter to the Gini welfare."""


CHUNK = 10_000
"""Rows at a time where NumPy does the work."""


class Question(NamedTuple):
    """What every unit is asked: `ask(source, unit, columns, *args)`, or with others of its kind at once: `TOGETHER`."""

    ask: Callable[..., Any]
    args: tuple[Any, ...] = ()

    @property
    def key(self) -> bytes:
        """The same for the same question."""
        return pickle.dumps((self.ask.__name__, self.args))


Asking: TypeAlias = Generator[Question, list[Any], R]
"""An objective: it yields questions, is sent the units' answers in order, and returns what it found."""


class AgentRows(NamedTuple):
    """Some agents of a unit: their `rows` (n, K), `weights` (n,) and `places` (n,) in the whole table."""

    rows: np.ndarray
    weights: np.ndarray
    places: np.ndarray


def rows_at(unit: Unit, columns: Columns, places: np.ndarray) -> AgentRows:
    """The agents at these places of the unit."""
    return AgentRows(columns.take(places), columns.weights_at(places), places + unit.start)


def joined(parts: Sequence[AgentRows]) -> AgentRows:
    """The agents of several units."""
    return AgentRows(*(np.concatenate(list(column)) for column in zip(*parts, strict=True)))


def total(parts: Sequence[Any]) -> np.ndarray:
    """The exact sum of equally shaped arrays or numbers, rounded once.

    >>> float(total([1e16, 1.0, -1e16]))
    1.0
    """
    stacked = np.asarray(parts, dtype=float)
    flat = stacked.reshape(len(stacked), -1)
    if not np.isfinite(flat).all():
        return flat.sum(axis=0).reshape(stacked.shape[1:])
    return np.array([math.fsum(column) for column in flat.T.tolist()]).reshape(stacked.shape[1:])


class UnitSummary(NamedTuple):
    """What a unit says at the first look: see `passes.look`; `sets` and `counts` are its distinct favourite sets, and
    arms of the same number in `alike` (K,) have the same means here."""

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


def unit_summary(source: TableSource, unit: Unit, columns: Columns, tolerance: float) -> UnitSummary:
    """The first look at a unit, which also checks its entries."""
    bad, gap, codes, high, low, moments, nothing = passes.look(columns, tolerance)
    if bad >= 0:
        _refuse(source, unit, columns, *divmod(bad, columns.arms))
    if columns.arms <= 64:
        sets, counts = merge_codes(codes, columns.weights)[:2]
    else:
        sets, counts = _sets(columns, tolerance)
    weight = columns.rows if columns.weights is None else int(columns.weights.sum())
    some = max(LEAST, SAMPLE // len(source.units))
    every = np.unique(np.linspace(0, columns.rows - 1, some).astype(np.int64))
    even = np.full((1, columns.arms), 1 / columns.arms)
    worst = passes.worst(columns, even, LEAST)[0][1]
    sample, least = rows_at(unit, columns, every), rows_at(unit, columns, worst)
    return UnitSummary(
        gap, sets, counts, high, low, moments, nothing, weight, sample, least, _alike(columns, high, low)
    )


def _alike(columns: Columns, high: np.ndarray, low: np.ndarray) -> np.ndarray:
    """(K,) the first of the arms with the same means; only those with the same sum are compared, by their digests."""
    alike = np.arange(columns.arms)
    if columns.arms <= CLONED_ARMS:
        return alike
    _, sums, counts = np.unique(np.column_stack([high, low]), axis=0, return_inverse=True, return_counts=True)
    first: dict[tuple[Any, ...], int] = {}
    for k in np.flatnonzero(counts[sums.ravel()] > 1).tolist():
        column = columns.arrays[k]
        alike[k] = first.setdefault((column.dtype, hashlib.sha256(column).digest()), k)
    return alike


def _sets(columns: Columns, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    """The distinct favourite sets as (m, K) rows of 0 and 1, where they are too wide for a code."""
    sets, counts = [], []
    for start in range(0, columns.rows, CHUNK):
        places = np.arange(start, min(start + CHUNK, columns.rows))
        rows = columns.take(places)
        wanted = (rows >= rows.max(axis=1, keepdims=True) - tolerance).astype(float)
        part = merge_rows(wanted, np.ascontiguousarray(columns.weights_at(places)))
        sets.append(part[0])
        counts.append(part[1])
    return merge_rows(np.concatenate(sets), np.concatenate(counts))[:2]


def _refuse(source: TableSource, unit: Unit, columns: Columns, row: int, arm: int) -> None:
    value = float(columns.arrays[arm][row])
    low, high = source.scale
    if math.isfinite(value):
        advice = (
            "give the ends of the scale on which ratings were given: scale=(low, high), --scale on the command line."
        )
    else:
        advice = "write a number there, or leave that row out."
    source.refuse(unit, row, source.arms[arm], f"is {value:g}; expected a number from {low:g} to {high:g}; {advice}")


class WorstOff(NamedTuple):
    """Those of a unit who get least under one policy: their `utilities`, in increasing order, and who they are."""

    utilities: np.ndarray
    agents: AgentRows


def worst_off(source: TableSource, unit: Unit, columns: Columns, policies: np.ndarray) -> list[WorstOff]:
    """Those who get least, for each row of `policies` (P, K)."""
    found = passes.worst(columns, policies, LEAST)
    return [WorstOff(utilities, rows_at(unit, columns, places)) for utilities, places in found]


def worst_off_together(
    source: TableSource, unit: Unit, columns: Columns, asked: list[tuple[Any, ...]]
) -> list[list[WorstOff]]:
    """The answers to several of these questions, from one look at the columns."""
    found = iter(worst_off(source, unit, columns, np.concatenate([policies for (policies,) in asked])))
    return [[next(found) for _ in policies] for (policies,) in asked]


class NewtonSums(NamedTuple):
    """What a unit adds to the Nash welfare at a policy: see `passes.newton`; `extreme` get least of their best."""

    slope: np.ndarray
    curve: np.ndarray
    log: float
    starved: float
    ratios: np.ndarray
    extreme: AgentRows


def newton_sums(source: TableSource, unit: Unit, columns: Columns, policy: np.ndarray, bends: bool) -> NewtonSums:
    """The Nash welfare at a policy: its value, slope and curvature, and those it treats worst."""
    slope, curve, log, starved, ratios, places = passes.newton(columns, policy, LEAST, bends)
    return NewtonSums(slope, curve, log, starved, ratios, rows_at(unit, columns, places))


def varied(source: TableSource, unit: Unit, columns: Columns, policy: np.ndarray, level: float) -> tuple[Any, ...]:
    """How utilities vary around `level` at a policy: see `passes.vary`."""
    return passes.vary(columns, policy, level)


def neglected(
    source: TableSource,
    unit: Unit,
    columns: Columns,
    policy: np.ndarray,
    level: float,
    tolerance: float,
    sets: np.ndarray,
) -> tuple[np.ndarray, float]:
    """((m,) the least a·p / max a of the agents of each of the `sets`, the weight of those who get less than `level`).

    Less of their best in utility, or of a favourite at all.
    """
    least, weight = np.full(len(sets), np.inf), 0.0
    order = {row.tobytes(): i for i, row in enumerate(sets)} if sets.ndim > 1 else {}
    for start in range(0, columns.rows, CHUNK):
        places = np.arange(start, min(start + CHUNK, columns.rows))
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


TOGETHER: dict[Callable[..., Any], Callable[..., Any]] = {worst_off: worst_off_together}
"""Kinds of questions of which several cost less when they are asked at once."""


def unit_answers(source: TableSource, unit: Unit, columns: Columns, questions: Sequence[Question]) -> list[Any]:
    """The answers of a unit to all questions."""
    found: dict[int, Any] = {}
    for kind, together in TOGETHER.items():
        alike = [i for i, question in enumerate(questions) if question.ask is kind]
        if len(alike) > 1:
            replies = together(source, unit, columns, [questions[i].args for i in alike])
            found.update(zip(alike, replies, strict=True))
    return [
        found[i] if i in found else question.ask(source, unit, columns, *question.args)
        for i, question in enumerate(questions)
    ]

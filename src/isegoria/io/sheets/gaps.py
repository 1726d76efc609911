"""Gaps in a table of ratings: filled, or kept as abstentions or unknown ratings, in dense and sparse tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from isegoria.errors import FileError
from isegoria.io.option_suggestions import AdvisedMessage, OptionSuggestion
from isegoria.io.sheets.cells import advise_missing, shortest_repr
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.profiles.stated_ratings import StatedRatings
from isegoria.utils.formatting import pluralise

SPARSE_ABOVE_CELLS = 1_000_000
SPARSE_BELOW_SHARE = 0.25
"""A long table with more cells than this, of which fewer than this share are stated, stays sparse."""


def resolve_gaps(
    parts: dict[str, Any], options: ReadOptions, where: str, note: Callable[[str], None]
) -> dict[str, Any]:
    """Return the `parts` of an `Instance` with the NaNs of its means resolved as `options.missing` says.

    The entry "stated" says who stated what, if there were gaps.
    """
    means = parts["means"]
    gaps = np.isnan(means)
    if not gaps.any() or options.missing == "refuse":
        return parts
    count = int(gaps.sum())
    if options.missing == "drop":
        kept = ~gaps.any(axis=1)
        if not kept.any():
            raise _nobody_left_error(where)
        note(f"left out {pluralise(int((~kept).sum()), 'agent')} of {len(means):,}, who have gaps")
        return _select_agents(parts, kept)
    silent = gaps.all(axis=1)
    if options.missing == "abstain":
        parts = _leave_out_abstentions(parts, silent, where, note)
        means, left = parts["means"], count - int(silent.sum()) * means.shape[1]
        if left:
            note(_describe_fill(left, options))
        return parts | {"means": np.where(np.isnan(means), 0.0, means)}
    filled = parts | {"means": np.where(gaps, _fill_value(options), means)}
    if options.missing == "unknown":
        note(f"{pluralise(count, 'rating')} {'is' if count == 1 else 'are'} unknown and counted as the lowest")
        return filled | {"stated": StatedRatings(silent=silent, stated=~gaps)}
    note(_describe_fill(count, options))
    return filled | {"stated": StatedRatings(silent=silent)}


def pivot_long(
    rows: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    agents: Sequence[str],
    arms: Sequence[str],
    options: ReadOptions,
    where: str,
    note: Callable[[str], None],
) -> dict[str, Any]:
    """Return the parts of an `Instance` from long columns: the means `values` of agent `rows` and arm `columns`.

    NaN is a gap, as is every pair without a line. A large table with few values stays sparse where gaps are the lowest.
    """
    shape = len(agents), len(arms)
    known = ~np.isnan(values)
    parts: dict[str, Any] = {"agents": agents, "arms": arms}
    cells = shape[0] * shape[1]
    if cells <= SPARSE_ABOVE_CELLS or len(values) >= SPARSE_BELOW_SHARE * cells or _fill_value(options) != 0:
        pairs = rows * shape[1] + columns
        _require_single_lines(np.bincount(pairs, minlength=cells), agents, arms, options, where)
        means = np.full(shape, np.nan)
        means.reshape(-1)[pairs] = values
        return resolve_gaps(parts | {"means": means}, options, where, note)
    from scipy.sparse import csr_array

    table = csr_array((values[known], (rows[known], columns[known])), shape=shape)
    if table.nnz < known.sum():
        _require_single_lines(np.bincount(rows * shape[1] + columns), agents, arms, options, where)
    stated = np.diff(table.indptr)
    gaps = cells - int(stated.sum())
    if options.missing == "refuse":
        row = int(np.flatnonzero(stated < shape[1])[0])
        arm = int(np.setdiff1d(np.arange(shape[1]), table[[row]].indices)[0])
        raise FileError(_advise_missing_pair(where, agents[row], arms[arm], gaps))
    parts |= {"means": table}
    if options.missing == "drop":
        kept = stated == shape[1]
        if not kept.any():
            raise _nobody_left_error(where)
        note(f"left out {pluralise(int((~kept).sum()), 'agent')} of {shape[0]:,}, who have gaps")
        return _select_agents(parts, kept)
    silent = stated == 0
    if options.missing == "abstain":
        note(_describe_fill(gaps - int(silent.sum()) * shape[1], options))
        return _leave_out_abstentions(parts, silent, where, note)
    if options.missing == "unknown":
        note(f"{gaps:,} ratings are unknown and counted as the lowest")
        pattern = csr_array((np.ones(table.nnz, bool), table.indices.copy(), table.indptr.copy()), shape=shape)
        return parts | {"stated": StatedRatings(silent=silent, stated=pattern)}
    note(_describe_fill(gaps, options))
    return parts | {"stated": StatedRatings(silent=silent)}


def _fill_value(options: ReadOptions) -> float:
    """Return the mean that a gap counts as."""
    low, high = options.ends
    return (float(options.missing) - low) / (high - low) if isinstance(options.missing, float | int) else 0.0


def _describe_fill(count: int, options: ReadOptions) -> str:
    low, _ = options.ends
    value = float(options.missing) if isinstance(options.missing, float | int) else low
    which = "" if isinstance(options.missing, float | int) else ", the lowest rating"
    return f"{pluralise(count, 'gap')} {'counts' if count == 1 else 'count'} as {shortest_repr(value)}{which}"


def _leave_out_abstentions(
    parts: dict[str, Any], silent: np.ndarray, where: str, note: Callable[[str], None]
) -> dict[str, Any]:
    if silent.all():
        raise FileError(f"{where}: nobody stated a rating, so everybody abstains; there is nothing to decide by.")
    if not silent.any():
        return parts
    names = _list_names(parts, len(silent))
    absent = np.flatnonzero(silent).tolist()
    weight = int(np.asarray(parts["weights"])[silent].sum()) if parts.get("weights") is not None else len(absent)
    note(f"{pluralise(weight, 'agent')} stated nothing and abstain{'s' if weight == 1 else ''}")
    left = _select_agents(parts, ~silent)
    return left | {"stated": StatedRatings(tuple(names[row] for row in absent), weight)}


def _select_agents(parts: dict[str, Any], kept: np.ndarray) -> dict[str, Any]:
    places = np.flatnonzero(kept).tolist()
    names = _list_names(parts, len(kept))
    left = {"means": parts["means"][places], "agents": [names[row] for row in places], "arms": parts["arms"]}
    return left | ({"weights": [parts["weights"][row] for row in places]} if "weights" in parts else {})


def _list_names(parts: dict[str, Any], count: int) -> Sequence[str]:
    return parts["agents"] or [f"Agent {row + 1}" for row in range(count)]


def _require_single_lines(
    counts: np.ndarray, agents: Sequence[str], arms: Sequence[str], options: ReadOptions, where: str
) -> None:
    """Raise `FileError` for a pair with two lines, or if gaps are refused for one with none."""
    if (counts > 1).any():
        agent, arm = divmod(int(counts.argmax()), len(arms))
        raise FileError(
            f"{where} has {counts.max()} lines for agent '{agents[agent]}' and arm '{arms[arm]}'; keep one of them."
        )
    missing = np.flatnonzero(counts == 0)
    if missing.size and options.missing == "refuse":
        agent, arm = divmod(int(missing[0]), len(arms))
        raise FileError(_advise_missing_pair(where, agents[agent], arms[arm], missing.size))


def _advise_missing_pair(where: str, agent: str, arm: str, count: int) -> AdvisedMessage:
    others = f" (and {pluralise(count - 1, 'more pair')})" if count > 1 else ""
    return advise_missing(
        f"{where} has no line for agent '{agent}' and arm '{arm}'{others}; every agent needs a value for every arm: "
        "add the line, or leave out that agent or arm altogether"
    )


def _nobody_left_error(where: str) -> FileError:
    return FileError(
        AdvisedMessage(
            f"{where}: every agent has a gap",
            ", so --missing drop leaves nobody; say --missing lowest.",
            [OptionSuggestion.of(missing="lowest")],
        )
    )

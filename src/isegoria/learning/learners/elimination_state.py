"""Saving and restoring the elimination learner's own state: pairs, candidates, resolved agents and announcements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.errors import StateError
from isegoria.learning.base.state_format import decode_array
from isegoria.learning.confidence_sets.matched_pairs import PAIR, unheard, unknown_pairs

if TYPE_CHECKING:
    from isegoria.learning.learners.elimination import EliminationLearner

OPEN_PAIR_FIELDS = ("bet", "ahead", "own", "leader", "ahead_size", "own_size", "ahead_seen", "own_seen")
"""What is kept of a pair only while it is open."""

PAIR_CHUNK_SIZE = 16_384
"""Pairs whose parts are taken out together: few enough to stay in the processor's cache."""


def dump_extra(learner: EliminationLearner) -> dict[str, Any]:
    """Return the elimination learner's own state; counts and sums only if an alarm made them differ from the tally."""
    sets = learner._candidates
    sets.write_down()
    pairs, heard, is_open = sets.pairs, sets.heard, sets.pairs["leader"] >= 0
    anew = bool(learner.alarms) and not (
        np.array_equal(heard["n"], learner._tally.counts) and np.array_equal(heard["total"], learner._tally.sums)
    )
    return {
        "pairs": {
            "n": heard["n"].copy() if anew else None,
            "total": heard["total"].copy() if anew else None,
            "spread": heard["spread"].copy(),
            "capital": pairs["capital"].copy(),
            "paid": pairs["paid"].copy() if pairs["paid"].any() else None,
            "open": np.packbits(is_open),
            **_take_open_pairs(pairs.reshape(-1), is_open.reshape(-1)),
        },
        "kept": sets.kept,
        "close": np.packbits(sets.close),
        "resolved_at": sets.resolved_at,
        "announced": learner._announced,
        "all_resolved": learner._all_resolved,
        "alarms": [list(alarm) for alarm in learner._alarms],
        "news": [[int(i), int(sets.alarmed_at[i]), int(sets.unfit[i])] for i in np.flatnonzero(sets.alarmed_at)],
        "resolved_policy": learner._voices.resolved_policy.tolist(),
        "solved": learner._voices.solved(),
        "first": learner._first,
        "joins": learner._joins,
        "played_at": list(learner._played_at),
        "since": [[row, round_, list(pulls)] for row, (round_, pulls) in learner._since.items()],
    }


def _take_open_pairs(pairs: np.ndarray, is_open: np.ndarray) -> dict[str, np.ndarray]:
    """Return the fields of the open pairs, by name; each record is read once, since records are far apart in memory."""
    count, done = np.count_nonzero(is_open), 0
    found = {name: np.empty((count, *PAIR[name].shape), PAIR[name].base) for name in OPEN_PAIR_FIELDS}
    for start in range(0, len(pairs), PAIR_CHUNK_SIZE):
        part = slice(start, start + PAIR_CHUNK_SIZE)
        some = pairs[part].take(np.flatnonzero(is_open[part]))
        for name, values in found.items():
            values[done : done + len(some)] = some[name]
        done += len(some)
    return found


def restore_extra(learner: EliminationLearner, state: dict[str, Any]) -> None:
    """Restore the learner from what `dump_extra` returned."""
    learner._first, learner._joins = int(state["first"]), int(state["joins"])
    del learner._candidates
    learner.on_roster_change()
    sets, agents, arms = learner._candidates, len(learner._agents), len(learner._arms)
    close = np.unpackbits(decode_array(state["close"]), count=agents)
    resolved_at = decode_array(state["resolved_at"])
    learner._announced = decode_array(state["announced"])
    if resolved_at.shape != (agents,) or learner._announced.shape != (agents,):
        raise StateError("the state's 'resolved_at' does not fit its agents; use the last complete copy.")
    sets.hold(
        _load_pairs(learner, state["pairs"]), _load_reward_stats(learner, state["pairs"]), decode_array(state["kept"])
    )
    sets.judge_from(close, resolved_at)
    for agent, round_, arm in state["news"]:
        sets.alarmed_at[agent], sets.unfit[agent] = round_, arm
    sets.news = bool(state["news"]) or not np.array_equal(resolved_at, learner._announced)
    learner._all_resolved = bool(state["all_resolved"])
    learner._alarms = [(int(round_), str(agent)) for round_, agent in state["alarms"]]
    learner._played_at = [int(round_) for round_ in state["played_at"]]
    learner._since = {int(row): (int(round_), tuple(pulls)) for row, round_, pulls in state["since"]}
    if len(learner._played_at) != arms:
        raise StateError("the state's 'played_at' does not fit its arms; use the last complete copy.")
    learner._renew_voices()
    learner._voices.go_on_from(state["resolved_policy"], bool(state["solved"]))


def _load_pairs(learner: EliminationLearner, saved: dict[str, Any]) -> np.ndarray:
    pairs = unknown_pairs(len(learner._arms), len(learner._agents))
    is_open = np.unpackbits(decode_array(saved["open"]), count=pairs.size).astype(bool).reshape(pairs.shape)
    pairs["capital"] = decode_array(saved["capital"])
    if saved["paid"] is not None:
        pairs["paid"] = decode_array(saved["paid"])
    for name in OPEN_PAIR_FIELDS:
        pairs[name][is_open] = decode_array(saved[name])
    return pairs


def _load_reward_stats(learner: EliminationLearner, saved: dict[str, Any]) -> np.ndarray:
    heard = unheard(len(learner._arms), len(learner._agents))
    heard["n"] = learner._tally.counts if saved["n"] is None else decode_array(saved["n"])
    heard["total"] = learner._tally.sums if saved["total"] is None else decode_array(saved["total"])
    heard["spread"] = decode_array(saved["spread"])
    heard["mean"] = (heard["total"] + 0.5) / (heard["n"] + 1.0)
    return heard

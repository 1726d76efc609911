"""Representation over time: does every group that agrees often approve its part of the decisions?

A group S of n members that agrees on some option in k rounds is due ⌊k·|S|/n⌋ decisions. Under PJR some member of S
approves each of that many decisions, not always the same one; under EJR one and the same member does. The weak versions
speak only of groups that agree in every round. Verification is coNP-hard: groups are enumerated, up to 16 members.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import InputError

MAX_MEMBERS_ENUMERATED = 16
TEMPORAL_AXIOMS = ("weak-pjr", "weak-ejr", "pjr", "ejr")


class TemporalVerdict(NamedTuple):
    """Whether decisions represent every group: `holds` (None: not decided), a `group` that lacks most, and a sentence.

    The group is `due` that many decisions, and `has` so many.
    """

    axiom: str
    holds: bool | None
    group: tuple[int, ...]
    due: int
    has: int
    sentence: str


def check_over_time(approvals: Any, decided: Sequence[int]) -> dict[str, TemporalVerdict]:
    """Check weak and plain PJR and EJR of decisions over time, exactly.

    Parameters
    ----------
    approvals : array-like of bool (T, N, K)
        Who approves what in which round.
    decided : sequence of int
        (T,) The option decided in each round, from 0.

    Returns
    -------
    dict of str to TemporalVerdict
        For "weak-pjr", "weak-ejr", "pjr" and "ejr"; undecided above 16 members.

    Raises
    ------
    InputError
        If the shapes do not fit.

    Examples
    --------
    >>> votes = [[[1, 0], [1, 0], [0, 1]]] * 3  # three rounds, three members, two options
    >>> verdicts = check_over_time(votes, [0, 0, 0])
    >>> {axiom: verdict.holds for axiom, verdict in verdicts.items()}
    {'weak-pjr': False, 'weak-ejr': False, 'pjr': False, 'ejr': False}
    >>> verdicts["ejr"].sentence
    'Member 2 agrees in 3 of 3 rounds and is due 1 of the decisions, but approves 0.'
    >>> check_over_time(votes, [0, 1, 0])["ejr"].holds
    True
    """
    ballots, played = np.asarray(approvals, dtype=bool), np.asarray(decided)
    fits = ballots.ndim == 3 and ballots.size > 0 and played.shape == (len(ballots),) and played.dtype.kind in "iu"
    if not fits or played.min() < 0 or played.max() >= ballots.shape[2]:
        raise InputError(
            f"approvals has the shape {ballots.shape} and decided {played.shape}; expected (T, N, K), and T options "
            "from 0 to K − 1."
        )
    rounds, members, _ = ballots.shape
    if members > MAX_MEMBERS_ENUMERATED:
        why = f"Not decided: there are {members} members, and groups are enumerated up to {MAX_MEMBERS_ENUMERATED}."
        return {axiom: TemporalVerdict(axiom, None, (), 0, 0, why) for axiom in TEMPORAL_AXIOMS}
    groups = np.arange(1 << members)
    sizes = sum((groups >> i) & 1 for i in range(members))
    agreed, together = np.zeros(len(groups), dtype=np.int64), np.zeros(len(groups), dtype=np.int64)
    best = np.zeros(len(groups), dtype=np.int64)
    for table, option in zip(ballots, played.tolist(), strict=True):
        supporters = table.T.astype(np.int64) @ (1 << np.arange(members))
        agreed += _mark_subsets(supporters, members)
        together += (groups & int(supporters[option])) > 0
    wins = np.take_along_axis(ballots, played[:, None, None], axis=2)[:, :, 0].sum(axis=0)
    for i, won in enumerate(wins.tolist()):
        best = np.where((groups >> i) & 1, np.maximum(best, won), best)
    due = agreed * sizes // members
    weak = np.where(agreed == rounds, due, 0)
    claims = {"weak-pjr": (weak, together), "weak-ejr": (weak, best), "pjr": (due, together), "ejr": (due, best)}
    return {axiom: _judge(axiom, *claim, agreed, rounds) for axiom, claim in claims.items()}


def _mark_subsets(supporters: np.ndarray, members: int) -> np.ndarray:
    """Return booleans (2^n,) that mark every group of which all members support one option."""
    marked = np.zeros(1 << members, dtype=bool)
    marked[supporters] = True
    for i in range(members):
        pairs = marked.reshape(-1, 2, 1 << i)
        pairs[:, 0] |= pairs[:, 1]
    return marked


def _judge(axiom: str, due: np.ndarray, has: np.ndarray, agreed: np.ndarray, rounds: int) -> TemporalVerdict:
    """Return the verdict; the witness is the group that lacks most, the first of those."""
    worst = int(np.argmax(due - has))
    lack = int(due[worst] - has[worst])
    if lack <= 0:
        return TemporalVerdict(axiom, True, (), 0, 0, "Every group approves its part of the decisions.")
    group = tuple(i for i in range(int(due.size).bit_length() - 1) if worst >> i & 1)
    who = f"Member {group[0]} agrees" if len(group) == 1 else f"Members {', '.join(map(str, group))} agree"
    verb, end = ("is", "approves") if len(group) == 1 else ("are", "approve together")
    if axiom.endswith("ejr") and len(group) > 1:
        end = "none of them approves more than"
    sentence = f"{who} in {agreed[worst]} of {rounds} rounds and {verb} due {due[worst]} of the decisions, but {end} "
    return TemporalVerdict(axiom, False, group, int(due[worst]), int(has[worst]), f"{sentence}{has[worst]}.")

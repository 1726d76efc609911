"""Stability: can a coalition, given its share of the policy, do better for all its members? (Definitions 8 and 9)

The verdict is never a guess: *stable* rests on a proof, to 1e-9 or to the bound said beside it, *blocked* on a
coalition that was checked by plain arithmetic, and what neither settles within the time limit is *undecided*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from isegoria import tolerances
from isegoria.arguments import checked_instance
from isegoria.errors import InputError, unknown
from isegoria.instance import Instance
from isegoria.instance.policies import PolicyLike
from isegoria.rows.listed import listed, merge_lists
from isegoria.rows.merge import merge_rows
from isegoria.solvers.coalition.blocking import blocks, single_arm
from isegoria.solvers.coalition.search import MOST_ASKED, search
from isegoria.solvers.flow.dinic import max_flow
from isegoria.voice import flows

if TYPE_CHECKING:
    from isegoria.rules.names import CoreName

KINDS = {"procedural": "decision shares", "outcome": "utilities"}

QUICK_ENTRIES = 1_000_000
"""Means that are merged into types in some hundredths of a second; of more, what needs no merging is asked first."""


@dataclass(frozen=True, eq=False)
class CoreVerdict:
    """Whether a policy is in the core, and why.

    - `kind`: "procedural" (of decision shares) or "outcome" (of utilities).
    - `stable`: True, False, or None for undecided.
    - `proof`: one sentence that says what the verdict rests on.
    - `coalition`: when blocked, the indices of its members, ascending (`agents` are their names); else None.
    - `deviation`: when blocked, the policy (K,) that the coalition would play; else None.
    - `gains`: when blocked, what each member gains, (|A|/N) v_i(Q) − v_i(P), in the order of `coalition`; else None.
    - `bound`: what no group can gain more than, in units of each agent's best, when stable is proved only to that or
      when undecided; None where stable is proved to 1e-9, where blocked, and where no bound was reached.
    """

    kind: str
    stable: bool | None
    proof: str
    coalition: np.ndarray | None = None
    agents: tuple[str, ...] | None = None
    deviation: np.ndarray | None = None
    gains: np.ndarray | None = None
    bound: float | None = None

    def __bool__(self) -> bool:
        raise TypeError("a verdict has three values; ask for .stable, which is True, False or None (undecided).")


@dataclass(frozen=True)
class _Question:
    """The core's question: who values what (m, K), each row in units of its `best`, with shares of the group, present
    values in those units, and the row that each agent is a `member` of."""

    kind: str
    policy: np.ndarray
    rows: np.ndarray
    best: np.ndarray
    shares: np.ndarray
    values: np.ndarray
    member: np.ndarray | slice


def core(instance: Instance, policy: PolicyLike, kind: CoreName = "procedural", time_limit: float = 10) -> CoreVerdict:
    """The verdict on whether any coalition A blocks `policy`: some Q with (|A|/N) v_i(Q) ≥ v_i(P) for all i in A,
    and more for one of them, where v_i is the decision share ("procedural", Definition 9) or the utility ("outcome",
    Definition 8). Coalitions are not empty; a single agent is one, and blocks whatever is not its best.

    Equal agents join together: if some of a type block, all of it do, since more members bring a larger share. So a
    coalition always holds whole rows of `instance`, whatever their weight. `time_limit` is in seconds.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0.99], [0, 1]], agents=["Ann", "Ben"])
    >>> verdict = iso.core(instance, [0, 1])  # Theorem 3: Ann, who never gets her favourite, leaves alone
    >>> verdict.stable, verdict.agents, verdict.deviation.tolist(), verdict.gains.tolist()
    (False, ('Ann',), [1.0, 0.0], [0.5])
    >>> iso.core(instance, [0, 1], kind="outcome").stable
    True
    """
    seconds = _check(instance, kind, time_limit)
    return verdict(instance, instance.check_policy(policy), kind, seconds)


def verdict(instance: Instance, policy: np.ndarray, kind: str, seconds: float) -> CoreVerdict:
    """The verdict of `core` on a policy, with a kind and a time limit, that were checked before."""
    deadline = monotonic() + seconds
    if kind == "outcome" and (told := instance.worth(policy)) is not None:
        return _told_outcome(told, instance.total_weight)
    question = _question(instance, policy, kind)
    worth, gained = _nash_condition(question)
    if worth <= 1 + tolerances.NASH_GAP and gained <= tolerances.CORE_WEAK_BOUND:
        return _by_nash(kind, worth, gained)
    blocking = _neglected(instance, question) or single_arm(question, deadline)
    if blocking:
        return _blocked(instance, question, *blocking)
    if monotonic() > deadline:
        return _bounded(kind, seconds, gained)
    question = _merged(instance, question)
    found = search(question.rows, question.shares, question.values, deadline)
    if found is not None and found.members is not None and found.deviation is not None:
        return _blocked(instance, question, found.members, found.deviation)
    worth, gained = _nash_condition(question)  # of whole types, which gain less than one of many equal agents might
    if worth <= 1 + tolerances.NASH_GAP and gained <= tolerances.CORE_WEAK_BOUND:
        return _by_nash(kind, worth, gained)
    if found is None:
        return CoreVerdict(kind, None, _too_many(len(question.shares), worth), bound=gained if gained < 1 else None)
    return _bounded(kind, seconds, min(found.bound, gained))


def _told_outcome(worth: float, agents: int) -> CoreVerdict:
    """The outcome core of a table that is read a part at a time: proved by the Nash condition, or left undecided."""
    gained = _gain(worth, float(agents))  # by one agent, to whom nothing is worth more than its best
    if worth <= 1 + tolerances.NASH_GAP and gained <= tolerances.CORE_WEAK_BOUND:
        return _by_nash("outcome", worth, gained)
    told = "the policy is no optimum of the Nash product"
    if worth <= 1 + tolerances.NASH_GAP:
        told = f"the Nash product proves only that none can gain more than {gained:.1e} of a member's best"
    return CoreVerdict(
        "outcome",
        None,
        f"Undecided: the {agents:,} agents of a scanned table are too many to ask for every coalition, and "
        f"{told}. Ask about a sample of them, read as an Instance.",
        bound=gained if gained < 1 else None,
    )


def _bounded(kind: str, seconds: float, bound: float) -> CoreVerdict:
    """The verdict where no coalition was found, from what is proved about all of them."""
    if bound <= tolerances.CORE_GAIN:
        return CoreVerdict(kind, True, _bound_proof(tolerances.CORE_GAIN))
    if bound <= tolerances.CORE_WEAK_BOUND:
        return CoreVerdict(kind, True, _bound_proof(bound), bound=bound)
    known = f"none can gain more than {bound:.3g} in total" if math.isfinite(bound) else "no bound was reached"
    proof = f"Undecided after {seconds:g} s: no blocking coalition was found, and {known}; raise time_limit to go on."
    return CoreVerdict(kind, None, proof, bound=bound if math.isfinite(bound) else None)


def _check(instance: Instance, kind: str, time_limit: float) -> float:
    """The time limit in seconds, once the question is one that can be asked."""
    checked_instance(instance, "core")
    if not isinstance(kind, str) or kind not in KINDS:
        raise unknown("kind of core", kind, KINDS)
    return check_time_limit(time_limit)


def check_time_limit(time_limit: float) -> float:
    """`time_limit` as seconds above 0, or an error that says so."""
    if isinstance(time_limit, bool) or not isinstance(time_limit, (int, float, np.integer, np.floating)):
        raise InputError(f"time_limit is {time_limit!r}; give a number of seconds above 0, such as 10.")
    if not time_limit > 0:
        raise InputError(f"time_limit is {time_limit:g}; it must be above 0 seconds, such as 10.")
    return float(time_limit)


def _question(instance: Instance, policy: np.ndarray, kind: str) -> _Question:
    """The question as it is asked at first: of types; of the agents as they are, where merging would take its time."""
    if kind == "procedural":
        types = instance.favourite_types
        shares, rows = types.weights / instance.total_weight, types.rows.astype(float)
        return _Question(kind, policy, rows, np.ones(len(shares)), shares, rows @ policy, types.member)
    best = np.where(instance.best > 0, instance.best, 1.0)
    shares, values = instance.weights / instance.total_weight, instance.means @ policy / best
    question = _Question(kind, policy, instance.means, best, shares, values, slice(None))
    entries = instance.means.nnz if instance.is_sparse else instance.means.size
    return question if entries > QUICK_ENTRIES else _merged(instance, question)


def _merged(instance: Instance, question: _Question) -> _Question:
    """The same question of types: agents whose rows differ by a factor are one, with a best of 1."""
    if not isinstance(question.member, slice):
        return question
    if instance.is_sparse:
        rows, weights, member = merge_lists(listed(question.rows).divided(question.best), instance.given_weights)
        rows = rows.matrix()
    else:
        rows, weights, member = merge_rows(question.rows / question.best[:, None], instance.given_weights)
    shares, values = weights / instance.total_weight, rows @ question.policy
    return _Question(question.kind, question.policy, rows, np.ones(len(shares)), shares, values, member)


def _nash_condition(question: _Question) -> tuple[float, float]:
    """(worth, gain): the most that an arm is worth to the group, Σ_i (w_i/W) v_ik / v_i(P), which is 1 where P is an
    optimum of the Nash product; and what no coalition can gain more than in total, in units of each row's best.

    Who leaves as A with Q has Σ_A (w_i/W) v_i(Q)/v_i(P) ≤ worth; with gains g_i = |A|/N v_i(Q) − v_i(P) ≥ 0 that is
    Σ_A (w_i/W) g_i/v_i(P) ≤ |A|/N (worth − 1). Every value must be positive: an agent that values nothing joins any
    coalition for free, so then nothing is proved.
    """
    if question.values.min() <= 0:
        return math.inf, math.inf
    with np.errstate(
        over="ignore", divide="ignore", invalid="ignore"
    ):  # a value near 0 makes an infinite worth, which proves nothing
        worth = float(((question.shares / (question.values * question.best)) @ question.rows).max())
    return worth, _gain(worth, float((question.values / question.shares).max()))


def _gain(worth: float, most: float) -> float:
    """The bound on a gain: what the worth leaves open, and what its rounding may hide, for one of whom `most` is the
    largest v_i(P) W/w_i."""
    return (max(worth - 1, 0.0) + tolerances.WORTH_ROUNDING) * most if math.isfinite(worth) else math.inf


def _by_nash(kind: str, worth: float, gained: float) -> CoreVerdict:
    """The verdict *stable* by the Nash condition."""
    clear = gained <= tolerances.CORE_GAIN
    proved = "no coalition can improve on that" if clear else f"no coalition can gain more than {gained:.1e} by leaving"
    proof = (
        f"The policy maximises the Nash product of {KINDS[kind]} (relative gap {max(worth - 1, 0):.1e}), and {proved}."
    )
    return CoreVerdict(kind, True, proof, bound=None if clear else gained)


def _neglected(instance: Instance, question: _Question) -> tuple[np.ndarray, np.ndarray] | None:
    """A neglected coalition S and how it blocks in the procedural core, as the proof of Theorem 5 constructs it:
    the policy on S's favourites scaled by 1/α, α = |S|/N, and what is left of 1 on the favourite most of S share."""
    if question.kind != "procedural":
        return None
    *_, members = max_flow(flows(instance)[0], question.shares, question.policy)
    if not members.any():
        return None
    wanted = members @ question.rows > 0
    alpha = question.shares[members].sum()
    deviation = np.where(wanted, question.policy / alpha, 0.0)
    if 1 - deviation.sum() < tolerances.FAIR / alpha:
        return None
    deviation[np.argmax(question.shares[members] @ question.rows[members])] += 1 - deviation.sum()
    if not blocks(question.rows @ deviation, question.shares, question.values, members):
        return None
    return members, deviation


def _blocked(instance: Instance, question: _Question, members: np.ndarray, deviation: np.ndarray) -> CoreVerdict:
    """The verdict *blocked*, its gains computed once more from the instance itself, agent by agent."""
    indices = np.flatnonzero(members[question.member])
    values = instance._shares if question.kind == "procedural" else instance.means.__matmul__
    share = instance.weights[indices].sum() / instance.total_weight
    gains = share * values(deviation)[indices] - values(question.policy)[indices]
    for array in (indices, deviation, gains):
        array.setflags(write=False)
    proof = (
        f"A coalition with {share:.4g} of the group keeps for every member what the policy gives, "
        f"and gains up to {gains.max():.3g} for some, by playing the deviation with its share."
    )
    names = tuple(instance.agents[i] for i in indices.tolist())
    return CoreVerdict(question.kind, False, proof, indices, names, deviation, gains)


def _bound_proof(bound: float) -> str:
    return f"Of all coalitions, none can gain more than {bound:.1e} in total, in units of each agent's best."


def _too_many(types: int, worth: float) -> str:
    told = "is no optimum" if worth > 1 + tolerances.NASH_GAP else "is no sharp enough optimum"
    return (
        f"Undecided: {types} kinds of agents are too many to ask for every coalition (at most {MOST_ASKED}); no single "
        f"arm makes one block, and the policy {told} of the Nash product. Merge agents, or round their means."
    )

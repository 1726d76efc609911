"""Core stability: can a coalition, given its share of the policy, do better for all its members? (Definitions 8 and 9)

The verdict is never a guess. *Stable* rests on a proof, to 1e-9 or to the bound stated with it; *blocked* on a
coalition that was checked by plain arithmetic; anything else within the time limit is *undecided*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria.errors import InputError, unknown_name_error
from isegoria.profiles import Profile, is_streamed, require_instance
from isegoria.profiles.policies import PolicyLike
from isegoria.rules.inputs import flow_network
from isegoria.solvers.coalition.blocking import find_single_arm_block, is_blocking
from isegoria.solvers.coalition.search import MAX_MILP_TYPES, search_blocking_coalition
from isegoria.solvers.flow.push_relabel import max_flow
from isegoria.solvers.rows.csr_rows import merge_csr_rows, to_csr_rows
from isegoria.solvers.rows.merge import merge_rows
from isegoria.utils import tolerances
from isegoria.utils.arguments import explain_keywords, require_profile
from isegoria.utils.notebook import NotebookView
from isegoria.utils.tabular import TabularResult

if TYPE_CHECKING:
    from isegoria.rules import Rule, Solution
    from isegoria.rules.literals import PayoffName, RuleName

PAYOFF_LABELS = {"shares": "decision shares", "utilities": "utilities"}

MAX_QUICK_MERGE_ENTRIES = 1_000_000
"""Up to this many means, merging into types takes some hundredths of a second; with more, checks that need no merging
run first."""


@dataclass(frozen=True, eq=False)
class CoreVerdict(TabularResult, NotebookView):
    """Verdict on whether a policy is in the core, with the reason.

    - `payoff`: "shares" (decision shares) or "utilities".
    - `stable`: True, False, or None for undecided.
    - `proof`: one sentence that states the evidence.
    - `coalition`: if blocked, the indices of its members, ascending (`agents` are their names); else None.
    - `deviation`: if blocked, the policy (K,) that the coalition would play; else None.
    - `gains`: if blocked, what each member gains, `(|A|/N) v_i(Q) − v_i(P)`, in the order of `coalition`; else None.
    - `bound`: upper bound on the gain of any coalition, in units of each agent's best, if stability is proved only to
      that bound or is undecided. None if stability is proved to 1e-9, if blocked, and if no bound was reached.
    """

    payoff: str
    stable: bool | None
    proof: str
    coalition: np.ndarray | None = None
    agents: tuple[str, ...] | None = None
    deviation: np.ndarray | None = None
    gains: np.ndarray | None = None
    bound: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data, with the names of a blocking coalition."""
        return {
            "stable": self.stable,
            "proof": self.proof,
            "coalition": None if self.agents is None else list(self.agents),
            "deviation": None if self.deviation is None else self.deviation.tolist(),
            "bound": self.bound,
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per member of a blocking coalition: its name and what it gains; none if nobody blocks."""
        if self.agents is None or self.gains is None:
            return []
        return [{"agent": agent, "gain": gain} for agent, gain in zip(self.agents, self.gains.tolist(), strict=True)]

    def view_lines(self) -> list[str]:
        """Return whether the policy is stable, with the proof."""
        word = {True: "stable", False: "not stable", None: "undecided"}[self.stable]
        return [f"{word} in {PAYOFF_LABELS[self.payoff]}", self.proof]

    def view_rows(self) -> list[dict[str, Any]]:
        """Return the gains of a blocking coalition."""
        return self.to_rows()

    def __bool__(self) -> bool:
        raise TypeError("a verdict has three values; ask for .stable, which is True, False or None (undecided).")


@dataclass(frozen=True)
class _CoreProblem:
    """Input of the core search.

    `rows` (m, K) are the values of each type, in units of its `best`; `shares` of the group; the present `values` in
    those units; and the row that each agent is a `member` of.
    """

    payoff: str
    policy: np.ndarray
    rows: np.ndarray
    best: np.ndarray
    shares: np.ndarray
    values: np.ndarray
    member: np.ndarray | slice


@explain_keywords
def core(
    instance: Profile,
    policy: PolicyLike | RuleName | Rule | Solution,
    payoff: PayoffName = "shares",
    time_limit: float = 10,
) -> CoreVerdict:
    """Decide whether any coalition A blocks `policy`.

    A blocks if some policy Q has `(|A|/N) v_i(Q) ≥ v_i(P)` for all i in A, and more for one of them. Coalitions are not
    empty; a single agent is one, and blocks with its best if its share of that exceeds what it gets.

    Equal agents join together: if some of a type block, all of that type do, because more members bring a larger share.
    A coalition therefore always consists of whole rows of `instance`, whatever their weight.

    Parameters
    ----------
    instance : Instance
        The profile.
    policy : array (K,) or mapping by arm
        The policy.
    payoff : {"shares", "utilities"}
        `v_i` is the decision share ("shares", Definition 9) or the utility ("utilities", Definition 8).
    time_limit : float
        Seconds to search.

    Returns
    -------
    CoreVerdict

    Raises
    ------
    UnknownNameError
        If `payoff` is unknown.
    InputError
        If `time_limit` is not a number above 0, or an argument cannot be used.

    Examples
    --------
    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0.99], [0, 1]], agents=["Ann", "Ben"])
    >>> verdict = iso.core(instance, [0, 1])  # Theorem 3: Ann, who never gets her favourite, leaves alone
    >>> verdict.stable, verdict.agents, verdict.deviation.tolist(), verdict.gains.tolist()
    (False, ('Ann',), [1.0, 0.0], [0.5])
    >>> iso.core(instance, [0, 1], payoff="utilities").stable
    True
    """
    seconds = _validate_arguments(instance, payoff, time_limit)
    return decide_core(instance, instance.validate_policy(policy), payoff, seconds)


def decide_core(instance: Profile, policy: np.ndarray, payoff: str, seconds: float) -> CoreVerdict:
    """Compute the verdict of `core` for arguments that were validated before."""
    deadline = monotonic() + seconds
    if payoff == "utilities" and is_streamed(instance):
        return _decide_from_worth(instance.worth(policy), instance.total_weight)
    question = _build_problem(instance, policy, payoff)
    worth, gained = _nash_condition(question)
    if worth <= 1 + tolerances.NASH_GAP and gained <= tolerances.CORE_WEAK_BOUND:
        return _stable_by_nash(payoff, worth, gained)
    blocking = _find_neglected_block(instance, question) or find_single_arm_block(question, deadline)
    if blocking:
        return _blocked_verdict(instance, question, *blocking)
    if monotonic() > deadline:
        return _bound_verdict(payoff, seconds, gained)
    question = _merge_types(instance, question)
    found = search_blocking_coalition(question.rows, question.shares, question.values, deadline)
    if found is not None and found.members is not None and found.deviation is not None:
        return _blocked_verdict(instance, question, found.members, found.deviation)
    worth, gained = _nash_condition(question)  # for whole types, which gain less than one of many equal agents might
    if worth <= 1 + tolerances.NASH_GAP and gained <= tolerances.CORE_WEAK_BOUND:
        return _stable_by_nash(payoff, worth, gained)
    if found is None:
        return CoreVerdict(
            payoff, None, _format_too_many(len(question.shares), worth), bound=gained if gained < 1 else None
        )
    return _bound_verdict(payoff, seconds, min(found.bound, gained))


def _decide_from_worth(worth: float, agents: int) -> CoreVerdict:
    """Return the outcome-core verdict of a scanned table: proved by the Nash condition, or undecided."""
    gained = _max_gain(worth, float(agents))  # the gain of one agent, whose utility is at most that of its best arm
    if worth <= 1 + tolerances.NASH_GAP and gained <= tolerances.CORE_WEAK_BOUND:
        return _stable_by_nash("utilities", worth, gained)
    told = "the policy is no optimum of the Nash product"
    if worth <= 1 + tolerances.NASH_GAP:
        told = f"the Nash product proves only that none can gain more than {gained:.1e} of a member's best"
    return CoreVerdict(
        "utilities",
        None,
        f"Undecided: the {agents:,} agents of a scanned table are too many to ask for every coalition, and "
        f"{told}. Ask about a sample of them, read as an Instance.",
        bound=gained if gained < 1 else None,
    )


def _bound_verdict(payoff: str, seconds: float, bound: float) -> CoreVerdict:
    """Return the verdict if no coalition was found, from the proved bound on the gains of all coalitions."""
    if bound <= tolerances.CORE_GAIN:
        return CoreVerdict(payoff, True, _bound_proof(tolerances.CORE_GAIN))
    if bound <= tolerances.CORE_WEAK_BOUND:
        return CoreVerdict(payoff, True, _bound_proof(bound), bound=bound)
    known = f"none can gain more than {bound:.3g} in total" if math.isfinite(bound) else "no bound was reached"
    proof = f"Undecided after {seconds:g} s: no blocking coalition was found, and {known}; raise time_limit to go on."
    return CoreVerdict(payoff, None, proof, bound=bound if math.isfinite(bound) else None)


def _validate_arguments(instance: Profile, payoff: str, time_limit: float) -> float:
    """Validate the arguments of `core` and return the time limit in seconds."""
    require_profile(instance, "core")
    if not isinstance(payoff, str) or payoff not in PAYOFF_LABELS:
        raise unknown_name_error("payoff", payoff, PAYOFF_LABELS)
    return validate_time_limit(time_limit)


def validate_time_limit(time_limit: float) -> float:
    """Return `time_limit` as a float above 0; raise `InputError` otherwise."""
    if isinstance(time_limit, bool) or not isinstance(time_limit, (int, float, np.integer, np.floating)):
        raise InputError(f"time_limit is {time_limit!r}; give a number of seconds above 0, such as 10.")
    if not time_limit > 0:
        raise InputError(f"time_limit is {time_limit:g}; it must be above 0 seconds, such as 10.")
    return float(time_limit)


def _build_problem(instance: Profile, policy: np.ndarray, payoff: str) -> _CoreProblem:
    """Build the first question: over types, or over the agents themselves if merging them would take long."""
    if payoff == "shares":
        types = instance.favourite_types
        shares, rows = types.weights / instance.total_weight, types.rows.astype(float)
        return _CoreProblem(payoff, policy, rows, np.ones(len(shares)), shares, rows @ policy, types.member)
    instance = require_instance(instance)
    best = np.where(instance.best_means > 0, instance.best_means, 1.0)
    shares, values = instance.weights / instance.total_weight, instance.means @ policy / best
    question = _CoreProblem(payoff, policy, instance.means, best, shares, values, slice(None))
    entries = instance.means.nnz if instance.is_sparse else instance.means.size
    return question if entries > MAX_QUICK_MERGE_ENTRIES else _merge_types(instance, question)


def _merge_types(instance: Profile, question: _CoreProblem) -> _CoreProblem:
    """Return the same question over types: agents whose rows differ by a factor become one type, with a best of 1."""
    if not isinstance(question.member, slice):
        return question
    if instance.is_sparse:
        rows, weights, member = merge_csr_rows(
            to_csr_rows(question.rows).divided(question.best), instance.given_weights
        )
        rows = rows.matrix()
    else:
        rows, weights, member = merge_rows(question.rows / question.best[:, None], instance.given_weights)
    shares, values = weights / instance.total_weight, rows @ question.policy
    return _CoreProblem(question.payoff, question.policy, rows, np.ones(len(shares)), shares, values, member)


def _nash_condition(question: _CoreProblem) -> tuple[float, float]:
    """Return (worth, gain), the evidence of the Nash condition for stability.

    `worth` is the maximum over arms of Σ_i (w_i/W) v_ik / v_i(P), which is 1 where P maximises the Nash product. `gain`
    is an upper bound on the total gain of any coalition, in units of each row's best.

    A coalition A with deviation Q has Σ_A (w_i/W) v_i(Q)/v_i(P) ≤ worth; with gains g_i = |A|/N v_i(Q) − v_i(P) ≥ 0
    that is Σ_A (w_i/W) g_i/v_i(P) ≤ |A|/N (worth − 1). Every value must be positive: an agent that values nothing joins
    any coalition for free, so then nothing is proved.
    """
    if question.values.min() <= 0:
        return math.inf, math.inf
    with np.errstate(
        over="ignore", divide="ignore", invalid="ignore"
    ):  # a value near 0 gives an infinite worth, which proves nothing
        worth = float(((question.shares / (question.values * question.best)) @ question.rows).max())
    return worth, _max_gain(worth, float((question.values / question.shares).max()))


def _max_gain(worth: float, most: float) -> float:
    """Return the bound on a gain from `worth` and its rounding, where `most` is the maximum of v_i(P) W/w_i."""
    return (max(worth - 1, 0.0) + tolerances.WORTH_ROUNDING) * most if math.isfinite(worth) else math.inf


def _stable_by_nash(payoff: str, worth: float, gained: float) -> CoreVerdict:
    """Return the verdict *stable* by the Nash condition."""
    clear = gained <= tolerances.CORE_GAIN
    proved = "no coalition can improve on that" if clear else f"no coalition can gain more than {gained:.1e} by leaving"
    proof = (
        f"The policy maximises the Nash product of {PAYOFF_LABELS[payoff]} (relative gap "
        f"{max(worth - 1, 0):.1e}), and {proved}."
    )
    return CoreVerdict(payoff, True, proof, bound=None if clear else gained)


def _find_neglected_block(instance: Profile, question: _CoreProblem) -> tuple[np.ndarray, np.ndarray] | None:
    """Return a neglected coalition S and its deviation that blocks the procedural core, or None.

    It is the construction in the proof of Theorem 5: the policy on S's favourites is scaled by 1/α, α = |S|/N, and the
    remaining probability goes to the favourite that most of S share.
    """
    if question.payoff != "shares":
        return None
    *_, members = max_flow(flow_network(instance)[0], question.shares, question.policy)
    if not members.any():
        return None
    wanted = members @ question.rows > 0
    alpha = question.shares[members].sum()
    deviation = np.where(wanted, question.policy / alpha, 0.0)
    if 1 - deviation.sum() < tolerances.FAIRNESS_GAP / alpha:
        return None
    deviation[np.argmax(question.shares[members] @ question.rows[members])] += 1 - deviation.sum()
    if not is_blocking(question.rows @ deviation, question.shares, question.values, members):
        return None
    return members, deviation


def _blocked_verdict(
    instance: Profile, question: _CoreProblem, members: np.ndarray, deviation: np.ndarray
) -> CoreVerdict:
    """Return the verdict *blocked*, with the gains recomputed from the instance, agent by agent."""
    indices = np.flatnonzero(members[question.member])
    values = instance._shares if question.payoff == "shares" else require_instance(instance).means.__matmul__
    share = instance.weights[indices].sum() / instance.total_weight
    gains = share * values(deviation)[indices] - values(question.policy)[indices]
    for array in (indices, deviation, gains):
        array.setflags(write=False)
    proof = (
        f"A coalition with {share:.4g} of the group keeps for every member what the policy gives, "
        f"and gains up to {gains.max():.3g} for some, by playing the deviation with its share."
    )
    names = tuple(instance.agents[i] for i in indices.tolist())
    return CoreVerdict(question.payoff, False, proof, indices, names, deviation, gains)


def _bound_proof(bound: float) -> str:
    return f"Of all coalitions, none can gain more than {bound:.1e} in total, in units of each agent's best."


def _format_too_many(types: int, worth: float) -> str:
    told = "is no optimum" if worth > 1 + tolerances.NASH_GAP else "is no sharp enough optimum"
    return (
        f"Undecided: {types} kinds of agents are too many to ask for every coalition (at most "
        f"{MAX_MILP_TYPES}); no single "
        f"arm makes one block, and the policy {told} of the Nash product. Merge agents, or round their means."
    )

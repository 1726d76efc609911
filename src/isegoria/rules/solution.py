"""What a rule returns: a policy with its proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from isegoria.errors import CertificationError
from isegoria.wording import rounded

if TYPE_CHECKING:
    import numpy as np

    from isegoria.instance import Instance
    from isegoria.instance.policies import PolicyLike
    from isegoria.rules.names import Proof

PROOFS = ("certificate", "closed form", "dynamic programming", "stages", "sampled", "none")
"""How it is known that a policy is what its rule asks for."""


@dataclass(frozen=True, eq=False, init=False)
class Solution:
    """The policy of `rule`, with its proof; for a rule that maximises, optimal up to a proved `gap`.

    - `policy`: (K,) an exact point of the simplex, read-only.
    - `rule`: the id of the rule; `objective` is the same.
    - `value`: the objective's value at that policy; NaN for a rule that maximises nothing.
    - `gap`: how far from optimal it can be at most, recomputed from the policy itself; NaN where nothing is proved.
    - `tie_break`: how one of several optima was chosen: "centre", "vertex" or "utilitarian"; "even" where a rule shares
      ties out alike.
    - `tie_margin`: the smallest slack or singular value that was not counted as a tie (infinity: nothing was near).
    - `within`: None, or "procedural" when only procedurally fair policies were allowed.
    - `proof`: how it is known: "certificate" (the gap bounds the distance to the best), "closed form", "dynamic
      programming", "stages" (each has a certificate, and the gap is the largest), "sampled" (see `interval`), "none".
    - `interval`: 0, or for a sampled policy how far every probability is from the exact one at most, with a chance of
      0.999 for all at once.
    """

    policy: np.ndarray
    rule: str
    value: float
    gap: float
    tie_break: str = "centre"
    tie_margin: float = float("inf")
    within: str | None = None
    proof: Proof = "certificate"
    interval: float = 0.0

    @property
    def objective(self) -> str:
        """The id of the rule."""
        return self.rule

    def _repr_html_(self) -> str:
        """The policy and its proof for a notebook, likeliest arm first."""
        return _shown(self)

    def __init__(
        self,
        policy: PolicyLike,
        rule: Any,
        value: Any = float("nan"),
        gap: Any = float("nan"),
        tie_break: Any = "centre",
        tie_margin: Any = float("inf"),
        within: Any = None,
        proof: Any = "certificate",
        interval: Any = 0.0,
    ) -> None:
        own = self.__dict__  # what a frozen dataclass does for each field costs as much as a small policy
        own["policy"] = policy
        own["rule"] = rule
        own["value"] = value
        own["gap"] = gap
        own["tie_break"] = tie_break
        own["tie_margin"] = tie_margin
        own["within"] = within
        own["proof"] = proof
        own["interval"] = interval


def settled(policy: np.ndarray, rule: str, proof: str, **more: Any) -> Solution:
    """The `Solution` of a rule that maximises nothing; `policy` is made an exact point of the simplex, read-only."""
    from isegoria.rows.simplex import simplex_point

    point = simplex_point(policy)
    point.setflags(write=False)
    return Solution(point, rule, proof=proof, **{"tie_break": "even", **more})


def _shown(solution: Solution) -> str:
    from isegoria import display

    played = sorted(((p, k) for k, p in enumerate(solution.policy.tolist()) if p > 0), reverse=True)
    rows = [[f"arm {k + 1}", rounded(p)] for p, k in played]
    gap = "not proved" if solution.gap != solution.gap else f"at most {solution.gap:.1e} from the best"
    value = solution.proof if solution.value != solution.value else f"value {solution.value:.6g}, {gap}"
    within = f", within {solution.within}" if solution.within else ""
    head = display.line(f"{value}; tie-break {solution.tie_break}{within}", f"Solution of {solution.rule}")
    return display.box(head, display.table(["arm", "chance"], rows))


def shared(solution: Solution, instance: Instance) -> Solution:
    """The solution for the `distinct` arms of an instance as one for all: equal arms share, or at a corner the first
    has all."""
    from isegoria.rows.simplex import simplex_point

    assert instance.kinds is not None
    policy = simplex_point(instance.kinds.shared(solution.policy, solution.tie_break == "vertex"))
    policy.setflags(write=False)
    return replace(solution, policy=policy)


def _cause(objective: str) -> str:
    """Why a proof may fail: equal voice sees of the means only who wants what, the least utility no weights."""
    if objective == "procedural":
        return "Weights that span many orders of magnitude cause this; weights that span fewer usually help."
    if objective == "egalitarian":
        return "Means that differ by many orders of magnitude cause this; rounding them to 9 decimals usually helps."
    return (
        "Means or weights that differ by many orders of magnitude cause this; rounding the means to 9 decimals, or "
        "weights that span fewer, usually helps."
    )


def certified(solution: Solution, limit: float) -> Solution:
    """`solution` itself if its gap is at most `limit`; else an error, because a guess is never returned."""
    if not solution.gap <= limit:
        raise CertificationError(
            f"no policy could be proved optimal for '{solution.rule}': the best one found may be off by "
            f"{solution.gap:.3g}, more than {limit:.3g}. {_cause(solution.rule)}"
        )
    solution.policy.setflags(write=False)
    return solution

"""What an objective returns: a policy with its proof."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from isegoria.errors import CertificationError

if TYPE_CHECKING:
    import numpy as np

    from isegoria.instance import Instance
    from isegoria.instance.policies import PolicyLike
    from isegoria.tables.scan import Scan


@dataclass(frozen=True, eq=False, init=False)
class Solution:
    """A policy that is optimal for `objective`, up to a proved `gap`.

    - `policy`: (K,) an exact point of the simplex, read-only.
    - `value`: the objective's value at that policy.
    - `gap`: how far from optimal it can be at most, recomputed from the policy itself.
    - `tie_break`: how one of several optima was chosen: "centre", "vertex" or "utilitarian".
    - `tie_margin`: the smallest slack or singular value that was not counted as a tie (infinity: nothing was near).
    - `within`: None, or "procedural" when only procedurally fair policies were allowed.
    """

    policy: np.ndarray
    objective: str
    value: float
    gap: float
    tie_break: str = "centre"
    tie_margin: float = float("inf")
    within: str | None = None

    def _repr_html_(self) -> str:
        """The policy and its proof for a notebook, likeliest arm first."""
        return _shown(self)

    def __init__(
        self,
        policy: PolicyLike,
        objective: Any,
        value: Any,
        gap: Any,
        tie_break: Any = "centre",
        tie_margin: Any = float("inf"),
        within: Any = None,
    ) -> None:
        self.__dict__.update(  # at once: what a frozen dataclass does for each field costs as much as a small policy
            policy=policy,
            objective=objective,
            value=value,
            gap=gap,
            tie_break=tie_break,
            tie_margin=tie_margin,
            within=within,
        )


def scanned(
    scan: Scan, objective: str, tie_break: str, within: str | None, limit: float, times: float = 1.0
) -> Solution:
    """The certified solution of a table that is read a part at a time; value and gap are `times` the answer's."""
    found = scan.answer(objective, tie_break, within)
    value, gap = times * found.value, times * found.gap
    return certified(Solution(found.policy, objective, value, gap, tie_break, found.margin, within), limit)


def _shown(solution: Solution) -> str:
    from isegoria import display

    played = sorted(((p, k) for k, p in enumerate(solution.policy.tolist()) if p > 0), reverse=True)
    rows = [[f"arm {k + 1}", display.number(p)] for p, k in played]
    gap = "not proved" if solution.gap != solution.gap else f"at most {solution.gap:.1e} from the best"
    said = f"value {solution.value:.6g}, {gap}; tie-break {solution.tie_break}"
    within = f", within {solution.within}" if solution.within else ""
    head = display.line(said + within, f"Solution of {solution.objective}")
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
            f"no policy could be proved optimal for '{solution.objective}': the best one found may be off by "
            f"{solution.gap:.3g}, more than {limit:.3g}. {_cause(solution.objective)}"
        )
    solution.policy.setflags(write=False)
    return solution

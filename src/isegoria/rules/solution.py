"""Result of a rule: a policy with its proof."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from isegoria.errors import CertificationError
from isegoria.utils.formatting import format_number
from isegoria.utils.tabular import TabularResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np

    from isegoria.profiles import Profile
    from isegoria.rules.literals import SolutionProof

SOLUTION_PROOFS = ("certificate", "closed form", "dynamic programming", "stages", "sampled", "none")
"""How a policy is known to satisfy its rule."""


@dataclass(eq=False)  # not frozen, which would cost a fifth of the time of solving a small group
class Solution(TabularResult):
    """Policy of a rule with its proof; for a rule that maximises, optimal up to a proved `gap`.

    - `policy`: (K,) an exact point of the simplex, read-only.
    - `rule`: the id of the rule.
    - `value`: the objective's value at that policy; NaN for a rule that maximises nothing.
    - `gap`: an upper bound on the suboptimality of the policy, recomputed from the policy itself; NaN where nothing is
      proved.
    - `tie_break`: how one of several optima was chosen: "centre", "vertex" or "utilitarian"; "even" where a rule shares
      ties equally.
    - `tie_margin`: the smallest slack or singular value that was not counted as a tie (infinity: nothing was near).
    - `within`: None, or "fair" if only procedurally fair policies were allowed.
    - `proof`: "certificate" (the gap bounds the distance to the optimum), "closed form", "dynamic programming",
      "stages" (each has a certificate, and the gap is the largest), "sampled" (see `sampling_error`) or "none".
    - `sampling_error`: 0, or for a sampled policy the maximum distance of every probability from the exact one, at a
      joint confidence of 0.999.
    """

    policy: np.ndarray
    rule: str
    value: float = float("nan")
    gap: float = float("nan")
    tie_break: str = "centre"
    tie_margin: float = float("inf")
    within: str | None = None
    proof: SolutionProof = "certificate"
    sampling_error: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as plain data; NaN and infinity, which JSON lacks, are None.

        >>> import isegoria as iso
        >>> iso.solve(iso.Instance([[1, 0], [0, 1]]), "uniform").to_dict()["policy"]
        [0.5, 0.5]
        """
        values = {field.name: getattr(self, field.name) for field in fields(self)} | {"policy": self.policy.tolist()}
        return {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in values.items()
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per arm: its index and its probability."""
        return [{"arm": arm, "probability": p} for arm, p in enumerate(self.policy.tolist())]

    def to_pairs(self, outcomes: Sequence[Any] | None = None) -> list[tuple[Any, float]]:
        """Return the lottery as a list of (outcome, probability) for the outcomes of positive probability.

        Parameters
        ----------
        outcomes : sequence, optional
            What each arm is called, such as `instance.arms`; by default its index, as candidates of pref_voting are.

        Examples
        --------
        >>> import isegoria as iso
        >>> group = iso.Instance([[1, 0, 0], [0, 1, 0]], arms=["tea", "milk", "mate"])
        >>> iso.solve(group, "cut").to_pairs(group.arms)
        [('tea', 0.5), ('milk', 0.5)]
        """
        names = range(len(self.policy)) if outcomes is None else outcomes
        return [(name, p) for name, p in zip(names, self.policy.tolist(), strict=True) if p > 0]

    def to_mapping(self, outcomes: Sequence[Any] | None = None) -> dict[Any, float]:
        """Return the lottery as {outcome: probability} for all outcomes, as the methods of pref_voting do.

        >>> import isegoria as iso
        >>> iso.solve(iso.Instance([[1, 0], [1, 0]])).to_mapping()
        {0: 1.0, 1: 0.0}
        """
        names = range(len(self.policy)) if outcomes is None else outcomes
        return dict(zip(names, self.policy.tolist(), strict=True))

    def _repr_html_(self) -> str:
        """Return the policy and its proof as HTML for a notebook, most probable arm first."""
        return _to_html(self)


def direct_solution(policy: np.ndarray, rule: str, proof: SolutionProof, **more: Any) -> Solution:
    """Return the `Solution` of a rule that maximises nothing; `policy` is made an exact, read-only simplex point."""
    from isegoria.solvers.rows.simplex import simplex_point

    point = simplex_point(policy)
    point.setflags(write=False)
    return Solution(point, rule, proof=proof, **{"tie_break": "even", **more})


def _to_html(solution: Solution) -> str:
    from isegoria.utils import notebook

    played = sorted(((p, k) for k, p in enumerate(solution.policy.tolist()) if p > 0), reverse=True)
    rows = [[f"arm {k + 1}", format_number(p)] for p, k in played]
    gap = "not proved" if solution.gap != solution.gap else f"at most {solution.gap:.1e} from the best"
    value = solution.proof if solution.value != solution.value else f"value {solution.value:.6g}, {gap}"
    within = f", within {solution.within}" if solution.within else ""
    head = notebook.html_line(f"{value}; tie-break {solution.tie_break}{within}", f"Solution of {solution.rule}")
    return notebook.html_box(head, notebook.html_table(["arm", "chance"], rows))


def expand_merged_arms(solution: Solution, instance: Profile) -> Solution:
    """Expand a solution on the `distinct` arms to all arms: duplicates share, or at a vertex the first has all."""
    from isegoria.solvers.rows.simplex import simplex_point

    assert instance.kinds is not None
    policy = simplex_point(instance.kinds.shared(solution.policy, solution.tie_break == "vertex"))
    policy.setflags(write=False)
    return replace(solution, policy=policy)


def _explain_failure(objective: str) -> str:
    """Return the likely cause of a failed proof; it depends on what the objective reads of the means and weights."""
    if objective == "procedural":
        return "Weights that span many orders of magnitude cause this; weights that span fewer usually help."
    if objective == "egalitarian":
        return "Means that differ by many orders of magnitude cause this; rounding them to 9 decimals usually helps."
    return (
        "Means or weights that differ by many orders of magnitude cause this; rounding the means to 9 decimals, or "
        "weights that span fewer, usually helps."
    )


def require_certificate(solution: Solution, limit: float) -> Solution:
    """Return `solution` if its gap is at most `limit`; raise `CertificationError` otherwise."""
    if not solution.gap <= limit:
        raise CertificationError(
            f"no policy could be proved optimal for '{solution.rule}': the best one found may be off by "
            f"{solution.gap:.3g}, more than {limit:.3g}. {_explain_failure(solution.rule)}"
        )
    solution.policy.setflags(write=False)
    return solution

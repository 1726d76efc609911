"""`solve`: the entry point of every rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from isegoria.errors import InputError, unknown_name_error
from isegoria.rules.registry import RULES
from isegoria.rules.rule import WITHIN_CHOICES, Rule, SolveRequest
from isegoria.rules.solution import Solution
from isegoria.utils.arguments import explain_keywords, require_profile

if TYPE_CHECKING:
    from isegoria.profiles import Profile
    from isegoria.rules.literals import RuleName, TieBreakName, WithinName


class SolveOptions(TypedDict, total=False):
    """The options of the shipped rules, for type checkers; rules of other packages may take more."""

    gini_weights: Any
    samples: int | None
    seed: Any


def resolve_policy(instance: Profile, policy: Any) -> Any:
    """Return the policy that a rule, its name or a `Solution` stands for; anything else as it is.

    >>> from isegoria.profiles import Instance
    >>> resolve_policy(Instance([[1, 0], [0, 1]]), "uniform").tolist()
    [0.5, 0.5]
    """
    from isegoria.rules.solution import Solution

    if isinstance(policy, Solution):
        return policy.policy
    row = RULES[policy] if isinstance(policy, str) else policy
    return solve(instance, row).policy if isinstance(row, Rule) else policy


@explain_keywords
def solve(
    instance: Profile,
    rule: RuleName | Rule = "procedural",
    tie_break: TieBreakName | None = None,
    within: WithinName | None = None,
    **options: Unpack[SolveOptions],
) -> Solution:
    """Compute the policy of `rule` on `instance`, with its proof.

    Parameters
    ----------
    instance : Instance
        The profile.
    rule : str or Rule
        An id, label or alias of `RULES`, or a `Rule` object.
    tie_break : {"centre", "vertex", "utilitarian"}, optional
        Which of several optima: the one of minimum Euclidean norm ("centre"), a vertex of their set, lowest index first
        ("vertex"), or the one of maximum total utility, then minimum norm ("utilitarian"). Default: the rule's own,
        which is "centre", and "utilitarian" for "egalitarian". A rule that maximises nothing accepts only its own.
    within : {"fair"}, optional
        Search only the procedurally fair policies: equal voice first, then the best outcome.
    **options
        Options of the rule. `gini_weights` of "gini" are W non-increasing numbers, or a function of the ranks 1, 2, …,
        W; `samples` and `seed` of "random-priority" take the mean over random orders.

    Returns
    -------
    Solution

    Raises
    ------
    UnknownNameError
        If a rule, tie-break or `within` is unknown.
    InputError
        If the rule does not take an option, or an argument cannot be used.
    CertificationError
        If no policy can be proved optimal.

    Examples
    --------
    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
    >>> iso.solve(instance, "egalitarian").policy.round(3).tolist()
    [0.5, 0.5]
    >>> iso.solve(instance, "utilitarian", within="fair").policy.round(3).tolist()
    [0.667, 0.333]
    >>> iso.solve(instance, "CUT").proof
    'closed form'
    """
    require_profile(instance, "solve")
    row = rule if isinstance(rule, Rule) else RULES[rule]
    if within is not None and within not in WITHIN_CHOICES:
        raise unknown_name_error("within", within, WITHIN_CHOICES)
    chosen = {name: value for name, value in options.items() if value is not None}
    if chosen:
        chosen = _validate_options(row, chosen)
    try:
        return row.solve(instance, SolveRequest(tie_break, within, chosen))
    except Exception as error:
        if row is not rule and RULES.origin(row.id) and error.args and isinstance(error.args[0], str):
            error.args = (f"{row.id} ({RULES.origin(row.id)}): {error.args[0]}", *error.args[1:])
        raise


def _validate_options(row: Rule, options: dict[str, Any]) -> dict[str, Any]:
    """Validate the options of a rule; raise `InputError` that lists its options for one that it does not take."""
    for name in options:
        if row.option(name) is None or name == "within":
            known = ["tie_break", "within", *(each.name for rule in RULES.builtin.values() for each in rule.options)]
            if name not in known:
                raise unknown_name_error("keyword of solve", name, ["rule", *dict.fromkeys(known)])
            own = ", ".join(each.name for each in row.options if each.name != "within")
            takers = [each.id for each in RULES.builtin.values() if each.option(name)]
            ask = f", or ask for {', '.join(takers)}" if takers else ""
            raise InputError(
                f"the rule '{row.id}' takes no {name} (it takes {own or 'no options'}); leave it out{ask}."
            )
    return {each.name: each.convert(options[each.name]) for each in row.options if each.name in options}

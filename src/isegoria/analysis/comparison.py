"""Compare the policies of several rules on three scores, and mark those that another policy score-dominates."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from isegoria.analysis import dominance
from isegoria.analysis.efficiency import Efficiency, check_efficiency
from isegoria.analysis.scores import BestValues, Scores, score, score_solutions
from isegoria.errors import InputError, IsegoriaWarning, unknown_name_error
from isegoria.profiles import Profile, is_streamed
from isegoria.rules import RULES, Objective, Rule, Solution, solve
from isegoria.rules.rule_sets import ComparedRule, resolve_rules
from isegoria.utils import notebook
from isegoria.utils.arguments import explain_keywords, require_profile
from isegoria.utils.caching import lazy_property
from isegoria.utils.formatting import SCORE_LABELS, align_columns, pluralise
from isegoria.utils.tabular import TabularResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isegoria.rules.literals import RuleName, RuleSetName, TieBreakName, WithinName
    from isegoria.rules.solving import SolveOptions


@dataclass(frozen=True, eq=False)
class ComparisonEntry:
    """One policy of a comparison: its `scores`, its `solution`, and the names of the entries that score-dominate it.

    `solution` is None for a policy that the caller passed in.
    """

    solution: Solution | None
    scores: Scores
    score_dominated_by: tuple[str, ...] = ()
    label: str = ""

    @property
    def policy(self) -> np.ndarray:
        """The policy (K,)."""
        return self.scores.policy

    @lazy_property
    def efficiency(self) -> Efficiency | None:
        """Pareto efficiency in utilities, with its proof.

        A policy is efficient if no other is better for some agent and worse for none. None for a scanned table, and for
        more than 2,000 agent types.
        """
        return check_efficiency(self.scores.instance, self.policy)


class Comparison(Mapping[str, ComparisonEntry], TabularResult):
    """Read-only mapping from name to `ComparisonEntry`: the ids of the rules in order, then the names of the caller's
    policies.

    `skipped_rules` lists the rules that failed and that were not asked for by name, with the reason.

    >>> import isegoria as iso
    >>> iso.compare(iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "coffee"]))
    policy  PF score  IM score  UT score  efficient  tea    coffee
    PF      1.000     0.926     0.833     ✓          0.667  0.333
    IM      0.833     1.000     0.750     ✓          0.500  0.500
    UT      0.667     0.333     1.000     ✓          1.000  0.000
    EG      0.833     1.000     0.750     ✓          0.500  0.500
    NSW     1.000     0.926     0.833     ✓          0.667  0.333
    GGI     0.833     1.000     0.750     ✓          0.500  0.500
    """

    def __init__(
        self, instance: Profile, entries: Mapping[str, ComparisonEntry], skipped_rules: Mapping[str, str] | None = None
    ):
        self._instance = instance
        self._entries = dict(entries)
        self._skipped_rules = dict(skipped_rules or {})

    @property
    def skipped_rules(self) -> Mapping[str, str]:
        """The rules that failed and were left out, by id, each with the reason; read-only."""
        return MappingProxyType(self._skipped_rules)

    def __getitem__(self, name: str) -> ComparisonEntry:
        if name in self._entries:
            return self._entries[name]
        row = RULES.get(name) if isinstance(name, str) else None
        if row is None or row.id not in self._entries:
            raise unknown_name_error("rule", name, self._entries)
        return self._entries[row.id]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    @overload
    def get(self, name: str, /) -> ComparisonEntry | None: ...
    @overload
    def get(self, name: str, /, default: Any) -> Any: ...
    def get(self, name: Any, /, default: Any = None) -> Any:
        """Return the entry of that name, or `default` if there is none."""
        return self._entries.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def to_rows(self, relative: bool = False) -> list[dict[str, Any]]:
        """Return one plain dictionary per policy, in full precision: rule, label, scores, value, gap, policy, ….

        A policy that the caller passed in has None for value, gap, tie_break and proof. A value or gap that a rule does
        not have is None too.

        Parameters
        ----------
        relative : bool
            Add a dictionary `relative` with the same three scores, relative to the minimum that any policy scores on
            this instance.

        Examples
        --------
        >>> import isegoria as iso
        >>> row = iso.compare(iso.Instance([[1, 0], [0, 1]])).to_rows()[2]
        >>> row["label"], row["utilitarian"], row["policy"], row["score_dominated_by"]
        ('UT', 1.0, [0.5, 0.5], [])
        """
        return [
            {
                "rule": name,
                "label": entry.label,
                **{score: getattr(entry.scores, score) for score in SCORE_LABELS},
                **{key: _none_if_nan(getattr(entry.solution, key, None)) for key in ("value", "gap")},
                **{key: getattr(entry.solution, key, None) for key in ("tie_break", "proof")},
                "score_dominated_by": list(entry.score_dominated_by),
                "efficient": None if entry.efficiency is None else entry.efficiency.holds,
                "policy": entry.policy.tolist(),
                **(
                    {"relative": dict(zip(SCORE_LABELS, entry.scores.relative.tolist(), strict=True))}
                    if relative
                    else {}
                ),
            }
            for name, entry in self.items()
        ]

    def to_dict(self, relative: bool = False) -> dict[str, Any]:
        """Return the comparison as plain data, as printed by `isegoria compare --format json`."""
        return {
            "agents": self._instance.total_weight,
            "arms": list(self._instance.arms),
            "rules": {row.pop("rule"): _nest_scores(row) for row in self.to_rows(relative)},
            "skipped_rules": dict(self._skipped_rules),
        }

    def cells(self) -> list[list[str]]:
        """Return the comparison as rows of text, header first, as printed and as shown in a notebook."""
        rows = self.to_rows()
        lines = [
            ["policy", *(f"{SCORE_LABELS[name]} score" for name in SCORE_LABELS), "efficient", *self._instance.arms]
        ]
        for row in rows:
            scores, chances = [f"{row[s]:.3f}" for s in SCORE_LABELS], [f"{x:.3f}" for x in row["policy"]]
            lines.append([row["label"], *scores, EFFICIENCY_MARKS[row["efficient"]], *chances])
        if any(row["score_dominated_by"] for row in rows):
            lines[0].append("outscored by")
            for line, row in zip(lines[1:], rows, strict=True):
                line.append(" ".join(self[name].label for name in row["score_dominated_by"]))
        return lines

    def remarks(self) -> list[str]:
        """Return the remarks below the table: the policy under which every agent would gain most, if there is one.

        >>> import isegoria as iso
        >>> iso.compare(iso.Instance([[1, 0.9, 0], [0, 0.9, 1]], arms=["tea", "salad", "mate"])).remarks()
        ['Everyone would do better with salad than under PF: +0.40 each.']
        """
        gains = {
            name: float(entry.efficiency.gains.min())
            for name, entry in self.items()
            if entry.efficiency is not None and entry.efficiency.for_all and entry.efficiency.gains is not None
        }
        if not gains:
            return []
        from isegoria.analysis.audit_text import describe_least_gain, describe_policy

        worst = self[max(gains, key=gains.__getitem__)]
        found, instance = cast(Efficiency, worst.efficiency), self._instance
        other, gain = describe_policy(instance, cast(np.ndarray, found.better)), describe_least_gain(instance, found)
        return [f"Everyone would do better with {other} than under {worst.label}: {gain}."]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw three bars per policy, its scores, and return the Matplotlib axes; new axes unless `ax` is given."""
        return cast("Axes", notebook.draw_on_axes("isegoria.figures.score_figures:draw_comparison", self, ax=ax))

    def __repr__(self) -> str:
        return "\n".join(align_columns(self.cells()))

    def _repr_html_(self) -> str:
        """Return the same table as HTML for a notebook."""
        header, *rows = self.cells()
        said = f"{len(self)} policies on {pluralise(self._instance.total_weight, 'agent')}"
        return notebook.html_box(notebook.html_line(said, "Comparison"), notebook.html_table(header, rows))


EFFICIENCY_MARKS = {True: "✓", False: "–", None: ""}
"""Marks for an efficient policy, a Pareto-dominated policy, and a policy that was not checked."""


@explain_keywords
def compare(
    instance: Profile,
    tie_break: TieBreakName | None = None,
    within: WithinName | None = None,
    gini_weights: Sequence[float] | np.ndarray | Callable[[int], float] | None = None,
    *,
    policies: Mapping[str, Any] | None = None,
    rules: RuleName | RuleSetName | Rule | Iterable[RuleName | RuleSetName | Rule] | None = None,
) -> Comparison:
    """Compare the policies of several rules on `instance` by their three scores.

    An entry is marked as score-dominated (Definition 10) if another is as good on every score, and better on one by
    more than rounding.

    Parameters
    ----------
    instance : Instance
        The profile.
    tie_break, within, gini_weights
        As in `solve`.
    policies : mapping, optional
        Further policies by name, each an array (K,) or a mapping by arm.
    rules : str, Rule or iterable of them, optional
        Names or `Rule`s, or "paper" (the six objectives), "fair" (the rules that are always fair), "baselines"
        (uniform, random dictatorship, conditional utilitarian, and the utilitarian policy among the fair ones) or
        "all". Default: the six objectives and those that other packages offer.

    Returns
    -------
    Comparison
        Mapping from the id of a rule (or the name of a policy) to its `solution`, `scores`, `score_dominated_by` and
        `efficient`.

    Raises
    ------
    Exception
        Whatever a rule that was named explicitly raises. A rule that was not (one that is not shipped under the
        default, any rule under "all") is left out instead, with a warning.

    Examples
    --------
    >>> import isegoria as iso
    >>> table = iso.compare(iso.Instance([[0.4, 1], [1, 0.6]]), policies={"mine": [0.5, 0.5]})
    >>> table["nash"].solution.policy.round(4).tolist(), round(table["nash"].scores.procedural, 4)
    ([0.0833, 0.9167], 0.5833)
    >>> table["procedural"].score_dominated_by, table["nash"].score_dominated_by  # Theorem 6
    ((), ())
    >>> table["mine"].scores.procedural, table["mine"].solution
    (1.0, None)
    >>> list(iso.compare(iso.Instance([[1, 0], [0, 1]]), rules=["PF", "cut"]))
    ['procedural', 'conditional-utilitarian']
    """
    require_profile(instance, "compare")
    asked, given = resolve_rules(rules), _validate_policies(policies)
    _require_unique_names([*asked, *given])
    settled = {id: tie_break or each.row.tie_break for id, each in asked.items()}
    if is_streamed(instance):
        instance.prepare(settled, within)  # all rules in the same passes
    found, skipped_rules = {}, {}
    for id, each in asked.items():
        takes = gini_weights is not None and each.row.option("gini_weights") is not None
        options: SolveOptions = {"gini_weights": gini_weights} if takes else {}
        choice = tie_break if isinstance(each.row, Objective) else None
        try:
            found[id] = solve(instance, each.row, choice, within, **options)
        except Exception as error:
            if not each.guarded:
                raise
            skipped_rules[id] = _warn_skipped_rule(id, error)
    return _build_comparison(instance, asked, found, given, skipped_rules, tie_break is None and within is None)


def _build_comparison(
    instance: Profile,
    asked: Mapping[str, ComparedRule],
    found: Mapping[str, Solution],
    given: Mapping[str, Any],
    skipped_rules: Mapping[str, str],
    unbound: bool,
) -> Comparison:
    """Build the comparison from the solutions and the caller's policies.

    If `unbound` (no tie-break and no `within`), the solutions also provide the optima that the scores are measured
    against.
    """
    known = unbound and "inequality" in found and "utilitarian" in found
    best = BestValues(found["inequality"].value, found["utilitarian"].value) if known else None
    scores = score_solutions(instance, found, best)
    scores |= {name: score(instance, policy) for name, policy in given.items()}
    outscored = dominance.find_outscored({name: each.values for name, each in scores.items()})
    entries = {
        name: ComparisonEntry(
            found.get(name),
            scores[name],
            outscored[name],
            asked[name].row.label if name in asked else name,
        )
        for name in scores
    }
    return Comparison(instance, entries, skipped_rules)


def _warn_skipped_rule(id: str, error: Exception) -> str:
    """Warn that a rule is left out, and return the reason."""
    kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
    reason = f"{kind}{error}".strip().rstrip(".")
    warnings.warn(f"{id} ({RULES.origin(id)}) is left out: {reason}.", IsegoriaWarning, stacklevel=5)
    return reason


def _validate_policies(policies: Mapping[str, Any] | None) -> dict[str, Any]:
    if policies is None:
        return {}
    if not isinstance(policies, Mapping):
        raise InputError('policies must be a mapping from names to policies, such as {"mine": [0.5, 0.5]}.')
    return {str(name): policy for name, policy in policies.items()}


def _require_unique_names(names: list[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(f"'{name}' is the name of a rule; give that policy another name.")


def _nest_scores(row: dict[str, Any]) -> dict[str, Any]:
    """Return `row` with its scores moved to a nested dictionary at the end."""
    scores = {name: row.pop(name) for name in SCORE_LABELS}
    keys = ("label", "policy", "value", "gap", "tie_break", "proof", "score_dominated_by", "efficient")
    more = {"relative": row["relative"]} if "relative" in row else {}
    return {**{key: row[key] for key in keys}, "scores": scores, **more}


def _none_if_nan(value: float | None) -> float | None:
    """Return `value`, or None for NaN, which JSON cannot represent."""
    return None if value is None or value != value else value

"""The policies of several rules side by side on three scores, with a mark on those that another is above on all."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from isegoria import display, dominance
from isegoria.arguments import checked_instance
from isegoria.axioms.efficiency import Efficiency, efficiency_of
from isegoria.errors import InputError, IsegoriaWarning, unknown
from isegoria.instance import Instance
from isegoria.lazy import computed_once
from isegoria.rules import RULES, Objective, Rule, Solution, solve
from isegoria.rules.contenders import ComparedRule, contenders
from isegoria.scores import Best, Scores, score
from isegoria.wording import SCORES, columns, counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isegoria.rules.names import RuleName, TieBreakName, WithinName


@dataclass(frozen=True, eq=False)
class Entry:
    """One policy of a comparison: its `scores`, its `solution`, and the names of the entries above it on the scores.

    `solution` is None for a policy that was given rather than found.
    """

    solution: Solution | None
    scores: Scores
    score_dominated_by: tuple[str, ...] = ()
    label: str = ""

    @property
    def policy(self) -> np.ndarray:
        """(K,) the policy."""
        return self.scores.policy

    @computed_once
    def efficient(self) -> Efficiency | None:
        """Whether no other policy is better for someone and worse for nobody, in utilities, with the proof; None for
        a scanned table, and for more than 2,000 kinds of agents."""
        return efficiency_of(self.scores.instance, self.policy)


class Comparison(Mapping[str, Entry]):
    """The policies by name: the ids of the rules in their order, then those of one's own; read-only.

    `left_out` says which rules of other packages could not answer, and why.

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

    def __init__(self, instance: Instance, entries: Mapping[str, Entry], left_out: Mapping[str, str] | None = None):
        self._instance = instance
        self._entries = dict(entries)
        self._left_out = dict(left_out or {})

    @property
    def left_out(self) -> Mapping[str, str]:
        """The rules of other packages that could not answer, by id, each with the reason; read-only."""
        return MappingProxyType(self._left_out)

    def __getitem__(self, name: str) -> Entry:
        if name in self._entries:
            return self._entries[name]
        row = RULES.get(name) if isinstance(name, str) else None
        if row is None or row.id not in self._entries:
            raise unknown("objective", name, self._entries)
        return self._entries[row.id]

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    @overload
    def get(self, name: str, /) -> Entry | None: ...
    @overload
    def get(self, name: str, /, default: Any) -> Any: ...
    def get(self, name: Any, /, default: Any = None) -> Any:
        """The entry of that name, or `default` where there is none."""
        return self._entries.get(name, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def rows(self, relative: bool = False) -> list[dict[str, Any]]:
        """One plain dictionary for each policy, in full precision: objective, label, scores, value, gap, policy, ….

        A policy that was given has no value, gap, tie-break and proof: they are None, and so is a value or gap that a
        rule does not have. With `relative`, the scores relative to the least that any policy has here come with them,
        by the same names in a dictionary `relative`.

        >>> import isegoria as iso
        >>> row = iso.compare(iso.Instance([[1, 0], [0, 1]])).rows()[2]
        >>> row["label"], row["utilitarian"], row["policy"], row["score_dominated_by"]
        ('UT', 1.0, [0.5, 0.5], [])
        """
        return [
            {
                "objective": name,
                "label": entry.label,
                **{score: getattr(entry.scores, score) for score in SCORES},
                **{key: _number(getattr(entry.solution, key, None)) for key in ("value", "gap")},
                **{key: getattr(entry.solution, key, None) for key in ("tie_break", "proof")},
                "score_dominated_by": list(entry.score_dominated_by),
                "efficient": None if entry.efficient is None else entry.efficient.holds,
                "policy": entry.policy.tolist(),
                **({"relative": dict(zip(SCORES, entry.scores.relative.tolist(), strict=True))} if relative else {}),
            }
            for name, entry in self.items()
        ]

    def to_dict(self, relative: bool = False) -> dict[str, Any]:
        """The comparison as plain data: what `isegoria compare --format json` prints."""
        return {
            "agents": self._instance.total_weight,
            "arms": list(self._instance.arms),
            "objectives": {row.pop("objective"): _nested(row) for row in self.rows(relative)},
            "left_out": dict(self._left_out),
        }

    def cells(self) -> list[list[str]]:
        """The comparison as text, header first: what it prints, and what a notebook shows."""
        rows = self.rows()
        lines = [["policy", *(f"{SCORES[name]} score" for name in SCORES), "efficient", *self._instance.arms]]
        for row in rows:
            scores, chances = [f"{row[s]:.3f}" for s in SCORES], [f"{x:.3f}" for x in row["policy"]]
            lines.append([row["label"], *scores, MARKS[row["efficient"]], *chances])
        if any(row["score_dominated_by"] for row in rows):
            lines[0].append("outscored by")
            for line, row in zip(lines[1:], rows, strict=True):
                line.append(" ".join(self[name].label for name in row["score_dominated_by"]))
        return lines

    def remarks(self) -> list[str]:
        """What stands below the table: the policy under which everyone would do better by the most, if there is one.

        >>> import isegoria as iso
        >>> iso.compare(iso.Instance([[1, 0.9, 0], [0, 0.9, 1]], arms=["tea", "salad", "mate"])).remarks()
        ['Everyone would do better with salad than under PF: +0.40 each.']
        """
        gains = {
            name: float(entry.efficient.gains.min())
            for name, entry in self.items()
            if entry.efficient is not None and entry.efficient.for_all and entry.efficient.gains is not None
        }
        if not gains:
            return []
        from isegoria.auditing.sentences import least_gain, lottery  # an audit's words, where there is something to say

        worst = self[max(gains, key=gains.__getitem__)]
        found, instance = cast(Efficiency, worst.efficient), self._instance
        other, gain = lottery(instance, cast(np.ndarray, found.better)), least_gain(instance, found)
        return [f"Everyone would do better with {other} than under {worst.label}: {gain}."]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Matplotlib axes with three bars for each policy, its scores; new ones unless `ax` is given."""
        return cast("Axes", display.drawn("isegoria.figures.scores:comparison", self, ax=ax))

    def __repr__(self) -> str:
        return "\n".join(columns(self.cells()))

    def _repr_html_(self) -> str:
        """The same table for a notebook."""
        header, *rows = self.cells()
        said = f"{len(self)} policies on {counted(self._instance.total_weight, 'agent')}"
        return display.box(display.line(said, "Comparison"), display.table(header, rows))


MARKS = {True: "✓", False: "–", None: ""}
"""An efficient policy, one that another is better than for someone and worse for nobody, and one not asked about."""


def compare(
    instance: Instance,
    tie_break: TieBreakName | None = None,
    within: WithinName | None = None,
    gini_weights: Sequence[float] | np.ndarray | Callable[[int], float] | None = None,
    *,
    policies: Mapping[str, Any] | None = None,
    rules: RuleName | Rule | Iterable[RuleName | Rule] | None = None,
    objectives: Iterable[Objective] = (),
) -> Comparison:
    """The policies of several rules on `instance` with their three scores, marking those that another is above on the
    scores (Definition 10): as good on every score, and better on one, by more than rounding.

    `rules` are names or `Rule`s, or "paper" (the six objectives), "fair" (the rules that are always fair), "baselines"
    (uniform, random dictatorship, conditional utilitarian, and the utilitarian policy among the fair) or "all"; left
    out, they are the six and the objectives that other packages offer. Such a rule that cannot answer is left out,
    with a note; a rule that was asked for raises what it has to say. `policies` are further ones by name, each a policy
    (K,) or a mapping by arm; `objectives` are further rules, after all others.
    `tie_break`, `within` and `gini_weights` are those of `solve`. The result is a mapping, from the id of a rule (or
    the name of a policy) to its `solution`, `scores`, `score_dominated_by` and `efficient`.

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
    checked_instance(instance, "compare")
    asked, given = contenders(rules, objectives), _given(policies)
    _refuse_twice([*asked, *given])
    settled = {id: tie_break or each.row.tie_break for id, each in asked.items()}
    instance.prepare(settled, within)  # of a scanned table, in the same passes
    found, left_out = {}, {}
    for id, each in asked.items():
        options = {} if gini_weights is None or not each.row.option("gini_weights") else {"gini_weights": gini_weights}
        choice = tie_break if isinstance(each.row, Objective) else None
        try:
            found[id] = solve(instance, each.row, choice, within, **options)
        except Exception as error:
            if not each.guarded:
                raise
            left_out[id] = _left_out(id, error)
    return _compared(instance, asked, found, given, left_out, tie_break is None and within is None)


def _compared(
    instance: Instance,
    asked: Mapping[str, ComparedRule],
    found: Mapping[str, Solution],
    given: Mapping[str, Any],
    left_out: Mapping[str, str],
    unbound: bool,
) -> Comparison:
    """The comparison of what was found and given; `unbound` searches know what the scores are measured by."""
    known = unbound and "inequality" in found and "utilitarian" in found
    best = Best(found["inequality"].value, found["utilitarian"].value) if known else None
    scores = {name: Scores(instance, solution.policy, best) for name, solution in found.items()}
    scores |= {name: score(instance, policy) for name, policy in given.items()}
    points = {name: each.point for name, each in scores.items()}
    entries = {
        name: Entry(
            found.get(name),
            scores[name],
            tuple(other for other in points if dominance.above(points[other], points[name])),
            asked[name].row.label if name in asked else name,
        )
        for name in scores
    }
    return Comparison(instance, entries, left_out)


def _left_out(id: str, error: Exception) -> str:
    """Why a rule of another package is left out, which is said in a note."""
    kind = "" if isinstance(error, InputError) else f"{type(error).__name__}: "
    reason = f"{kind}{error}".strip().rstrip(".")
    warnings.warn(f"{id} ({RULES.origin(id)}) is left out: {reason}.", IsegoriaWarning, stacklevel=4)
    return reason


def _given(policies: Mapping[str, Any] | None) -> dict[str, Any]:
    if policies is None:
        return {}
    if not isinstance(policies, Mapping):
        raise InputError('policies must be a mapping from names to policies, such as {"mine": [0.5, 0.5]}.')
    return {str(name): policy for name, policy in policies.items()}


def _refuse_twice(names: list[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(f"'{name}' is the name of a rule; give that policy another name.")


def _nested(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its scores in a dictionary of their own, last."""
    scores = {name: row.pop(name) for name in SCORES}
    keys = ("label", "policy", "value", "gap", "tie_break", "proof", "score_dominated_by", "efficient")
    more = {"relative": row["relative"]} if "relative" in row else {}
    return {**{key: row[key] for key in keys}, "scores": scores, **more}


def _number(value: float | None) -> float | None:
    """A number, or None for NaN, which JSON cannot say."""
    return None if value is None or value != value else value

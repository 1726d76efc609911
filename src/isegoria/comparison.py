"""Every objective's policy side by side on the three scores, with a mark on those that another Pareto-dominates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast, overload

import numpy as np

from isegoria import tolerances
from isegoria.arguments import checked_instance
from isegoria.errors import InputError, unknown
from isegoria.instance import Instance
from isegoria.instance.policies import PolicyLike
from isegoria.objectives import OBJECTIVES, TIE_BREAKS, Objective, Solution, solve
from isegoria.scores import Best, Scores, score
from isegoria.wording import SCORES, columns, counted

if TYPE_CHECKING:
    from isegoria.tables.scan import Scan


@dataclass(frozen=True, eq=False)
class Entry:
    """One policy of a comparison: its `scores`, its `solution`, and the names of the entries that dominate it.

    `solution` is None for a policy that was given rather than found.
    """

    solution: Solution | None
    scores: Scores
    dominated_by: tuple[str, ...] = ()
    label: str = ""

    @property
    def policy(self) -> np.ndarray:
        """(K,) the policy."""
        return self.scores.policy


class Comparison(Mapping[str, Entry]):
    """The policies by name: the ids of `OBJECTIVES` in their order, then those of one's own; read-only.

    >>> import isegoria as iso
    >>> iso.compare(iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "coffee"]))
    policy  PF score  IM score  UT score  tea    coffee
    PF      1.000     0.926     0.833     0.667  0.333
    IM      0.833     1.000     0.750     0.500  0.500
    UT      0.667     0.333     1.000     1.000  0.000
    EG      0.833     1.000     0.750     0.500  0.500
    NSW     1.000     0.926     0.833     0.667  0.333
    GGI     0.833     1.000     0.750     0.500  0.500
    """

    def __init__(self, instance: Instance, entries: Mapping[str, Entry]):
        self._instance = instance
        self._entries = dict(entries)

    def __getitem__(self, name: str) -> Entry:
        if name not in self._entries:
            raise unknown("objective", name, self._entries)
        return self._entries[name]

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

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary for each policy, in full precision: objective, label, scores, value, gap, policy, ….

        A policy that was given has no value, gap and tie-break: they are None.

        >>> import isegoria as iso
        >>> row = iso.compare(iso.Instance([[1, 0], [0, 1]])).rows()[2]
        >>> row["label"], row["utilitarian"], row["policy"], row["dominated_by"]
        ('UT', 1.0, [0.5, 0.5], [])
        """
        return [
            {
                "objective": name,
                "label": entry.label,
                **{score: getattr(entry.scores, score) for score in SCORES},
                **{key: getattr(entry.solution, key, None) for key in ("value", "gap", "tie_break")},
                "dominated_by": list(entry.dominated_by),
                "policy": entry.policy.tolist(),
            }
            for name, entry in self.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """The comparison as plain data: what `isegoria compare --format json` prints."""
        return {
            "agents": self._instance.total_weight,
            "arms": list(self._instance.arms),
            "objectives": {row.pop("objective"): _nested(row) for row in self.rows()},
        }

    def cells(self) -> list[list[str]]:
        """The comparison as text, header first: what it prints, and what a notebook shows."""
        rows = self.rows()
        lines = [["policy", *(f"{SCORES[name]} score" for name in SCORES), *self._instance.arms]]
        lines += [[row["label"], *(f"{x:.3f}" for x in (*(row[s] for s in SCORES), *row["policy"]))] for row in rows]
        if any(row["dominated_by"] for row in rows):
            lines[0].append("dominated by")
            for line, row in zip(lines[1:], rows, strict=True):
                line.append(" ".join(self[name].label for name in row["dominated_by"]))
        return lines

    def __repr__(self) -> str:
        return "\n".join(columns(self.cells()))

    def _repr_html_(self) -> str:
        """The same table for a notebook."""
        from isegoria import display

        header, *rows = self.cells()
        said = f"{len(self)} policies on {counted(self._instance.total_weight, 'agent')}"
        return display.box(display.line(said, "Comparison"), display.table(header, rows))


def compare(
    instance: Instance,
    tie_break: str = "centre",
    within: str | None = None,
    gini_weights: Sequence[float] | np.ndarray | Callable[[int], float] | None = None,
    *,
    policies: Mapping[str, Any] | None = None,
    objectives: Iterable[Objective] = (),
) -> Comparison:
    """The policies of all `OBJECTIVES` on `instance` with their three scores, marking what another Pareto-dominates
    (Definition 10): as good on every score, and better on one, by more than rounding.

    `policies` are further ones by name, each a policy (K,) or a mapping by arm; `objectives` are rules of one's own.
    `tie_break`, `within` and `gini_weights` are those of `solve`. The result is a mapping, from the id of an
    objective (or the name of a policy) to its `solution`, `scores` and `dominated_by`.

    >>> import isegoria as iso
    >>> table = iso.compare(iso.Instance([[0.4, 1], [1, 0.6]]), policies={"mine": [0.5, 0.5]})
    >>> table["nash"].solution.policy.round(4).tolist(), round(table["nash"].scores.procedural, 4)
    ([0.0833, 0.9167], 0.5833)
    >>> table["procedural"].dominated_by, table["nash"].dominated_by  # Theorem 6: neither dominates the other
    ((), ())
    >>> table["mine"].scores.procedural, table["mine"].solution
    (1.0, None)
    """
    checked_instance(instance, "compare")
    rows, given = _rows(objectives), _given(policies)
    _refuse_twice([*rows, *given])
    options = {"gini_weights": gini_weights}
    if instance.is_scan:
        cast("Scan", instance).prepare(list(OBJECTIVES), tie_break, within)  # in the same passes
    found = {
        name: solve(instance, row, tie_break, within, **{key: options[key] for key in row.options})
        for name, row in rows.items()
    }
    known = tie_break == TIE_BREAKS[0] and within is None
    best = Best(found["inequality"].value, found["utilitarian"].value) if known else None
    scores = {name: Scores(instance, solution.policy, best) for name, solution in found.items()}
    scores |= {name: score(instance, policy) for name, policy in given.items()}
    points = {name: each.point for name, each in scores.items()}
    return Comparison(
        instance,
        {
            name: Entry(
                found.get(name),
                scores[name],
                tuple(other for other in points if _above(points[other], points[name])),
                rows[name].label if name in rows else name,
            )
            for name in scores
        },
    )


def dominates(instance: Instance, policy: PolicyLike, other: Any) -> bool:
    """Whether `policy` Pareto-dominates `other` (Definition 10): as good on each of the three scores, better on one.

    A difference of rounding counts as none.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0, 0.5], [0, 1, 0.5]])
    >>> iso.dominates(instance, [0.5, 0.5, 0], [0, 0, 1]), iso.dominates(instance, [0, 0, 1], [0.5, 0.5, 0])
    (True, False)
    """
    checked_instance(instance, "dominates")
    return _above(score(instance, policy).point, score(instance, other).point)


def _above(better: tuple[float, ...], worse: tuple[float, ...]) -> bool:
    """Whether scores `better` Pareto-dominate scores `worse`.

    >>> _above((1.0, 0.9), (0.8, 0.9)), _above((1.0, 0.9), (1.0 - 1e-12, 0.9))
    (True, False)
    """
    gained = False
    for one, other in zip(better, worse, strict=True):
        if one < other - tolerances.DOMINANCE:
            return False
        gained = gained or one > other + tolerances.DOMINANCE
    return gained


def _rows(objectives: Iterable[Objective]) -> dict[str, Objective]:
    """The objectives of the table, and after them those that were given."""
    rows = dict(OBJECTIVES)
    for row in objectives:
        if not isinstance(row, Objective):
            raise InputError(f"objectives has {row!r}; expected an iso.Objective, with evaluate and optimise.")
        if row.id in rows:
            raise InputError(f"there is an objective '{row.id}' already; give yours an id of its own.")
        rows[row.id] = row
    return rows


def _given(policies: Mapping[str, Any] | None) -> dict[str, Any]:
    if policies is None:
        return {}
    if not isinstance(policies, Mapping):
        raise InputError('policies must be a mapping from names to policies, such as {"mine": [0.5, 0.5]}.')
    return {str(name): policy for name, policy in policies.items()}


def _refuse_twice(names: list[str]) -> None:
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(f"'{name}' is the name of an objective; give that policy another name.")


def _nested(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its scores in a dictionary of their own, last."""
    scores = {name: row.pop(name) for name in SCORES}
    keys = ("label", "policy", "value", "gap", "tie_break", "dominated_by")
    return {**{key: row[key] for key in keys}, "scores": scores}

"""Every objective's policy side by side on the three scores, with a mark on those that another Pareto-dominates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import sub

from isegoria import tolerances
from isegoria.errors import unknown
from isegoria.given import checked_instance
from isegoria.instance import Instance
from isegoria.objectives import OBJECTIVES, Solution, solve
from isegoria.scores import Scores

SCORES = ("procedural", "equality", "utilitarian")


@dataclass(frozen=True, eq=False)
class Entry:
    """One policy of a comparison: its `solution`, its `scores`, and the objectives whose policies dominate it."""

    solution: Solution
    scores: Scores
    dominated_by: tuple[str, ...] = ()


class Comparison(Mapping):
    """The policies by the id of their objective, in the order of `OBJECTIVES`; read-only.

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

    def __getitem__(self, objective: str) -> Entry:
        if objective not in self._entries:
            raise unknown("objective", objective, self._entries)
        return self._entries[objective]

    def __contains__(self, objective: object) -> bool:
        return objective in self._entries

    def get(self, objective: str, default=None):
        """The entry of `objective`, or `default` where there is none."""
        return self._entries.get(objective, default)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def rows(self) -> list[dict]:
        """One plain dictionary for each policy, in full precision: objective, label, scores, value, gap, policy, ….

        >>> import isegoria as iso
        >>> row = iso.compare(iso.Instance([[1, 0], [0, 1]])).rows()[2]
        >>> row["label"], row["utilitarian"], row["policy"], row["dominated_by"]
        ('UT', 1.0, [0.5, 0.5], [])
        """
        return [
            {
                "objective": name,
                "label": OBJECTIVES[name].label,
                **{score: getattr(entry.scores, score) for score in SCORES},
                "value": entry.solution.value,
                "gap": entry.solution.gap,
                "tie_break": entry.solution.tie_break,
                "dominated_by": list(entry.dominated_by),
                "policy": entry.solution.policy.tolist(),
            }
            for name, entry in self.items()
        ]

    def __repr__(self) -> str:
        rows = self.rows()
        lines = [["policy", "PF score", "IM score", "UT score", *self._instance.arms]]
        lines += [[row["label"], *(f"{x:.3f}" for x in (*(row[s] for s in SCORES), *row["policy"]))] for row in rows]
        if any(row["dominated_by"] for row in rows):
            lines[0].append("dominated by")
            for line, row in zip(lines[1:], rows, strict=True):
                line.append(" ".join(OBJECTIVES[name].label for name in row["dominated_by"]))
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


def compare(instance: Instance, tie_break: str = "centre", within: str | None = None, gini_weights=None) -> Comparison:
    """The six policies of `instance` with their three scores, marking what another policy Pareto-dominates
    (Definition 10): as good on every score, and better on one, by more than rounding.

    `tie_break`, `within` and `gini_weights` are those of `solve`. The result is a mapping, from the id of an
    objective to its `solution`, `scores` and `dominated_by`.

    >>> import isegoria as iso
    >>> table = iso.compare(iso.Instance([[0.4, 1], [1, 0.6]]))
    >>> table["nash"].solution.policy.round(4).tolist(), round(table["nash"].scores.procedural, 4)
    ([0.0833, 0.9167], 0.5833)
    >>> table["procedural"].dominated_by, table["nash"].dominated_by  # Theorem 6: neither dominates the other
    ((), ())
    """
    checked_instance(instance, "compare")
    options = {"gini_weights": gini_weights}
    solutions = {
        name: solve(instance, name, tie_break, within, **{key: options[key] for key in row.options})
        for name, row in OBJECTIVES.items()
    }
    scores = {name: Scores(instance, solution.policy) for name, solution in solutions.items()}
    points = {name: tuple(getattr(scores[name], axis) for axis in SCORES) for name in solutions}
    return Comparison(
        instance,
        {
            name: Entry(solution, scores[name], tuple(o for o in points if dominates(points[o], points[name])))
            for name, solution in solutions.items()
        },
    )


def dominates(better: tuple[float, ...], worse: tuple[float, ...]) -> bool:
    """Whether scores `better` Pareto-dominate scores `worse`; a difference of rounding counts as none.

    >>> dominates((1.0, 0.9), (0.8, 0.9)), dominates((1.0, 0.9), (1.0 - 1e-12, 0.9))
    (True, False)
    """
    gains = list(map(sub, better, worse))
    return min(gains) >= -tolerances.DOMINANCE and max(gains) > tolerances.DOMINANCE

"""`study`: rules or learners on many groups, worlds and seeds; raw rows first, tables and figures from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria import display
from isegoria.errors import InputError, unknown
from isegoria.instance import Instance
from isegoria.studies.experiment.design import Design, design_of
from isegoria.studies.experiment.running import run
from isegoria.studies.experiment.summary import StudyTable, _pandas, summed_up
from isegoria.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """What a study found: a row for every run, round and measure.

    - `columns`: the rows as columns: cell, seed, rule or learner, group, world (of learners), round, measure, value.
    - `design`: what was asked; `instance(group, seed)` is the group that a run met.
    - `table(…)`, `plot(…)`, `to_frame()`: the rows put together, drawn, or as a pandas data frame.
    """

    design: Design
    columns: Mapping[str, Sequence[Any]] = field(repr=False)

    @property
    def kind(self) -> str:
        """The column of what was compared: "rule" or "learner"."""
        return self.design.kind

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary for each row."""
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    def to_frame(self) -> Any:
        """The rows as a pandas data frame, with what is known of groups and settings in columns of their own."""
        return _pandas().DataFrame(self._wide())

    def instance(self, group: str, seed: int = 0) -> Instance:
        """The group of that name which a run with this seed met."""
        groups = {each.name: each for each in self.design.groups}
        if group not in groups:
            raise unknown("group", group, groups)
        return groups[group].instance(seed)

    def table(self, by: str | Sequence[str] | None = None, measure: str | Sequence[str] | None = None,
              against: str | None = None, round: int | str | None = "last") -> StudyTable:  # fmt: skip
        """Means over runs with standard errors and 95 % bootstrap intervals, a line for each combination of `by`.

        `by` are columns, by default the rule or learner and the measure; also what is known of the groups ("model",
        "agents", "arms") and settings ("gamma"). `measure` chooses some of them. With `against`, the name of a rule or
        learner, the means are of differences from it on the same group, world and seed, and the intervals are paired.
        `round` is "last", a recorded round, or None for all of them.

        >>> import isegoria as iso
        >>> law = {"model": "impartial", "agents": 5, "arms": 3}
        >>> found = iso.study(rules=["procedural", "utilitarian"], groups=law, seeds=30, measures=["utilitarian"])
        >>> found.table(against="utilitarian").rows()[0]["mean"] < 0
        True
        """
        columns = self._chosen(measure, round)
        named = [self.kind, "measure"] if by is None else [by] if isinstance(by, str) else list(by)
        several = len(set(columns["measure"])) > 1
        if several and "measure" not in named:
            named.append("measure")
        pair = ("group", "seed") if self.kind == "rule" else ("group", "world", "seed")
        return summed_up(columns, named, pair, self.kind, against)

    def plot(
        self, measure: str | None = None, x: str | None = None, by: str | None = None, ax: Axes | None = None
    ) -> Axes:
        """Matplotlib axes with the means and 95 % intervals of one measure.

        Against `x` ("round", "agents", "gamma", …) there is a line for each of `by` (the rule or learner); without `x`
        it is rounds where several were recorded, else a point for each."""
        from isegoria.figures.experiment import drawn

        chosen = measure or self.design.measures[0]
        if x is None and len(set(self._chosen(chosen, None)["round"])) > 1:
            x = "round"
        name = by or self.kind
        named = [name] if x is None or x == name else [x, name]
        found = self.table(named, chosen, round=None if x == "round" else "last")
        return drawn(found, chosen, x, name, ax)

    def _wide(self) -> dict[str, list[Any]]:
        """The columns of the rows, and beside them what is known of each cell."""
        facts = []
        for cell in self.design.cells():
            world = {} if cell.world is None else cell.world.about
            own = {key: value if isinstance(value, int | float | str) else str(value)
                   for key, value in cell.contender.settings.items()}  # fmt: skip
            facts.append({"id": cell.contender.id, **cell.group.about, **world, **own})
        names = list(dict.fromkeys(key for each in facts for key in each))
        more = {name: [facts[cell].get(name) for cell in self.columns["cell"]] for name in names}
        return more | {name: list(values) for name, values in self.columns.items()}

    def _chosen(self, measure: str | Sequence[str] | None, round: int | str | None) -> dict[str, list[Any]]:
        """The rows of these measures at this round."""
        wanted = self.design.measures if measure is None else (measure,) if isinstance(measure, str) else tuple(measure)
        for name in wanted:
            if name not in self.design.measures:
                raise unknown("measure", name, self.design.measures)
        columns = self._wide()
        keep = np.isin(np.array(columns["measure"]), wanted)
        rounds = np.array(columns["round"])
        if round == "last":
            last = {cell.number: 0 if cell.world is None else cell.world.rounds for cell in self.design.cells()}
            keep &= rounds == np.array([last[cell] for cell in columns["cell"]])
        elif round is not None:
            if round not in rounds:
                raise InputError(
                    f"round is {round!r}; recorded were {sorted(set(rounds.tolist()))[:8]}, 'last' or None."
                )
            keep &= rounds == round
        places = np.flatnonzero(keep).tolist()
        return {name: [values[place] for place in places] for name, values in columns.items()}

    def __repr__(self) -> str:
        return f"<Study of {self._said()}>"

    def _said(self) -> str:
        design = self.design
        parts = [counted(len(design.contenders), design.kind), counted(len(design.groups), "group")]
        parts += [counted(len(design.worlds), "world")] * (design.kind == "learner")
        return f"{', '.join(parts)}, {counted(len(design.seeds), 'seed')}: {counted(len(self.columns['value']), 'row')}"

    def _repr_html_(self) -> str:
        return display.box(display.line(self._said(), "Study"), self.table()._repr_html_())


def study(rules: Any = None, groups: Any = None, *, learners: Any = None, worlds: Any = None,
          seeds: int | Iterable[int] = 20, settings: Mapping[str, Any] | None = None,
          measures: str | Iterable[str] | None = None, out: str | os.PathLike[str] | None = None, workers: int = 1,
          scheduler: str | None = None, executor: Any = None, fresh: bool = False,
          report: Callable[[int, int], object] | None = None) -> Study:  # fmt: skip
    """The `Study` of every rule, or every learner, on every group (and world), for every seed.

    - `rules` or `learners`: names, with settings behind a colon ("guided:explore=0.1", "nash:tie_break=vertex"), or
      objects of one's own; `settings` crosses more of them with all that take them: {"gamma": [0.5, 0.9]}.
    - `groups`: an `Instance`, several by name, or a description: {"model": "mallows:0.5", "agents": [4, 8], "arms": 4},
      of which each seed draws its own group, the same for all; or {"file": "ratings.csv"}.
    - `worlds`, for learners: the name of a noise, or a description: {"noise": "beta", "rounds": 2000, "records": 20,
      "drift": 1000, "delay": 5}, or several.
    - `seeds`: n for 0 to n − 1, or a list. `measures`: some of those there are (default: all).

    With a folder `out` every run is kept as it is finished, and the same call goes on where it was stopped. `workers`
    processes, a Dask `scheduler` or any `executor` with `submit` share the work, and change nothing in the rows.

    >>> import isegoria as iso
    >>> law = {"model": "mallows:0.5", "agents": 4, "arms": 3}
    >>> found = iso.study(rules=["procedural", "nash"], groups=law, seeds=5)
    >>> found
    <Study of 2 rules, 1 group, 5 seeds: 90 rows>
    >>> found.table("rule", "procedural").rows()[0]["mean"]
    1.0
    """
    folder = None if out is None else Path(out)
    design = design_of(rules, learners, groups, worlds, seeds, settings, measures)
    told = report or (lambda done, of: None)
    return Study(design, run(design, folder, workers, scheduler, executor, fresh, told))

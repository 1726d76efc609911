"""`study`: rules or learners on many groups, environments and seeds; tables and figures are made from raw rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from isegoria.errors import InputError, unknown_name_error
from isegoria.profiles import Instance
from isegoria.studies.experiment.design import Design, make_design
from isegoria.studies.experiment.study_measures import is_known_measure
from isegoria.studies.experiment.study_runner import run_design
from isegoria.studies.experiment.study_table import StudyTable, _import_pandas, summarise
from isegoria.utils import notebook
from isegoria.utils.arguments import explain_keywords
from isegoria.utils.formatting import pluralise

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isegoria.learning.base.learner import Learner
    from isegoria.learning.environments.environment import Environment
    from isegoria.preferences import PreferenceModel
    from isegoria.rules import Rule
    from isegoria.rules.literals import RuleName

    class Simulator(Protocol):
        """A simulator of the user's own, as in Gymnasium."""

        def step(self, arm: int, /) -> Any: ...

    RuleLike = RuleName | Rule | type[Rule]
    LearnerLike = str | Learner | Callable[..., Learner]
    GroupsLike = Instance | np.ndarray | PreferenceModel | Callable[..., Any] | Mapping[str, Any] | Iterable[Any]
    EnvironmentLike = str | Environment | Simulator | Callable[..., Any] | Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Study:
    """The results of a study: a row for every run, round and measure.

    - `columns`: the rows as columns: cell, seed, rule or learner, group, environment (of learners), round,
      measure, value.
    - `design`: what was requested; `instance(group, seed)` is the group of a run.
    - `table(…)`, `plot(…)`, `to_frame()`: the rows summarised, drawn, or as a pandas data frame.
    """

    design: Design
    columns: Mapping[str, Sequence[Any]] = field(repr=False)

    @property
    def kind(self) -> str:
        """The column of what was compared: "rule" or "learner"."""
        return self.design.kind

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary for each row."""
        return [dict(zip(self.columns, row, strict=True)) for row in zip(*self.columns.values(), strict=True)]

    def to_frame(self) -> Any:
        """Return the rows as a pandas data frame, with columns for facts of groups, environments and settings."""
        return _import_pandas().DataFrame(_drop_repeated_columns(self._wide(), self.kind))

    def instance(self, group: str, seed: int = 0) -> Instance:
        """Return the group named `group` as a run with this seed saw it.

        Parameters
        ----------
        group : str
            The name of a group of the study.
        seed : int, optional
            The seed of the run.

        Returns
        -------
        Instance
            The given table, or the group that this seed samples.

        Raises
        ------
        UnknownNameError
            If the study has no such group.
        """
        groups = {each.name: each for each in self.design.groups}
        if group not in groups:
            raise unknown_name_error("group", group, groups)
        return groups[group].instance(seed)

    def table(
        self,
        by: str | Sequence[str] | None = None,
        measure: str | Sequence[str] | None = None,
        against: str | None = None,
        round: int | str | None = "last",
        sd: bool = False,
        quantiles: Sequence[float] = (),
    ) -> StudyTable:
        """Return means over runs with standard errors and 95 % bootstrap intervals.

        Parameters
        ----------
        by : str or sequence of str, optional
            The columns to group by; there is a line for each combination. By default the rule or learner and the
            measure. Facts of the groups ("model", "agents", "arms") and settings ("gamma") are columns too.
        measure : str or sequence of str, optional
            The measures to include. By default all.
        against : str, optional
            The name of a rule or learner. The means are then of differences from it on the same group, environment and
            seed, and the intervals are paired.
        round : int or str, optional
            "last", a recorded round, or None for all of them.
        sd : bool, optional
            Whether to add the sample standard deviation over draws.
        quantiles : sequence of float, optional
            Quantiles over draws to add: 0.5 is in column `median`, 0.25 in `q25`.

        Returns
        -------
        StudyTable
            A table with mean, standard error, interval and count per line.

        Raises
        ------
        InputError
            If the round was not recorded, or `against` is given and the table does not group by the rule or learner.
        UnknownNameError
            If there is no such column, measure, rule or learner.

        Examples
        --------
        >>> import isegoria as iso
        >>> law = {"model": "impartial", "agents": 5, "arms": 3}
        >>> found = iso.study(rules=["procedural", "utilitarian"], groups=law, seeds=30, measures=["utilitarian"])
        >>> found.table(against="utilitarian").rows()[0]["mean"] < 0
        True
        """
        columns = self._select_rows(measure, round)
        named = [self.kind, "measure"] if by is None else [by] if isinstance(by, str) else list(by)
        several = len(set(columns["measure"])) > 1
        if several and "measure" not in named:
            named.append("measure")
        pair = ("group", "seed") if self.kind == "rule" else ("group", "environment", "seed")
        return summarise(columns, named, pair, self.kind, against, sd=sd, quantiles=quantiles)

    def plot(
        self, measure: str | None = None, x: str | None = None, by: str | None = None, ax: Axes | None = None
    ) -> Axes:
        """Draw the means and 95 % intervals of one measure with matplotlib.

        Parameters
        ----------
        measure : str, optional
            The measure to draw. By default the first of the study.
        x : str, optional
            The column of the horizontal axis ("round", "agents", "gamma", …), with a line for each value of `by`. By
            default the rounds, if several were recorded; otherwise there is a point for each value of `by`.
        by : str, optional
            The column that distinguishes lines or points. By default the rule or learner.
        ax : matplotlib.axes.Axes, optional
            The axes to draw on.

        Returns
        -------
        matplotlib.axes.Axes
            The axes with the drawing.
        """
        from isegoria.figures import theme
        from isegoria.figures.study_figure import draw_study_table

        chosen = measure or self.design.measures[0]
        if x is None and len(set(self._select_rows(chosen, None)["round"])) > 1:
            x = "round"
        name = by or self.kind
        named = [name] if x is None or x == name else [x, name]
        found = self.table(named, chosen, round=None if x == "round" else "last")
        with theme.interactive_figures():
            return draw_study_table(found, chosen, x, name, ax)

    def _wide(self) -> dict[str, list[Any]]:
        """Return the columns of the rows together with the facts of each cell."""
        facts = []
        for cell in self.design.cells():
            environment = {} if cell.environment is None else cell.environment.about
            own = {
                key: value if isinstance(value, int | float | str) else str(value)
                for key, value in cell.contender.settings.items()
            }
            facts.append({"id": cell.contender.id, **cell.group.about, **environment, **own})
        names = list(dict.fromkeys(key for each in facts for key in each))
        more = {name: [facts[cell].get(name) for cell in self.columns["cell"]] for name in names}
        return more | {name: list(values) for name, values in self.columns.items()}

    def _select_rows(self, measure: str | Sequence[str] | None, round: int | str | None) -> dict[str, list[Any]]:
        """Return the rows of these measures at this round."""
        wanted = self.design.measures if measure is None else (measure,) if isinstance(measure, str) else tuple(measure)
        for name in wanted:
            if name not in self.design.measures:
                if is_known_measure(name, self.kind == "learner"):
                    raise InputError(
                        f"{name!r} was not recorded; ask for it before the run, with "
                        f"study(…, measures={[*self.design.measures[:1], name]})."
                    )
                raise unknown_name_error("measure", name, self.design.measures)
        columns = self._wide()
        keep = np.isin(np.array(columns["measure"]), wanted)
        rounds = np.array(columns["round"])
        if round == "last":
            cells = self.design.cells()
            last = {cell.number: 0 if cell.environment is None else cell.environment.rounds for cell in cells}
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
        return f"<Study of {self._describe()}>"

    def _describe(self) -> str:
        design = self.design
        parts = [pluralise(len(design.contenders), design.kind), pluralise(len(design.groups), "group")]
        parts += [pluralise(len(design.environments), "environment")] * (design.kind == "learner")
        return (
            f"{', '.join(parts)}, {pluralise(len(design.seeds), 'seed')}: "
            f"{pluralise(len(self.columns['value']), 'row')}"
        )

    def _repr_html_(self) -> str:
        return notebook.html_box(notebook.html_line(self._describe(), "Study"), self.table()._repr_html_())


def _drop_repeated_columns(columns: dict[str, list[Any]], kind: str) -> dict[str, list[Any]]:
    """Return the columns without the ids of rules or learners, if they are the names."""
    return {name: values for name, values in columns.items() if name != "id" or values != columns[kind]}


@explain_keywords
def study(
    rules: RuleLike | Iterable[RuleLike] | None = None,
    groups: GroupsLike | None = None,
    *,
    learners: LearnerLike | Iterable[LearnerLike] | None = None,
    environments: EnvironmentLike | Sequence[EnvironmentLike] | None = None,
    seeds: int | Iterable[int] = 20,
    settings: Mapping[str, Any] | None = None,
    measures: str | Iterable[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    executor: Any = None,
    fresh: bool = False,
    on_progress: Callable[[int, int], object] | None = None,
) -> Study:
    """Compare every rule, or every learner, on every group (and in every environment), for every seed.

    Parameters
    ----------
    rules, learners : str, object or iterable, optional
        What to compare; give one of the two. Names may have settings after a colon ("elimination:explore=0.1",
        "nash:tie_break=vertex"). A rule may be a `Rule` or a class of rules. A learner may be a `Learner`, a class of
        learners, or a function of the number of agents, the number of arms and the seed.
    groups : Instance, mapping, function, data frame or iterable
        An `Instance`, several by name or in a list, or a description: {"model": "mallows:0.5", "agents": [4, 8],
        "arms": 4} or {"file": "ratings.csv"}. A model may be a function of a random generator and factors,
        {"model": camps, "n": [5, 11]}. A data frame has a row for each group: its instance and any facts. For each
        seed, one group is sampled from each described model and shared by all rules or learners.
    environments : str, mapping or list, optional
        For learners: the name of a noise model, an `Environment` (object or class), a function that makes one for a
        group, a simulator with `step(arm)`, or a description {"noise": one of these, "rounds": 2000, "records": 20,
        "drift": 1000, "delay": 5}; several by name or in a list.
    seeds : int or iterable of int, optional
        Distinct seeds; an integer n means 0 to n − 1.
    settings : mapping, optional
        More settings, crossed with all rules or learners that accept them: {"gamma": [0.5, 0.9]}.
    measures : str or iterable of str, optional
        What to measure. By default everything.
    out : path, optional
        A folder in which every run is stored as it finishes; the same call resumes an interrupted study.
    workers, scheduler, executor : optional
        Run on this many processes, a Dask scheduler, or any executor with `submit`. They do not change the rows.
    fresh : bool, optional
        Discard runs that are stored in `out`.
    on_progress : callable, optional
        Called as `on_progress(done, of)` while runs finish.

    Returns
    -------
    Study
        The rows, with methods for tables and figures.

    Raises
    ------
    InputError
        If an argument is invalid, or the study is too large.
    UnknownNameError
        If a name is not known.
    FileError
        If `out` contains an unfinished study of another design.

    Examples
    --------
    >>> import isegoria as iso
    >>> law = {"model": "mallows:0.5", "agents": 4, "arms": 3}
    >>> found = iso.study(rules=["procedural", "nash"], groups=law, seeds=5)
    >>> found
    <Study of 2 rules, 1 group, 5 seeds: 90 rows>
    >>> found.table("rule", "procedural").rows()[0]["mean"]
    1.0
    """
    folder = None if out is None else Path(out)
    design = make_design(rules, learners, groups, environments, seeds, settings, measures)
    told = on_progress or (lambda done, of: None)
    return Study(design, run_design(design, folder, workers, scheduler, executor, fresh, told))

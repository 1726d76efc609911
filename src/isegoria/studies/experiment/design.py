"""The design of a study: what is compared on which groups and environments, with which seeds; its cells in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import InputError
from isegoria.studies.experiment.environment_specs import EnvironmentSpec, parse_environments
from isegoria.studies.experiment.methods import StudyMethod, parse_learners, parse_rules, require_known_settings
from isegoria.studies.experiment.study_groups import StudyGroup, parse_groups
from isegoria.studies.experiment.study_measures import (
    LEARNER_MEASURES,
    RULE_MEASURES,
    Measurement,
    measure_learner,
    measure_rule,
    require_known_measures,
)

MAX_RUNS = 10_000_000
"""A study with more runs is assumed to be a typing error."""


class DesignCell(NamedTuple):
    """One combination of a rule or learner, a group and (for learners) an environment; `number` counts from 0."""

    number: int
    contender: StudyMethod
    group: StudyGroup
    environment: EnvironmentSpec | None


@dataclass(frozen=True, eq=False)
class Design:
    """The design of a study: `kind` "rule" or "learner", the contenders, groups, environments, seeds and measures."""

    kind: str
    contenders: tuple[StudyMethod, ...]
    groups: tuple[StudyGroup, ...]
    environments: tuple[EnvironmentSpec | None, ...]
    seeds: tuple[int, ...]
    measures: tuple[str, ...]
    name: str = "study"

    def cells(self) -> list[DesignCell]:
        """Return every cell, group by group, so that cells that are compared are adjacent."""
        combined = product(self.groups, self.environments, self.contenders)
        return [DesignCell(number, one, group, spec) for number, (group, spec, one) in enumerate(combined)]

    def runs(self) -> list[tuple[DesignCell, int]]:
        """Return every (cell, seed), in the order of the rows; a rule on a given table has one seed only."""
        return [(cell, seed) for cell in self.cells() for seed in self.seeds_of(cell)]

    def seeds_of(self, cell: DesignCell) -> tuple[int, ...]:
        """Return the seeds of a cell."""
        return self.seeds[:1] if self.kind == "rule" and cell.group.given is not None else self.seeds

    def about(self) -> dict[str, Any]:
        """Return the design as plain data, for the record of the study."""
        data = {
            "name": self.name,
            f"{self.kind}s": [
                {"name": one.name, "id": one.id, "settings": dict(one.settings)} for one in self.contenders
            ],
            "groups": [{"name": group.name, **group.about, "digest": group.digest[:16]} for group in self.groups],
            "environments": [spec.to_plain_data() for spec in self.environments if spec is not None],
            "seeds": list(self.seeds),
            "measures": list(self.measures),
        }
        plain: dict[str, Any] = json.loads(json.dumps(data, default=_to_plain))
        return plain

    @property
    def identity(self) -> str:
        """A digest of everything that determines the rows, except the code."""
        made = [*(one.digest for one in self.contenders), *(one.digest for one in self.environments if one is not None)]
        text = json.dumps([self.about() | {"name": ""}, made], sort_keys=True)
        return sha256(text.encode()).hexdigest()


def _to_plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else str(value)


def measure_run(design: Design, cell: DesignCell, seed: int) -> list[Measurement]:
    """Compute the measurements of one run; this runs in a worker."""
    group = cell.group.instance(seed)
    if cell.environment is None:
        return measure_rule(cell.contender, group, design.measures)
    return measure_learner(cell.contender, group, cell.environment, seed, design.measures)


def make_design(
    rules: Any = None,
    learners: Any = None,
    groups: Any = None,
    environments: Any = None,
    seeds: Any = 20,
    settings: Mapping[str, Any] | None = None,
    measures: Iterable[str] | None = None,
    name: str = "study",
    folder: Any = None,
) -> Design:
    """Build and validate a `Design`; see `study` for the values that each argument accepts."""
    if (rules is None) == (learners is None):
        raise InputError("a study compares rules or learners: give one of them, such as rules=['procedural', 'nash'].")
    if groups is None and environments is not None:
        groups = [spec.profile_of_own for spec in parse_environments(environments)]
        groups = groups[0] if len(groups) == 1 else None
    if groups is None:
        raise InputError("a study needs groups: an iso.Instance, or a description such as {'model': 'impartial', …}.")
    if environments is not None and learners is None:
        raise InputError("rules meet no environment; leave out environments, or give learners.")
    about = LEARNER_MEASURES if learners is not None else RULE_MEASURES
    chosen = tuple(about) if measures is None else tuple([measures] if isinstance(measures, str) else measures)
    require_known_measures(chosen, learners is not None)
    if learners is None:
        kind, contenders = "rule", parse_rules(rules, settings)
    else:
        kind, contenders = "learner", parse_learners(learners, settings)
    require_known_settings(settings or {}, contenders, learners is not None)
    met: tuple[EnvironmentSpec | None, ...] = (
        (None,) if learners is None else parse_environments({} if environments is None else environments)
    )
    made = Design(kind, contenders, parse_groups(groups, folder), met, parse_seeds(seeds), chosen, str(name))
    count = len(made.contenders) * len(made.groups) * len(met) * len(made.seeds)
    if count > MAX_RUNS:
        raise InputError(f"the study has {count:,} runs; expected at most {MAX_RUNS:,}. Give fewer seeds or groups.")
    return made


def parse_seeds(given: Any) -> tuple[int, ...]:
    """Return the seeds: an integer n means 0 to n − 1, a list must have distinct integers from 0 up.

    >>> parse_seeds(3), parse_seeds([7, 9])
    ((0, 1, 2), (7, 9))
    """
    found = range(given) if isinstance(given, int | np.integer) and not isinstance(given, bool) else given
    try:
        chosen = tuple(int(seed) for seed in found)
    except (TypeError, ValueError):
        chosen = ()
    if not chosen or min(chosen) < 0 or len(set(chosen)) < len(chosen):
        raise InputError(
            f"seeds is {given!r}; give a number from 1 up, or a list of different whole numbers from 0 up."
        )
    return chosen

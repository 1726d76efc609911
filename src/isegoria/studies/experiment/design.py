"""The design of a study: what is compared on which groups and worlds, with which seeds; and its cells in order."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import InputError
from isegoria.studies.experiment.contenders import Contender, check_settings, learners_of, rules_of
from isegoria.studies.experiment.groups import StudyGroup, groups_of
from isegoria.studies.experiment.measures import (
    LEARNER_MEASURES,
    RULE_MEASURES,
    Measurement,
    check_measures,
    of_learner,
    of_rule,
)
from isegoria.studies.experiment.worlds import World, worlds_of

MOST_RUNS = 10_000_000
"""More than that is a slip of the hand."""


class DesignCell(NamedTuple):
    """One combination of a rule or learner, a group and (for learners) a world; `number` counts from 0."""

    number: int
    contender: Contender
    group: StudyGroup
    world: World | None


@dataclass(frozen=True, eq=False)
class Design:
    """What a study is: `kind` "rule" or "learner", the contenders, groups, worlds, seeds and measures."""

    kind: str
    contenders: tuple[Contender, ...]
    groups: tuple[StudyGroup, ...]
    worlds: tuple[World | None, ...]
    seeds: tuple[int, ...]
    measures: tuple[str, ...]
    name: str = "study"

    def cells(self) -> list[DesignCell]:
        """Every cell, group by group, so that what is compared stands together."""
        combined = [(one, group, world) for group in self.groups for world in self.worlds for one in self.contenders]
        return [DesignCell(number, *each) for number, each in enumerate(combined)]

    def runs(self) -> list[tuple[DesignCell, int]]:
        """Every (cell, seed), in the order of the rows; a rule on a given table needs no second seed."""
        return [(cell, seed) for cell in self.cells() for seed in self.seeds_of(cell)]

    def seeds_of(self, cell: DesignCell) -> tuple[int, ...]:
        """The seeds of a cell."""
        return self.seeds[:1] if self.kind == "rule" and cell.group.given is not None else self.seeds

    def about(self) -> dict[str, Any]:
        """The design as plain data: what the record of a study holds."""
        return {
            "name": self.name,
            f"{self.kind}s": [one.name for one in self.contenders],
            "groups": [{"name": group.name, **group.about, "digest": group.digest[:16]} for group in self.groups],
            "worlds": [vars(world) | {"drift": list(world.drift)} for world in self.worlds if world is not None],
            "seeds": list(self.seeds),
            "measures": list(self.measures),
        }

    @property
    def identity(self) -> str:
        """A digest of everything that decides the rows, but for the code."""
        made = [one.digest for one in self.contenders]
        text = json.dumps([self.about() | {"name": ""}, made], sort_keys=True, default=str)
        return sha256(text.encode()).hexdigest()


def measured(design: Design, cell: DesignCell, seed: int) -> list[Measurement]:
    """The rows of one run; what a worker does."""
    group = cell.group.instance(seed)
    if cell.world is None:
        return of_rule(cell.contender, group, design.measures)
    return of_learner(cell.contender, group, cell.world, seed, design.measures)


def design_of(rules: Any = None, learners: Any = None, groups: Any = None, worlds: Any = None, seeds: Any = 20,
              settings: Mapping[str, Any] | None = None, measures: Iterable[str] | None = None, name: str = "study",
              folder: Any = None) -> Design:  # fmt: skip
    """The `Design` that is asked for, checked; see `study` for what each of these may be."""
    if (rules is None) == (learners is None):
        raise InputError("a study compares rules or learners: give one of them, such as rules=['procedural', 'nash'].")
    if groups is None:
        raise InputError("a study needs groups: an iso.Instance, or a description such as {'model': 'impartial', …}.")
    if worlds is not None and learners is None:
        raise InputError("rules meet no world; leave out worlds, or give learners.")
    about = LEARNER_MEASURES if learners is not None else RULE_MEASURES
    chosen = tuple(about) if measures is None else tuple([measures] if isinstance(measures, str) else measures)
    check_measures(chosen, learners is not None)
    if learners is None:
        kind, contenders = "rule", rules_of(rules, settings)
    else:
        kind, contenders = "learner", learners_of(learners, settings)
    check_settings(settings or {}, contenders, learners is not None)
    met: tuple[World | None, ...] = (None,) if learners is None else worlds_of({} if worlds is None else worlds)
    made = Design(kind, contenders, groups_of(groups, folder), met, seeds_of(seeds), chosen, str(name))
    count = len(made.contenders) * len(made.groups) * len(met) * len(made.seeds)
    if count > MOST_RUNS:
        raise InputError(f"the study has {count:,} runs; expected at most {MOST_RUNS:,}. Give fewer seeds or groups.")
    return made


def seeds_of(given: Any) -> tuple[int, ...]:
    """The seeds: n for 0 to n − 1, or a list of whole numbers, each once.

    >>> seeds_of(3), seeds_of([7, 9])
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

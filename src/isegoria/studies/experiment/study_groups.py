"""The groups of a study: given tables, and distributions from which each seed samples a group."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown_name_error
from isegoria.learning.simulation.learner_names import number_duplicates
from isegoria.preferences import MODELS, Distribution, PreferenceModel, parse_distribution, sample, sample_rewards
from isegoria.profiles import Instance
from isegoria.studies.experiment.group_sampler import GroupSampler, parse_group_rows, parse_samplers
from isegoria.utils.code_digest import digest_code

GROUP_KEYS = ("model", "agents", "arms", "favourites", "file")
"""The keys that a description of groups may have."""


@dataclass(frozen=True, eq=False)
class StudyGroup:
    """A group of a study: its `name`, facts that tables can group `by` (`about`), and the table, if one is given.

    Without a table, each seed samples a group: rankings by `model`, and the paper's rewards for them.
    """

    name: str
    about: Mapping[str, Any]
    given: Instance | None = field(default=None, repr=False)
    sampler: GroupSampler | Distribution | None = field(default=None, repr=False)

    def instance(self, seed: int) -> Instance:
        """Return the group of a seed; it does not depend on the rest of the study."""
        if self.given is not None:
            return self.given
        stream = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(self.name.encode()),))
        if isinstance(self.sampler, GroupSampler):
            return self.sampler.sample(np.random.default_rng(stream))
        entropy = int.from_bytes(stream.generate_state(4).tobytes(), "little")
        agents, arms = self.about["agents"], self.about["arms"]
        rankings = sample(self.sampler or self.about["model"], agents, arms, seed=entropy)
        return Instance(sample_rewards(rankings, self.about["favourites"], seed=entropy))

    @property
    def digest(self) -> str:
        """A string that identifies the group: its name, the code of its own model, or a hash of its ratings."""
        if isinstance(self.sampler, GroupSampler):
            return self.sampler.digest
        if self.given is None:
            model = self.sampler.model if self.sampler else None
            return self.name if model is None or MODELS.builtin.get(model.id) is model else digest_code(model)
        table = self.given
        parts = (
            np.ascontiguousarray(table.means, dtype=float).tobytes(),
            table.weights.tobytes(),
            np.ascontiguousarray(table.favourites).tobytes(),
            "\0".join(table.arms).encode(),
        )
        return sha256(b"|".join(parts)).hexdigest()


def parse_groups(given: Any, folder: Path | None = None) -> tuple[StudyGroup, ...]:
    """Return the requested groups, from an `Instance`, several of them by name or in a list, or a description.

    A description is a mapping with `model`, `agents`, `arms` and `favourites`, each one value or a list (every
    combination is a group), or with `file`, one path or several, relative to `folder`. A model is a name, a
    `PreferenceModel`, or a function `(rng, **factors) -> Instance`, whose factors then replace the other keys. A table
    of groups has a row for each, with its instance and any facts.

    >>> [group.name for group in parse_groups({"model": ["impartial", "mallows:0.5"], "agents": 4, "arms": [3, 5]})]
    ['impartial 4x3', 'impartial 4x5', 'mallows:0.5 4x3', 'mallows:0.5 4x5']
    """
    if isinstance(given, np.ndarray):
        given = Instance(given)
    if isinstance(given, Instance):
        return (_group_from_instance("group", given),)
    if callable(given) or isinstance(given, PreferenceModel):
        return _groups_from_description({"model": given}, folder)
    rows = parse_group_rows(given)
    if rows is not None:
        names = number_duplicates(name for name, _, _ in rows)
        return tuple(
            StudyGroup(name, {"agents": len(table.agents), "arms": len(table.arms), **facts}, table)
            for name, (_, facts, table) in zip(names, rows, strict=True)
        )
    if isinstance(given, Mapping):
        tables = {name: value for name, value in given.items() if isinstance(value, Instance)}
        if tables and len(tables) == len(given):
            return tuple(_group_from_instance(str(name), table) for name, table in tables.items())
        return _groups_from_description(given, folder)
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        parts = [parse_groups(each, folder) for each in given]
        if all(len(part) == 1 and part[0].name == "group" for part in parts):
            return tuple(
                _group_from_instance(f"group {n}", part[0].instance(0)) for n, part in enumerate(parts, start=1)
            )
        return _require_distinct([group for part in parts for group in part])
    raise InputError(
        f"groups is {given!r}; give an iso.Instance, a mapping from names to them, a function that takes a random "
        "generator and returns one, or a description such as "
        '{"model": "mallows:0.5", "agents": 6, "arms": 4}.'
    )


def _group_from_instance(name: str, table: Instance) -> StudyGroup:
    return StudyGroup(name, {"agents": len(table.agents), "arms": len(table.arms)}, table)


def _groups_from_description(about: Mapping[str, Any], folder: Path | None) -> tuple[StudyGroup, ...]:
    models = _as_list(about.get("model"))
    functions = [one for one in models if callable(one) and not isinstance(one, PreferenceModel)]
    if functions:
        if len(functions) < len(models):
            raise InputError("groups mixes functions with named models; put them into two descriptions in a list.")
        factors = {key: value for key, value in about.items() if key != "model"}
        samplers = parse_samplers(functions, factors)
        named = zip(number_duplicates(each.name for each in samplers), samplers, strict=True)
        attributes = [{"model": each.name.partition(" ")[0], **dict(each.factors)} for each in samplers]
        return tuple(StudyGroup(name, about, None, each) for (name, each), about in zip(named, attributes, strict=True))
    for key in about:
        if key not in GROUP_KEYS:
            raise unknown_name_error("key of groups", key, GROUP_KEYS)
    if "file" in about:
        others = [key for key in about if key != "file"]
        if others:
            raise InputError(
                f"groups has both file and {others[0]}; a file says itself how many agents and arms it has."
            )
        return _require_distinct([_read_group(path, folder) for path in _as_list(about["file"])])
    missing = [key for key in ("model", "agents", "arms") if key not in about]
    if missing:
        raise InputError(f"groups has no {missing[0]}; give model, agents and arms, or a file.")
    agents_, arms_, favourites_ = (
        [_require_integer(key, value) for value in _as_list(about.get(key, 1))]
        for key in ("agents", "arms", "favourites")
    )
    laws = [parse_distribution(name) for name in models]
    found = []
    for law, agents, arms, favourites in product(laws, agents_, arms_, favourites_):
        if favourites > arms:
            raise InputError(f"favourites is {favourites} with {arms} arms; expected at most as many as arms.")
        behind = f" f={favourites}" if favourites > 1 else ""
        facts = {"model": law.name, "agents": agents, "arms": arms, "favourites": favourites}
        found.append(StudyGroup(f"{law.name} {agents}x{arms}{behind}", facts, None, law))
    return _require_distinct(found)


def _read_group(path: Any, folder: Path | None) -> StudyGroup:
    from isegoria.io import read

    place = Path(path) if folder is None else folder / str(path)
    return _group_from_instance(Path(path).stem, read(place))


def _require_integer(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(f"{name} is {value!r}; expected a whole number from 1 up.")
    return int(value)


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple | range | np.ndarray) else [value]


def _require_distinct(groups: list[StudyGroup]) -> tuple[StudyGroup, ...]:
    names = [group.name for group in groups]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise InputError(f"two groups are called {twice!r}; give each a name of its own.")
    return tuple(groups)

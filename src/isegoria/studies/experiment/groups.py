"""The groups of a study: tables that are given, and laws from which each seed draws a group of its own."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown
from isegoria.instance import Instance
from isegoria.preferences import law, rewards, sample

KEYS = ("model", "agents", "arms", "favourites", "file")
"""What a description of groups may say."""


@dataclass(frozen=True, eq=False)
class StudyGroup:
    """A group of a study: its `name`, what it is in words that tables can go `by`, and the table, if it is given.

    Without a table each seed draws a group from the law: rankings by `model`, and the paper's rewards for them.
    """

    name: str
    about: Mapping[str, Any]
    given: Instance | None = field(default=None, repr=False)

    def instance(self, seed: int) -> Instance:
        """The group that a seed meets; the same whatever else is in the study."""
        if self.given is not None:
            return self.given
        own = np.random.SeedSequence(seed, spawn_key=(zlib.crc32(self.name.encode()),)).generate_state(4)
        entropy = int.from_bytes(own.tobytes(), "little")
        agents, arms = self.about["agents"], self.about["arms"]
        rankings = sample(self.about["model"], agents, arms, seed=entropy)
        return Instance(rewards(rankings, self.about["favourites"], seed=entropy))

    @property
    def digest(self) -> str:
        """What tells this group from others: the law, or the ratings themselves."""
        if self.given is None:
            return self.name
        table = self.given
        parts = (np.ascontiguousarray(table.means, dtype=float).tobytes(), table.weights.tobytes(),
                 np.ascontiguousarray(table.favourites).tobytes(), "\0".join(table.arms).encode())  # fmt: skip
        return sha256(b"|".join(parts)).hexdigest()


def groups_of(given: Any, folder: Path | None = None) -> tuple[StudyGroup, ...]:
    """The groups that are asked for: an `Instance`, several by name or in a list, or a description.

    A description is a mapping with `model`, `agents`, `arms` and `favourites`, each one value or a list (every
    combination is a group), or with `file`, one path or several, relative to `folder`.

    >>> [group.name for group in groups_of({"model": ["impartial", "mallows:0.5"], "agents": 4, "arms": [3, 5]})]
    ['impartial 4x3', 'impartial 4x5', 'mallows:0.5 4x3', 'mallows:0.5 4x5']
    """
    if isinstance(given, Instance):
        return (_table("group", given),)
    if isinstance(given, Mapping):
        tables = {name: value for name, value in given.items() if isinstance(value, Instance)}
        if tables and len(tables) == len(given):
            return tuple(_table(str(name), table) for name, table in tables.items())
        return _described(given, folder)
    if isinstance(given, Iterable) and not isinstance(given, str | bytes):
        parts = [groups_of(each, folder) for each in given]
        if all(len(part) == 1 and part[0].name == "group" for part in parts):
            return tuple(_table(f"group {n}", part[0].instance(0)) for n, part in enumerate(parts, start=1))
        return _distinct([group for part in parts for group in part])
    raise InputError(
        f"groups is {given!r}; give an iso.Instance, a mapping from names to them, or a description such as "
        '{"model": "mallows:0.5", "agents": 6, "arms": 4}.'
    )


def _table(name: str, table: Instance) -> StudyGroup:
    return StudyGroup(name, {"agents": len(table.agents), "arms": len(table.arms)}, table)


def _described(about: Mapping[str, Any], folder: Path | None) -> tuple[StudyGroup, ...]:
    for key in about:
        if key not in KEYS:
            raise unknown("key of groups", key, KEYS)
    if "file" in about:
        others = [key for key in about if key != "file"]
        if others:
            raise InputError(
                f"groups has both file and {others[0]}; a file says itself how many agents and arms it has."
            )
        return _distinct([_read(path, folder) for path in _many(about["file"])])
    missing = [key for key in ("model", "agents", "arms") if key not in about]
    if missing:
        raise InputError(f"groups has no {missing[0]}; give model, agents and arms, or a file.")
    agents_, arms_, favourites_ = (
        [_whole(key, value) for value in _many(about.get(key, 1))] for key in ("agents", "arms", "favourites")
    )
    laws = [law(str(name)).name for name in _many(about["model"])]
    found = []
    for model, agents, arms, favourites in product(laws, agents_, arms_, favourites_):
        if favourites > arms:
            raise InputError(f"favourites is {favourites} with {arms} arms; expected at most as many as arms.")
        behind = f" f={favourites}" if favourites > 1 else ""
        facts = {"model": model, "agents": agents, "arms": arms, "favourites": favourites}
        found.append(StudyGroup(f"{model} {agents}x{arms}{behind}", facts))
    return _distinct(found)


def _read(path: Any, folder: Path | None) -> StudyGroup:
    from isegoria.io import read

    place = Path(path) if folder is None else folder / str(path)
    return _table(Path(path).stem, read(place))


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise InputError(f"{name} is {value!r}; expected a whole number from 1 up.")
    return int(value)


def _many(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple | range | np.ndarray) else [value]


def _distinct(groups: list[StudyGroup]) -> tuple[StudyGroup, ...]:
    names = [group.name for group in groups]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        raise InputError(f"two groups are called {twice!r}; give each a name of its own.")
    return tuple(groups)

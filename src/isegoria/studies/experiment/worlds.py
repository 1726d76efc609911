"""The worlds of a study of learners: noise around a group's means, for some rounds, with drift and delay."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown
from isegoria.instance import Instance
from isegoria.learning.registry import NOISES
from isegoria.learning.worlds.changing import ChangingRewards
from isegoria.learning.worlds.environment import Environment

KEYS = ("noise", "sd", "rounds", "records", "drift", "delay")
"""What a description of worlds may say."""
DEFAULTS: dict[str, Any] = {"noise": "bernoulli", "sd": None, "rounds": 1000, "records": 1, "drift": (), "delay": 0}


@dataclass(frozen=True)
class World:
    """A world: the `noise` by name with its `sd` (None: its own), how many `rounds`, how many of them are recorded, the
    rounds from which on everybody's ratings move one arm on (`drift`), and how late rewards are told (`delay`)."""

    noise: str = "bernoulli"
    sd: float | None = None
    rounds: int = 1000
    records: int = 1
    drift: tuple[int, ...] = ()
    delay: int = 0

    def __post_init__(self) -> None:
        kind = NOISES[self.noise]  # refuses an unknown one
        if self.sd is not None and "sd" not in inspect.signature(kind).parameters:
            raise InputError(f"{self.noise} rewards take no sd; leave it out.")
        for name, least in (("rounds", 1), ("records", 1), ("delay", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"{name} is {value!r}; expected a whole number from {least} up.")

    @property
    def name(self) -> str:
        """A name that tells what differs from the default.

        >>> World().name, World("beta", sd=0.1, drift=(500,), delay=3).name
        ('bernoulli', 'beta sd=0.1 drift=500 delay=3')
        """
        parts = [self.noise, "" if self.sd is None else f"sd={self.sd:g}"]
        parts += ["" if not self.drift else f"drift={','.join(map(str, self.drift))}"]
        return " ".join(filter(None, [*parts, f"delay={self.delay}" if self.delay else ""]))

    @property
    def about(self) -> dict[str, Any]:
        """What tables can go by."""
        return {"world": self.name, "noise": self.noise, "rounds": self.rounds, "delay": self.delay}

    def environment(self, group: Instance) -> Environment:
        """The environment of a group in this world."""
        spread = {} if self.sd is None else {"sd": self.sd}
        first = NOISES[self.noise](group, **spread)
        changes = [
            (at, NOISES[self.noise](_moved(group, step), **spread)) for step, at in enumerate(self.drift, start=1)
        ]
        return ChangingRewards(first, *changes) if changes else first


def _moved(group: Instance, arms: int) -> Instance:
    """The group with everybody's ratings moved so many arms on."""
    return Instance(np.roll(group.means, arms, axis=1), weights=group.weights, agents=group.agents, arms=group.arms)


def worlds_of(given: Any) -> tuple[World, ...]:
    """The worlds that are asked for: a `World`, the name of a noise, a description, or several of these.

    In a description `noise`, `sd` and `delay` may be lists, and every combination is a world.

    >>> [world.name for world in worlds_of({"noise": ["beta", "bernoulli"], "rounds": 500})]
    ['beta', 'bernoulli']
    """
    if isinstance(given, World):
        return (given,)
    if isinstance(given, str):
        return (World(given),)
    if isinstance(given, Mapping):
        return _described(given)
    if isinstance(given, list | tuple) and given:
        found = tuple(world for each in given for world in worlds_of(each))
        names = [world.name for world in found]
        if len(set(names)) < len(names):
            raise InputError("two worlds have the same noise, drift and delay; give each once.")
        return found
    raise InputError(f'worlds is {given!r}; give the name of a noise, or a description such as {{"noise": "beta"}}.')


def _described(about: Mapping[str, Any]) -> tuple[World, ...]:
    for key in about:
        if key not in KEYS:
            raise unknown("key of world", key, KEYS)
    said = DEFAULTS | dict(about)
    drift = said["drift"] if isinstance(said["drift"], list | tuple) else [said["drift"]]
    crossed = product(*(value if isinstance(value, list | tuple) else [value]
                        for value in (said["noise"], said["sd"], said["delay"])))  # fmt: skip
    return tuple(
        World(noise, None if sd is None else float(sd), said["rounds"], said["records"], tuple(drift), delay)
        for noise, sd, delay in crossed
    )

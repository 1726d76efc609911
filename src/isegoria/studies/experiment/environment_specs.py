"""The environments of a study of learners: noise around a group's means, a number of rounds, drift and delay."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from isegoria.errors import InputError, unknown_name_error
from isegoria.learning.environments.changing_rewards import ChangingRewards
from isegoria.learning.environments.environment import Environment
from isegoria.learning.registry import NOISE_MODELS
from isegoria.profiles import Instance
from isegoria.utils.code_digest import digest_code

ENVIRONMENT_KEYS = ("noise", "sd", "rounds", "records", "drift", "delay")
"""The keys that a description of environments may have."""
ENVIRONMENT_DEFAULTS: dict[str, Any] = {
    "noise": "bernoulli",
    "sd": None,
    "rounds": 1000,
    "records": 1,
    "drift": (),
    "delay": 0,
}


@dataclass(frozen=True)
class EnvironmentSpec:
    """The specification of an environment.

    `noise` names a noise model; or it is an environment, a class or function that makes one for a group, or a simulator
    with `step(arm)`. `sd` is its standard deviation (None: its default). `rounds` are played, and
    `records` of them are recorded. `drift` has the rounds from which all ratings are shifted by one more arm. `delay`
    is the number of rounds after which rewards arrive. A `label` is the name that the user gave it.
    """

    noise: Any = "bernoulli"
    sd: float | None = None
    rounds: int = 1000
    records: int = 1
    drift: tuple[int, ...] = ()
    delay: int = 0
    label: str = ""

    def __post_init__(self) -> None:
        kind = NOISE_MODELS[self.noise] if isinstance(self.noise, str) else self.noise
        if isinstance(kind, type) and issubclass(kind, Environment):
            if self.sd is not None and "sd" not in inspect.signature(kind).parameters:
                raise InputError(f"{self.noise_name} rewards take no sd; leave it out.")
        elif self.sd is not None or self.drift:
            raise InputError(f"{self.noise_name} takes no sd and no drift; leave them out, or build them in.")
        elif not callable(kind) and not isinstance(kind, Environment) and not hasattr(kind, "step"):
            raise InputError(
                f"noise is {kind!r}; give the name of a noise model, an iso.Environment (an object or a class), a "
                "function that makes one for a group, or a simulator with step(arm)."
            )
        for name, least in (("rounds", 1), ("records", 1), ("delay", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InputError(f"{name} is {value!r}; expected a whole number from {least} up.")

    @property
    def noise_name(self) -> str:
        """The name of the noise model, or of the user's environment, class or function."""
        if isinstance(self.noise, str):
            return self.noise
        own = "" if callable(self.noise) and not isinstance(self.noise, type) else getattr(self.noise, "id", "")
        return str(own if isinstance(own, str) and own else getattr(self.noise, "__name__", type(self.noise).__name__))

    @property
    def digest(self) -> str:
        """A string that identifies the environment beside its name: the code and state of a user's own."""
        own: Any = NOISE_MODELS[self.noise] if isinstance(self.noise, str) else self.noise
        return "" if own in NOISE_MODELS.builtin.values() else digest_code(own)

    @property
    def profile_of_own(self) -> Instance | None:
        """The true means that an environment brings along, or None if a group gives them."""
        if isinstance(self.noise, Environment):
            return self.noise.instance
        if callable(self.noise) or not hasattr(self.noise, "step"):
            return None
        return Environment.from_simulator(self.noise).instance

    @property
    def name(self) -> str:
        """A short name of the noise and of what differs from the defaults.

        >>> EnvironmentSpec().name, EnvironmentSpec("beta", sd=0.1, drift=(500,), delay=3).name
        ('bernoulli', 'beta sd=0.1 drift=500 delay=3')
        """
        if self.label:
            return self.label
        parts = [self.noise_name, "" if self.sd is None else f"sd={self.sd:g}"]
        parts += ["" if not self.drift else f"drift={','.join(map(str, self.drift))}"]
        return " ".join(filter(None, [*parts, f"delay={self.delay}" if self.delay else ""]))

    @property
    def key(self) -> str:
        """The name with everything that determines a run, except the code."""
        return f"{self.name} rounds={self.rounds} records={self.records}"

    @property
    def about(self) -> dict[str, Any]:
        """The facts that tables can group by."""
        return {"environment": self.name, "noise": self.noise_name, "rounds": self.rounds, "delay": self.delay}

    def to_plain_data(self) -> dict[str, Any]:
        """Return the specification as plain data; a user's own environment by its name."""
        return vars(self) | {"noise": self.noise_name, "drift": list(self.drift)}

    def environment(self, group: Instance) -> Environment:
        """Return the environment of a group under this specification."""
        if isinstance(self.noise, Environment):
            return self.noise
        if (not callable(self.noise) and not isinstance(self.noise, str)) or _is_plain_simulator(self.noise):
            return Environment.from_simulator(self.noise, group)
        spread = {} if self.sd is None else {"sd": self.sd}
        make: Any = NOISE_MODELS[self.noise] if isinstance(self.noise, str) else self.noise
        first = make(group, **spread)
        if not isinstance(first, Environment):
            first = Environment.from_simulator(lambda: make(group), group)
        changes = [(at, make(_shift_ratings(group, step), **spread)) for step, at in enumerate(self.drift, start=1)]
        return ChangingRewards(first, *changes) if changes else first


def _is_plain_simulator(noise: Any) -> bool:
    """Return whether `noise` is a class with `step` that is made without a group."""
    if not isinstance(noise, type) or issubclass(noise, Environment) or not hasattr(noise, "step"):
        return False
    return not set(inspect.signature(noise).parameters) - {"seed"}


def _shift_ratings(group: Instance, arms: int) -> Instance:
    """Return the group with all ratings shifted by this many arms."""
    return Instance(np.roll(group.means, arms, axis=1), weights=group.weights, agents=group.agents, arms=group.arms)


def parse_environments(given: Any) -> tuple[EnvironmentSpec, ...]:
    """Return the requested environments: an `EnvironmentSpec`, a noise, a description, or several by name or in a list.

    In a description `noise`, `sd` and `delay` may be lists; every combination is an environment.

    >>> [environment.name for environment in parse_environments({"noise": ["beta", "bernoulli"], "rounds": 500})]
    ['beta', 'bernoulli']
    """
    if isinstance(given, EnvironmentSpec):
        return (given,)
    if isinstance(given, str | Environment) or callable(given) or hasattr(given, "step"):
        return (EnvironmentSpec(given),)
    if isinstance(given, Mapping):
        labelled = given and not set(given) & set(ENVIRONMENT_KEYS) and not any(map(_is_number, given.values()))
        if not labelled:
            return _specs_from_description(given)
        return tuple(
            replace(spec, label=str(name) if len(specs) == 1 else f"{name} {spec.name}")
            for name, specs in ((name, parse_environments(value)) for name, value in given.items())
            for spec in specs
        )
    if isinstance(given, list | tuple) and given:
        found = tuple(environment for each in given for environment in parse_environments(each))
        names = [environment.name for environment in found]
        if len(set(names)) < len(names):
            raise InputError("two environments have the same noise, drift and delay; give each once.")
        return found
    raise InputError(
        f'environments is {given!r}; give the name of a noise, or a description such as {{"noise": "beta"}}.'
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)


def _specs_from_description(about: Mapping[str, Any]) -> tuple[EnvironmentSpec, ...]:
    for key in about:
        if key not in ENVIRONMENT_KEYS:
            raise unknown_name_error("key of environment", key, ENVIRONMENT_KEYS)
    said = ENVIRONMENT_DEFAULTS | dict(about)
    drift = said["drift"] if isinstance(said["drift"], list | tuple) else [said["drift"]]
    crossed = product(
        *(value if isinstance(value, list | tuple) else [value] for value in (said["noise"], said["sd"], said["delay"]))
    )
    return tuple(
        EnvironmentSpec(noise, None if sd is None else float(sd), said["rounds"], said["records"], tuple(drift), delay)
        for noise, sd, delay in crossed
    )

"""What an axiom is answered with: a verdict, and a witness that plain arithmetic can check again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

Proof = Literal["certificate", "closed form", "enumeration", "theorem", "found none", "sampled"]
"""What a verdict rests on: numbers that can be recomputed, a formula, every case tried, a theorem, some cases tried."""

PROOFS: tuple[Proof, ...] = ("certificate", "closed form", "enumeration", "theorem", "found none", "sampled")


@dataclass(frozen=True, eq=False)
class Witness:
    """Something that shows that an axiom fails; `kind` says what."""

    @property
    def kind(self) -> str:
        """The name of this kind of witness."""
        return type(self).__name__.lower()

    def data(self) -> dict[str, Any]:
        """The witness as plain data, for JSON."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return {"kind": self.kind, **{name: _plain(value) for name, value in plain.items()}}


@dataclass(frozen=True, eq=False)
class Coalition(Witness):
    """A coalition that gets less than it is due: `agents` by name, the `arms` it is about, what it `has`, is `due`."""

    agents: tuple[str, ...]
    arms: tuple[str, ...]
    has: float
    due: float


@dataclass(frozen=True, eq=False)
class Better(Witness):
    """A policy that is worse for nobody and better for somebody; `gains` by the names of those who gain."""

    policy: np.ndarray
    gains: Mapping[str, float]
    for_all: bool


@dataclass(frozen=True, eq=False)
class Dominated(Witness):
    """An arm that is played though another is at least as good for everyone and better for someone."""

    arm: str
    by: str
    probability: float


@dataclass(frozen=True, eq=False)
class Lie(Witness):
    """Agents who gain by false reports: favourites as they are and as told, values before and after, the policy."""

    agents: tuple[str, ...]
    favourites: tuple[tuple[str, ...], ...]
    reports: tuple[tuple[str, ...], ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    policy: np.ndarray
    rows: tuple[tuple[float, ...], ...] = ()

    @property
    def gain(self) -> float:
        """What the one gains who gains most."""
        return max(b - a for a, b in zip(self.before, self.after, strict=True))


@dataclass(frozen=True, eq=False)
class Absence(Witness):
    """An agent who has `away` by staying away and `there` by taking part."""

    agent: str
    there: float
    away: float


@dataclass(frozen=True, eq=False)
class Fall(Witness):
    """An arm whose probability falls though one more agent makes it a favourite."""

    agent: str
    arm: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class Renaming(Witness):
    """Another order of agents or arms, or rows split or merged, after which the policy is another one."""

    what: str
    order: tuple[str, ...]
    policy: np.ndarray
    expected: np.ndarray


@dataclass(frozen=True, eq=False)
class Clone(Witness):
    """An arm whose copy changes what an agent gets."""

    arm: str
    agent: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class Verdict:
    """Whether an axiom `holds` (None: undecided), on which `proof`, and in one `sentence`.

    - `witness`: what shows that it fails; None elsewhere. `bound`: how far from failing or holding, in the axiom's own
      unit; `tried`: how many policies were looked at. `weights` (N,): λ ≥ 1 where efficiency is proved by them.
    """

    axiom: str
    holds: bool | None
    proof: Proof
    witness: Witness | None
    bound: float
    tried: int
    sentence: str
    weights: np.ndarray | None = field(default=None, repr=False)

    def __bool__(self) -> bool:
        raise TypeError("a verdict has three values; ask for .holds, which is True, False or None (undecided).")

    def data(self) -> dict[str, Any]:
        """The verdict as plain data, for JSON."""
        found = None if self.witness is None else self.witness.data()
        return {
            "holds": self.holds, "proof": self.proof, "bound": self.bound, "tried": self.tried,
            "sentence": self.sentence, "witness": found,
        }  # fmt: skip


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value

"""The result of an axiom check: a verdict, and a witness that plain arithmetic can recheck."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

from isegoria.utils.notebook import NotebookView

VerdictProof = Literal["certificate", "closed form", "enumeration", "theorem", "found none", "sampled"]
"""Basis of a verdict: numbers that can be recomputed, a formula, a check of every case, a theorem, or a check of some
cases."""

VERDICT_PROOFS: tuple[VerdictProof, ...] = (
    "certificate",
    "closed form",
    "enumeration",
    "theorem",
    "found none",
    "sampled",
)


@dataclass(frozen=True, eq=False)
class Witness:
    """Base class of the data that show that an axiom fails; `kind` names the subclass."""

    @property
    def kind(self) -> str:
        """The name of this kind of witness."""
        return type(self).__name__.lower()

    def data(self) -> dict[str, Any]:
        """Return the witness as plain data for JSON."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)}
        return {"kind": self.kind, **{name: _plain(value) for name, value in plain.items()}}


@dataclass(frozen=True, eq=False)
class Coalition(Witness):
    """A coalition that gets less than it is due.

    `agents` are its members by name, `arms` the arms concerned, `has` what it has, and `due` what it is due.
    """

    agents: tuple[str, ...]
    arms: tuple[str, ...]
    has: float
    due: float


@dataclass(frozen=True, eq=False)
class ParetoImprovement(Witness):
    """A policy that is worse for nobody and better for somebody; `gains` maps the name of each gainer to the gain."""

    policy: np.ndarray
    gains: Mapping[str, float]
    for_all: bool


@dataclass(frozen=True, eq=False)
class DominatedArm(Witness):
    """An arm that is played although the arm `by` is at least as good for everyone and better for someone."""

    arm: str
    by: str
    probability: float


@dataclass(frozen=True, eq=False)
class Manipulation(Witness):
    """Agents who gain by false reports.

    `favourites` are their true favourites and `reports` the reported ones; `before` and `after` are their values, and
    `policy` is the policy after the reports.
    """

    agents: tuple[str, ...]
    favourites: tuple[tuple[str, ...], ...]
    reports: tuple[tuple[str, ...], ...]
    before: tuple[float, ...]
    after: tuple[float, ...]
    policy: np.ndarray
    rows: tuple[tuple[float, ...], ...] = ()

    @property
    def gain(self) -> float:
        """The largest gain of any of the agents."""
        return max(b - a for a, b in zip(self.before, self.after, strict=True))


@dataclass(frozen=True, eq=False)
class ParticipationViolation(Witness):
    """An agent whose value is `away` when it abstains and `there` when it takes part."""

    agent: str
    there: float
    away: float


@dataclass(frozen=True, eq=False)
class MonotonicityViolation(Witness):
    """An arm whose probability falls although one more agent makes it a favourite."""

    agent: str
    arm: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class SymmetryViolation(Witness):
    """A reordering of agents or arms, or a split of rows into single agents, that changes the policy."""

    what: str
    order: tuple[str, ...]
    policy: np.ndarray
    expected: np.ndarray


@dataclass(frozen=True, eq=False)
class CloneViolation(Witness):
    """An arm whose copy changes what an agent gets."""

    arm: str
    agent: str
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class Verdict(NotebookView):
    """Whether an axiom holds, with the kind of proof and one sentence.

    Attributes
    ----------
    axiom : str
        The id of the axiom.
    holds : bool or None
        None if undecided.
    proof : str
        The kind of proof, one of `VERDICT_PROOFS`.
    witness : Witness or None
        Shows that the axiom fails; None otherwise.
    bound : float
        The distance from failing or holding, in the axiom's own unit.
    tried : int
        The number of policies examined.
    sentence : str
        The verdict in words.
    weights : ndarray (N,) or None
        The weights λ ≥ 1 that prove efficiency, where it is proved by them.
    """

    axiom: str
    holds: bool | None
    proof: VerdictProof
    witness: Witness | None
    bound: float
    tried: int
    sentence: str
    weights: np.ndarray | None = field(default=None, repr=False)

    def view_lines(self) -> list[str]:
        """Return the sentence, with the axiom and the kind of proof."""
        word = {True: "holds", False: "fails", None: "is undecided"}[self.holds]
        return [f"{self.axiom} {word} ({self.proof})", self.sentence]

    def __bool__(self) -> bool:
        raise TypeError("a verdict has three values; ask for .holds, which is True, False or None (undecided).")

    def data(self) -> dict[str, Any]:
        """Return the verdict as plain data for JSON."""
        found = None if self.witness is None else self.witness.data()
        return {
            "holds": self.holds,
            "proof": self.proof,
            "bound": self.bound,
            "tried": self.tried,
            "sentence": self.sentence,
            "witness": found,
        }


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value

"""`Profile`: what the agents prefer, as rules and analyses see it; `Instance` and `Scan` implement it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, Self, TypeGuard

import numpy as np

from isegoria.errors import InputError
from isegoria.profiles.instance import AgentTypes, Instance, NashWelfare
from isegoria.profiles.policies import PolicyLike
from isegoria.profiles.stated_ratings import StatedRatings


class Profile(Protocol):
    """Preferences of agents among arms: an `Instance` in memory, or a `Scan` of a table larger than memory.

    The rows are agents in an `Instance`, and favourite sets in a `Scan`, which does not keep its agents apart.
    """

    is_sparse: bool

    @property
    def arms(self) -> Sequence[str]:
        """The names of the arms."""

    @property
    def agents(self) -> Sequence[str]:
        """A name for each row."""

    @property
    def weights(self) -> np.ndarray:
        """(N,) the number of agents that each row stands for."""

    @property
    def given_weights(self) -> np.ndarray | None:
        """(N,) the weights, or None if every row is one agent."""

    @property
    def total_weight(self) -> int:
        """The number of agents, W."""

    @property
    def tie_tolerance(self) -> float:
        """Arms within this of an agent's best mean are its favourites."""

    @property
    def smallest_gap(self) -> float:
        """The smallest distance from an agent's best that was not taken as a tie."""

    @property
    def import_notes(self) -> tuple[str, ...]:
        """The decisions made while reading the table."""

    @property
    def stated(self) -> StatedRatings | None:
        """Who stated what in the source, if it had gaps."""

    @property
    def arm_means(self) -> np.ndarray:
        """(K,) the mean reward of each arm."""

    @property
    def favourites(self) -> Any:
        """(N, K) booleans: the favourites of each row."""

    @property
    def favourite_codes(self) -> np.ndarray | None:
        """The favourites of each row as bits; None when there are more than 64 arms."""

    @property
    def favourite_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """(codes (m,), weights (m,)) of the distinct favourite sets, for up to 64 arms."""

    @property
    def favourite_types(self) -> AgentTypes:
        """The distinct favourite sets, how many agents have each, and the set of each row."""

    @property
    def favourite_sets(self) -> Any:
        """The distinct favourite sets as lists of arms."""

    @property
    def copies(self) -> np.ndarray | None:
        """(K,) how many duplicate arms each stands for, if they are merged."""

    @property
    def kinds(self) -> Any:
        """The groups of duplicate arms; None if there are none."""

    @property
    def distinct(self) -> Self:
        """The profile without duplicate arms; itself if it has none, or merges them itself."""

    def decision_shares(self, policy: Any) -> np.ndarray:
        """Return (N,) the probability of each row's favourites."""

    def nash_welfare(self, policy: Any, payoff: str = "utilities") -> NashWelfare:
        """Return the Nash product of utilities or decision shares."""

    def validate_policy(self, policy: Any) -> np.ndarray:
        """Return `policy` as an exact point (K,) of the simplex."""

    def _shares(self, policy: np.ndarray) -> np.ndarray: ...


class StreamedProfile(Profile, Protocol):
    """A profile whose means are read in passes: it answers what code in memory would compute from the means."""

    def prepare(self, tie_breaks: Mapping[str, str], within: str | None = None) -> None:
        """Solve several objectives in the same passes, and cache their answers."""

    def answer(self, objective: str, tie_break: str = "centre", within: str | None = None) -> Any:
        """Return the certified `SolverResult` of one objective."""

    def least_welfare(self, objective: str, policy: PolicyLike) -> float:
        """Return the egalitarian welfare of a policy, or half its Gini welfare."""

    def utility_spread(self) -> np.ndarray:
        """Return the matrix G (K, K) of D(P) = pᵀGp."""

    def worth(self, policy: np.ndarray) -> float:
        """Return the maximum over arms k of `Σ_i (w_i/W) a_ik / U_i(P)`."""

    def least_parts(self, policy: np.ndarray) -> tuple[np.ndarray, int]:
        """Return the minimum fraction of its best in each row, and how many agents get too little."""


def is_streamed(profile: Profile) -> TypeGuard[StreamedProfile]:
    """Return whether the means of `profile` are not in memory."""
    return not isinstance(profile, Instance)


def require_instance(profile: Profile, need: str = "means") -> Instance:
    """Return `profile` if its means are in memory; raise `InputError` that names what is needed otherwise."""
    if isinstance(profile, Instance):
        return profile
    raise InputError(
        f"a scanned table does not keep its {need}, which this needs of every agent; read it as an Instance."
    )

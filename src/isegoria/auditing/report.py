"""`audit`: everything that can be asked about a policy, each part computed when first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import numpy as np

from isegoria import display, tolerances
from isegoria.arguments import checked_instance
from isegoria.auditing import sentences
from isegoria.axioms.efficiency import Efficiency, efficiency_of
from isegoria.errors import unknown
from isegoria.instance import Instance
from isegoria.instance.policies import PolicyLike
from isegoria.lazy import computed_once
from isegoria.scores import Scores
from isegoria.stability import KINDS, CoreVerdict, check_time_limit, verdict
from isegoria.voice import Neglected, Proportionality, neglected_by, proportions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isegoria.axioms import Verdict

TIME_LIMIT = 10.0
"""Seconds for each of the two core verdicts, unless the caller says otherwise."""


@dataclass(frozen=True, eq=False)
class CoreVerdicts(Mapping[str, CoreVerdict]):
    """The verdicts "procedural" and "outcome", each computed when first asked for."""

    instance: Instance = field(repr=False)
    policy: np.ndarray
    time_limit: float

    def __getitem__(self, kind: str) -> CoreVerdict:
        if kind not in KINDS:
            raise unknown("kind of core", kind, KINDS)
        return getattr(self, kind)

    def __iter__(self) -> Iterator[str]:
        return iter(KINDS)

    def __len__(self) -> int:
        return len(KINDS)

    @computed_once
    def procedural(self) -> CoreVerdict:
        """Whether a group could get more say by leaving with its share."""
        return self._ask("procedural")

    @computed_once
    def outcome(self) -> CoreVerdict:
        """Whether a group could get more utility by leaving with its share."""
        return self._ask("outcome")

    def _ask(self, kind: str) -> CoreVerdict:
        return verdict(self.instance, self.policy, kind, self.time_limit)


@dataclass(frozen=True, eq=False)
class AxiomVerdicts(Mapping[str, "Verdict"]):
    """The verdicts on every axiom of policies, in decision shares, each computed when first asked for."""

    instance: Instance = field(repr=False)
    policy: np.ndarray

    def __getitem__(self, axiom: str) -> Verdict:
        from isegoria.axioms import check

        kept = self.__dict__.setdefault("_kept", {})
        if axiom not in kept:
            kept[axiom] = check(self.instance, self.policy, axiom)
        return cast("Verdict", kept[axiom])

    def __iter__(self) -> Iterator[str]:
        from isegoria.axioms import AXIOMS

        return (id for id, row in AXIOMS.items() if row.of == "policy")

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, eq=False)
class Audit:
    """What there is to say about `policy` on `instance`; every part is computed when first asked for.

    - `scores`: the three scores, with the proof of the procedural one; `fair`: whether that one is 1 (to 1e-9).
    - `shares`: (N,) decision shares β_i(P).
    - `attribution`: (N, K) who carried which arm; `ratios`: (N,) how much of its share each agent carried.
    - `neglected`: the coalition that is owed the most, or None when the policy is fair.
    - `proportional`: whether everyone gets a proportional part; `proportionality`: the numbers, agent by agent.
    - `core`: the verdicts "procedural" and "outcome" on stability.
    - `axioms`: the verdicts on the axioms of policies ("ifs", "gfs", "afs", "cfs", …), in decision shares.
    - `efficient`: whether no other policy is better for someone and worse for nobody, with the proof of either.
    - `sentences`: all of it in plain words, verdicts first; `verdicts` and `voices` are its two parts.
    """

    instance: Instance = field(repr=False)
    policy: np.ndarray
    core: CoreVerdicts = field(repr=False)

    @computed_once
    def scores(self) -> Scores:
        """The three scores."""
        return Scores(self.instance, self.policy)

    @property
    def fair(self) -> bool:
        """Whether the procedural score is 1, up to the package's one tolerance of fairness."""
        return self.scores.procedural >= 1 - tolerances.FAIR

    @computed_once
    def shares(self) -> np.ndarray:
        """(N,) the probability of each agent's favourites."""
        shares = self.instance._shares(self.policy)
        shares.setflags(write=False)
        return shares

    @property
    def attribution(self) -> np.ndarray:
        """(N, K) the mass that each agent carried of each arm."""
        return self.scores.attribution

    @property
    def ratios(self) -> np.ndarray:
        """(N,) the part of its share that each agent carried."""
        return self.scores.ratios

    @computed_once
    def neglected(self) -> Neglected | None:
        """The coalition that is owed the most."""
        return None if self.fair else neglected_by(self.scores.voice, self.policy)

    @computed_once
    def proportionality(self) -> Proportionality:
        """How many N-ths of its best each agent gets, in decision share and in utility."""
        return proportions(self.instance, self.policy)

    @property
    def proportional(self) -> bool:
        """Whether every agent gets at least one N-th of its best, in both."""
        return self.proportionality.proportional

    @computed_once
    def efficient(self) -> Efficiency | None:
        """Whether no other policy is better for someone and worse for nobody, in utilities; None for a scanned table,
        and for more than 2,000 kinds of agents."""
        return efficiency_of(self.instance, self.policy)

    @computed_once
    def axioms(self) -> Mapping[str, Verdict]:
        """The verdicts on the axioms of policies by id, each computed when first asked for."""
        return AxiomVerdicts(self.instance, self.policy)

    @computed_once
    def verdicts(self) -> tuple[str, ...]:
        """One sentence for each verdict."""
        stable = [sentences.stability(self.instance, verdict) for verdict in self.core.values()]
        proportion = sentences.proportion(self.instance, self.proportionality)
        better = [] if self.efficient is None else [sentences.efficiency(self.instance, self.efficient)]
        return (*sentences.fairness(self.scores.procedural, self.neglected), proportion, *stable, *better)

    @computed_once
    def voices(self) -> tuple[str, ...]:
        """One sentence for each agent, or in a crowd for each type, most neglected first."""
        return tuple(sentences.voices(self.policy, self.scores.voice))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Matplotlib axes with the flow of voice from agents to arms; new ones unless `ax` is given."""
        return cast("Axes", display.drawn("isegoria.figures.voice:voice_figure", self, ax=ax))

    def __str__(self) -> str:
        """The sentences, one on each line.

        >>> import isegoria as iso
        >>> print(iso.audit(iso.Instance([[1, 0]], agents=["Ann"], arms=["tea", "mate"]), [1, 0]))
        The policy is fair: every voice is heard in full.
        ...
        Ann's whole voice went to tea.
        """
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        """The sentences for a notebook, verdicts first."""
        voices = self.voices
        more = len(voices) - display.MOST_ROWS
        said = [*self.verdicts, *voices[: display.MOST_ROWS], *[f"… and {more:,} more voices."] * (more > 0)]
        return display.box(display.line("", "Audit"), *map(display.line, said))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdicts, then the voices."""
        return self.verdicts + self.voices


def audit(instance: Instance, policy: PolicyLike, time_limit: float = TIME_LIMIT) -> Audit:
    """The `Audit` of `policy` (K,) on `instance`: `.scores .shares .attribution .neglected .proportional
    .proportionality .core .efficient .sentences`, each computed when first asked for.

    `time_limit` is in seconds, for each core verdict.

    >>> import isegoria as iso
    >>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "coffee"])
    >>> for sentence in iso.audit(instance, [0.8, 0.2]).sentences:
    ...     print(sentence)
    The policy is not fair: it carries 0.87 of all voices.
    Neglected: Agent 3 deserves 0.33; coffee gets 0.20.
    Agent 3 gets less than 1/3 of the best possible, in voice or in outcome.
    Not stable in voice: Agent 3 could get more say by leaving with a share of 0.33.
    Not stable in outcome: Agent 3 could do better by leaving with a share of 0.33.
    No other policy is better for someone and worse for nobody.
    Agent 1's third went to tea.
    Agent 2's third went to tea.
    Agent 3's favourite gets 0.20; 0.33 was due.
    """
    policy = checked_instance(instance, "audit").check_policy(policy)
    policy.setflags(write=False)
    return Audit(instance, policy, CoreVerdicts(instance, policy, check_time_limit(time_limit)))

"""`audit`: the complete report on a policy, with each part computed on first access."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from isegoria.analysis import audit_text
from isegoria.analysis.attribution import NeglectedCoalition, Proportionality, neglected_in, proportionality_of_valid
from isegoria.analysis.core import PAYOFF_LABELS, CoreVerdict, decide_core, validate_time_limit
from isegoria.analysis.efficiency import Efficiency, check_efficiency
from isegoria.analysis.participation import Participation, describe_participation, measure_participation
from isegoria.analysis.scores import Scores
from isegoria.errors import unknown_name_error
from isegoria.profiles import Profile, require_instance
from isegoria.profiles.policies import PolicyLike
from isegoria.utils import notebook, tolerances
from isegoria.utils.arguments import explain_keywords, require_profile
from isegoria.utils.caching import lazy_property
from isegoria.utils.tabular import TabularResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isegoria.analysis.axioms.verdict import Verdict
    from isegoria.rules import Rule, Solution
    from isegoria.rules.literals import RuleName

CORE_TIME_LIMIT_SECONDS = 10.0
"""Default time limit for each of the two core verdicts."""


@dataclass(frozen=True, eq=False)
class CoreVerdicts(Mapping[str, CoreVerdict]):
    """The core verdicts "shares" and "utilities", each computed on first access."""

    instance: Profile = field(repr=False)
    policy: np.ndarray
    time_limit: float

    def __getitem__(self, payoff: str) -> CoreVerdict:
        if payoff not in PAYOFF_LABELS:
            raise unknown_name_error("payoff of the core", payoff, PAYOFF_LABELS)
        return getattr(self, payoff)

    def __iter__(self) -> Iterator[str]:
        return iter(PAYOFF_LABELS)

    def __len__(self) -> int:
        return len(PAYOFF_LABELS)

    @lazy_property
    def shares(self) -> CoreVerdict:
        """Whether a group could get more say by leaving with its share."""
        return self._ask("shares")

    @lazy_property
    def utilities(self) -> CoreVerdict:
        """Whether a group could get more utility by leaving with its share."""
        return self._ask("utilities")

    def _ask(self, payoff: str) -> CoreVerdict:
        return decide_core(self.instance, self.policy, payoff, self.time_limit)


@dataclass(frozen=True, eq=False)
class AxiomVerdicts(Mapping[str, "Verdict"]):
    """The verdicts on every axiom of policies, in decision shares, each computed on first access."""

    instance: Profile = field(repr=False)
    policy: np.ndarray

    def __getitem__(self, axiom: str) -> Verdict:
        from isegoria.analysis.axioms.checking import check

        kept = self.__dict__.setdefault("_kept", {})
        if axiom not in kept:
            kept[axiom] = check(self.instance, self.policy, axiom)
        return cast("Verdict", kept[axiom])

    def __iter__(self) -> Iterator[str]:
        from isegoria.analysis.axioms.registry import AXIOMS

        return (id for id, row in AXIOMS.items() if row.of == "policy")

    def __len__(self) -> int:
        return sum(1 for _ in self)


@dataclass(frozen=True, eq=False, repr=False)
class Audit(TabularResult):
    """The report on `policy` for `instance`: the result of `audit`. Every part is computed on first access.

    Attributes
    ----------
    scores : Scores
        The three scores, with the proof of the procedural one.
    fair : bool
        Whether the procedural score is 1 to within `1e-9`.
    shares : ndarray (N,)
        Decision shares `β_i(P)`.
    attribution : ndarray (N, K)
        How much of each arm's probability each agent carried.
    ratios : ndarray (N,)
        The fraction of its share that each agent carried.
    neglected : Neglected or None
        The coalition that is owed the most; None if the policy is fair.
    proportional : bool
        Whether every agent gets a proportional part.
    proportionality : Proportionality
        The numbers behind `proportional`, agent by agent.
    core : CoreVerdicts
        The stability verdicts in "shares" and in "utilities".
    axioms : mapping of str to Verdict
        The verdicts on the axioms of policies ("ifs", "gfs", "afs", "cfs", …), in decision shares.
    efficient : Efficiency or None
        Whether no other policy is better for someone and worse for nobody, with the proof.
    participation : Participation
        Who stated a preference, and the procedural score with and without the others.
    sentences : tuple of str
        The report in plain words: `verdicts` first, then `voices`.
    """

    instance: Profile = field(repr=False)
    policy: np.ndarray
    core: CoreVerdicts = field(repr=False)

    @lazy_property
    def scores(self) -> Scores:
        """The three scores."""
        return Scores(self.instance, self.policy)

    @property
    def is_fair(self) -> bool:
        """Whether the procedural score is 1, up to the package's one tolerance of fairness."""
        return self.scores.procedural >= 1 - tolerances.FAIRNESS_GAP

    @lazy_property
    def shares(self) -> np.ndarray:
        """The probability (N,) of each agent's favourites."""
        shares = self.instance._shares(self.policy)
        shares.setflags(write=False)
        return shares

    @property
    def attribution_matrix(self) -> np.ndarray:
        """The probability mass (N, K) that each agent carried of each arm."""
        return self.scores.attribution_matrix

    @property
    def ratios(self) -> np.ndarray:
        """The fraction (N,) of its share that each agent carried."""
        return self.scores.ratios

    @lazy_property
    def neglected_coalition(self) -> NeglectedCoalition | None:
        """The coalition that is owed the most; None if the policy is fair."""
        return None if self.is_fair else neglected_in(self.scores.attribution, self.policy)

    @lazy_property
    def proportionality(self) -> Proportionality:
        """How many N-ths of its best each agent gets, in decision share and in utility."""
        return proportionality_of_valid(self.instance, self.policy)

    @property
    def is_proportional(self) -> bool:
        """Whether every agent gets at least one N-th of its best, in both."""
        return self.proportionality.proportional

    @lazy_property
    def efficiency(self) -> Efficiency | None:
        """Whether no other policy is better for someone and worse for nobody, in utilities.

        None for a scanned table, and for more than 2,000 agent types.
        """
        return check_efficiency(self.instance, self.policy)

    @lazy_property
    def participation(self) -> Participation:
        """Who stated a preference, and the procedural score with and without the others."""
        return measure_participation(require_instance(self.instance), self.policy)

    @property
    def participation_sentences(self) -> list[str]:
        """The sentences about agents who stated nothing, or whose ratings are unknown."""
        return [] if self.instance.stated is None else describe_participation(self.participation)

    def report(self, path: str | os.PathLike[str], title: str = "Is everybody's voice heard equally?") -> Path:
        """Write the audit as one self-contained HTML page that can be printed.

        Parameters
        ----------
        path : path
            The file to write or replace.
        title : str
            The heading of the page.

        Returns
        -------
        Path
            The path of the file.
        """
        from isegoria.analysis.audit_report import format_report
        from isegoria.io.storage import atomic_write

        return atomic_write.write_text(Path(path), format_report(self, title))

    @lazy_property
    def axioms(self) -> Mapping[str, Verdict]:
        """The verdicts on the axioms of policies by id, each computed on first access."""
        return AxiomVerdicts(self.instance, self.policy)

    @lazy_property
    def verdict_sentences(self) -> tuple[str, ...]:
        """The verdicts in words: fairness, proportionality, stability and efficiency."""
        stable = [audit_text.describe_core(self.instance, verdict) for verdict in self.core.values()]
        proportion = audit_text.describe_proportionality(self.instance, self.proportionality)
        better = [] if self.efficiency is None else [audit_text.describe_efficiency(self.instance, self.efficiency)]
        fairness = audit_text.describe_fairness(self.instance, self.scores.procedural, self.neglected_coalition)
        return (*fairness, *self.participation_sentences, proportion, *stable, *better)

    @lazy_property
    def agent_sentences(self) -> tuple[str, ...]:
        """One sentence for each agent, or in a crowd for each agent type, most neglected first."""
        return tuple(audit_text.describe_agents(self.policy, self.scores.attribution))

    def to_dict(self) -> dict[str, Any]:
        """Return every part of the audit as plain data; it computes them all."""
        group = self.neglected_coalition
        return {
            "policy": self.policy.tolist(),
            "scores": self.scores.to_dict(),
            "procedural_interval": list(self.scores.procedural_interval),
            "shares": self.shares.tolist(),
            "attribution": self.attribution_matrix.tolist(),
            "neglected": group and {key: getattr(group, key) for key in ("agents", "arms", "deserves", "receives")},
            "proportional": self.is_proportional,
            "core": {kind: verdict.to_dict() for kind, verdict in self.core.items()},
            "efficient": None if self.efficiency is None else self.efficiency.holds,
            "sentences": list(self.sentences),
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per agent: its share, what was due and carried, and what it carried of each arm.

        >>> import isegoria as iso
        >>> iso.audit(iso.Instance([[1, 0], [0, 1]]), [0.75, 0.25]).to_rows()[1]["carried"]
        0.25
        """
        due = self.instance.weights / self.instance.total_weight
        columns = {
            "agent": list(self.instance.agents),
            "weight": self.instance.weights.tolist(),
            "decision_share": self.shares.tolist(),
            "due": due.tolist(),
            "carried": (self.ratios * due).tolist(),
            "ratio": self.ratios.tolist(),
            "attribution": self.attribution_matrix.tolist(),
        }
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the flow of voice from agents to arms and return the Matplotlib axes; new ones unless `ax` is given."""
        return cast("Axes", notebook.draw_on_axes("isegoria.figures.voice_figure:draw_voice", self, ax=ax))

    def __repr__(self) -> str:
        return f"<Audit: {self.verdict_sentences[0]}>"

    def __str__(self) -> str:
        """Return the sentences, one on each line.

        >>> import isegoria as iso
        >>> print(iso.audit(iso.Instance([[1, 0]], agents=["Ann"], arms=["tea", "mate"]), [1, 0]))
        The policy is fair: every voice is heard in full.
        ...
        Ann's whole voice went to tea.
        """
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        """Return the sentences as HTML for a notebook, verdicts first."""
        voices = self.agent_sentences
        more = len(voices) - notebook.MAX_TABLE_ROWS
        said = [
            *self.verdict_sentences,
            *voices[: notebook.MAX_TABLE_ROWS],
            *[f"… and {more:,} more voices."] * (more > 0),
        ]
        return notebook.html_box(notebook.html_line("", "Audit"), *map(notebook.html_line, said))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The verdicts, then the voices."""
        return self.verdict_sentences + self.agent_sentences


@explain_keywords
def audit(
    instance: Profile, policy: PolicyLike | RuleName | Rule | Solution, time_limit: float = CORE_TIME_LIMIT_SECONDS
) -> Audit:
    """Audit `policy` on `instance`: fairness, attribution of voices, proportionality, stability and efficiency.

    Each part of the `Audit` is computed on first access.

    Parameters
    ----------
    instance : Instance
        The profile.
    policy : PolicyLike, str, Rule or Solution
        The policy (K,), or a rule or its name.
    time_limit : float
        Seconds for each of the two core verdicts.

    Returns
    -------
    Audit

    Raises
    ------
    InputError
        If `policy` is not valid on `instance`, or `time_limit` is not above 0.

    Examples
    --------
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
    policy = require_profile(instance, "audit").validate_policy(policy)
    policy.setflags(write=False)
    return Audit(instance, policy, CoreVerdicts(instance, policy, validate_time_limit(time_limit)))

"""What a false report gains while learning: one liar, several ways to lie, each learner and rule.

`python -m isegoria.studies.learning_false_reports` prints the table of docs/explanation/elimination.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from isegoria.errors import unknown_name_error
from isegoria.learning.base.learner import Learner
from isegoria.learning.environments.noise_models import BernoulliRewards
from isegoria.learning.learners.baselines.reference_learners import RandomDictatorshipLearner
from isegoria.learning.learners.elimination import EliminationLearner
from isegoria.learning.learners.thompson import ThompsonLearner
from isegoria.learning.simulation.simulation import simulate
from isegoria.profiles import Instance

FALSE_REPORTS = {
    "honest": "every answer is true",
    "hide": "always 0 for one favourite, the one that others are most likely to pay for",
    "exaggerate": "1 for every favourite and 0 for every other arm",
    "feign doubt": "answers by a fair coin, whatever the arm",
    "answer late": "no answer to the first pulls of each arm",
}
"""The ways to report, with what the liar says."""

LIKED_MEAN, DISLIKED_MEAN = 0.9, 0.1
LATE_SHARE = 0.1
"""The part of the rounds, at the end, over which late play is measured."""
REVIEW_GROUP = ((1, 1, 0, 0), (0, 0, 0, 1), (1, 0, 1, 0), (0, 1, 1, 1))
"""A group of four in which the last agent gains by hiding a favourite under the Nash product of decision shares."""


class FalseReports(BernoulliRewards):
    """Bernoulli rewards of approval ballots, of which one agent reports its own falsely.

    Parameters
    ----------
    approvals : array-like
        (N, K) Booleans: the true favourites.
    liar : int
        The agent who reports falsely.
    report : str
        One of `FALSE_REPORTS`.
    late_pulls : int
        How many pulls of each arm the liar leaves unanswered if it answers late.
    """

    id = "false-reports"
    summary = "Bernoulli rewards that one agent reports falsely"

    def __init__(self, approvals: Any, liar: int, report: str = "honest", late_pulls: int = 100):
        if report not in FALSE_REPORTS:
            raise unknown_name_error("report", report, FALSE_REPORTS)
        self.approvals = np.asarray(approvals, dtype=bool)
        self.liar, self.report, self.late_pulls = liar, report, late_pulls
        super().__init__(Instance(np.where(self.approvals, LIKED_MEAN, DISLIKED_MEAN)))
        others = np.delete(self.approvals / self.approvals.sum(axis=1, keepdims=True), liar, axis=0).sum(axis=0)
        self.hidden = int(np.where(self.approvals[liar], others, -1).argmax())

    def draw(self, rng: np.random.Generator, arm: int, first: int, pulls: int) -> np.ndarray:
        rewards = np.array(super().draw(rng, arm, first, pulls))
        told = rewards[:, self.liar]
        if self.report == "hide" and arm == self.hidden:
            told[:] = 0.0
        elif self.report == "exaggerate":
            told[:] = self.approvals[self.liar, arm]
        elif self.report == "feign doubt":
            told[:] = np.random.default_rng(crc32(rewards.tobytes())).random(pulls) < 0.5
        elif self.report == "answer late":
            told[: max(0, self.late_pulls - first)] = np.nan
        return rewards


def measure_gains(
    learner: type[Learner],
    approvals: Any,
    liar: int,
    rounds: int,
    seeds: int = 10,
    settings: Mapping[str, Any] | None = None,
    reports: Sequence[str] = tuple(FALSE_REPORTS)[1:],
) -> list[dict[str, Any]]:
    """Measure how much more often a liar's favourites are played than if it were honest, with the same seeds.

    Parameters
    ----------
    learner : type
        The class of a learner.
    approvals : array-like
        (N, K) Booleans: the true favourites.
    liar : int
        The agent who reports falsely.
    rounds, seeds : int
        The length of each run and the number of paired runs.
    settings : mapping, optional
        Settings of the learner.
    reports : sequence of str
        The false reports to try.

    Returns
    -------
    list of dict
        For each report: the honest share of rounds, the gain with its standard error, and both for the last tenth.
    """
    shares = {
        report: np.array(
            [
                _play(learner, FalseReports(approvals, liar, report), rounds, seed, settings or {})
                for seed in range(seeds)
            ]
        )
        for report in ("honest", *reports)
    }
    rows = []
    for report in reports:
        gains = shares[report] - shares["honest"]
        errors = gains.std(axis=0, ddof=1) / np.sqrt(seeds)
        rows.append(
            {
                "learner": learner.id,
                **(settings or {}),
                "agents": len(np.asarray(approvals)),
                "report": report,
                "honest": float(shares["honest"][:, 0].mean()),
                "gain": float(gains[:, 0].mean()),
                "se": float(errors[0]),
                "late_honest": float(shares["honest"][:, 1].mean()),
                "late_gain": float(gains[:, 1].mean()),
                "late_se": float(errors[1]),
            }
        )
    return rows


def _play(
    kind: type[Learner], world: FalseReports, rounds: int, seed: int, settings: Mapping[str, Any]
) -> tuple[float, float]:
    """Return the share of all rounds, and of the last tenth, that played a favourite of the liar."""
    made = kind(world.n_agents, world.n_arms, seed=seed, **settings)
    pulls = simulate(made, world, rounds, seed, records=round(1 / LATE_SHARE)).pulls
    mine = pulls @ world.approvals[world.liar]
    totals = pulls.sum(axis=1)
    return float(mine[-1] / totals[-1]), float((mine[-1] - mine[-2]) / (totals[-1] - totals[-2]))


def sample_group(agents: int, arms: int, seed: int) -> tuple[np.ndarray, int]:
    """Sample approvals (N, K), each with probability 0.4, and an agent with several favourites, but not all."""
    rng = np.random.default_rng(seed)
    while True:
        approvals = rng.random((agents, arms)) < 0.4
        approvals[np.arange(agents), rng.integers(arms, size=agents)] = True
        several = np.flatnonzero((approvals.sum(axis=1) > 1) & ~approvals.all(axis=1))
        if len(several):
            return approvals, int(several[0])


CONTENDERS: tuple[tuple[type[Learner], dict[str, Any]], ...] = (
    (EliminationLearner, {"rule": "procedural"}),
    (EliminationLearner, {"rule": "conditional-utilitarian"}),
    (EliminationLearner, {"rule": "random-dictatorship"}),
    (ThompsonLearner, {}),
    (RandomDictatorshipLearner, {}),
)


def _print_table(rounds: int = 20_000, seeds: int = 10) -> None:
    print("| group | learner | rule | report | honest | gain in all rounds | gain in the last tenth |")
    print("|---|---|---|---|---|---|---|")
    groups = [("4 × 4", np.array(REVIEW_GROUP, bool), 3)]
    groups += [(f"{n} × 5", *sample_group(n, 5, n)) for n in (12, 50)]
    for name, approvals, liar in groups:
        for learner, settings in CONTENDERS:
            more = {"resolution": 0.2} if settings else {}
            for row in measure_gains(learner, approvals, liar, rounds, seeds, {**settings, **more}):
                gains = [f"{row[key]:+.3f} ± {row[se]:.3f}" for key, se in (("gain", "se"), ("late_gain", "late_se"))]
                cells = [name, learner.id, settings.get("rule", "–"), row["report"], f"{row['honest']:.3f}", *gains]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    _print_table()

"""What is measured in a cell of a study: a rule's policy on a group, or a learner's course through a world."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from isegoria.errors import unknown
from isegoria.instance import Instance
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.registry import LEARNERS
from isegoria.learning.runs.contest import ContestEntry, who
from isegoria.learning.runs.simulation import simulate
from isegoria.learning.runs.trace import Trace
from isegoria.rules import OBJECTIVES, solve
from isegoria.scores import score
from isegoria.studies.experiment.contenders import Contender
from isegoria.studies.experiment.worlds import World
from isegoria.wording import SCORES

REGRET = "regret:"
"""Before the id of an objective: what the learned policies fell short of by it, summed over rounds."""


class Measurement(NamedTuple):
    """One number of one cell: after which round (0 for a rule), what was measured, and its value."""

    round: int
    measure: str
    value: float


RULE_MEASURES: dict[str, str] = {
    **{name: f"{label} score of the policy" for name, label in SCORES.items()},
    **{f"relative_{name}": f"{label} score relative to the least of any policy in the group"
       for name, label in SCORES.items()},
    "least_relative": "the least of the three relative scores",
    "least_utility": "the utility of the worst-off agent",
    "gap": "how far the policy can be from optimal",
}  # fmt: skip
"""What is measured of a rule."""

LEARNER_MEASURES = {
    **{name: f"{label} score of the learned policy" for name, label in SCORES.items()},
    "realised": "PF score of the arms as played so far",
    "lost": "rounds' worth of voices that the arms as played did not carry",
    "voice": "realised voice of the worst-off agent",
    "regret": "rounds with some favourite set wrong (the paper's regret)",
    "policies": "rounds whose learned policy was not procedurally fair",
    "sets": "last round with a favourite set wrong, at the end",
    "wait": "longest wait of anyone for a favourite, at the end",
    "reward": "mean reward of an agent in a round, at the end",
}
"""What is measured of a learner, at every recorded round or at the end."""


def check_measures(names: Sequence[str], learners: bool) -> None:
    """Refuse a measure that there is not."""
    known = [*LEARNER_MEASURES, *(f"{REGRET}{id}" for id in OBJECTIVES)] if learners else list(RULE_MEASURES)
    for name in names:
        if name not in known:
            raise unknown("measure", name, known)


def of_rule(rule: Contender, group: Instance, measures: Sequence[str]) -> list[Measurement]:
    """The rows of one rule on one group."""
    found = solve(group, rule.made or rule.id, **rule.settings)  # type: ignore[arg-type]
    scores = score(group, found.policy)
    relative = dict(zip((f"relative_{name}" for name in SCORES), scores.relative.tolist(), strict=True))
    known = dict(zip(SCORES, scores.point, strict=True)) | relative | {
        "least_relative": scores.least_relative, "gap": found.gap,
        "least_utility": float(group.utilities(found.policy).min()),
    }  # fmt: skip
    return [Measurement(0, name, float(known[name])) for name in measures]


def of_learner(
    learner: Contender, group: Instance, world: World, seed: int, measures: Sequence[str]
) -> list[Measurement]:
    """The rows of one learner in one world, with one seed for its luck and for the rewards."""
    environment = world.environment(group)
    own = [name.removeprefix(REGRET) for name in measures if name.startswith(REGRET)]
    records = min(world.records, world.rounds)
    trace = simulate(_made(learner, environment, world.rounds, seed), environment, world.rounds, seed, records,
                     delay=world.delay, objectives=own)  # fmt: skip
    entry = ContestEntry(learner.name, learner.name, (trace,), math.nan, environment.instance)
    return [
        Measurement(at, name, value) for name in measures for at, value in _told(name, trace, entry, bool(world.drift))
    ]


def _made(learner: Contender, environment: Any, rounds: int, seed: int) -> Learner:
    if isinstance(learner.made, Learner):
        return learner.made.copy(seed=seed)
    kind = LEARNERS[learner.id]
    horizon = {"horizon": rounds} if "horizon" in kind.settings else {}
    settings = horizon | dict(learner.settings)
    return kind(environment.n_agents, environment.n_arms, seed=seed, **settings, **who(environment))


def _told(name: str, trace: Trace, entry: ContestEntry, drifts: bool) -> Iterator[tuple[int, float]]:
    """(round, value) of a measure; what is played in a world that changes is known at the end only."""
    last, rounds = int(trace.rounds[-1]), trace.rounds.tolist()
    if name.startswith(REGRET):
        yield from zip(rounds, trace.regrets[name.removeprefix(REGRET)].tolist(), strict=True)
    elif name == "sets":
        yield last, float(trace.last_mismatch)
    elif name == "wait":
        yield last, float(trace.longest_wait.max())
    elif name == "reward":
        yield last, float(trace.rewards.mean() / last)
    elif drifts and name in ("realised", "lost", "voice"):
        ends = {"realised": 1 - trace.voice_lost / last, "lost": trace.voice_lost,
                "voice": float(np.min(trace.realised_voice))}  # fmt: skip
        yield last, float(ends[name])
    else:
        yield from zip(rounds, entry.course(name)[0].tolist(), strict=True)

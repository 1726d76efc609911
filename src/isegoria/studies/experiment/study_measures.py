"""The measures of a study: of a rule's policy on a group, or of a learner's run in an environment."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from isegoria.analysis.scores import score
from isegoria.errors import InputError, unknown_name_error
from isegoria.learning.base.learner import Learner
from isegoria.learning.registry import LEARNERS
from isegoria.learning.simulation.learner_comparison import LearnerResult, roster_keywords
from isegoria.learning.simulation.simulation import simulate
from isegoria.learning.simulation.trace import Trace
from isegoria.profiles import Instance
from isegoria.rules import list_objectives, solve
from isegoria.studies.experiment.environment_specs import EnvironmentSpec
from isegoria.studies.experiment.methods import StudyMethod
from isegoria.utils.formatting import SCORE_LABELS

if TYPE_CHECKING:
    from isegoria.rules.literals import RuleName

REGRET_PREFIX = "regret:"
"""Prefix of an objective's id. The measure is the learned policies' shortfall by that objective, summed over rounds."""


class Measurement(NamedTuple):
    """One number of one run: the round (0 for a rule), the measure, and its value."""

    round: int
    measure: str
    value: float


RULE_MEASURES: dict[str, str] = {
    **{name: f"{label} score of the policy" for name, label in SCORE_LABELS.items()},
    **{
        f"relative_{name}": f"{label} score relative to the least of any policy in the group"
        for name, label in SCORE_LABELS.items()
    },
    "min_relative": "the least of the three relative scores",
    "least_utility": "the utility of the worst-off agent",
    "gap": "how far the policy can be from optimal",
}
"""The measures of a rule, with their descriptions."""

LEARNER_MEASURES = {
    **{name: f"{label} score of the learned policy" for name, label in SCORE_LABELS.items()},
    "realised": "PF score of the arms as played so far",
    "lost": "rounds' worth of voices that the arms as played did not carry",
    "voice": "realised voice of the worst-off agent",
    "regret": "rounds with some favourite set wrong (the paper's regret)",
    "policies": "rounds whose learned policy was not procedurally fair",
    "sets": "last round with a favourite set wrong, at the end",
    "wait": "longest wait of anyone for a favourite, at the end",
    "reward": "mean reward of an agent in a round, at the end",
}
"""The measures of a learner, at every recorded round or at the end, with their descriptions."""


def require_known_measures(names: Sequence[str], learners: bool) -> None:
    """Raise an error for an unknown measure."""
    for name in names:
        if not is_known_measure(name, learners):
            raise unknown_name_error("measure", name, _list_measures(learners))


def is_known_measure(name: str, learners: bool) -> bool:
    """Return whether there is such a measure of learners or rules."""
    return name in _list_measures(learners)


def _list_measures(learners: bool) -> list[str]:
    return [*LEARNER_MEASURES, *(REGRET_PREFIX + id for id in list_objectives())] if learners else list(RULE_MEASURES)


def measure_rule(rule: StudyMethod, group: Instance, measures: Sequence[str]) -> list[Measurement]:
    """Solve one rule on one group and return its measurements."""
    found = solve(group, rule.made or rule.id, **rule.settings)  # type: ignore[arg-type]
    scores = score(group, found.policy)
    relative = dict(zip((f"relative_{name}" for name in SCORE_LABELS), scores.relative.tolist(), strict=True))
    known = (
        dict(zip(SCORE_LABELS, scores.values, strict=True))
        | relative
        | {
            "min_relative": scores.min_relative,
            "gap": found.gap,
            "least_utility": float(group.utilities(found.policy).min()),
        }
    )
    return [Measurement(0, name, float(known[name])) for name in measures]


def measure_learner(
    learner: StudyMethod, group: Instance, spec: EnvironmentSpec, seed: int, measures: Sequence[str]
) -> list[Measurement]:
    """Simulate one learner in one environment and return its measurements; `seed` seeds the learner and the rewards."""
    environment = spec.environment(group)
    own = [name.removeprefix(REGRET_PREFIX) for name in measures if name.startswith(REGRET_PREFIX)]
    records = min(spec.records, spec.rounds)
    trace = simulate(
        _make_learner(learner, environment, spec.rounds, seed),
        environment,
        spec.rounds,
        seed,
        records,
        delay=spec.delay,
        extra_rules=cast("Sequence[RuleName]", own),
    )
    entry = LearnerResult(learner.name, learner.name, (trace,), math.nan, environment.instance)
    return [
        Measurement(at, name, value)
        for name in measures
        for at, value in _measure_values(name, trace, entry, bool(spec.drift))
    ]


def _make_learner(learner: StudyMethod, environment: Any, rounds: int, seed: int) -> Learner:
    if isinstance(learner.made, Learner):
        size = len(learner.made.agents), len(learner.made.arms)
        if size != (environment.n_agents, environment.n_arms):
            raise InputError(
                f"the learner {learner.name} has {size[0]} agents and {size[1]} arms, and a group has "
                f"{environment.n_agents} and {environment.n_arms}; give its class, or a function of the number of "
                "agents, the number of arms and the seed."
            )
        return learner.made.copy(seed=seed)
    if learner.made is not None and not isinstance(learner.made, type):
        return _call_factory(learner, environment.n_agents, environment.n_arms, seed)
    kind: Any = learner.made or LEARNERS[learner.id]
    horizon = {"horizon": rounds} if "horizon" in kind.settings else {}
    settings = horizon | dict(learner.settings)
    return kind(environment.n_agents, environment.n_arms, seed=seed, **settings, **roster_keywords(environment))


def _call_factory(learner: StudyMethod, *arguments: int) -> Learner:
    """Call the user's function of the number of agents, the number of arms and (if it takes it) the seed."""
    factory: Any = learner.made
    made = factory(*arguments) if _takes(factory, arguments) else factory(*arguments[:2])
    if not isinstance(made, Learner):
        raise InputError(f"{learner.name} returned a {type(made).__name__}; expected an iso.Learner.")
    return made


def _takes(function: Any, arguments: tuple[int, ...]) -> bool:
    try:
        inspect.signature(function).bind(*arguments)
    except TypeError:
        return False
    except ValueError:  # a compiled function without a signature
        return True
    return True


def _measure_values(name: str, trace: Trace, entry: LearnerResult, drifts: bool) -> Iterator[tuple[int, float]]:
    """Yield (round, value) of a measure; in a changing environment, measures of play are known at the end only."""
    last, rounds = int(trace.rounds[-1]), trace.rounds.tolist()
    if name.startswith(REGRET_PREFIX):
        yield from zip(rounds, trace.regrets[name.removeprefix(REGRET_PREFIX)].tolist(), strict=True)
    elif name == "sets":
        yield last, float(trace.last_mismatch)
    elif name == "wait":
        yield last, float(trace.longest_wait.max())
    elif name == "reward":
        yield last, float(trace.rewards.mean() / last)
    elif drifts and name in ("realised", "lost", "voice"):
        ends = {
            "realised": 1 - trace.voice_lost / last,
            "lost": trace.voice_lost,
            "voice": float(np.min(trace.realised_voice)),
        }
        yield last, float(ends[name])
    else:
        yield from zip(rounds, entry.course(name)[0].tolist(), strict=True)

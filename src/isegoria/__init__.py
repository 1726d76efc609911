"""Isegoria: equal voice in repeated group decisions.

>>> import isegoria as iso
>>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
>>> iso.solve(instance, "procedural").policy.round(3).tolist()
[0.667, 0.333]
"""

from importlib import import_module

__version__ = "0.1.0"

# Where each public name lives. Names are loaded when first used, so that `isegoria --help` need not import NumPy. Type
# checkers, which cannot see through `__getattr__`, read `__init__.pyi`, which `make docs` writes from this table.
_HOME = {
    "Instance": "instance",
    "CoreVerdict": "stability",
    "core": "stability",
    "Frontier": "price",
    "frontier": "price",
    "Comparison": "comparison",
    "compare": "comparison",
    "random_dictatorship": "rules.random_dictatorship",
    "pareto_dominates": "dominance",
    "score_dominates": "dominance",
    "OBJECTIVES": "rules",
    "Objective": "rules",
    "Option": "rules",
    "RULES": "rules",
    "Rule": "rules",
    "Solution": "rules",
    "Welfare": "rules",
    "FairSet": "axioms.fair_polytope",
    "fair_set": "axioms.fair_polytope",
    "solve": "rules",
    "Audit": "auditing",
    "audit": "auditing",
    "Scores": "scores",
    "score": "scores",
    "Honesty": "axioms.incentives",
    "honesty": "axioms.incentives",
    "Violation": "axioms.violations",
    "find_violation": "axioms.violations",
    "LEARNERS": "learning.registry",
    "ProceduralLearner": "learning.learners.procedural",
    "GuidedLearner": "learning.learners.guided",
    "PosteriorLearner": "learning.learners.posterior",
    "NashLearner": "learning.learners.optimistic",
    "OptimisticUtilitarianLearner": "learning.learners.optimistic",
    "OptimisticEgalitarianLearner": "learning.learners.optimistic",
    "OptimisticGiniLearner": "learning.learners.optimistic",
    "InequalityLearner": "learning.learners.least_inequality",
    "GiniGradientLearner": "learning.learners.gini_gradient",
    "ExploreFirstLearner": "learning.learners.explore_exploit",
    "EpsilonGreedyLearner": "learning.learners.explore_exploit",
    "NashAdditiveLearner": "learning.learners.nash_additive",
    "RewardFairLearner": "learning.learners.reward_fair",
    "DictatorshipLearner": "learning.learners.yardsticks",
    "UniformLearner": "learning.learners.yardsticks",
    "Voices": "record.voices",
    "voices": "record.voices",
    "Drawn": "record.drawing",
    "draw": "record.drawing",
    "Turns": "record.turns.turns",
    "Verification": "verification",
    "verify": "verification",
    "simulate": "learning.runs.simulation",
    "simulate_many": "learning.runs.parallel",
    "Simulation": "learning.runs.simulation",
    "Trace": "learning.runs.trace",
    "Bounds": "learning.bounds",
    "bounds": "learning.bounds",
    "trace_from_npz": "learning.runs.trace",
    "BetaRewards": "learning.worlds.noise",
    "BernoulliRewards": "learning.worlds.noise",
    "TruncatedNormalRewards": "learning.worlds.noise",
    "PointRewards": "learning.worlds.noise",
    "ReplayRewards": "learning.worlds.logged",
    "ChangingRewards": "learning.worlds.changing",
    "learner_from_json": "learning.registry",
    "load_learner": "learning.registry",
    "Learner": "learning.protocol.learner",
    "Environment": "learning.worlds.environment",
    "Proposal": "learning.protocol.proposal",
    "Ticket": "learning.protocol.ticket",
    "Study": "studies.experiment.study",
    "study": "studies.experiment.study",
    "Scan": "tables.scan",
    "read": "io",
    "scan": "tables.scan",
    "write": "io",
    "IsegoriaError": "errors",
    "InputError": "errors",
    "FileError": "errors",
    "UnknownNameError": "errors",
    "TicketError": "errors",
    "StateError": "errors",
    "CertificationError": "errors",
    "MissingExtraError": "errors",
    "IsegoriaWarning": "errors",
    "NearTieWarning": "errors",
    "PolicyWarning": "errors",
    "BallotWarning": "errors",
    "ReadingWarning": "errors",
    "TheoremWarning": "errors",
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> object:
    if name == "axioms":  # a room of its own: iso.axioms.check
        return import_module("isegoria.axioms")
    if name not in _HOME:
        raise AttributeError(f"module 'isegoria' has no attribute {name!r}")
    value = getattr(import_module(f"isegoria.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

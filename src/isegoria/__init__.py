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
_PUBLIC_NAMES = {
    "Instance": "profiles",
    "Profile": "profiles",
    "CoreVerdict": "analysis.core",
    "core": "analysis.core",
    "Frontier": "analysis.frontier",
    "frontier": "analysis.frontier",
    "Comparison": "analysis.comparison",
    "compare": "analysis.comparison",
    "pareto_dominates": "analysis.dominance",
    "score_dominates": "analysis.dominance",
    "Objective": "rules",
    "RuleOption": "rules",
    "RULES": "rules",
    "Rule": "rules",
    "Solution": "rules",
    "Welfare": "rules",
    "FairSet": "analysis.fair_set",
    "solve": "rules",
    "Audit": "analysis.audit",
    "audit": "analysis.audit",
    "Scores": "analysis.scores",
    "score": "analysis.scores",
    "Honesty": "analysis.axioms.incentives",
    "honesty": "analysis.axioms.incentives",
    "Counterexample": "analysis.axioms.counterexamples",
    "find_counterexample": "analysis.axioms.counterexamples",
    "LEARNERS": "learning.registry",
    "ProceduralLearner": "learning.learners.procedural_learner",
    "ComparisonLearner": "learning.comparisons",
    "EliminationLearner": "learning.learners.elimination",
    "ThompsonLearner": "learning.learners.thompson",
    "NashUCBLearner": "learning.learners.baselines.ucb",
    "UtilitarianUCBLearner": "learning.learners.baselines.ucb",
    "EgalitarianUCBLearner": "learning.learners.baselines.ucb",
    "GiniUCBLearner": "learning.learners.baselines.ucb",
    "InequalityGreedyLearner": "learning.learners.baselines.inequality_greedy",
    "GiniGradientLearner": "learning.learners.baselines.gini_gradient",
    "ExploreFirstLearner": "learning.learners.baselines.explore_exploit",
    "EpsilonGreedyLearner": "learning.learners.baselines.explore_exploit",
    "NashUCBAdditiveLearner": "learning.learners.baselines.nash_ucb_additive",
    "RewardFairLearner": "learning.learners.baselines.reward_fair",
    "RandomDictatorshipLearner": "learning.learners.baselines.reference_learners",
    "UniformLearner": "learning.learners.baselines.reference_learners",
    "Voices": "record.exact_voices",
    "voices": "record.exact_voices",
    "DrawResult": "record.drawing",
    "draw": "record.drawing",
    "Turns": "record.turns.perpetual",
    "Verification": "verifier.verification",
    "verify": "verifier.verification",
    "simulate": "learning.simulation.simulation",
    "simulate_many": "learning.simulation.parallel",
    "Simulation": "learning.simulation.simulation",
    "Trace": "learning.simulation.trace",
    "RegretBounds": "learning.regret_bounds",
    "regret_bounds": "learning.regret_bounds",
    "BetaRewards": "learning.environments.noise_models",
    "BernoulliRewards": "learning.environments.noise_models",
    "TruncatedNormalRewards": "learning.environments.noise_models",
    "PointRewards": "learning.environments.noise_models",
    "ReplayRewards": "learning.environments.replay_rewards",
    "ChangingRewards": "learning.environments.changing_rewards",
    "Learner": "learning.base.learner",
    "StateView": "learning.base.state_view",
    "Environment": "learning.environments.environment",
    "Proposal": "learning.base.proposal",
    "Ticket": "learning.base.ticket",
    "Study": "studies.experiment.study",
    "study": "studies.experiment.study",
    "Scan": "out_of_core.scan",
    "read": "io",
    "scan": "out_of_core.scan",
    "write": "io",
    "save": "studies.saved_results",
    "load": "studies.saved_results",
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

_PUBLIC_MODULES = ("agents", "axioms", "datasets", "preferences", "testing")

__all__ = ["__version__", *_PUBLIC_NAMES, *_PUBLIC_MODULES]


def __getattr__(name: str) -> object:
    if name in _PUBLIC_MODULES:
        return import_module(f"isegoria.{name}")
    if name not in _PUBLIC_NAMES:
        raise AttributeError(f"module 'isegoria' has no attribute {name!r}")
    value = getattr(import_module(f"isegoria.{_PUBLIC_NAMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

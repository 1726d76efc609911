"""Isegoria: equal voice in repeated group decisions.

>>> import isegoria as iso
>>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
>>> iso.solve(instance, "procedural").policy.round(3).tolist()
[0.667, 0.333]
"""

import sys
from importlib import import_module
from types import ModuleType

__version__ = "0.1.0"

# Where each public name lives. Names are loaded when first used, so that `isegoria --help` need not import NumPy.
_HOME = {
    "Instance": "instance",
    "CoreVerdict": "core",
    "core": "core",
    "Frontier": "frontier",
    "frontier": "frontier",
    "Comparison": "comparison",
    "compare": "comparison",
    "OBJECTIVES": "objectives",
    "Solution": "objectives",
    "solve": "objectives",
    "Audit": "audit",
    "audit": "audit",
    "Scores": "scores",
    "score": "scores",
    "LEARNERS": "learning.registry",
    "ProceduralLearner": "learning.procedural",
    "GuidedLearner": "learning.guided",
    "PosteriorLearner": "learning.posterior",
    "NashLearner": "learning.optimistic",
    "OptimisticUtilitarianLearner": "learning.optimistic",
    "OptimisticEgalitarianLearner": "learning.optimistic",
    "OptimisticGiniLearner": "learning.optimistic",
    "GiniGradientLearner": "learning.gini_gradient",
    "ExploreFirstLearner": "learning.explore_exploit",
    "EpsilonGreedyLearner": "learning.explore_exploit",
    "DictatorshipLearner": "learning.plain",
    "UniformLearner": "learning.plain",
    "simulate": "learning.simulation",
    "simulate_many": "learning.many",
    "Simulation": "learning.simulation",
    "Trace": "learning.trace",
    "Bounds": "learning.bounds",
    "bounds": "learning.bounds",
    "trace_from_npz": "learning.trace",
    "BetaRewards": "learning.noise",
    "BernoulliRewards": "learning.noise",
    "TruncatedNormalRewards": "learning.noise",
    "PointRewards": "learning.noise",
    "ReplayRewards": "learning.replay",
    "ChangingRewards": "learning.replay",
    "learner_from_json": "learning.registry",
    "read": "io",
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
}

__all__ = ["__version__", *_HOME]


def __getattr__(name: str):
    if name not in _HOME:
        raise AttributeError(f"module 'isegoria' has no attribute {name!r}")
    value = getattr(import_module(f"isegoria.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """Keeps a submodule from hiding the public function of the same name: `iso.core` is always the function."""

    def __setattr__(self, name: str, value) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

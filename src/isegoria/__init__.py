"""Isegoria: equal voice in repeated group decisions.

>>> import isegoria as iso
>>> instance = iso.Instance([[1, 0], [1, 0], [0, 1]])
>>> iso.solve(instance, "procedural").policy.round(3).tolist()
[0.667, 0.333]
"""

from importlib import import_module

TYPE_CHECKING = False  # as `typing` has it, which takes longer to import than all of this; type checkers know the name

__version__ = "0.1.0"

# Where each public name lives. Names are loaded when first used, so that `isegoria --help` need not import NumPy.
_HOME = {
    "Instance": "instance",
    "CoreVerdict": "stability",
    "core": "stability",
    "Frontier": "price",
    "frontier": "price",
    "Comparison": "comparison",
    "compare": "comparison",
    "random_dictatorship": "dictatorship",
    "dominates": "comparison",
    "OBJECTIVES": "objectives",
    "Objective": "objectives",
    "Solution": "objectives",
    "solve": "objectives",
    "Audit": "auditing",
    "audit": "auditing",
    "Scores": "scores",
    "score": "scores",
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
    "DictatorshipLearner": "learning.learners.yardsticks",
    "UniformLearner": "learning.learners.yardsticks",
    "Voices": "record.voices",
    "voices": "record.voices",
    "Drawn": "record.drawing",
    "draw": "record.drawing",
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
    "ChangingRewards": "learning.worlds.logged",
    "learner_from_json": "learning.registry",
    "load_learner": "learning.registry",
    "Learner": "learning.protocol.learner",
    "Environment": "learning.worlds.environment",
    "Proposal": "learning.protocol.proposal",
    "Ticket": "learning.protocol.ticket",
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

if TYPE_CHECKING:  # the same names for editors and type checkers, which cannot see through `__getattr__`
    from isegoria.auditing import Audit as Audit
    from isegoria.auditing import audit as audit
    from isegoria.comparison import Comparison as Comparison
    from isegoria.comparison import compare as compare
    from isegoria.comparison import dominates as dominates
    from isegoria.dictatorship import random_dictatorship as random_dictatorship
    from isegoria.errors import BallotWarning as BallotWarning
    from isegoria.errors import CertificationError as CertificationError
    from isegoria.errors import FileError as FileError
    from isegoria.errors import InputError as InputError
    from isegoria.errors import IsegoriaError as IsegoriaError
    from isegoria.errors import IsegoriaWarning as IsegoriaWarning
    from isegoria.errors import MissingExtraError as MissingExtraError
    from isegoria.errors import NearTieWarning as NearTieWarning
    from isegoria.errors import PolicyWarning as PolicyWarning
    from isegoria.errors import ReadingWarning as ReadingWarning
    from isegoria.errors import StateError as StateError
    from isegoria.errors import TheoremWarning as TheoremWarning
    from isegoria.errors import TicketError as TicketError
    from isegoria.errors import UnknownNameError as UnknownNameError
    from isegoria.instance import Instance as Instance
    from isegoria.io import read as read
    from isegoria.io import write as write
    from isegoria.learning.bounds import Bounds as Bounds
    from isegoria.learning.bounds import bounds as bounds
    from isegoria.learning.learners.explore_exploit import EpsilonGreedyLearner as EpsilonGreedyLearner
    from isegoria.learning.learners.explore_exploit import ExploreFirstLearner as ExploreFirstLearner
    from isegoria.learning.learners.gini_gradient import GiniGradientLearner as GiniGradientLearner
    from isegoria.learning.learners.guided import GuidedLearner as GuidedLearner
    from isegoria.learning.learners.least_inequality import InequalityLearner as InequalityLearner
    from isegoria.learning.learners.optimistic import NashLearner as NashLearner
    from isegoria.learning.learners.optimistic import OptimisticEgalitarianLearner as OptimisticEgalitarianLearner
    from isegoria.learning.learners.optimistic import OptimisticGiniLearner as OptimisticGiniLearner
    from isegoria.learning.learners.optimistic import OptimisticUtilitarianLearner as OptimisticUtilitarianLearner
    from isegoria.learning.learners.posterior import PosteriorLearner as PosteriorLearner
    from isegoria.learning.learners.procedural import ProceduralLearner as ProceduralLearner
    from isegoria.learning.learners.yardsticks import DictatorshipLearner as DictatorshipLearner
    from isegoria.learning.learners.yardsticks import UniformLearner as UniformLearner
    from isegoria.learning.protocol.learner import Learner as Learner
    from isegoria.learning.protocol.proposal import Proposal as Proposal
    from isegoria.learning.protocol.ticket import Ticket as Ticket
    from isegoria.learning.registry import LEARNERS as LEARNERS
    from isegoria.learning.registry import learner_from_json as learner_from_json
    from isegoria.learning.registry import load_learner as load_learner
    from isegoria.learning.runs.parallel import simulate_many as simulate_many
    from isegoria.learning.runs.simulation import Simulation as Simulation
    from isegoria.learning.runs.simulation import simulate as simulate
    from isegoria.learning.runs.trace import Trace as Trace
    from isegoria.learning.runs.trace import trace_from_npz as trace_from_npz
    from isegoria.learning.worlds.environment import Environment as Environment
    from isegoria.learning.worlds.logged import ChangingRewards as ChangingRewards
    from isegoria.learning.worlds.logged import ReplayRewards as ReplayRewards
    from isegoria.learning.worlds.noise import BernoulliRewards as BernoulliRewards
    from isegoria.learning.worlds.noise import BetaRewards as BetaRewards
    from isegoria.learning.worlds.noise import PointRewards as PointRewards
    from isegoria.learning.worlds.noise import TruncatedNormalRewards as TruncatedNormalRewards
    from isegoria.objectives import OBJECTIVES as OBJECTIVES
    from isegoria.objectives import Objective as Objective
    from isegoria.objectives import Solution as Solution
    from isegoria.objectives import solve as solve
    from isegoria.price import Frontier as Frontier
    from isegoria.price import frontier as frontier
    from isegoria.record.drawing import Drawn as Drawn
    from isegoria.record.drawing import draw as draw
    from isegoria.record.voices import Voices as Voices
    from isegoria.record.voices import voices as voices
    from isegoria.scores import Scores as Scores
    from isegoria.scores import score as score
    from isegoria.stability import CoreVerdict as CoreVerdict
    from isegoria.stability import core as core
    from isegoria.tables.scan import Scan as Scan
    from isegoria.tables.scan import scan as scan
    from isegoria.verification import Verification as Verification
    from isegoria.verification import verify as verify
else:

    def __getattr__(name: str):
        if name not in _HOME:
            raise AttributeError(f"module 'isegoria' has no attribute {name!r}")
        value = getattr(import_module(f"isegoria.{_HOME[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)

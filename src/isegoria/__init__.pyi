# Written by docs/stubs.py from the table of names in __init__.py; run `make docs` after a change there.
from isegoria import axioms as axioms
from isegoria.auditing import Audit as Audit
from isegoria.auditing import audit as audit
from isegoria.axioms.fair_polytope import FairSet as FairSet
from isegoria.axioms.fair_polytope import fair_set as fair_set
from isegoria.axioms.incentives import Honesty as Honesty
from isegoria.axioms.incentives import honesty as honesty
from isegoria.axioms.violations import Violation as Violation
from isegoria.axioms.violations import find_violation as find_violation
from isegoria.comparison import Comparison as Comparison
from isegoria.comparison import compare as compare
from isegoria.dominance import pareto_dominates as pareto_dominates
from isegoria.dominance import score_dominates as score_dominates
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
from isegoria.learning.learners.nash_additive import NashAdditiveLearner as NashAdditiveLearner
from isegoria.learning.learners.optimistic import NashLearner as NashLearner
from isegoria.learning.learners.optimistic import OptimisticEgalitarianLearner as OptimisticEgalitarianLearner
from isegoria.learning.learners.optimistic import OptimisticGiniLearner as OptimisticGiniLearner
from isegoria.learning.learners.optimistic import OptimisticUtilitarianLearner as OptimisticUtilitarianLearner
from isegoria.learning.learners.posterior import PosteriorLearner as PosteriorLearner
from isegoria.learning.learners.procedural import ProceduralLearner as ProceduralLearner
from isegoria.learning.learners.reward_fair import RewardFairLearner as RewardFairLearner
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
from isegoria.learning.worlds.changing import ChangingRewards as ChangingRewards
from isegoria.learning.worlds.environment import Environment as Environment
from isegoria.learning.worlds.logged import ReplayRewards as ReplayRewards
from isegoria.learning.worlds.noise import BernoulliRewards as BernoulliRewards
from isegoria.learning.worlds.noise import BetaRewards as BetaRewards
from isegoria.learning.worlds.noise import PointRewards as PointRewards
from isegoria.learning.worlds.noise import TruncatedNormalRewards as TruncatedNormalRewards
from isegoria.price import Frontier as Frontier
from isegoria.price import frontier as frontier
from isegoria.record.drawing import Drawn as Drawn
from isegoria.record.drawing import draw as draw
from isegoria.record.turns.turns import Turns as Turns
from isegoria.record.voices import Voices as Voices
from isegoria.record.voices import voices as voices
from isegoria.rules import OBJECTIVES as OBJECTIVES
from isegoria.rules import Objective as Objective
from isegoria.rules import Option as Option
from isegoria.rules import RULES as RULES
from isegoria.rules import Rule as Rule
from isegoria.rules import Solution as Solution
from isegoria.rules import Welfare as Welfare
from isegoria.rules import solve as solve
from isegoria.rules.random_dictatorship import random_dictatorship as random_dictatorship
from isegoria.scores import Scores as Scores
from isegoria.scores import score as score
from isegoria.stability import CoreVerdict as CoreVerdict
from isegoria.stability import core as core
from isegoria.studies.experiment.study import Study as Study
from isegoria.studies.experiment.study import study as study
from isegoria.tables.scan import Scan as Scan
from isegoria.tables.scan import scan as scan
from isegoria.verification import Verification as Verification
from isegoria.verification import verify as verify

__version__: str
_HOME: dict[str, str]
__all__ = [
    "__version__",
    "Instance",
    "CoreVerdict",
    "core",
    "Frontier",
    "frontier",
    "Comparison",
    "compare",
    "random_dictatorship",
    "pareto_dominates",
    "score_dominates",
    "OBJECTIVES",
    "Objective",
    "Option",
    "RULES",
    "Rule",
    "Solution",
    "Welfare",
    "FairSet",
    "fair_set",
    "solve",
    "Audit",
    "audit",
    "Scores",
    "score",
    "Honesty",
    "honesty",
    "Violation",
    "find_violation",
    "LEARNERS",
    "ProceduralLearner",
    "GuidedLearner",
    "PosteriorLearner",
    "NashLearner",
    "OptimisticUtilitarianLearner",
    "OptimisticEgalitarianLearner",
    "OptimisticGiniLearner",
    "InequalityLearner",
    "GiniGradientLearner",
    "ExploreFirstLearner",
    "EpsilonGreedyLearner",
    "NashAdditiveLearner",
    "RewardFairLearner",
    "DictatorshipLearner",
    "UniformLearner",
    "Voices",
    "voices",
    "Drawn",
    "draw",
    "Turns",
    "Verification",
    "verify",
    "simulate",
    "simulate_many",
    "Simulation",
    "Trace",
    "Bounds",
    "bounds",
    "trace_from_npz",
    "BetaRewards",
    "BernoulliRewards",
    "TruncatedNormalRewards",
    "PointRewards",
    "ReplayRewards",
    "ChangingRewards",
    "learner_from_json",
    "load_learner",
    "Learner",
    "Environment",
    "Proposal",
    "Ticket",
    "Study",
    "study",
    "Scan",
    "read",
    "scan",
    "write",
    "IsegoriaError",
    "InputError",
    "FileError",
    "UnknownNameError",
    "TicketError",
    "StateError",
    "CertificationError",
    "MissingExtraError",
    "IsegoriaWarning",
    "NearTieWarning",
    "PolicyWarning",
    "BallotWarning",
    "ReadingWarning",
    "TheoremWarning",
]

# Written by docs/stubs.py from the table of names in __init__.py; run `make docs` after a change there.
from isegoria import agents as agents
from isegoria import axioms as axioms
from isegoria import datasets as datasets
from isegoria import preferences as preferences
from isegoria import testing as testing
from isegoria.analysis.audit import Audit as Audit
from isegoria.analysis.audit import audit as audit
from isegoria.analysis.axioms.counterexamples import Counterexample as Counterexample
from isegoria.analysis.axioms.counterexamples import find_counterexample as find_counterexample
from isegoria.analysis.axioms.incentives import Honesty as Honesty
from isegoria.analysis.axioms.incentives import honesty as honesty
from isegoria.analysis.comparison import Comparison as Comparison
from isegoria.analysis.comparison import compare as compare
from isegoria.analysis.core import CoreVerdict as CoreVerdict
from isegoria.analysis.core import core as core
from isegoria.analysis.dominance import pareto_dominates as pareto_dominates
from isegoria.analysis.dominance import score_dominates as score_dominates
from isegoria.analysis.fair_set import FairSet as FairSet
from isegoria.analysis.frontier import Frontier as Frontier
from isegoria.analysis.frontier import frontier as frontier
from isegoria.analysis.scores import Scores as Scores
from isegoria.analysis.scores import score as score
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
from isegoria.io import read as read
from isegoria.io import write as write
from isegoria.learning.base.learner import Learner as Learner
from isegoria.learning.base.proposal import Proposal as Proposal
from isegoria.learning.base.state_view import StateView as StateView
from isegoria.learning.base.ticket import Ticket as Ticket
from isegoria.learning.comparisons import ComparisonLearner as ComparisonLearner
from isegoria.learning.environments.changing_rewards import ChangingRewards as ChangingRewards
from isegoria.learning.environments.environment import Environment as Environment
from isegoria.learning.environments.noise_models import BernoulliRewards as BernoulliRewards
from isegoria.learning.environments.noise_models import BetaRewards as BetaRewards
from isegoria.learning.environments.noise_models import PointRewards as PointRewards
from isegoria.learning.environments.noise_models import TruncatedNormalRewards as TruncatedNormalRewards
from isegoria.learning.environments.replay_rewards import ReplayRewards as ReplayRewards
from isegoria.learning.learners.baselines.explore_exploit import EpsilonGreedyLearner as EpsilonGreedyLearner
from isegoria.learning.learners.baselines.explore_exploit import ExploreFirstLearner as ExploreFirstLearner
from isegoria.learning.learners.baselines.gini_gradient import GiniGradientLearner as GiniGradientLearner
from isegoria.learning.learners.baselines.inequality_greedy import InequalityGreedyLearner as InequalityGreedyLearner
from isegoria.learning.learners.baselines.nash_ucb_additive import NashUCBAdditiveLearner as NashUCBAdditiveLearner
from isegoria.learning.learners.baselines.reference_learners import RandomDictatorshipLearner as RandomDictatorshipLearner
from isegoria.learning.learners.baselines.reference_learners import UniformLearner as UniformLearner
from isegoria.learning.learners.baselines.reward_fair import RewardFairLearner as RewardFairLearner
from isegoria.learning.learners.baselines.ucb import EgalitarianUCBLearner as EgalitarianUCBLearner
from isegoria.learning.learners.baselines.ucb import GiniUCBLearner as GiniUCBLearner
from isegoria.learning.learners.baselines.ucb import NashUCBLearner as NashUCBLearner
from isegoria.learning.learners.baselines.ucb import UtilitarianUCBLearner as UtilitarianUCBLearner
from isegoria.learning.learners.elimination import EliminationLearner as EliminationLearner
from isegoria.learning.learners.procedural_learner import ProceduralLearner as ProceduralLearner
from isegoria.learning.learners.thompson import ThompsonLearner as ThompsonLearner
from isegoria.learning.registry import LEARNERS as LEARNERS
from isegoria.learning.regret_bounds import RegretBounds as RegretBounds
from isegoria.learning.regret_bounds import regret_bounds as regret_bounds
from isegoria.learning.simulation.parallel import simulate_many as simulate_many
from isegoria.learning.simulation.simulation import Simulation as Simulation
from isegoria.learning.simulation.simulation import simulate as simulate
from isegoria.learning.simulation.trace import Trace as Trace
from isegoria.out_of_core.scan import Scan as Scan
from isegoria.out_of_core.scan import scan as scan
from isegoria.profiles import Instance as Instance
from isegoria.profiles import Profile as Profile
from isegoria.record.drawing import DrawResult as DrawResult
from isegoria.record.drawing import draw as draw
from isegoria.record.exact_voices import Voices as Voices
from isegoria.record.exact_voices import voices as voices
from isegoria.record.turns.perpetual import Turns as Turns
from isegoria.rules import Objective as Objective
from isegoria.rules import RULES as RULES
from isegoria.rules import Rule as Rule
from isegoria.rules import RuleOption as RuleOption
from isegoria.rules import Solution as Solution
from isegoria.rules import Welfare as Welfare
from isegoria.rules import solve as solve
from isegoria.studies.experiment.study import Study as Study
from isegoria.studies.experiment.study import study as study
from isegoria.studies.saved_results import load as load
from isegoria.studies.saved_results import save as save
from isegoria.verifier.verification import Verification as Verification
from isegoria.verifier.verification import verify as verify

__version__: str
_PUBLIC_NAMES: dict[str, str]
_PUBLIC_MODULES: tuple[str, ...]
__all__ = [
    "__version__",
    "Instance",
    "Profile",
    "CoreVerdict",
    "core",
    "Frontier",
    "frontier",
    "Comparison",
    "compare",
    "pareto_dominates",
    "score_dominates",
    "Objective",
    "RuleOption",
    "RULES",
    "Rule",
    "Solution",
    "Welfare",
    "FairSet",
    "solve",
    "Audit",
    "audit",
    "Scores",
    "score",
    "Honesty",
    "honesty",
    "Counterexample",
    "find_counterexample",
    "LEARNERS",
    "ProceduralLearner",
    "ComparisonLearner",
    "EliminationLearner",
    "ThompsonLearner",
    "NashUCBLearner",
    "UtilitarianUCBLearner",
    "EgalitarianUCBLearner",
    "GiniUCBLearner",
    "InequalityGreedyLearner",
    "GiniGradientLearner",
    "ExploreFirstLearner",
    "EpsilonGreedyLearner",
    "NashUCBAdditiveLearner",
    "RewardFairLearner",
    "RandomDictatorshipLearner",
    "UniformLearner",
    "Voices",
    "voices",
    "DrawResult",
    "draw",
    "Turns",
    "Verification",
    "verify",
    "simulate",
    "simulate_many",
    "Simulation",
    "Trace",
    "RegretBounds",
    "regret_bounds",
    "BetaRewards",
    "BernoulliRewards",
    "TruncatedNormalRewards",
    "PointRewards",
    "ReplayRewards",
    "ChangingRewards",
    "Learner",
    "StateView",
    "Environment",
    "Proposal",
    "Ticket",
    "Study",
    "study",
    "Scan",
    "read",
    "scan",
    "write",
    "save",
    "load",
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
    "agents",
    "axioms",
    "datasets",
    "preferences",
    "testing",
]

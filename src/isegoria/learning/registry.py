"""The registries of learners and noise models. To add one, write a module and add one line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from isegoria.errors import InputError
from isegoria.utils.registry import Registry

if TYPE_CHECKING:
    from isegoria.learning.base.learner import Learner
    from isegoria.learning.environments.environment import Environment


def _require_learner(id: str, found: object) -> type[Learner]:
    from isegoria.learning.base.learner import Learner

    if not (isinstance(found, type) and issubclass(found, Learner) and found.id == id):
        raise InputError(f"expected a subclass of iso.Learner with the id '{id}', not {found!r}")
    return found


LEARNERS: Registry[type[Learner]] = Registry(
    "learner",
    {
        "procedural": "isegoria.learning.learners.procedural_learner:ProceduralLearner",
        "elimination": "isegoria.learning.learners.elimination:EliminationLearner",
        "thompson": "isegoria.learning.learners.thompson:ThompsonLearner",
        "nash-ucb": "isegoria.learning.learners.baselines.ucb:NashUCBLearner",
        "utilitarian-ucb": "isegoria.learning.learners.baselines.ucb:UtilitarianUCBLearner",
        "egalitarian-ucb": "isegoria.learning.learners.baselines.ucb:EgalitarianUCBLearner",
        "gini-ucb": "isegoria.learning.learners.baselines.ucb:GiniUCBLearner",
        "inequality-greedy": "isegoria.learning.learners.baselines.inequality_greedy:InequalityGreedyLearner",
        "gini-gradient": "isegoria.learning.learners.baselines.gini_gradient:GiniGradientLearner",
        "explore-first": "isegoria.learning.learners.baselines.explore_exploit:ExploreFirstLearner",
        "epsilon-greedy": "isegoria.learning.learners.baselines.explore_exploit:EpsilonGreedyLearner",
        "nash-ucb-additive": "isegoria.learning.learners.baselines.nash_ucb_additive:NashUCBAdditiveLearner",
        "reward-fair": "isegoria.learning.learners.baselines.reward_fair:RewardFairLearner",
        "random-dictatorship": "isegoria.learning.learners.baselines.reference_learners:RandomDictatorshipLearner",
        "uniform": "isegoria.learning.learners.baselines.reference_learners:UniformLearner",
    },
    group="isegoria.learners",
    adapt=_require_learner,
)
"""Every learner by its id, in the order in which comparisons list them."""

NOISE_MODELS: Registry[type[Environment]] = Registry(
    "noise",
    {
        "beta": "isegoria.learning.environments.noise_models:BetaRewards",
        "bernoulli": "isegoria.learning.environments.noise_models:BernoulliRewards",
        "normal": "isegoria.learning.environments.noise_models:TruncatedNormalRewards",
        "point": "isegoria.learning.environments.noise_models:PointRewards",
    },
    group="isegoria.noises",
)
"""Every kind of noise by its id: what `isegoria learn --noise` offers."""

"""The tables of learners and of noises. A new one is one new module, and one line here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from isegoria.errors import InputError
from isegoria.registry import Table

if TYPE_CHECKING:
    from isegoria.learning.protocol.learner import Learner
    from isegoria.learning.worlds.environment import Environment


def _checked_learner(id: str, found: object) -> type[Learner]:
    from isegoria.learning.protocol.learner import Learner

    if not (isinstance(found, type) and issubclass(found, Learner) and found.id == id):
        raise InputError(f"expected a subclass of iso.Learner with the id '{id}', not {found!r}")
    return found


LEARNERS: Table[type[Learner]] = Table(
    "learner",
    {
        "procedural": "isegoria.learning.learners.procedural:ProceduralLearner",
        "guided": "isegoria.learning.learners.guided:GuidedLearner",
        "posterior": "isegoria.learning.learners.posterior:PosteriorLearner",
        "nash": "isegoria.learning.learners.optimistic:NashLearner",
        "utilitarian": "isegoria.learning.learners.optimistic:OptimisticUtilitarianLearner",
        "egalitarian": "isegoria.learning.learners.optimistic:OptimisticEgalitarianLearner",
        "gini": "isegoria.learning.learners.optimistic:OptimisticGiniLearner",
        "inequality": "isegoria.learning.learners.least_inequality:InequalityLearner",
        "gini-gradient": "isegoria.learning.learners.gini_gradient:GiniGradientLearner",
        "explore-first": "isegoria.learning.learners.explore_exploit:ExploreFirstLearner",
        "epsilon-greedy": "isegoria.learning.learners.explore_exploit:EpsilonGreedyLearner",
        "nash-ucb-additive": "isegoria.learning.learners.nash_additive:NashAdditiveLearner",
        "reward-fair": "isegoria.learning.learners.reward_fair:RewardFairLearner",
        "dictatorship": "isegoria.learning.learners.yardsticks:DictatorshipLearner",
        "uniform": "isegoria.learning.learners.yardsticks:UniformLearner",
    },
    group="isegoria.learners",
    adapt=_checked_learner,
)
"""Every learner by its id, in the order in which comparisons list them."""

NOISES: Table[type[Environment]] = Table(
    "noise",
    {
        "beta": "isegoria.learning.worlds.noise:BetaRewards",
        "bernoulli": "isegoria.learning.worlds.noise:BernoulliRewards",
        "normal": "isegoria.learning.worlds.noise:TruncatedNormalRewards",
        "point": "isegoria.learning.worlds.noise:PointRewards",
    },
    group="isegoria.noises",
)
"""Every kind of noise by its id: what `isegoria learn --noise` offers."""


def learner_from_json(text: str | bytes) -> Learner:
    """The learner whose `to_json` gave `text`; it continues bit for bit, and takes the tickets that were open.

    >>> from isegoria import ProceduralLearner
    >>> learner = ProceduralLearner(2, 3, seed=5)
    >>> ticket = learner.ask()
    >>> twin = learner_from_json(learner.to_json())
    >>> twin.tell(ticket, [0.2, 0.4])
    >>> twin.ask().arm
    1
    """
    from isegoria.learning.protocol.sealing import unseal

    body = unseal(text)
    return LEARNERS[str(body.get("learner"))]._from_state(body)


def load_learner(path: str | os.PathLike[str]) -> Learner:
    """The learner whose `save` wrote the file at `path`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from isegoria import ProceduralLearner
    >>> learner, path = ProceduralLearner(2, 3, seed=5), Path(tempfile.mkdtemp()) / "learner"
    >>> learner.save(path)
    >>> load_learner(path).ask() == learner.ask()
    True
    """
    from isegoria.errors import FileError, StateError
    from isegoria.io.opening import open_file

    try:
        with open_file(path) as file:
            return learner_from_json(file.read())
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    except StateError as error:
        raise StateError(f"{path}: {error}") from error

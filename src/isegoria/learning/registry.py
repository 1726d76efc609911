"""The table of learners. A new learner is one new module beside this one, and one line in `LEARNERS`."""

from __future__ import annotations

from isegoria.errors import unknown
from isegoria.learning.learners.explore_exploit import EpsilonGreedyLearner, ExploreFirstLearner
from isegoria.learning.learners.gini_gradient import GiniGradientLearner
from isegoria.learning.learners.guided import GuidedLearner
from isegoria.learning.learners.optimistic import (
    NashLearner,
    OptimisticEgalitarianLearner,
    OptimisticGiniLearner,
    OptimisticUtilitarianLearner,
)
from isegoria.learning.learners.posterior import PosteriorLearner
from isegoria.learning.learners.procedural import ProceduralLearner
from isegoria.learning.learners.yardsticks import DictatorshipLearner, UniformLearner
from isegoria.learning.protocol.learner import Learner
from isegoria.learning.protocol.state import unseal

LEARNERS: dict[str, type[Learner]] = {
    kind.id: kind
    for kind in (
        ProceduralLearner,
        GuidedLearner,
        PosteriorLearner,
        NashLearner,
        OptimisticUtilitarianLearner,
        OptimisticEgalitarianLearner,
        OptimisticGiniLearner,
        GiniGradientLearner,
        ExploreFirstLearner,
        EpsilonGreedyLearner,
        DictatorshipLearner,
        UniformLearner,
    )
}  # fmt: skip


def learner_class(name: str) -> type[Learner]:
    """The learner of that id; an unknown one raises an error that lists the known ones."""
    if name not in LEARNERS:
        raise unknown("learner", name, LEARNERS)
    return LEARNERS[name]


def learner_from_json(text: str | bytes) -> Learner:
    """The learner whose `to_json` gave `text`; it continues bit for bit, and takes the tickets that were open.

    >>> learner = ProceduralLearner(2, 3, seed=5)
    >>> ticket = learner.ask()
    >>> twin = learner_from_json(learner.to_json())
    >>> twin.tell(ticket, [0.2, 0.4])
    >>> twin.ask().arm
    1
    """
    body = unseal(text)
    return learner_class(body.get("learner"))._from_state(body)

"""The registries of learners and noise models. To add one, write a module and add one line here."""

from __future__ import annotations

import os
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
        "guided": "isegoria.learning.learners.elimination:EliminationLearner",
        "posterior": "isegoria.learning.learners.thompson:ThompsonLearner",
        "nash": "isegoria.learning.learners.baselines.ucb:NashUCBLearner",
        "utilitarian": "isegoria.learning.learners.baselines.ucb:UtilitarianUCBLearner",
        "egalitarian": "isegoria.learning.learners.baselines.ucb:EgalitarianUCBLearner",
        "gini": "isegoria.learning.learners.baselines.ucb:GiniUCBLearner",
        "inequality": "isegoria.learning.learners.baselines.inequality_greedy:InequalityGreedyLearner",
        "gini-gradient": "isegoria.learning.learners.baselines.gini_gradient:GiniGradientLearner",
        "explore-first": "isegoria.learning.learners.baselines.explore_exploit:ExploreFirstLearner",
        "epsilon-greedy": "isegoria.learning.learners.baselines.explore_exploit:EpsilonGreedyLearner",
        "nash-ucb-additive": "isegoria.learning.learners.baselines.nash_ucb_additive:NashUCBAdditiveLearner",
        "reward-fair": "isegoria.learning.learners.baselines.reward_fair:RewardFairLearner",
        "dictatorship": "isegoria.learning.learners.baselines.reference_learners:RandomDictatorshipLearner",
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


def learner_from_json(text: str | bytes) -> Learner:
    """Restore a learner from the text that `to_json` returned.

    The restored learner continues bit for bit and accepts feedback on the tickets that were open.

    Parameters
    ----------
    text : str or bytes
        The result of `to_json` or `to_bytes`.

    Returns
    -------
    Learner
        A learner of the class that was saved.

    Raises
    ------
    StateError
        If `text` is not a complete, undamaged state of a learner.

    Examples
    --------
    >>> from isegoria import ProceduralLearner
    >>> learner = ProceduralLearner(2, 3, seed=5)
    >>> ticket = learner.ask()
    >>> twin = learner_from_json(learner.to_json())
    >>> twin.tell(ticket, [0.2, 0.4])
    >>> twin.ask().arm
    1
    """
    from isegoria.learning.base.state_format import load_state

    body = load_state(text)
    return LEARNERS[str(body.get("learner"))]._from_state(body)


def load_learner(path: str | os.PathLike[str]) -> Learner:
    """Load a learner from a file that `Learner.save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file, in JSON or in the binary format.

    Returns
    -------
    Learner
        A learner of the class that was saved.

    Raises
    ------
    FileError
        If the file cannot be read.
    StateError
        If the file is not a complete, undamaged state of a learner.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from isegoria import ProceduralLearner
    >>> learner, path = ProceduralLearner(2, 3, seed=5), Path(tempfile.mkdtemp()) / "learner"
    >>> learner.save(path)
    >>> load_learner(path).ask() == learner.ask()
    True
    """
    from isegoria.errors import FileError, StateError
    from isegoria.io.storage.open_input import open_file

    try:
        with open_file(path) as file:
            return learner_from_json(file.read())
    except OSError as error:
        raise FileError(f"cannot read {path}: {(error.strerror or str(error)).lower()}.") from error
    except StateError as error:
        raise StateError(f"{path}: {error}") from error

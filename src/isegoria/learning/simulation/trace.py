"""`Trace`, the result of a simulation: a bounded number of records, with export to data frames and files."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from isegoria.analysis.scores import score
from isegoria.errors import FileError
from isegoria.profiles import Instance
from isegoria.utils import notebook
from isegoria.utils.caching import lazy_property
from isegoria.utils.formatting import SCORE_LABELS, format_number, pluralise
from isegoria.utils.tabular import build_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from isegoria.learning.base.learner import Learner


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The course of a run, in R records.

    The curves describe the learned policy P^t, not the point mass of an exploring round.

    Attributes
    ----------
    rounds : numpy.ndarray
        (R,) The rounds at which records were taken.
    policies, scores : numpy.ndarray
        (R, K) The policies, and (R, 3) their procedural, equality and utilitarian scores.
    policy_means, policy_sds, score_means, score_sds : numpy.ndarray
        Means and standard deviations over the last 1,000 rounds.
    pulls, exploring_curve : numpy.ndarray
        (R, K) The pulls of each arm so far, and (R,) the exploring rounds so far.
    regret_curve : numpy.ndarray
        (R,) The paper's R^PF so far.
    wrong_policy_curve : numpy.ndarray or None
        (R,) Rounds so far whose policy was not procedurally fair. A wrong set need not make a wrong policy.
    regrets : dict
        For each objective, (R,) the total shortfall of the policies so far. For "procedural" it is Σ (1 − PF(P^t)), for
        "inequality" Σ (D(P^t) − D*), for "nash-mean" that of the geometric mean of utilities, and for "pareto" that of
        the arms' Pareto gaps.
    regret : int
        R^PF: the rounds in which some favourite set was not the true one, forced rounds included.
    last_mismatch : int
        The last such round; after it, all sets were right.
    exploring_rounds : int
        The number of exploring rounds.
    patterns, changes : int
        The number of distinct patterns of favourite sets, and how often the pattern changed.
    realised_voice : numpy.ndarray
        (N,) The share of rounds that played one of an agent's true favourites.
    voice_lost : float
        T(1 − score as played): the rounds' worth of voices that the arms as played did not carry, exploring and forced
        rounds included. If the true means change, it is summed over the phases.
    longest_wait : numpy.ndarray
        (N,) The maximum number of consecutive rounds in which none of an agent's true favourites was played.
    resolved_at : numpy.ndarray
        (N,) The round since which the learner considers an agent resolved; -1 if it does not, or never does for any
        agent.
    rewards : numpy.ndarray
        (N,) The total reward of each agent.
    agent_names, arm_names : tuple of str
        The names of the agents and arms.
    about : dict
        What ran: the learner with its settings, the environment, rounds and seed.
    arms, exploring : numpy.ndarray or None
        (T,) The arm of every round and whether it explored; only with `keep_arms=True`.
    learner : Learner or None
        The learner after the run: `trace.learner.save(path)` saves what it has learned. A trace read from a file has
        none.
    """

    rounds: np.ndarray
    policies: np.ndarray
    scores: np.ndarray
    policy_means: np.ndarray
    policy_sds: np.ndarray
    score_means: np.ndarray
    score_sds: np.ndarray
    pulls: np.ndarray
    exploring_curve: np.ndarray
    regret_curve: np.ndarray
    regrets: dict[str, np.ndarray]
    regret: int
    last_mismatch: int
    exploring_rounds: int
    patterns: int
    changes: int
    realised_voice: np.ndarray
    resolved_at: np.ndarray
    longest_wait: np.ndarray
    voice_lost: float
    rewards: np.ndarray
    agent_names: tuple[str, ...]
    arm_names: tuple[str, ...]
    about: dict[str, Any]
    arms: np.ndarray | None = None
    exploring: np.ndarray | None = None
    wrong_policy_curve: np.ndarray | None = None
    learner: Learner | None = None

    def __post_init__(self) -> None:
        for value in [*vars(self).values(), *self.regrets.values()]:
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __repr__(self) -> str:
        """Return a one-line summary of what ran and how it ended."""
        size = f"{pluralise(len(self.agent_names), 'agent')}, {pluralise(len(self.arm_names), 'arm')}"
        ran = f"{pluralise(int(self.about['rounds']), 'round')} of {self.about['learner']}"
        played = 1 - self.voice_lost / max(int(self.about["rounds"]), 1)
        return f"Trace({ran}; {size}; PF score as played {played:.3f}, voice lost {self.voice_lost:,.1f} rounds)"

    @property
    def policy(self) -> np.ndarray:
        """(K,) The last learned policy: the result of the run."""
        return self.policies[-1]

    @property
    def wrong_policies(self) -> int | None:
        """The number of rounds whose learned policy was not procedurally fair; None if that was not counted."""
        curve = self.wrong_policy_curve
        return None if curve is None or np.isnan(curve[-1]) else int(curve[-1])

    def played_scores(self, instance: Instance) -> np.ndarray:
        """Return the scores (R, 3), on the true `instance`, of the arms as played up to each record."""
        shares = self.pulls / self.pulls.sum(axis=1, keepdims=True)
        judged = [score(instance, row) for row in shares]
        return np.array([[one.procedural, one.equality, one.utilitarian] for one in judged])

    @lazy_property
    def frequencies(self) -> np.ndarray:
        """(K,) How often each arm was played, as a share of all rounds."""
        return self.pulls[-1] / self.pulls[-1].sum()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Plot the three scores of the learned policy over the rounds, as means over the last 1,000 rounds.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw on; new ones by default.

        Returns
        -------
        matplotlib.axes.Axes
        """
        return cast("Axes", notebook.draw_on_axes("isegoria.figures.learning_curves:draw_trace", self, ax=ax))

    def _repr_html_(self) -> str:
        """Return an HTML summary for notebooks: how the run went, with scores along the way."""
        said = (
            f"{pluralise(int(self.rounds[-1]), 'round')}, voice lost {self.voice_lost:,.1f}, longest wait "
            f"{int(self.longest_wait.max()):,}, sets right after round {self.last_mismatch:,}, "
            f"PF regret {self.regret:,}"
        )
        places = np.unique(np.linspace(0, len(self.rounds) - 1, 6).astype(int))
        curve = self.regret_curve
        rows = [[f"{self.rounds[r]:,}", *map(format_number, self.scores[r]), f"{curve[r]:,}"] for r in places]
        header = ["round", *(f"{label} score" for label in SCORE_LABELS.values()), "regret"]
        policy = [[name, format_number(p)] for name, p in zip(self.arm_names, self.policy, strict=True)]
        learned = notebook.html_table(["learned policy", "chance"], policy)
        return notebook.html_box(notebook.html_line(said, "Trace"), notebook.html_table(header, rows, words=0), learned)

    def rolling_scores(self) -> dict[str, np.ndarray]:
        """Return the means and standard deviations of the three scores over the last 1,000 rounds, as columns."""
        table = {"round": self.rounds}
        for j, name in enumerate(SCORE_LABELS):
            table |= {name: self.score_means[:, j], f"{name}_sd": self.score_sds[:, j]}
        return table

    def rolling_policy(self, fair: Sequence[float] | np.ndarray) -> dict[str, np.ndarray]:
        """Return the policy as means over the last 1,000 rounds, with standard deviations, as columns for a figure.

        The `fair` policy (K,) that it should reach is in columns `fair_…`.
        """
        table = {"round": self.rounds}
        for k, arm in enumerate(self.arm_names):
            table |= {f"p_{arm}": self.policy_means[:, k], f"p_{arm}_sd": self.policy_sds[:, k]}
        return table | {
            f"fair_{arm}": np.full(len(self.rounds), p) for arm, p in zip(self.arm_names, fair, strict=True)
        }

    def columns(self) -> dict[str, np.ndarray]:
        """Return one named column for each recorded quantity, from which any data frame can be built."""
        table = {"round": self.rounds}
        for name, block in (("", self.policies), ("_mean", self.policy_means), ("_sd", self.policy_sds)):
            table |= {f"policy{name}_{arm}": block[:, k] for k, arm in enumerate(self.arm_names)}
        for name, block in (("", self.scores), ("_mean", self.score_means), ("_sd", self.score_sds)):
            table |= {f"{score}{name}": block[:, j] for j, score in enumerate(SCORE_LABELS)}
        table |= {f"pulls_{arm}": self.pulls[:, k] for k, arm in enumerate(self.arm_names)}
        table |= {"exploring_rounds": self.exploring_curve, "regret": self.regret_curve}
        if self.wrong_policy_curve is not None:
            table["wrong_policies"] = self.wrong_policy_curve
        return table | {f"regret_{name}": curve for name, curve in self.regrets.items()}

    def to_frame(self, frame: Callable[[dict[str, np.ndarray]], Any] | None = None) -> Any:
        """Return a data frame with one row for each record.

        Parameters
        ----------
        frame : callable, optional
            Builds the frame from a dict of columns, such as `polars.DataFrame`; pandas' by default.

        Raises
        ------
        MissingExtraError
            If `frame` is not given and pandas is not installed.

        Examples
        --------
        >>> import isegoria as iso
        >>> learner = iso.ProceduralLearner(2, 2, seed=1)
        >>> trace = iso.simulate(learner, iso.PointRewards([[1.0, 0.0], [0.0, 1.0]]), rounds=50, seed=1, records=5)
        >>> list(trace.to_frame(dict))[:4]
        ['round', 'policy_Arm 1', 'policy_Arm 2', 'policy_mean_Arm 1']
        """
        return build_frame(self.columns(), frame)

    def to_csv(self) -> str:
        """Return the records as CSV at full precision."""
        import csv

        text = io.StringIO()
        columns = self.columns()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
        return text.getvalue()

    def to_npz(self) -> bytes:
        """Return the whole trace as the bytes of an NPZ file; `from_npz` reads them back."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "learner"}
        arrays |= {f"regret_{name}": curve for name, curve in arrays.pop("regrets").items()}
        arrays["about"] = json.dumps(self.about)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **{name: value for name, value in arrays.items() if value is not None})
        return buffer.getvalue()

    @classmethod
    def from_npz(cls, data: bytes) -> Trace:
        """Read the trace that `to_npz` wrote; raise `FileError` for anything else."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as saved:
                entries = {name: saved[name] for name in saved.files}
            entries["regrets"] = {
                name.removeprefix("regret_"): entries.pop(name)
                for name in list(entries)
                if name.startswith("regret_") and name != "regret_curve"
            }
            entries["about"] = json.loads(str(entries["about"]))
            for name in ("regret", "last_mismatch", "exploring_rounds", "patterns", "changes"):
                entries[name] = int(entries[name])
            entries["voice_lost"] = float(entries["voice_lost"])
            for name in ("agent_names", "arm_names"):
                entries[name] = tuple(entries[name].tolist())
            return cls(**entries)
        except (ValueError, OSError, KeyError, TypeError) as error:
            raise FileError(f"this is not the NPZ file of a trace ({error}).") from None

"""What a simulation gives back: a `Trace` of at most so many records, and its ways into frames and files."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from isegoria import display
from isegoria.errors import FileError, MissingExtraError
from isegoria.instance import Instance
from isegoria.lazy import computed_once
from isegoria.scores import score
from isegoria.wording import SCORES, counted, rounded

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Trace:
    """The course of a run, in R records; `rounds` (R,) says at which rounds they were taken.

    At each record, of the learned policy P^t (not the point mass of exploring rounds):
    - `policies` (R, K) and `scores` (R, 3), the procedural, equality and utilitarian score;
    - `policy_means`, `policy_sds`, `score_means`, `score_sds`: over the last 1,000 rounds;
    - `pulls` (R, K), `exploring_curve` (R,): totals so far;
    - `regret_curve` (R,): the paper's R^PF so far; `wrong_policy_curve` (R,): rounds whose policy was not procedurally
      fair (a wrong set need not make a wrong policy);
    - `regrets`: for each objective what the policies fell short of (R,) so far; that of "procedural" is
      Σ (1 − PF(P^t)), that of "inequality" Σ (D(P^t) − D*).

    Over the whole run:
    - `regret`: R^PF, the rounds in which some favourite set was not the true one, forced rounds included;
    - `last_mismatch`: the last such round, so that the sets were right for good after it; `exploring_rounds`;
    - `patterns`: how many patterns of favourite sets there were; `changes`: how often one gave way to another;
    - `realised_voice` (N,): the share of rounds that went to one of an agent's true favourites;
    - `voice_lost`: T(1 − score as played), the rounds' worth of voices that the arms as played did not carry, exploring
      and forced rounds included; where the truth changes, summed over the times between;
    - `longest_wait` (N,): the most rounds in a row in which none of an agent's true favourites was played;
    - `resolved_at` (N,): the round from which on the learner takes an agent for resolved, -1 where it does not (or is a
      learner that never does);
    - `rewards` (N,): what each agent received in total;
    - `arms`, `exploring` (T,): every single round, only with `keep_arms=True`, else None.
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

    def __post_init__(self) -> None:
        for value in [*vars(self).values(), *self.regrets.values()]:
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    def __repr__(self) -> str:
        """What ran and how it ended, in a line."""
        size = f"{counted(len(self.agent_names), 'agent')}, {counted(len(self.arm_names), 'arm')}"
        ran = f"{counted(int(self.about['rounds']), 'round')} of {self.about['learner']}"
        return f"Trace({ran}; {size}; PF score {self.scores[-1, 0]:.3f}, PF regret {self.regret:,})"

    @property
    def policy(self) -> np.ndarray:
        """(K,) the last learned policy: the run's answer."""
        return self.policies[-1]

    @property
    def wrong_policies(self) -> int | None:
        """How many rounds had a learned policy that was not procedurally fair; None where that was not counted."""
        curve = self.wrong_policy_curve
        return None if curve is None or np.isnan(curve[-1]) else int(curve[-1])

    def played_scores(self, instance: Instance) -> np.ndarray:
        """(R, 3) the scores, on the true `instance`, of the arms as they were played up to each record."""
        shares = self.pulls / self.pulls.sum(axis=1, keepdims=True)
        judged = [score(instance, row) for row in shares]
        return np.array([[one.procedural, one.equality, one.utilitarian] for one in judged])

    @computed_once
    def frequencies(self) -> np.ndarray:
        """(K,) how often each arm was played, as a share of all rounds."""
        return self.pulls[-1] / self.pulls[-1].sum()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Matplotlib axes with the three scores of the learned policy against rounds, as means over the last 1,000; new
        ones unless `ax` is given."""
        return cast("Axes", display.drawn("isegoria.figures.rolling:trace", self, ax=ax))

    def _repr_html_(self) -> str:
        """The run for a notebook: how it went, and the scores on the way."""
        said = (
            f"{counted(int(self.rounds[-1]), 'round')}, voice lost {self.voice_lost:,.1f}, longest wait "
            f"{int(self.longest_wait.max()):,}, sets right after round {self.last_mismatch:,}, "
            f"PF regret {self.regret:,}"
        )
        places = np.unique(np.linspace(0, len(self.rounds) - 1, 6).astype(int))
        curve = self.regret_curve
        rows = [[f"{self.rounds[r]:,}", *map(rounded, self.scores[r]), f"{curve[r]:,}"] for r in places]
        header = ["round", *(f"{label} score" for label in SCORES.values()), "regret"]
        policy = [[name, rounded(p)] for name, p in zip(self.arm_names, self.policy, strict=True)]
        learned = display.table(["learned policy", "chance"], policy)
        return display.box(display.line(said, "Trace"), display.table(header, rows, words=0), learned)

    def rolling_scores(self) -> dict[str, np.ndarray]:
        """The three scores as means over the last 1,000 rounds, with their standard deviations: a figure's columns."""
        table = {"round": self.rounds}
        for j, name in enumerate(SCORES):
            table |= {name: self.score_means[:, j], f"{name}_sd": self.score_sds[:, j]}
        return table

    def rolling_policy(self, fair: Sequence[float] | np.ndarray) -> dict[str, np.ndarray]:
        """The policy in the same way, with the `fair` policy (K,) that it should reach in columns `fair_…`."""
        table = {"round": self.rounds}
        for k, arm in enumerate(self.arm_names):
            table |= {f"p_{arm}": self.policy_means[:, k], f"p_{arm}_sd": self.policy_sds[:, k]}
        return table | {
            f"fair_{arm}": np.full(len(self.rounds), p) for arm, p in zip(self.arm_names, fair, strict=True)
        }

    def columns(self) -> dict[str, np.ndarray]:
        """One named column for each recorded quantity: what any data frame can be built from."""
        table = {"round": self.rounds}
        for name, block in (("", self.policies), ("_mean", self.policy_means), ("_sd", self.policy_sds)):
            table |= {f"policy{name}_{arm}": block[:, k] for k, arm in enumerate(self.arm_names)}
        for name, block in (("", self.scores), ("_mean", self.score_means), ("_sd", self.score_sds)):
            table |= {f"{score}{name}": block[:, j] for j, score in enumerate(SCORES)}
        table |= {f"pulls_{arm}": self.pulls[:, k] for k, arm in enumerate(self.arm_names)}
        table |= {"exploring_rounds": self.exploring_curve, "regret": self.regret_curve}
        if self.wrong_policy_curve is not None:
            table["wrong_policies"] = self.wrong_policy_curve
        return table | {f"regret_{name}": curve for name, curve in self.regrets.items()}

    def to_frame(self, frame: Callable[[dict[str, np.ndarray]], Any] | None = None) -> Any:
        """A data frame with one row for each record: `frame` (such as `polars.DataFrame`) of the columns, else pandas'.

        >>> import isegoria as iso
        >>> learner = iso.ProceduralLearner(2, 2, seed=1)
        >>> trace = iso.simulate(learner, iso.PointRewards([[1.0, 0.0], [0.0, 1.0]]), rounds=50, seed=1, records=5)
        >>> list(trace.to_frame(dict))[:4]
        ['round', 'policy_Arm 1', 'policy_Arm 2', 'policy_mean_Arm 1']
        """
        if frame is None:
            try:
                from pandas import DataFrame
            except ImportError:
                raise MissingExtraError(
                    "to_frame() makes a pandas frame, and pandas is not installed; pass the frame you use, "
                    "such as to_frame(polars.DataFrame)."
                ) from None
            frame = DataFrame
        return frame(self.columns())

    def to_csv(self) -> str:
        """The records as CSV at full precision."""
        import csv

        text = io.StringIO()
        columns = self.columns()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
        return text.getvalue()

    def to_npz(self) -> bytes:
        """Everything, as the bytes of an NPZ file; `trace_from_npz` reads them back."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        arrays |= {f"regret_{name}": curve for name, curve in arrays.pop("regrets").items()}
        arrays["about"] = json.dumps(self.about)
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **{name: value for name, value in arrays.items() if value is not None})
        return buffer.getvalue()


def trace_from_npz(data: bytes) -> Trace:
    """The trace that `to_npz` wrote; anything else raises `FileError`."""
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
        return Trace(**entries)
    except (ValueError, OSError, KeyError, TypeError) as error:
        raise FileError(f"this is not the NPZ file of a trace ({error}).") from None

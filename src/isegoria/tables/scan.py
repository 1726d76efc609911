"""`iso.scan`: a table larger than memory, which goes where an `Instance` goes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from isegoria import tolerances
from isegoria.errors import InputError, NearTieWarning, ReadingWarning
from isegoria.instance import Instance, NashWelfare, Types
from isegoria.instance.frames import is_frame
from isegoria.instance.policies import PolicyLike, checked_policy
from isegoria.io.read_options import ReadOptions
from isegoria.lazy import computed_once
from isegoria.rows.codes import unpack
from isegoria.rows.simplex import simplex_point
from isegoria.solvers.answer import Answer
from isegoria.solvers.fair_set.polytope import Fair
from isegoria.tables.executors import as_executor
from isegoria.tables.first_pass import FirstPass, first_pass
from isegoria.tables.inequality import inequality
from isegoria.tables.nash import nash
from isegoria.tables.pass_loop import answered, drive
from isegoria.tables.questions import Question, neglected, newton_sums, total, worst_off
from isegoria.tables.sources import FileSource, MemorySource, StreamSource, TableSource, files_of
from isegoria.tables.worst_off import egalitarian, gini, welfare
from isegoria.wording import counted

SEARCHES: dict[str, Callable[..., Any]] = {
    "inequality": inequality,
    "egalitarian": egalitarian,
    "nash": nash,
    "gini": gini,
}


if TYPE_CHECKING:
    _Table: TypeAlias = Instance  # a type checker may take one for the other, as `solve` and the others do
else:
    _Table = object


class Scan(_Table):
    """A table whose rows are read a part at a time, as often as a question needs it; nothing of its size is kept.

    - `arms`: the names; `total_weight`: the number of agents; `rows`: how many rows there are.
    - `passes`: how often the whole table was read so far; `reading`: what was decided about its columns.

    `solve`, `score`, `compare`, `audit` and `frontier` take it like an `Instance`; its agents are told by type, one for
    each favourite set. What needs every agent at once is refused in a sentence.
    """

    def __init__(
        self,
        source: TableSource,
        tie_tolerance: float = tolerances.TIE,
        executor: Any = None,
        report: Callable[..., Any] | None = None,
    ) -> None:
        self.source, self.tie_tolerance, self.report = source, tie_tolerance, report
        self.arms: Sequence[str] = tuple(source.arms)
        self.reading: tuple[str, ...] = tuple(source.notes)
        self.rows, self.passes = source.rows, 0
        self.executor = as_executor(executor)
        self._answers: dict[tuple[Any, ...], Answer] = {}

    is_sparse = False
    copies = None  # it answers for all its arms, and tells equal ones once by itself

    @property
    def distinct(self) -> Scan:
        """Itself: whoever asks is answered for all arms."""
        return self

    @computed_once
    def _told(self) -> Scan:
        """The same table with equal arms told once: of those of a kind only the first is read; itself, if none are."""
        if self.first.kinds is None:
            return self
        told = Scan(self.source.only(self.first.kinds.first.tolist()), self.tie_tolerance, self.executor, self.report)
        told.__dict__.update(first=self.first.told_once())
        return told

    @computed_once
    def first(self) -> FirstPass:
        """What the first pass says."""
        found = self._drive({"first": first_pass(self.tie_tolerance)})["first"]
        if found.gap < tolerances.NEAR_TIE:
            warnings.warn(
                f"some agent's favourite is only {found.gap:.3g} above another arm, more than tie_tolerance "
                f"({self.tie_tolerance:.3g}); if such means were meant to be equal, raise tie_tolerance.",
                NearTieWarning,
                stacklevel=4,
            )
        return found

    @property
    def total_weight(self) -> int:
        """The number of agents, W."""
        return self.first.weight

    @property
    def smallest_gap(self) -> float:  # type: ignore[override]
        """The smallest distance from an agent's best that was not taken as a tie."""
        return self.first.gap

    @property
    def arm_means(self) -> np.ndarray:
        """(K,) what each arm gives on average."""
        return self.first.means

    @property
    def favourite_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """(codes (m,), weights (m,)) of the distinct favourite sets, sorted; for up to 64 arms."""
        return self.first.sets, self.first.counts

    @property
    def favourite_codes(self) -> np.ndarray | None:  # type: ignore[override]
        """The distinct favourite sets as codes; None when there are more than 64 arms."""
        return self.first.sets if self.first.sets.ndim == 1 else None

    @computed_once
    def favourite_types(self) -> Types:
        """The distinct favourite sets and how many agents have each; which agents, is left in the files."""
        sets = self.first.sets
        rows = unpack(sets, len(self.arms)) if sets.ndim == 1 else sets.astype(bool)
        return Types(rows, self.first.counts, np.arange(len(rows)))

    @property
    def favourite_sets(self) -> Any:
        """The same as lists of arms."""
        return self.by_type.favourite_sets

    @computed_once
    def by_type(self) -> Instance:
        """An instance with one agent of its weight for each favourite set: all that equal voice is about."""
        rows, weights, _ = self.favourite_types
        names = [_set_name([self.arms[k] for k in np.flatnonzero(row).tolist()], len(self.arms)) for row in rows]
        return Instance(rows.astype(float), agents=_distinct(names), arms=self.arms, weights=weights)

    @property
    def agents(self) -> Sequence[str]:  # type: ignore[override]
        """The agents by type: a name for those of each favourite set."""
        return self.by_type.agents

    @property
    def weights(self) -> np.ndarray:
        """(m,) how many agents have each favourite set."""
        return self.by_type.weights

    given_weights = weights

    @property
    def favourites(self) -> np.ndarray:
        """(m, K) booleans: the favourite sets."""
        return self.favourite_types.rows

    def decision_shares(self, policy: PolicyLike) -> np.ndarray:
        """(m,) the probability of each favourite set."""
        return self._shares(self.check_policy(policy))

    def _shares(self, policy: np.ndarray) -> np.ndarray:
        return self.by_type._shares(policy)

    def searched(self, objective: str, tie_break: str = "centre", within: str | None = None) -> Answer:
        """The certified answer of one objective of `SEARCHES`; see `answer`."""
        return self.answer(objective, tie_break, within)

    def utility_spread(self) -> np.ndarray:
        """(K, K) the matrix of D(P) = pᵀGp, from the first pass."""
        return self.first.spread.matrix

    def utility_types(self, most: int | None = None) -> None:
        """None: distinct rows of means are not kept."""

    def agent_names(self) -> None:
        """None: agents are known by their favourite set alone."""

    def dense(self) -> Instance:
        """Refused: the table stands in files."""
        raise InputError("write needs an Instance, and a scanned table stands in files already; copy those.")

    def answer(self, objective: str, tie_break: str = "centre", within: str | None = None) -> Answer:
        """The certified answer of one objective of `SEARCHES`."""
        self.prepare({objective: tie_break}, within)
        return self._answers[objective, tie_break, within]

    def prepare(self, tie_breaks: Mapping[str, str], within: str | None = None) -> None:
        """Find the answers of several objectives, each with its tie-break, in the same passes, and keep them."""
        missing = {
            name: tie_break
            for name, tie_break in tie_breaks.items()
            if name in SEARCHES and (name, tie_break, within) not in self._answers
        }
        if "nash" in missing and within is not None:
            raise InputError("nash within the fair policies is not solved on a scanned table; read it as an Instance.")
        if not missing:
            return
        for name, found in self._found(missing, within).items():
            self._answers[name, missing[name], within] = found

    def _found(self, tie_breaks: Mapping[str, str], within: str | None) -> dict[str, Answer]:
        """The answers, from as many columns as are different."""
        told, kinds = self._told, self.first.kinds
        if kinds is not None:
            told.passes = self.passes
            found = told._found(tie_breaks, within)
            self.passes = told.passes
            return {
                name: answer._replace(policy=simplex_point(kinds.shared(answer.policy, tie_breaks[name] == "vertex")))
                for name, answer in found.items()
            }
        fair = self.favourite_types if within is not None else None
        set_of_fair = None if fair is None else Fair(fair.rows, fair.weights / self.first.weight)
        return self._drive({name: self._search(name, choice, set_of_fair) for name, choice in tie_breaks.items()})

    def _search(self, name: str, tie_break: str, fair: Fair | None) -> Any:
        """The search for one objective's answer, as questions to every unit."""
        first = self.first
        aim = first.means if tie_break == "utilitarian" or fair is not None else np.zeros(len(self.arms))
        return nash(first, tie_break, aim) if name == "nash" else SEARCHES[name](first, tie_break, aim, fair)

    def least_welfare(self, objective: str, policy: PolicyLike) -> float:
        """The least utility ("egalitarian"), or half the Gini welfare ("gini"), of any policy: one pass."""
        p = self.check_policy(policy)
        answers = self._ask(Question(worst_off, (p[None, :].copy(),)))
        return welfare(objective, [unit[0] for unit in answers], p)

    def nash_welfare(self, policy: PolicyLike, of: str = "utility") -> NashWelfare:
        """The product of utilities, or with `of="shares"` of decision shares, as `Instance.nash_welfare` has it."""
        if of == "shares":
            return self.by_type.nash_welfare(policy, of="shares")
        p = self.check_policy(policy)
        counted_agents = self.first.weight - self.first.nothing
        if not counted_agents:
            return NashWelfare(0.0, 0.0)
        answers = self._ask(Question(newton_sums, (p, False)))
        if float(total([unit.starved for unit in answers])):
            return NashWelfare(-np.inf, 0.0)
        log = float(total([unit.log for unit in answers]))
        return NashWelfare(log, float(np.exp(log / counted_agents)))

    def worth(self, policy: np.ndarray) -> float:
        """The largest Σ_i (w_i/W) a_ik / U_i(P) of an arm; infinity where somebody gets nothing. Up to 1 is optimal."""
        answers = self._ask(Question(newton_sums, (policy, False)))
        if self.first.nothing or float(total([unit.starved for unit in answers])):
            return np.inf
        return float(total([unit.slope for unit in answers]).max()) / self.total_weight

    def least_parts(self, policy: np.ndarray) -> tuple[np.ndarray, int]:
        """((m,) the least part of its best that an agent of each favourite set gets, how many get too little).

        Too little is less than one N-th, in utility or in decision share.
        """
        level = (1 - tolerances.FAIR) / self.total_weight
        answers = self._ask(Question(neglected, (policy, level, self.tie_tolerance, self.first.sets)))
        return np.min([least for least, _ in answers], axis=0), int(total([weight for _, weight in answers]))

    def check_policy(self, policy: PolicyLike) -> np.ndarray:
        """(K,) `policy` as an exact point of the simplex; a mapping gives probabilities by arm name."""
        return checked_policy(policy, self.arms)

    def _drive(self, asking: dict[str, Any]) -> dict[str, Any]:
        found, passes = drive(self.source, asking, self.executor, self._count)
        self.passes += passes
        return found

    def _ask(self, question: Question) -> list[Any]:
        self.passes += 1
        return answered(self.source, [question], self.executor, self.passes, self.report)[0]

    def _count(self, passes: int, done: int, of: int) -> None:
        if self.report:
            self.report(self.passes + passes, done, of)

    def __getattr__(self, name: str) -> None:
        if name in ("means", "types", "utilities", "best", "indifferent", "favourite_lists"):
            raise InputError(
                f"a scanned table does not keep its {name}, which this needs of every agent; read it as an Instance."
            )
        raise AttributeError(f"a scanned table has no {name!r}")

    def __repr__(self) -> str:
        size = f"{counted(self.rows, 'row')} in {counted(len(self.source.units), 'unit')}"
        return f"Scan({size}, {counted(len(self.arms), 'arm')})"


def scan(
    path: Any,
    scale: tuple[float, float] | None = None,
    tie_tolerance: float = tolerances.TIE,
    executor: Any = None,
    report: Callable[..., Any] | None = None,
) -> Scan:
    """A large table, read a part at a time: every column of numbers but `weight` is an arm.

    - `path`: a Parquet or Arrow file, a folder of parts (in order of name), an address such as s3://bucket/votes, a
      list of these, a frame that offers an Arrow stream, or an `Instance`.
    - `scale`, `tie_tolerance`: as in `read` and `Instance`.
    - `executor`: where parts are read: anything with `submit` (a `ProcessPoolExecutor`, `Client.get_executor()` of
      Dask); by default this thread. The same bytes come out of any.
    - `report(passes, done, of)` is called as the units of a pass are done.
    """
    options = ReadOptions.checked(scale=scale)
    if isinstance(path, Instance):
        source: TableSource = MemorySource(path.means, path.given_weights, list(path.arms))
        tie_tolerance = path.tie_tolerance
    elif not isinstance(path, str | list | tuple) and is_frame(path):
        source = StreamSource(path, options)
    else:
        source = FileSource(files_of(path), options)
    if source.notes:
        where = "the frame" if isinstance(source, StreamSource) else str(path)
        warnings.warn(f"{where}: {'; '.join(source.notes)}.", ReadingWarning, stacklevel=2)
    return Scan(source, tie_tolerance, executor, report)


def _distinct(names: list[str]) -> list[str]:
    """The names, with a number where one comes twice: an arm may be called "tea or coffee"."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    return names if len(seen) == len(names) else [f"{name} ({i + 1})" for i, name in enumerate(names)]


def _set_name(arms: list[str], count: int) -> str:
    """What the agents of one favourite set are called."""
    return "those who want any arm" if len(arms) == count and count > 1 else f"those who want {' or '.join(arms)}"

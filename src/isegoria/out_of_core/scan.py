"""`iso.scan`: a table larger than memory, which can be used in place of an `Instance`."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from isegoria.errors import InputError, NearTieWarning, ReadingWarning
from isegoria.io.sheets.read_options import ReadOptions
from isegoria.out_of_core.chunk_sources import ArrowStreamSource, ChunkSource, FileSource, InstanceSource, list_files
from isegoria.out_of_core.executors import as_executor
from isegoria.out_of_core.map_reduce import run_pass, run_searches
from isegoria.out_of_core.map_tasks import MapTask, compute_newton_sums, exact_sum, find_worst_off, measure_neglect
from isegoria.out_of_core.min_variance import minimise_inequality
from isegoria.out_of_core.nash_newton import maximise_nash
from isegoria.out_of_core.profile_summary import ProfileSummary, summarise_profile
from isegoria.out_of_core.worst_off_search import evaluate_welfare, maximise_egalitarian, maximise_gini
from isegoria.profiles import AgentTypes, Instance, NashWelfare
from isegoria.profiles.frames import is_frame
from isegoria.profiles.policies import PolicyLike, validate_policy
from isegoria.profiles.stated_ratings import MissingChoice
from isegoria.solvers.fair_set.polytope import FairPolytope
from isegoria.solvers.result import SolverResult
from isegoria.solvers.rows.codes import unpack
from isegoria.solvers.rows.simplex import simplex_point
from isegoria.utils import tolerances
from isegoria.utils.arguments import explain_keywords
from isegoria.utils.caching import lazy_property
from isegoria.utils.formatting import pluralise
from isegoria.utils.registry import import_object

OBJECTIVE_SEARCHES: dict[str, Callable[..., Any]] = {
    "inequality": minimise_inequality,
    "egalitarian": maximise_egalitarian,
    "nash": maximise_nash,
    "gini": maximise_gini,
}


class Scan:
    """A table that is read in chunks, as often as a computation needs it; the scan keeps nothing of the table's size.

    `solve`, `score`, `compare`, `audit` and `frontier` take it like an `Instance`. Its agents are grouped by type, one
    for each favourite set. Anything that needs every agent at once raises `InputError`.

    Parameters
    ----------
    source : TableSource
        The chunks of rows.
    tie_tolerance : float
        As in `Instance`.
    executor : object with `submit`, optional
        Where chunks are read; by default this thread.
    on_progress : callable, optional
        `on_progress(passes, done, of)` is called as the chunks of a pass are done.

    Attributes
    ----------
    arms : sequence of str
        The names of the arms.
    rows : int
        The number of rows.
    passes : int
        How often the whole table was read so far.
    reading : tuple of str
        The decisions made about its columns.
    """

    def __init__(
        self,
        source: ChunkSource,
        tie_tolerance: float = tolerances.FAVOURITE_TIE,
        executor: Any = None,
        on_progress: Callable[..., Any] | None = None,
    ) -> None:
        self.source, self.tie_tolerance, self.on_progress = source, tie_tolerance, on_progress
        self.arms: Sequence[str] = tuple(source.arms)
        self.import_notes: tuple[str, ...] = tuple(source.notes)
        self.rows, self.passes = source.rows, 0
        self.executor = as_executor(executor)
        self._answers: dict[tuple[Any, ...], SolverResult] = {}

    is_sparse = False
    stated = copies = kinds = None  # it answers for all its arms, and merges duplicates itself

    @property
    def distinct(self) -> Scan:
        """The scan itself: it answers for all arms, and merges duplicates internally."""
        return self

    @lazy_property
    def _without_duplicates(self) -> Scan:
        """The same table with duplicate arms merged: only the first of each is read. Itself if there are none."""
        if self.first.kinds is None:
            return self
        told = Scan(
            self.source.only(self.first.kinds.first.tolist()), self.tie_tolerance, self.executor, self.on_progress
        )
        told.__dict__.update(first=self.first.told_once())
        return told

    @lazy_property
    def first(self) -> ProfileSummary:
        """The results of the first pass."""
        found = self._drive({"first": summarise_profile(self.tie_tolerance)})["first"]
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
    def smallest_gap(self) -> float:
        """The smallest distance from an agent's best that was not taken as a tie."""
        return self.first.gap

    @property
    def arm_means(self) -> np.ndarray:
        """(K,) the average mean of each arm."""
        return self.first.means

    @property
    def favourite_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """(codes (m,), weights (m,)) of the distinct favourite sets, sorted; for up to 64 arms."""
        return self.first.sets, self.first.counts

    @property
    def favourite_codes(self) -> np.ndarray | None:
        """The distinct favourite sets as codes; None when there are more than 64 arms."""
        return self.first.sets if self.first.sets.ndim == 1 else None

    @lazy_property
    def favourite_types(self) -> AgentTypes:
        """The distinct favourite sets and how many agents have each; the agents themselves are not kept."""
        sets = self.first.sets
        rows = unpack(sets, len(self.arms)) if sets.ndim == 1 else sets.astype(bool)
        return AgentTypes(rows, self.first.counts, np.arange(len(rows)))

    @property
    def favourite_sets(self) -> Any:
        """The distinct favourite sets as lists of arms."""
        return self.by_type.favourite_sets

    @lazy_property
    def by_type(self) -> Instance:
        """An instance with one weighted agent per favourite set: all that equal voice depends on."""
        rows, weights, _ = self.favourite_types
        names = [
            _name_favourite_set([self.arms[k] for k in np.flatnonzero(row).tolist()], len(self.arms)) for row in rows
        ]
        return Instance(rows.astype(float), agents=_number_duplicate_names(names), arms=self.arms, weights=weights)

    @property
    def agents(self) -> Sequence[str]:
        """A name for the agents of each favourite set."""
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
        """Return (m,) the probability that `policy` gives to each favourite set."""
        return self._shares(self.validate_policy(policy))

    def _shares(self, policy: np.ndarray) -> np.ndarray:
        return self.by_type._shares(policy)

    def utility_spread(self) -> np.ndarray:
        """Return the (K, K) matrix G of D(P) = pᵀGp, from the first pass."""
        return self.first.spread.matrix

    def answer(self, objective: str, tie_break: str = "centre", within: str | None = None) -> SolverResult:
        """Return the certified answer of one objective.

        Parameters
        ----------
        objective : str
            One of `OBJECTIVE_SEARCHES`.
        tie_break : str
            As in `solve`.
        within : str, optional
            As in `solve`; None for all policies.

        Returns
        -------
        Answer
            The policy with its value and gap.

        Raises
        ------
        InputError
            For "nash" with `within`, which is not solved on a scanned table.
        CertificationError
            If no policy can be proved optimal.
        """
        self.prepare({objective: tie_break}, within)
        return self._answers[objective, tie_break, within]

    def prepare(self, tie_breaks: Mapping[str, str], within: str | None = None) -> None:
        """Solve several objectives in the same passes, and cache their answers.

        Parameters
        ----------
        tie_breaks : mapping
            The tie-break of each objective; those not in `OBJECTIVE_SEARCHES` are skipped.
        within : str, optional
            As in `answer`.

        Raises
        ------
        InputError
            For "nash" with `within`, which is not solved on a scanned table.
        """
        missing = {
            name: tie_break
            for name, tie_break in tie_breaks.items()
            if name in OBJECTIVE_SEARCHES and (name, tie_break, within) not in self._answers
        }
        if "nash" in missing and within is not None:
            raise InputError("nash within the fair policies is not solved on a scanned table; read it as an Instance.")
        if not missing:
            return
        for name, found in self._solve_missing(missing, within).items():
            self._answers[name, missing[name], within] = found

    def _solve_missing(self, tie_breaks: Mapping[str, str], within: str | None) -> dict[str, SolverResult]:
        """Solve the objectives on the distinct arms, and share each policy among duplicates."""
        told, kinds = self._without_duplicates, self.first.kinds
        if kinds is not None:
            told.passes = self.passes
            found = told._solve_missing(tie_breaks, within)
            self.passes = told.passes
            return {
                name: answer._replace(policy=simplex_point(kinds.shared(answer.policy, tie_breaks[name] == "vertex")))
                for name, answer in found.items()
            }
        fair = self.favourite_types if within is not None else None
        set_of_fair = None if fair is None else FairPolytope(fair.rows, fair.weights / self.first.weight)
        return self._drive({name: self._search(name, choice, set_of_fair) for name, choice in tie_breaks.items()})

    def _search(self, name: str, tie_break: str, fair: FairPolytope | None) -> Any:
        """Return the generator that solves one objective by questions to every chunk."""
        first = self.first
        aim = first.means if tie_break == "utilitarian" or fair is not None else np.zeros(len(self.arms))
        return (
            maximise_nash(first, tie_break, aim)
            if name == "nash"
            else OBJECTIVE_SEARCHES[name](first, tie_break, aim, fair)
        )

    def least_welfare(self, objective: str, policy: PolicyLike) -> float:
        """Compute the egalitarian or Gini welfare of a policy in one pass.

        Parameters
        ----------
        objective : "egalitarian" or "gini"
            The minimum utility, or half the Gini welfare.
        policy : array or mapping
            The policy.

        Returns
        -------
        float
            The welfare.
        """
        p = self.validate_policy(policy)
        answers = self._ask(MapTask(find_worst_off, (p[None, :].copy(),)))
        return evaluate_welfare(objective, [unit[0] for unit in answers], p)

    def nash_welfare(self, policy: PolicyLike, payoff: str = "utilities") -> NashWelfare:
        """Compute the Nash welfare of a policy, as `Instance.nash_welfare` does.

        Parameters
        ----------
        policy : array or mapping
            The policy.
        payoff : "utilities" or "shares"
            The product of utilities, or of decision shares.

        Returns
        -------
        NashWelfare
            The sum of logarithms, and the geometric mean.
        """
        if payoff == "shares":
            return self.by_type.nash_welfare(policy, payoff="shares")
        p = self.validate_policy(policy)
        counted_agents = self.first.weight - self.first.nothing
        if not counted_agents:
            return NashWelfare(0.0, 0.0)
        answers = self._ask(MapTask(compute_newton_sums, (p, False)))
        if float(exact_sum([unit.starved for unit in answers])):
            return NashWelfare(-np.inf, 0.0)
        log = float(exact_sum([unit.log for unit in answers]))
        return NashWelfare(log, float(np.exp(log / counted_agents)))

    def worth(self, policy: np.ndarray) -> float:
        """Return the maximum over arms k of `Σ_i (w_i/W) a_ik / U_i(P)`; a value of at most 1 proves optimality.

        It is infinite if some agent gets nothing.
        """
        answers = self._ask(MapTask(compute_newton_sums, (policy, False)))
        if self.first.nothing or float(exact_sum([unit.starved for unit in answers])):
            return np.inf
        return float(exact_sum([unit.slope for unit in answers]).max()) / self.total_weight

    def least_parts(self, policy: np.ndarray) -> tuple[np.ndarray, int]:
        """Find how little of their best the agents of each favourite set get.

        Return (m,) the minimum ratio for each favourite set, and the number of agents who get too little: less than one
        N-th, in utility or in decision share.
        """
        level = (1 - tolerances.FAIRNESS_GAP) / self.total_weight
        answers = self._ask(MapTask(measure_neglect, (policy, level, self.tie_tolerance, self.first.sets)))
        return np.min([least for least, _ in answers], axis=0), int(exact_sum([weight for _, weight in answers]))

    def validate_policy(self, policy: Any) -> np.ndarray:
        """Return `policy` as an exact point (K,) of the simplex, as `Instance.validate_policy` does."""
        if isinstance(policy, str) or hasattr(policy, "policy"):
            policy = import_object("isegoria.rules.solving:resolve_policy")(self, policy)
        return validate_policy(policy, self.arms)

    def _drive(self, asking: dict[str, Any]) -> dict[str, Any]:
        found, passes = run_searches(self.source, asking, self.executor, self._count)
        self.passes += passes
        return found

    def _ask(self, question: MapTask) -> list[Any]:
        self.passes += 1
        return run_pass(self.source, [question], self.executor, self.passes, self.on_progress)[0]

    def _count(self, passes: int, done: int, of: int) -> None:
        if self.on_progress:
            self.on_progress(self.passes + passes, done, of)

    def __getattr__(self, name: str) -> None:
        if name in ("means", "types", "utilities", "best_means", "indifferent", "favourite_lists"):
            raise InputError(
                f"a scanned table does not keep its {name}, which this needs of every agent; read it as an Instance."
            )
        raise AttributeError(f"a scanned table has no {name!r}")

    def __repr__(self) -> str:
        size = f"{pluralise(self.rows, 'row')} in {pluralise(len(self.source.units), 'unit')}"
        return f"Scan({size}, {pluralise(len(self.arms), 'arm')})"


@explain_keywords
def scan(
    path: Any,
    scale: tuple[float, float] | None = None,
    tie_tolerance: float = tolerances.FAVOURITE_TIE,
    executor: Any = None,
    on_progress: Callable[..., Any] | None = None,
    *,
    missing: MissingChoice | float = "refuse",
) -> Scan:
    """Open a large table that is read in chunks; every numeric column except `weight` is an arm.

    Parameters
    ----------
    path : path, list, data frame or Instance
        A Parquet or Arrow file, a folder of parts (in order of name), an address such as s3://bucket/votes, a list of
        these, a data frame that offers an Arrow stream, or an `Instance`.
    scale : (low, high), optional
        As in `read`.
    tie_tolerance : float
        As in `Instance`; if `path` is an `Instance`, its own is used.
    executor : object with `submit`, optional
        Where chunks are read: a `ProcessPoolExecutor`, `Client.get_executor()` of Dask; by default this thread. Every
        executor gives the same results, bit for bit.
    on_progress : callable, optional
        `on_progress(passes, done, of)` is called as the chunks of a pass are done.
    missing : "refuse", "lowest" or float
        What a gap is: an error, the lowest rating, or a value on the scale. The other choices of `read` need every
        agent at once, so they are for `read` only.

    Returns
    -------
    Scan
        The table, for use in place of an `Instance`.

    Raises
    ------
    FileError
        If a file is missing, unreadable or not a valid table.
    InputError
        If `path` or an option is invalid.
    MissingExtraError
        If pyarrow is needed and not installed.
    """
    options = ReadOptions.checked(scale=scale, missing=missing)
    if options.missing in ("drop", "abstain", "unknown"):
        raise InputError(
            f"scan takes missing='refuse', 'lowest' or a value on the scale; for {missing!r} read the table with "
            "iso.read, which keeps every agent."
        )
    if isinstance(path, Instance):
        source: ChunkSource = InstanceSource(path.means, path.given_weights, list(path.arms))
        tie_tolerance = path.tie_tolerance
    elif not isinstance(path, str | list | tuple) and is_frame(path):
        source = ArrowStreamSource(path, options)
    else:
        source = FileSource(list_files(path), options)
    if source.notes:
        where = "the frame" if isinstance(source, ArrowStreamSource) else str(path)
        warnings.warn(f"{where}: {'; '.join(source.notes)}.", ReadingWarning, stacklevel=3)
    return Scan(source, tie_tolerance, executor, on_progress)


def _number_duplicate_names(names: list[str]) -> list[str]:
    """Number the names if one occurs twice: an arm may be called "tea or coffee"."""
    seen: dict[str, int] = {}
    for name in names:
        seen[name] = seen.get(name, 0) + 1
    return names if len(seen) == len(names) else [f"{name} ({i + 1})" for i, name in enumerate(names)]


def _name_favourite_set(arms: list[str], count: int) -> str:
    """Return the name of the agents of one favourite set."""
    return "those who want any arm" if len(arms) == count and count > 1 else f"those who want {' or '.join(arms)}"

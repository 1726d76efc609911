"""`Instance`: mean rewards with names and weights, checked once; everything else trusts it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isegoria import tolerances
from isegoria.errors import InputError, NearTieWarning, unknown
from isegoria.instance.frames import is_frame, read_frame
from isegoria.instance.means import as_table, is_sparse, refuse_entry
from isegoria.instance.names import checked_names
from isegoria.instance.policies import PolicyLike, checked_policy
from isegoria.instance.weights import checked_weights
from isegoria.lazy import computed_once
from isegoria.rows.codes import unpack
from isegoria.rows.merge import may_have_equal_columns, merge_codes, merge_rows
from isegoria.rows.scan import mean_row, scan
from isegoria.rows.views import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isegoria.instance.products import NashProduct
    from isegoria.rows.equal_arms import Kinds
    from isegoria.rows.listed import Listed


FIRST = 5_000
"""Agents who are looked at first, where the question is whether there are many kinds of them."""


class NashWelfare(NamedTuple):
    """A product over agents, as its logarithm and as its geometric mean (the product itself underflows)."""

    log: float
    geometric_mean: float


class Types(NamedTuple):
    """Agents merged by equal rows: `rows` (m, K), their total `weights` (m,), and `member` (N,), each agent's row."""

    rows: np.ndarray
    weights: np.ndarray
    member: np.ndarray


class Instance:
    """Mean rewards `means[i, k]` in [0, 1] of agent i for arm k; a row of weight w stands for w identical agents.

    - `means`: (N, K) nested lists, an array, or a data frame of any library, whose columns name the arms; a column
      "agent" (or a first column of text, or an index of labels) names the agents, a column "weight" holds the weights.
      A C-contiguous float64 array is kept as a read-only view, so do not change it afterwards; all else is copied.
      A table of `scipy.sparse`, in which what is left out is 0, stays sparse: `means` and `favourites` are then
      `csr_array`s, a million agents who rate ten of two thousand arms take what they rate, and the agents who rate
      nothing, whose favourite is every arm, are `indifferent`.
    - `agents`, `arms`: distinct names; "Agent 1", "Arm 1", … when left out.
    - `weights`: whole numbers from 1 up, 1 when left out.
    - `tie_tolerance`: arms within this of an agent's best mean are its favourites. `smallest_gap` is the smallest
      distance that was not taken as a tie; a `NearTieWarning` is given when that is below 1e-9.

    An instance does not change. Whatever is costly is computed when first asked for, and kept.

    >>> instance = Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "coffee"])
    >>> instance
    Instance(3 agents, 2 arms: tea, coffee)
    >>> instance.favourites.tolist()
    [[True, False], [True, False], [False, True]]
    """

    means: Any  # (N, K) an array, or a sparse table where it was given one
    agents: Sequence[str]
    arms: Sequence[str]
    tie_tolerance: float
    smallest_gap: float
    given_weights: np.ndarray | None  # (N,) or None where every row stands for one agent
    favourite_codes: np.ndarray | None  # (N,) bit k: arm k is a favourite; None when there are more than 64 arms
    is_sparse = False  # whether `means` and `favourites` are sparse: they are if the means were given so
    copies: np.ndarray | None = None  # (K,) how many equal arms each stands for, where they were told once (`distinct`)
    reading: tuple[str, ...] = ()  # what was decided in reading the file it came from, one clause each

    def __init__(
        self,
        means: Any,
        agents: Sequence[str] | None = None,
        arms: Sequence[str] | None = None,
        weights: Sequence[int] | np.ndarray | None = None,
        tie_tolerance: float = tolerances.TIE,
    ) -> None:
        plain = type(means) is np.ndarray
        if not plain and is_frame(means):
            means, agents, arms, weights = _beside_frame(means, agents, arms, weights)
        sparse = not plain and is_sparse(means)
        if sparse:
            from isegoria.instance.sparse import as_rows, scan_sparse
        table = as_rows(means) if sparse else as_table(means)
        n, k = table.shape
        agents, arms = checked_names(agents, n, "agent"), checked_names(arms, k, "arm")
        weights = checked_weights(weights, agents)
        tie_tolerance = _checked_tolerance(tie_tolerance)
        codes = None
        if sparse:
            gap, lists, best = scan_sparse(table, tie_tolerance, agents, arms)
            self.__dict__.update(is_sparse=True, favourite_lists=lists, best=frozen(best))
        else:
            bad, gap, codes = scan(table, tie_tolerance)
            if bad >= 0:
                refuse_entry(table, bad, agents, arms)
        own = self.__dict__
        own["means"] = table
        own["agents"] = agents
        own["arms"] = arms
        own["tie_tolerance"] = tie_tolerance
        own["smallest_gap"] = gap
        own["favourite_codes"] = codes
        own["given_weights"] = weights
        if gap < tolerances.NEAR_TIE:
            warnings.warn(
                f"some agent's favourite is only {gap:.3g} above another arm, more than tie_tolerance "
                f"({tie_tolerance:.3g}); if such means were meant to be equal, raise tie_tolerance.",
                NearTieWarning,
                stacklevel=2,
            )

    @classmethod
    def from_approvals(
        cls, sets: Any, arms: Sequence[str] | None = None, weights: Sequence[int] | np.ndarray | None = None
    ) -> Instance:
        """The instance in which each agent has 1 for the arms that it approves and 0 for the others.

        `sets` has the names or numbers (from 0) of the arms that each agent approves; a text of letters is a set of
        arms of one letter each. Without `arms` they are those that somebody approves, in order of name.

        >>> Instance.from_approvals(["a", "ab", "bc"]).means.tolist()
        [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]
        >>> Instance.from_approvals([["tea"], ["tea", "milk"]], weights=[2, 1])
        Instance(3 agents in 2 rows, 2 arms: milk, tea)
        """
        from isegoria.instance.approvals import approval_table

        table, named = approval_table(sets, arms)
        return cls(table, arms=named, weights=weights)

    @classmethod
    def from_rankings(
        cls,
        orders: Any,
        rewards: Sequence[float] | np.ndarray | None = None,
        arms: Sequence[str] | None = None,
        weights: Sequence[int] | np.ndarray | None = None,
    ) -> Instance:
        """The instance of agents who rank the arms: each agent's first arm has the first of `rewards`, and so on.

        `orders` has for each agent the names or numbers (from 0) of all the arms, best first; a place may hold several
        that are tied, and all of them get its reward (the next place goes on behind them). `rewards` are by default
        even steps from 1 to 0.

        >>> Instance.from_rankings(["abc", "cab"]).means.tolist()
        [[1.0, 0.5, 0.0], [0.5, 0.0, 1.0]]
        >>> Instance.from_rankings([[["tea", "milk"], "mate"]], rewards=[0.9, 0.5, 0.1]).means.tolist()
        [[0.1, 0.9, 0.9]]
        """
        from isegoria.instance.rankings import ranking_table

        table, named = ranking_table(orders, rewards, arms)
        return cls(table, arms=named, weights=weights)

    @computed_once
    def weights(self) -> np.ndarray:
        """(N,) how many identical agents each row stands for."""
        given = self.given_weights
        return frozen(np.ones(self.means.shape[0], dtype=np.int64) if given is None else given)

    # -- what a table that is read a part at a time (a `Scan`) answers by itself, and this one leaves to others

    def prepare(self, tie_breaks: Mapping[str, str], within: str | None = None) -> None:
        """Nothing: what several objectives ask of a table in memory need not be asked together."""

    def searched(self, objective: str, tie_break: str, within: str | None) -> Any:
        """None: solvers search a table in memory; else the `Answer` that the table has found itself."""
        return None

    def least_welfare(self, objective: str, policy: PolicyLike) -> float | None:
        """None: whoever has the means computes it; else the welfare of those who get least, from a pass over files."""
        return None

    def utility_spread(self) -> np.ndarray | None:
        """None: whoever has the means computes it; else the matrix of D(P) = pᵀGp, from a pass over files."""
        return None

    def worth(self, policy: np.ndarray) -> float | None:
        """None: whoever has the means computes it; else what an arm is worth at most, from a pass over files."""
        return None

    def utility_types(self, most: int | None = None) -> Types | None:
        """The kinds of agents with equal means; None where there are more than `most`, or a table keeps no means.

        >>> Instance([[1, 0], [1, 0], [0, 1]]).utility_types(most=1) is None
        True
        """
        if most is None or self.means.shape[0] <= most:
            return self.types
        return None if self._kinds_seen > most or len(self.types.weights) > most else self.types

    @computed_once
    def _kinds_seen(self) -> int:
        """Of how many kinds the first few thousand agents are; to sort a million takes longer than most answers."""
        return 0 if self.is_sparse else len(merge_rows(self.means[:FIRST])[0])

    def agent_names(self) -> Sequence[str] | None:
        """The names of the agents, row by row; None where agents are known by their type alone."""
        return self.agents

    def least_parts(self, policy: np.ndarray) -> tuple[np.ndarray, int | None]:
        """((N,) which part of its best each agent gets, None: how many get too little is seen from that)."""
        best = self.best
        return np.divide(self.means @ policy, best, out=np.ones_like(best), where=best > 0), None

    def dense(self) -> Instance:
        """The same instance with dense means: itself, unless they are sparse."""
        if not self.is_sparse:
            return self
        return _rebuilt(self.means.toarray(), self.agents, self.arms, self.given_weights, self.tie_tolerance)

    @computed_once
    def kinds(self) -> Kinds | None:
        """Which arms are alike, with the same means for everybody; None where no two are."""
        from isegoria.rows.equal_arms import Kinds, alike_in_lists, alike_in_table

        if self.is_sparse:
            from isegoria.rows.listed import listed

            found = Kinds.of(alike_in_lists(listed(self.means)))
            return found if found.copies is not None else None
        member = alike_in_table(self.means)
        return None if member is None else Kinds.of(member)

    @computed_once
    def distinct(self) -> Instance:
        """The same instance with equal arms told once, and how many each stands for in `copies`; itself, if none are.

        >>> Instance([[1, 0, 1], [0.5, 0.2, 0.5]]).distinct.copies.tolist()
        [2.0, 1.0]
        """
        if (not self.is_sparse and not may_have_equal_columns(self.means)) or self.kinds is None:
            return self
        first = self.kinds.first
        means = self.means[:, first] if self.is_sparse else self.means.take(first, axis=1)
        names = self.arms[:]
        arms = [names[k] for k in first.tolist()]
        told = _rebuilt(means, self.agents, arms, self.given_weights, self.tie_tolerance)
        told.__dict__["copies"] = self.kinds.copies
        return told

    @computed_once
    def best(self) -> np.ndarray:
        """(N,) the largest mean of each agent."""
        return frozen(self.means.max(axis=1))

    @computed_once
    def indifferent(self) -> np.ndarray:
        """(N,) booleans: the agents without a mean above `tie_tolerance`; every arm is a favourite of theirs."""
        return frozen(self.best <= self.tie_tolerance)

    @computed_once
    def total_weight(self) -> int:
        """The number of agents, W: the sum of the weights."""
        return self.means.shape[0] if self.given_weights is None else int(self.given_weights.sum())

    @computed_once
    def arm_means(self) -> np.ndarray:
        """(K,) what each arm gives on average, c_k = Σ_i (w_i/W) means[i, k]: the mean utility of playing it alone."""
        if self.is_sparse:
            return frozen((self.weights / self.total_weight) @ self.means)
        return mean_row(self.means, self.given_weights)

    @computed_once
    def favourites(self) -> np.ndarray:
        """(N, K) booleans: the arms within `tie_tolerance` of each agent's best mean, F_i (Section 2).

        Of sparse means they are a sparse table, in which the rows of the `indifferent` are left empty.
        """
        if self.is_sparse:
            return self.favourite_lists.matrix(bool)
        return frozen(self.means >= self.means.max(axis=1, keepdims=True) - self.tie_tolerance)

    @computed_once
    def types(self) -> Types:
        """The agents merged by equal rows of `means`, the rows sorted; of sparse means, sparse."""
        if self.is_sparse:
            from isegoria.rows.listed import listed, merge_lists

            rows, weights, member = merge_lists(listed(self.means), self.given_weights)
            return Types(rows.matrix(), frozen(weights), frozen(member))
        return Types(*merge_rows(self.means, self.given_weights))

    @computed_once
    def favourite_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """(codes (m,), weights (m,)) of the distinct favourite sets, sorted; for up to 64 arms."""
        assert self.favourite_codes is not None
        return merge_codes(self.favourite_codes, self.given_weights)[:2]

    @computed_once
    def favourite_lists(self) -> Listed:
        """The favourites of each agent as a list of arms; empty for the `indifferent`."""
        from isegoria.rows.listed import Listed
        from isegoria.rows.lists import list_favourites

        starts, items = list_favourites(self.means, self.tie_tolerance)
        return Listed(starts, items, None, self.means.shape[1])

    @computed_once
    def favourite_sets(self) -> tuple[Listed, np.ndarray, np.ndarray]:
        """(sets, weights (m,), member (N,)): the distinct favourite sets as lists of arms; one that is empty stands for
        all arms."""
        from isegoria.rows.listed import merge_lists

        sets, weights, member = merge_lists(self.favourite_lists, self.given_weights)
        return sets, frozen(weights), frozen(member)

    @computed_once
    def favourite_types(self) -> Types:
        """The agents merged by equal favourite sets, in an order that the agents' own order cannot change."""
        if self.favourite_codes is None:
            sets, weights, member = self.favourite_sets
            full = sets.filled()
            return Types(full.matrix(bool) if self.is_sparse else full.dense(), weights, member)
        codes, weights, member = merge_codes(self.favourite_codes, self.given_weights, members=True)
        return Types(unpack(codes, self.means.shape[1]), weights, member)

    def utilities(self, policy: PolicyLike) -> np.ndarray:
        """(N,) expected rewards U_i(P) = Σ_k p_k means[i, k] (Definition 1).

        >>> Instance([[1, 0], [0.4, 0.8]]).utilities([0.5, 0.5]).round(3).tolist()
        [0.5, 0.6]
        """
        return self.means @ checked_policy(policy, self.arms)

    def decision_shares(self, policy: PolicyLike) -> np.ndarray:
        """(N,) probabilities β_i(P) = Σ_{k in F_i} p_k of each agent's favourites (Definition 2).

        >>> Instance([[1, 0], [0.8, 0.8]]).decision_shares({"Arm 1": 0.25, "Arm 2": 0.75}).tolist()
        [0.25, 1.0]
        """
        return self._shares(checked_policy(policy, self.arms))

    def nash_welfare(self, policy: PolicyLike, of: str = "utility") -> NashWelfare:
        """The product of utilities or, with `of="shares"`, of decision shares, as `log` and `geometric_mean`.

        Each agent counts with its weight. An agent whose means are all 0 is left out of the product of utilities (any
        policy gives it 0); if that leaves nobody, both parts are 0. A policy that gives another agent 0 has
        logarithm -inf and geometric mean 0.

        >>> Instance([[1, 0], [1, 0], [0, 1], [0, 0]]).nash_welfare([0.5, 0.5]).geometric_mean
        0.5
        """
        if of not in ("utility", "shares"):
            raise unknown("Nash welfare of", of, ("utility", "shares"))
        p = checked_policy(policy, self.arms)
        values = self.means @ p if of == "utility" else self._shares(p)
        weights = self.weights
        nothing = np.flatnonzero(values == 0)
        if of == "utility" and nothing.size:
            left_out = nothing[self.best[nothing] == 0]
            values, weights = np.delete(values, left_out), np.delete(weights, left_out)
        if not values.size:
            return NashWelfare(0.0, 0.0)
        with np.errstate(divide="ignore"):
            log = float(weights @ np.log(values))
        return NashWelfare(log, float(np.exp(log / weights.sum())))

    def nash_product(self, policy: PolicyLike, of: str = "utility") -> NashProduct:
        """The plain product over all agents, nobody left out: of utilities (Definition 3) or, with `of="shares"`, of
        decision shares (Definition 4), as `log`, `value` and, up to 100 agents, `exact`.

        >>> from fractions import Fraction
        >>> product = Instance([[1, 0], [1, 0], [0, 1]]).nash_product([Fraction(2, 3), Fraction(1, 3)], of="shares")
        >>> str(product.exact), round(product.log, 4)
        ('4/27', -1.9095)
        >>> Instance([[1, 0], [0, 1], [0, 0]]).nash_product([0.5, 0.5]).value  # the third agent can get nothing
        0.0
        """
        from isegoria.instance.products import nash_product

        return nash_product(self, policy, of)

    def _shares(self, policy: np.ndarray) -> np.ndarray:
        """(N,) the decision shares of a policy that was checked before."""
        if self.is_sparse:
            return np.where(self.indifferent, 1.0, self.favourites @ policy)
        return self.favourites @ policy

    def check_policy(self, policy: PolicyLike) -> np.ndarray:
        """(K,) `policy` as an exact point of the simplex; a mapping gives probabilities by arm name.

        Entries down to -1e-9 and a sum within 1e-6 of 1 are repaired, with a `PolicyWarning` unless the change is mere
        rounding; anything further off is refused.

        >>> Instance([[1, 0, 0]]).check_policy({"Arm 2": 1}).tolist()
        [0.0, 1.0, 0.0]
        """
        return checked_policy(policy, self.arms)

    def __setattr__(self, name: Any, value: Any) -> None:
        raise AttributeError(f"an Instance does not change; build a new one to set {name!r}.")

    def __delattr__(self, name: Any) -> None:
        raise AttributeError(f"an Instance does not change; {name!r} cannot be deleted.")

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Instance):
            return NotImplemented
        from isegoria.instance.sparse import same_table

        return self is other or (
            same_table(self.means, other.means)
            and np.array_equal(self.weights, other.weights)
            and self.agents == other.agents
            and self.arms == other.arms
            and self.tie_tolerance == other.tie_tolerance
        )

    def __hash__(self) -> int:
        return hash((self.means.shape, self.total_weight, self.tie_tolerance))

    def __copy__(self) -> Instance:
        return self

    def __reduce__(self) -> Any:
        means = self.means.copy() if self.is_sparse else np.array(self.means)
        return _rebuilt, (means, self.agents, self.arms, self.given_weights, self.tie_tolerance)

    def _repr_html_(self) -> str:
        """The table for a notebook: agents by arms, favourites marked, large groups shortened."""
        from isegoria import display

        rows = min(self.means.shape[0], display.MOST_ROWS + 1)
        means = self.means[:rows].toarray() if self.is_sparse else self.means[:rows]
        best = means >= means.max(axis=1, keepdims=True) - self.tie_tolerance
        cells = [
            [self.agents[i], *(f"{mean:.3g}{' ★' if top else ''}" for mean, top in zip(means[i], best[i], strict=True))]
            for i in range(rows)
        ]
        more = self.means.shape[0] - display.MOST_ROWS
        said = [display.line(f"… and {more:,} more rows")] if more > 0 else []
        head = display.line(repr(self)[len("Instance(") : -1], "Instance")
        stars = display.line("★ a favourite of that agent")
        return display.box(head, display.table(["agent", *self.arms], cells[: display.MOST_ROWS]), *said, stars)

    def __repr__(self) -> str:
        n, k = self.means.shape
        rows = f" in {n} rows" if self.total_weight != n else ""
        arms = ", ".join(self.arms[:6]) + (", …" if k > 6 else "")
        agents = "agent" if self.total_weight == 1 else "agents"
        return f"Instance({self.total_weight} {agents}{rows}, {k} {'arm' if k == 1 else 'arms'}: {arms})"


def _beside_frame(frame: Any, agents: Any, arms: Any, weights: Any) -> tuple[Any, ...]:
    """What a frame says, and what was given beside it, which comes first."""
    table = read_frame(frame)
    if weights is not None and table.weights is not None:
        raise InputError("weights were given, and the frame has a column 'weight' too; drop one of them.")
    return (
        table.means,
        table.agents if agents is None else agents,
        table.arms if arms is None else arms,
        table.weights if weights is None else weights,
    )


def _checked_tolerance(tie_tolerance: Any) -> float:
    try:
        tolerance = float(tie_tolerance)
    except (TypeError, ValueError):
        tolerance = float("nan")
    if not 0 <= tolerance < 1:
        raise InputError(
            f"tie_tolerance is {tie_tolerance!r}; expected a number from 0 up, and below 1. "
            "Means this close to an agent's best count as its favourites."
        )
    return tolerance


def _rebuilt(*parts: Any) -> Instance:
    """An unpickled instance: what it had to warn of, it said when it was first built."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NearTieWarning)
        return Instance(*parts)

"""`Instance`: mean rewards with names and weights, validated once; all other code relies on it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from isegoria.errors import InputError, NearTieWarning, unknown_name_error
from isegoria.profiles.frames import is_frame, parse_frame
from isegoria.profiles.means import is_sparse, raise_bad_entry, to_means_array
from isegoria.profiles.names import validate_names
from isegoria.profiles.policies import PolicyLike, validate_policy
from isegoria.profiles.stated_ratings import MissingChoice, StatedRatings
from isegoria.profiles.weights import validate_weights
from isegoria.solvers.rows.codes import unpack
from isegoria.solvers.rows.merge import may_have_equal_columns, merge_codes, merge_rows
from isegoria.solvers.rows.scan_means import mean_row, scan
from isegoria.utils import tolerances
from isegoria.utils.arguments import explain_keywords
from isegoria.utils.arrays import freeze
from isegoria.utils.caching import lazy_property
from isegoria.utils.registry import import_object

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isegoria.preferences.model import PreferenceModel
    from isegoria.profiles.nash_product import NashProduct
    from isegoria.solvers.rows.csr_rows import CsrRows
    from isegoria.solvers.rows.duplicate_arms import DuplicateArms
    from isegoria.utils.seeds import Seed


TYPE_SAMPLE_AGENTS = 5_000
"""Number of agents examined first to estimate whether there are many agent types."""


class NashWelfare(NamedTuple):
    """A product over agents, as its logarithm and as its geometric mean (the product itself underflows)."""

    log: float
    geometric_mean: float


class AgentTypes(NamedTuple):
    """Agents merged by equal rows: `rows` (m, K), total `weights` (m,), and `member` (N,), the row of each agent."""

    rows: np.ndarray
    weights: np.ndarray
    member: np.ndarray


class Instance:
    """Profile in memory: mean rewards `means[i, k]` in [0, 1] of agent i for arm k, with names and weights.

    An instance is immutable. Costly attributes are computed at first use and cached.

    Parameters
    ----------
    means : array-like (N, K), data frame or sparse table
        Nested lists, an array, or a data frame of any library, whose columns name the arms. In a frame, a column
        "agent" (or a first column of text, or an index of labels) names the agents, and a column "weight" holds the
        weights. A C-contiguous float64 array is kept as a read-only view, so do not change it afterwards; other input
        is copied. A `scipy.sparse` table, in which missing entries are 0, stays sparse: `means` and `favourites` are
        then `csr_array`s, and memory grows with the entries alone. Agents without any rating, for whom every arm is a
        favourite, are `indifferent`.
    agents, arms : sequence of str, optional
        Distinct names; "Agent 1", "Arm 1", … by default.
    weights : sequence of int, optional
        Integers from 1 up, 1 by default; a row of weight w stands for w identical agents.
    tie_tolerance : float
        Arms within this of an agent's best mean are its favourites. `smallest_gap` is the smallest difference that was
        not taken as a tie; a `NearTieWarning` is issued if it is below 1e-9.

    Raises
    ------
    InputError
        If an argument cannot be used.

    Examples
    --------
    >>> instance = Instance([[1, 0], [1, 0], [0, 1]], arms=["tea", "coffee"])
    >>> instance
    Instance(3 agents, 2 arms: tea, coffee)
    >>> instance.favourites.tolist()
    [[True, False], [True, False], [False, True]]
    """

    means: Any  # (N, K) an array, or a sparse table if one was passed
    agents: Sequence[str]
    arms: Sequence[str]
    tie_tolerance: float
    smallest_gap: float
    given_weights: np.ndarray | None  # (N,) or None if every row stands for one agent
    favourite_codes: np.ndarray | None  # (N,) bit k: arm k is a favourite; None when there are more than 64 arms
    is_sparse = False  # whether `means` and `favourites` are sparse: they are if sparse means were passed
    copies: np.ndarray | None = None  # (K,) how many duplicate arms each stands for, if merged (`distinct`)
    stated: StatedRatings | None = None  # who stated what in the source, if it had gaps
    import_notes: tuple[str, ...] = ()  # decisions made while reading the source file, one clause each

    @explain_keywords
    def __init__(
        self,
        means: Any,
        agents: Sequence[str] | None = None,
        arms: Sequence[str] | None = None,
        weights: Sequence[int] | np.ndarray | None = None,
        tie_tolerance: float = tolerances.FAVOURITE_TIE,
    ) -> None:
        plain = type(means) is np.ndarray
        if not plain and is_frame(means):
            means, agents, arms, weights = _merge_frame_arguments(means, agents, arms, weights)
        sparse = not plain and is_sparse(means)
        if sparse:
            from isegoria.profiles.sparse import scan_sparse, to_csr
        table = to_csr(means) if sparse else to_means_array(means)
        n, k = table.shape
        agents, arms = validate_names(agents, n, "agent"), validate_names(arms, k, "arm")
        weights = validate_weights(weights, agents)
        tie_tolerance = _validate_tolerance(tie_tolerance)
        codes = None
        if sparse:
            gap, lists, best = scan_sparse(table, tie_tolerance, agents, arms)
            self.__dict__.update(is_sparse=True, favourite_lists=lists, best_means=freeze(best))
        else:
            bad, gap, codes = scan(table, tie_tolerance)
            if bad >= 0:
                raise_bad_entry(table, bad, agents, arms)
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
                stacklevel=3,
            )

    @classmethod
    @explain_keywords
    def from_approvals(
        cls, approvals: Any, arms: Sequence[str] | None = None, weights: Sequence[int] | np.ndarray | None = None
    ) -> Instance:
        """Build the instance in which each agent has 1 for the arms that it approves and 0 for the others.

        Parameters
        ----------
        approvals : iterable
            For each agent the names or indices (from 0) of the arms that it approves; a string of letters is a set of
            one-letter arms.
        arms : sequence of str, optional
            Names of the arms; by default those that somebody approves, sorted by name.
        weights : sequence of int, optional
            As in `Instance`.

        Returns
        -------
        Instance

        Raises
        ------
        InputError
            If an agent approves nothing, or names an unknown arm.

        Examples
        --------
        >>> Instance.from_approvals(["a", "ab", "bc"]).means.tolist()
        [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]
        >>> Instance.from_approvals([["tea"], ["tea", "milk"]], weights=[2, 1])
        Instance(3 agents in 2 rows, 2 arms: milk, tea)
        """
        from isegoria.profiles.approval_sets import parse_approvals

        table, named = parse_approvals(approvals, arms)
        return cls(table, arms=named, weights=weights)

    @classmethod
    @explain_keywords
    def from_rankings(
        cls,
        rankings: Any,
        rewards: Sequence[float] | np.ndarray | None = None,
        arms: Sequence[str] | None = None,
        weights: Sequence[int] | np.ndarray | None = None,
    ) -> Instance:
        """Build the instance of agents who rank the arms: the first arm of each agent has the first reward, and so on.

        Parameters
        ----------
        rankings : iterable
            For each agent the names or indices (from 0) of all arms, best first. A rank may hold several tied arms: all
            of them get its reward, and the next rank continues after them.
        rewards : sequence of float, optional
            One reward per rank, non-increasing; even steps from 1 to 0 by default.
        arms : sequence of str, optional
            Names of the arms.
        weights : sequence of int, optional
            As in `Instance`.

        Returns
        -------
        Instance

        Raises
        ------
        InputError
            If a ranking does not name every arm once, or the rewards do not fit.

        Examples
        --------
        >>> Instance.from_rankings(["abc", "cab"]).means.tolist()
        [[1.0, 0.5, 0.0], [0.5, 0.0, 1.0]]
        >>> Instance.from_rankings([[["tea", "milk"], "mate"]], rewards=[0.9, 0.5, 0.1]).means.tolist()
        [[0.1, 0.9, 0.9]]
        """
        from isegoria.profiles.rankings import parse_rankings

        table, named = parse_rankings(rankings, rewards, arms)
        return cls(table, arms=named, weights=weights)

    @classmethod
    @explain_keywords
    def sample(cls, model: str | PreferenceModel, agents: int, arms: int, seed: Seed = None) -> Instance:
        """Sample a synthetic instance from a preference model; rankings get mean rewards that agree with them.

        Parameters
        ----------
        model : str or PreferenceModel
            As in `preferences.sample`, such as "mallows:0.3" or "approvals:0.4".
        agents, arms : int
            The size of the instance.
        seed : int or numpy.random.Generator, optional
            The randomness of the rankings and of the rewards.

        Returns
        -------
        Instance

        Raises
        ------
        InputError, UnknownNameError
            As in `preferences.sample`.

        Examples
        --------
        >>> Instance.sample("mallows:0.3", agents=5, arms=3, seed=42) == Instance.sample("mallows:0.3", 5, 3, 42)
        True
        """
        from isegoria.preferences import sample, sample_rewards

        drawn = sample(model, agents, arms, seed=seed)
        return cls(drawn if drawn.dtype.kind == "f" else sample_rewards(drawn, seed=seed))

    @classmethod
    @explain_keywords
    def from_frame(
        cls,
        frame: Any,
        *,
        scale: tuple[float, float] | None = None,
        missing: MissingChoice | float = "refuse",
        agent: str | None = None,
        ignore: str | Sequence[str] = (),
        columns: str | Mapping[str, str] | None = None,
        answers: str | Mapping[str, float] | None = None,
        tie_tolerance: float | None = None,
    ) -> Instance:
        """Build the instance in a data frame with one row for each agent and one column for each arm.

        Parameters
        ----------
        frame : data frame
            Of pandas, Polars, PyArrow or any library with the dataframe or Arrow interface.
        scale, missing, agent, ignore, columns, answers, tie_tolerance : optional
            As in `read`.

        Returns
        -------
        Instance

        Raises
        ------
        InputError
            If an option is invalid or the frame cannot be used.

        Examples
        --------
        >>> import pandas
        >>> frame = pandas.DataFrame({"tea": [5, 1], "coffee": [1, 3]}, index=["Ann", "Ben"])
        >>> Instance.from_frame(frame, scale=(1, 5)).means.tolist()
        [[1.0, 0.0], [0.0, 0.5]]
        """
        named = {"agent": agent, "ignore": ignore, "columns": columns, "answers": answers}
        return _build_from_frame("wide", frame, tie_tolerance, scale=scale, missing=missing, **named)

    @classmethod
    @explain_keywords
    def from_long(
        cls,
        frame: Any,
        *,
        scale: tuple[float, float] | None = None,
        missing: MissingChoice | float = "refuse",
        columns: str | Mapping[str, str] | None = None,
        answers: str | Mapping[str, float] | None = None,
        tie_tolerance: float | None = None,
    ) -> Instance:
        """Build the instance in a data frame with one row for each agent and arm; a large sparse table stays sparse.

        Parameters
        ----------
        frame : data frame
            With columns "agent", "arm", "value" and perhaps "weight", or those that `columns` names.
        scale, missing, columns, answers, tie_tolerance : optional
            As in `read`. A pair without a row is a gap.

        Returns
        -------
        Instance

        Raises
        ------
        InputError
            If an option is invalid or the frame cannot be used.

        Examples
        --------
        >>> import pandas
        >>> stars = {"user": ["Ann", "Ann", "Ben", "Ben"], "film": ["A", "B", "A", "B"], "stars": [5, 1, 3, 3]}
        >>> roles = {"user": "agent", "film": "arm", "stars": "value"}
        >>> Instance.from_long(pandas.DataFrame(stars), scale=(1, 5), columns=roles).means.tolist()
        [[1.0, 0.0], [0.5, 0.5]]
        """
        named = {"columns": columns, "answers": answers}
        return _build_from_frame("long", frame, tie_tolerance, scale=scale, missing=missing, **named)

    @classmethod
    def from_profile(
        cls,
        profile: Any,
        *,
        rewards: str | Sequence[float] = "linear",
        unranked: str = "refuse",
        scale: tuple[float, float] | None = None,
        tie_tolerance: float | None = None,
    ) -> Instance:
        """Build the instance in a profile of pref_voting, abcvoting, preflibtools or pabutools.

        Parameters
        ----------
        profile : object
            A profile of one of these packages, which need not be installed: it is known by its attributes.
        rewards, unranked : optional
            As in `read`, for rankings.
        scale : (low, high), optional
            For scores: the ends of their scale, unless the profile states them.
        tie_tolerance : float, optional
            As in `Instance`.

        Returns
        -------
        Instance

        Raises
        ------
        InputError
            If the object is no such profile, or an option does not fit it.

        Examples
        --------
        >>> from types import SimpleNamespace
        >>> profile = SimpleNamespace(  # as of pref_voting
        ...     candidates=[0, 1], cmap={0: "tea", 1: "milk"}, rankings_counts=([[0, 1], [1, 0]], [2, 1])
        ... )
        >>> group = Instance.from_profile(profile)
        >>> group, group.means.tolist()
        (Instance(3 agents in 2 rows, 2 arms: tea, milk), [[1.0, 0.0], [0.0, 1.0]])
        """
        build: Callable[..., Instance] = import_object("isegoria.io.files:build_from_profile")
        return build(profile, tie_tolerance, rewards=rewards, unranked=unranked, scale=scale)

    @property
    def abstentions(self) -> tuple[str, ...]:
        """The agents who stated nothing and are left out of the instance (`missing="abstain"`)."""
        return () if self.stated is None else self.stated.abstentions

    @lazy_property
    def weights(self) -> np.ndarray:
        """(N,) how many identical agents each row stands for."""
        given = self.given_weights
        return freeze(np.ones(self.means.shape[0], dtype=np.int64) if given is None else given)

    def utility_types(self, most: int | None = None) -> AgentTypes | None:
        """Return the agent types by equal means; None if there are more than `most`.

        >>> Instance([[1, 0], [1, 0], [0, 1]]).utility_types(most=1) is None
        True
        """
        if most is None or self.means.shape[0] <= most:
            return self.types
        return None if self._sample_type_count > most or len(self.types.weights) > most else self.types

    @lazy_property
    def _sample_type_count(self) -> int:
        """The number of agent types among the first few thousand agents.

        Sorting a million agents takes longer than most solvers.
        """
        return 0 if self.is_sparse else len(merge_rows(self.means[:TYPE_SAMPLE_AGENTS])[0])

    def to_dense(self) -> Instance:
        """Return the same instance with dense means: itself unless they are sparse."""
        if not self.is_sparse:
            return self
        return _rebuild(self.means.toarray(), self.agents, self.arms, self.given_weights, self.tie_tolerance)

    @lazy_property
    def kinds(self) -> DuplicateArms | None:
        """Groups of duplicate arms, with the same mean for every agent; None if there are none."""
        from isegoria.solvers.rows.duplicate_arms import DuplicateArms, group_equal_columns, group_equal_columns_sparse

        if self.is_sparse:
            from isegoria.solvers.rows.csr_rows import to_csr_rows

            found = DuplicateArms.of(group_equal_columns_sparse(to_csr_rows(self.means)))
            return found if found.copies is not None else None
        member = group_equal_columns(self.means)
        return None if member is None else DuplicateArms.of(member)

    @lazy_property
    def distinct(self) -> Instance:
        """The same instance with duplicate arms merged and counted in `copies`; itself if there are none.

        >>> Instance([[1, 0, 1], [0.5, 0.2, 0.5]]).distinct.copies.tolist()
        [2.0, 1.0]
        """
        if (not self.is_sparse and not may_have_equal_columns(self.means)) or self.kinds is None:
            return self
        first = self.kinds.first
        means = self.means[:, first] if self.is_sparse else self.means.take(first, axis=1)
        names = self.arms[:]
        arms = [names[k] for k in first.tolist()]
        told = _rebuild(means, self.agents, arms, self.given_weights, self.tie_tolerance)
        told.__dict__["copies"] = self.kinds.copies
        return told

    @lazy_property
    def best_means(self) -> np.ndarray:
        """(N,) the largest mean of each agent."""
        return freeze(self.means.max(axis=1))

    @lazy_property
    def indifferent(self) -> np.ndarray:
        """(N,) booleans: the agents without a mean above `tie_tolerance`; every arm is their favourite."""
        return freeze(self.best_means <= self.tie_tolerance)

    @lazy_property
    def total_weight(self) -> int:
        """The number of agents, W: the sum of the weights."""
        return self.means.shape[0] if self.given_weights is None else int(self.given_weights.sum())

    @lazy_property
    def arm_means(self) -> np.ndarray:
        """(K,) the mean reward of each arm, `c_k = Σ_i (w_i/W) means[i, k]`: the mean utility of playing it alone."""
        if self.is_sparse:
            return freeze((self.weights / self.total_weight) @ self.means)
        return mean_row(self.means, self.given_weights)

    @lazy_property
    def favourites(self) -> np.ndarray:
        """(N, K) booleans: the arms within `tie_tolerance` of each agent's best mean, `F_i` (Section 2).

        For sparse means this is a sparse table, in which the rows of the `indifferent` are empty.
        """
        if self.is_sparse:
            return self.favourite_lists.matrix(bool)
        return freeze(self.means >= self.means.max(axis=1, keepdims=True) - self.tie_tolerance)

    @lazy_property
    def types(self) -> AgentTypes:
        """The agents merged by equal rows of `means`, the rows sorted; sparse if the means are."""
        if self.is_sparse:
            from isegoria.solvers.rows.csr_rows import merge_csr_rows, to_csr_rows

            rows, weights, member = merge_csr_rows(to_csr_rows(self.means), self.given_weights)
            return AgentTypes(rows.matrix(), freeze(weights), freeze(member))
        return AgentTypes(*merge_rows(self.means, self.given_weights))

    @lazy_property
    def favourite_counts(self) -> tuple[np.ndarray, np.ndarray]:
        """(codes (m,), weights (m,)) of the distinct favourite sets, sorted; for up to 64 arms."""
        assert self.favourite_codes is not None
        return merge_codes(self.favourite_codes, self.given_weights)[:2]

    @lazy_property
    def favourite_lists(self) -> CsrRows:
        """The favourites of each agent as a list of arms; empty for the `indifferent`."""
        from isegoria.solvers.rows.csr_kernels import list_favourites
        from isegoria.solvers.rows.csr_rows import CsrRows

        starts, items = list_favourites(self.means, self.tie_tolerance)
        return CsrRows(starts, items, None, self.means.shape[1])

    @lazy_property
    def favourite_sets(self) -> tuple[CsrRows, np.ndarray, np.ndarray]:
        """(sets, weights (m,), member (N,)): the distinct favourite sets as lists of arms; empty means all arms."""
        from isegoria.solvers.rows.csr_rows import merge_csr_rows

        sets, weights, member = merge_csr_rows(self.favourite_lists, self.given_weights)
        return sets, freeze(weights), freeze(member)

    @lazy_property
    def favourite_types(self) -> AgentTypes:
        """The agents merged by equal favourite sets, in an order that does not depend on the order of the agents."""
        if self.favourite_codes is None:
            sets, weights, member = self.favourite_sets
            full = sets.filled()
            return AgentTypes(full.matrix(bool) if self.is_sparse else full.dense(), weights, member)
        codes, weights, member = merge_codes(self.favourite_codes, self.given_weights, members=True)
        return AgentTypes(unpack(codes, self.means.shape[1]), weights, member)

    def utilities(self, policy: Any) -> np.ndarray:
        """Return the expected rewards (N,), `U_i(P) = Σ_k p_k means[i, k]` (Definition 1).

        >>> Instance([[1, 0], [0.4, 0.8]]).utilities([0.5, 0.5]).round(3).tolist()
        [0.5, 0.6]
        """
        return self.means @ self.validate_policy(policy)

    def decision_shares(self, policy: Any) -> np.ndarray:
        """Return the probability (N,) of each agent's favourites, `β_i(P) = Σ_{k in F_i} p_k` (Definition 2).

        >>> Instance([[1, 0], [0.8, 0.8]]).decision_shares({"Arm 1": 0.25, "Arm 2": 0.75}).tolist()
        [0.25, 1.0]
        """
        return self._shares(self.validate_policy(policy))

    def nash_welfare(self, policy: PolicyLike, payoff: str = "utilities") -> NashWelfare:
        """Return the Nash product of utilities or decision shares, as `log` and `geometric_mean`.

        Each agent counts with its weight. An agent whose means are all 0 is left out of the product of utilities, as
        any policy gives it 0; if no agent remains, both parts are 0. If the policy gives another agent 0, the logarithm
        is -inf and the geometric mean 0.

        Parameters
        ----------
        policy : array (K,) or mapping by arm
            The policy.
        payoff : {"utilities", "shares"}
            What to multiply.

        Returns
        -------
        NashWelfare

        Raises
        ------
        UnknownNameError
            If `payoff` is unknown.

        Examples
        --------
        >>> Instance([[1, 0], [1, 0], [0, 1], [0, 0]]).nash_welfare([0.5, 0.5]).geometric_mean
        0.5
        """
        if payoff not in ("utilities", "shares"):
            raise unknown_name_error("Nash welfare of", payoff, ("utilities", "shares"))
        p = self.validate_policy(policy)
        values = self.means @ p if payoff == "utilities" else self._shares(p)
        weights = self.weights
        nothing = np.flatnonzero(values == 0)
        if payoff == "utilities" and nothing.size:
            left_out = nothing[self.best_means[nothing] == 0]
            values, weights = np.delete(values, left_out), np.delete(weights, left_out)
        if not values.size:
            return NashWelfare(0.0, 0.0)
        with np.errstate(divide="ignore"):
            log = float(weights @ np.log(values))
        return NashWelfare(log, float(np.exp(log / weights.sum())))

    def nash_product(self, policy: PolicyLike, payoff: str = "utilities") -> NashProduct:
        """Return the plain product over all agents, none left out, as `log`, `value` and, up to 100 agents, `exact`.

        Parameters
        ----------
        policy : array (K,) or mapping by arm
            The policy.
        payoff : {"utilities", "shares"}
            Multiply utilities (Definition 3) or decision shares (Definition 4).

        Returns
        -------
        NashProduct

        Raises
        ------
        UnknownNameError
            If `payoff` is unknown.

        Examples
        --------
        >>> from fractions import Fraction
        >>> product = Instance([[1, 0], [1, 0], [0, 1]]).nash_product([Fraction(2, 3), Fraction(1, 3)], payoff="shares")
        >>> str(product.exact), round(product.log, 4)
        ('4/27', -1.9095)
        >>> Instance([[1, 0], [0, 1], [0, 0]]).nash_product([0.5, 0.5]).value  # the third agent can get nothing
        0.0
        """
        from isegoria.profiles.nash_product import compute_nash_product

        return compute_nash_product(self, policy, payoff)

    def _shares(self, policy: np.ndarray) -> np.ndarray:
        """Return the decision shares (N,) of a policy that was validated before."""
        if self.is_sparse:
            return np.where(self.indifferent, 1.0, self.favourites @ policy)
        return self.favourites @ policy

    def validate_policy(self, policy: Any) -> np.ndarray:
        """Return `policy` as an exact point (K,) of the simplex; a mapping gives probabilities by arm name.

        The name of a rule or a `Rule` stands for its policy on this instance, and a `Solution` for its own.
        Entries not below `-1e-9` and a sum within `1e-6` of 1 are repaired, with a `PolicyWarning` unless the change is
        only rounding. Anything further off raises an `InputError`.

        >>> Instance([[1, 0, 0]]).validate_policy({"Arm 2": 1}).tolist()
        [0.0, 1.0, 0.0]
        """
        if isinstance(policy, str) or hasattr(policy, "policy"):
            policy = import_object("isegoria.rules.solving:resolve_policy")(self, policy)
        return validate_policy(policy, self.arms)

    def __setattr__(self, name: Any, value: Any) -> None:
        raise AttributeError(f"an Instance does not change; build a new one to set {name!r}.")

    def __delattr__(self, name: Any) -> None:
        raise AttributeError(f"an Instance does not change; {name!r} cannot be deleted.")

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, Instance):
            return NotImplemented
        from isegoria.profiles.sparse import have_equal_means

        return self is other or (
            have_equal_means(self.means, other.means)
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
        return _rebuild, (means, self.agents, self.arms, self.given_weights, self.tie_tolerance)

    def _repr_html_(self) -> str:
        """Return the table as HTML for a notebook: agents by arms, favourites marked, large groups shortened."""
        from isegoria.utils import notebook

        rows = min(self.means.shape[0], notebook.MAX_TABLE_ROWS + 1)
        means = self.means[:rows].toarray() if self.is_sparse else self.means[:rows]
        best = means >= means.max(axis=1, keepdims=True) - self.tie_tolerance
        cells = [
            [self.agents[i], *(f"{mean:.3g}{' ★' if top else ''}" for mean, top in zip(means[i], best[i], strict=True))]
            for i in range(rows)
        ]
        more = self.means.shape[0] - notebook.MAX_TABLE_ROWS
        said = [notebook.html_line(f"… and {more:,} more rows")] if more > 0 else []
        head = notebook.html_line(repr(self)[len("Instance(") : -1], "Instance")
        stars = notebook.html_line("★ a favourite of that agent")
        return notebook.html_box(
            head, notebook.html_table(["agent", *self.arms], cells[: notebook.MAX_TABLE_ROWS]), *said, stars
        )

    def __repr__(self) -> str:
        n, k = self.means.shape
        rows = f" in {n} rows" if self.total_weight != n else ""
        arms = ", ".join(self.arms[:6]) + (", …" if k > 6 else "")
        agents = "agent" if self.total_weight == 1 else "agents"
        return f"Instance({self.total_weight} {agents}{rows}, {k} {'arm' if k == 1 else 'arms'}: {arms})"


def _build_from_frame(kind: str, frame: Any, tie_tolerance: float | None, **options: Any) -> Instance:
    """Call the reader of frames, which is in a package above this one."""
    build: Callable[..., Instance] = import_object("isegoria.io.files:build_from_frame")
    return build(kind, frame, tie_tolerance, **options)


def _merge_frame_arguments(frame: Any, agents: Any, arms: Any, weights: Any) -> tuple[Any, ...]:
    """Merge the content of a frame with the arguments passed with it, which take precedence."""
    table = parse_frame(frame)
    if weights is not None and table.weights is not None:
        raise InputError("weights were given, and the frame has a column 'weight' too; drop one of them.")
    return (
        table.means,
        table.agents if agents is None else agents,
        table.arms if arms is None else arms,
        table.weights if weights is None else weights,
    )


def _validate_tolerance(tie_tolerance: Any) -> float:
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


def _rebuild(*parts: Any) -> Instance:
    """Build an instance without repeating its near-tie warning, as in unpickling."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NearTieWarning)
        return Instance(*parts)

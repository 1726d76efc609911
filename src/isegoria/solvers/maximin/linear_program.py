"""The largest least utility by the plain linear program: HiGHS looks at all agents and arms at once.

It serves where many hold the least down, each a little: dense tables of hundreds of agents and arms, and large sparse
ones, as of ballots for a single arm. Asking for a few at a time would take hours there. From the corner that HiGHS ends
in `basis` makes an exact one, with its proof. Where it is not the only optimum, the choice is made on the arms that
those who hold the least down leave open; where their mixture is one of orders, a Gini welfare has the same optima.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from isegoria import tolerances
from isegoria.rows.listed import listed
from isegoria.rows.simplex import simplex_point
from isegoria.rows.views import dense
from isegoria.solvers import sizes
from isegoria.solvers.answer import Answer, Selection
from isegoria.solvers.maximin.basis import exact_basis, proved
from isegoria.solvers.maximin.column_generation import NEAR, choose_among
from isegoria.solvers.maximin.permutahedron import excess, room
from isegoria.solvers.maximin.welfare import Gini, Least, Proved
from isegoria.solvers.nash.sparse_rows import SparseRows, fixed_arms
from isegoria.solvers.ties.goldfarb_idnani import Projection
from isegoria.solvers.ties.tie_break import TieBreak

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from isegoria.solvers.ties.selection import Cut


def by_program(welfare: Least | Gini, table: Any, choice: Selection) -> Answer | None:
    """The `Answer` for a dense or sparse `table` (N, K) from the program, if it serves such tables and is proved."""
    agents, arms = table.shape
    square, large = _is_square(agents, arms), agents * arms >= sizes.PROGRAM_TABLE
    if not square and not (large and arms > sizes.GAME_ARMS):
        return None
    entries = np.count_nonzero(table) if isinstance(table, np.ndarray) else table.nnz
    square = square and bool(entries <= sizes.SQUARE_ENTRIES)
    if not square and entries > min(sizes.PROGRAM_ENTRIES, agents * arms * sizes.PROGRAM_DENSITY):
        return None
    table = listed(table).matrix() if entries <= sizes.DENSITY * agents * arms else dense(table)
    found = least_utility(table)
    return None if found is None else optimum(welfare, table, found, choice)


def _is_square(agents: int, arms: int) -> bool:
    """Whether so many may hold the least down that looking for them a few at a time takes longer than all at once."""
    short, long = min(agents, arms), max(agents, arms)
    oblong = short > sizes.OBLONG_SIDE and agents * arms > sizes.SQUARE_SIDE**2 and long <= sizes.OBLONG * short
    return short > sizes.SQUARE_SIDE or oblong


def least_utility(table: np.ndarray | csr_array) -> Proved | None:
    """The best policy for the agents of a dense or sparse `table` (N, K), a corner; None if it is not proved.

    A dense table is asked for its mixture of agents and a sparse one for its policy: so HiGHS takes half the time.

    >>> least_utility(np.array([[1.0, 0.0], [0.0, 0.5]])).policy.round(6).tolist()
    [0.333333, 0.666667]
    """
    full = isinstance(table, np.ndarray)
    low, high = float(table.min()) if full else 0.0, float(table.max())
    stuck = np.ravel(table.max(axis=1) if full else table.max(axis=1).toarray()) <= low
    if stuck.any():  # somebody gets the least of all whatever is played, and HiGHS would go round for seconds
        return proved(table, np.eye(1, table.shape[1])[0], stuck.astype(float))
    game = (table - low) / (high - low) if full else table / high  # the same game, in units that HiGHS can tell apart
    solved = _program(-game.T, 1.0, presolve=False) if full else _program(game, -1.0, presolve=True)
    if solved.status != 0:
        return None
    policy, mixture = solved.x[:-1], -solved.ineqlin.marginals
    found = exact_basis(game, proved(game, *((mixture, policy) if full else (policy, mixture))))
    found = proved(table, found.policy, found.mixture, found.margin * (high - low) ** 2)
    return found if found.gap <= tolerances.EGALITARIAN_GAP / 2 else None


def _program(rows: Any, sign: float, presolve: bool) -> Any:
    """SciPy's answer: the x ≥ 0 of sum 1 with the largest v such that `rows` (m, n) x ≥ v, or with a `sign` of 1 the
    smallest −v; the last of its variables is v, or −v."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    m, n = rows.shape
    border = np.full((m, 1), -sign)
    return linprog(
        np.append(np.zeros(n), sign),
        A_ub=np.hstack([-rows, border]) if isinstance(rows, np.ndarray) else hstack([-rows, border], format="csr"),
        b_ub=np.zeros(m),
        A_eq=csr_array(np.append(np.ones(n), 0.0)[None]),
        b_eq=[1.0],
        bounds=np.column_stack([np.append(np.zeros(n), -np.inf), np.full(n + 1, np.inf)]),
        method="highs-ds" if isinstance(rows, np.ndarray) else "highs",
        options={"presolve": presolve},
    )


def optimum(welfare: Least | Gini, table: Any, found: Proved, choice: Selection) -> Answer | None:
    """The `Answer` among the optima for the least; for a Gini welfare if it has the same ones, else None."""
    spare, beyond = np.inf, 0.0
    if isinstance(welfare, Gini):
        spare = room(found.mixture, welfare.weights, welfare.prefix)
        beyond = excess(found.mixture, welfare.weights, welfare.prefix)
    if spare <= tolerances.NEAR_TIE or beyond > tolerances.OPTIMUM_TIE / 4:
        return None
    policy, margin = found.policy, found.margin
    if margin == 0 and choice.tie_break is not None:
        policy, margin = _chosen(table, found, choice)
    value, bound = welfare.value(table @ policy), found.bound + beyond
    if bound - value > tolerances.OPTIMUM_TIE / 2:
        policy, value, margin = found.policy, welfare.value(table @ found.policy), 0.0
    gap = max(bound - value, 0.0)
    return Answer(policy, value, gap, min(margin, spare)) if gap <= welfare.enough else None


def _chosen(table: Any, found: Proved, choice: Selection) -> tuple[np.ndarray, float]:
    """(policy, margin): the choice among the optima, on the arms that those who hold the least down leave open."""
    from scipy.sparse import csr_array

    holding = found.mixture > tolerances.NEAR_TIE
    slack = found.bound - np.asarray(found.mixture @ table).ravel()
    arms = np.flatnonzero(slack <= NEAR)
    margin = min(float(found.mixture[holding].min()), float(slack[slack > NEAR].min(initial=np.inf)))
    held = csr_array(table[holding][:, arms])
    held.sort_indices()
    fixed = fixed_arms(SparseRows(held.indptr.astype(np.int64), held.indices.astype(np.int32), held.data, len(arms)))
    policy = np.where(np.isin(np.arange(len(slack)), arms[fixed]), found.policy, 0.0)
    share = 1 - policy.sum()
    if fixed.all() or share <= tolerances.NEAR_TIE:
        return found.policy, margin
    if choice.tie_break == TieBreak.VERTEX:  # the corner in which the program ended is one of several
        return found.policy, 0.0
    least = (found.value - tolerances.FACE_DEPTH - table @ policy) / share
    played, chosen, sharpness = choose_among(
        lambda some: _polytope(table[:, some], least, holding, choice.on(some).copies), arms[~fixed], choice
    )
    if sharpness == 0:
        return found.policy, 0.0
    policy[played] = share * chosen
    return simplex_point(policy), min(margin, sharpness)


def _polytope(
    rows: Any, least: np.ndarray, holding: np.ndarray, copies: np.ndarray | None
) -> Callable[[list[Cut]], Projection]:
    """The policies under which each row gets its `least`: rows that hold it down from the beginning, others as they
    are found to get less."""

    def cut(i: int) -> tuple[np.ndarray, float]:
        return dense(rows[[i]]).ravel(), float(least[i])

    def separate(point: np.ndarray) -> tuple[np.ndarray, float] | None:
        spare = rows @ point - least
        worst = int(spare.argmin())
        return cut(worst) if spare[worst] < -tolerances.FACE_DEPTH / 10 else None

    counted = rows @ np.ones(rows.shape[1]) > 0
    first = [cut(i) for i in np.flatnonzero(holding & counted).tolist()]
    return lambda given: Projection(rows.shape[1], given=first + given, separate=separate, copies=copies)

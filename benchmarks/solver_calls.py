"""What a user would write who calls a solver by its own interface, without a modelling layer: HiGHS for the least
utility, PIQP and quadprog for the least variance, Clarabel for products."""

from __future__ import annotations

import clarabel
import highspy
import numpy as np
import piqp
import quadprog
from scipy import sparse

TOLERANCE = 1e-12  # of PIQP: as good as what we certify


def solve_with_highs(means: np.ndarray) -> np.ndarray:
    """The policy of the largest least utility, by HiGHS's simplex."""
    return np.array(_solve_minimum_with_highs(means).getSolution().col_value[:-1])


def solve_two_programs_with_highs(means: np.ndarray) -> np.ndarray:
    """The same, then the largest total from the basis of the first program."""
    solver, arms = _solve_minimum_with_highs(means), means.shape[1]
    least = solver.getSolution().col_value[-1]
    solver.changeColBounds(arms, least - 1e-9, highspy.kHighsInf)
    solver.changeColsCost(arms + 1, np.arange(arms + 1, dtype=np.int32), np.append(-means.sum(axis=0), 0.0))
    solver.run()
    return np.array(solver.getSolution().col_value[:-1])


def _solve_minimum_with_highs(means: np.ndarray) -> highspy.Highs:
    """Return HiGHS after it has maximised the least utility, its last variable."""
    agents, arms = means.shape
    columns = sparse.csc_array(
        np.vstack([np.hstack([means, -np.ones((agents, 1))]), np.append(np.ones(arms), 0.0)[None]])
    )
    program, infinity = highspy.HighsLp(), highspy.kHighsInf
    program.num_col_, program.num_row_ = arms + 1, agents + 1
    program.col_cost_ = np.append(np.zeros(arms), -1.0)
    program.col_lower_, program.col_upper_ = np.append(np.zeros(arms), -infinity), np.full(arms + 1, infinity)
    program.row_lower_ = np.append(np.zeros(agents), 1.0)
    program.row_upper_ = np.append(np.full(agents, infinity), 1.0)
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_, program.a_matrix_.index_ = columns.indptr, columns.indices
    program.a_matrix_.value_ = columns.data
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("solver", "simplex")
    solver.passModel(program)
    solver.run()
    return solver


def _moments(means: np.ndarray) -> np.ndarray:
    centred = means - means.mean(axis=0)
    return 4 / (len(means) - 1) * (centred.T @ centred)


def solve_with_piqp(means: np.ndarray) -> np.ndarray:
    """The policy of the least variance, by PIQP at 1e-12."""
    arms = means.shape[1]
    solver = piqp.DenseSolver()
    settings = solver.settings
    settings.eps_abs = settings.eps_rel = settings.eps_duality_gap_abs = settings.eps_duality_gap_rel = TOLERANCE
    nothing, most = np.zeros(arms), np.full(arms, 1e30)
    solver.setup(_moments(means), nothing, A=np.ones((1, arms)), b=np.ones(1), x_l=nothing, x_u=most)
    solver.solve()
    return solver.result.x


def solve_with_quadprog(means: np.ndarray) -> np.ndarray:
    """The same by quadprog, with the least ridge that it accepts."""
    arms = means.shape[1]
    matrix = _moments(means) + 1e-10 * np.eye(arms)
    limits = np.column_stack([np.ones(arms), np.eye(arms)])
    return quadprog.solve_qp(matrix, np.zeros(arms), limits, np.append(1.0, np.zeros(arms)), 1)[0]


def solve_with_clarabel(values: np.ndarray) -> np.ndarray:
    """The policy of the largest Σ log of `values` @ policy, by Clarabel: max Σt with (t, 1, u) in exponential cones."""
    agents, arms = values.shape
    aim = np.append(np.zeros(arms), -np.ones(agents))
    places = 3 * np.arange(agents)
    cones = sparse.lil_array((3 * agents, arms + agents))
    cones[places, arms + np.arange(agents)] = -1.0
    block = sparse.csr_array(-values).tocoo()
    logs = sparse.coo_array((block.data, (3 * block.coords[0] + 2, block.coords[1])), shape=cones.shape)
    one, above = np.append(np.ones(arms), np.zeros(agents))[None], -sparse.eye_array(arms, arms + agents)
    rows = sparse.vstack([sparse.csr_array(part) for part in (one, above, cones.tocsr() + logs)])
    bounds = np.concatenate([[1.0], np.zeros(arms), np.tile([0.0, 1.0, 0.0], agents)])
    kinds = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(arms), *[clarabel.ExponentialConeT()] * agents]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    nothing = sparse.csc_array((arms + agents, arms + agents))
    solver = clarabel.DefaultSolver(
        nothing,
        aim,
        sparse.csc_array(rows),
        bounds,
        kinds,
        settings,
    )
    return np.array(solver.solve().x)[:arms]

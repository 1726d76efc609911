"""Numerics on bare arrays: every problem of the package, its method, and the certificate that comes with an answer.

Every entry point that looks for a policy returns `Answer(policy, value, gap, margin)`. The gap is computed last, from
the policy itself; the margin says how sharply it was chosen among several optima, of which a `Selection(tie_break,
direction, copies)` asks for one. Modules bear the name of their method.

==============  ==================================  =============================================  ================
problem         method                              where                                          certificate
==============  ==================================  =============================================  ================
max Σ w log Ap  EM, then Newton on x ≥ 0 by block   nash: columns, newton, principal_pivoting,     max_k s_k − 1
                principal pivoting, polished        log_sum
… of sets       the same on bit codes               nash/decision_shares                           the same
… many arms     EM, then Newton on few arms or an   nash: sparse_log_sum, sparse_rows,             the same
                interior point by conjugate         sparse_newton, interior_point
                gradients, on what is not 0
… huge tables   subsampled Newton, exact gradients  nash/subsampled_newton                         the same
… of the fair   simplicial decomposition            nash/fair_nash                                 support − 1
min pᵀGp        primal active set                   variance: quadratic_form, primal_active_set,   p·∇ − min ∇
                                                    least_variance
… many arms     block principal pivoting, then a    variance: high_dimensional, optimal_face,      the same
                projection in its dual              moments; ties/least_norm
… one optimum   block principal pivoting            variance/strictly_convex                       the same
… of crowds     the quadratic from one pass, the    variance/covariance                            the same
                proof from another
max min cut·p   revised simplex, cuts by an oracle  maximin: cuts, welfare_functions,              mixture of cuts
                                                    revised_simplex, matrix_game, dispatch
… then total    a game with a little of the total   maximin/maximin_then_total                     the same
… many arms     the same, then a Newton method in   maximin/tied_optima, ties/least_norm           the same
                the dual of the minimum norm
… others held   Newton's method, on games           maximin/levels                                 multipliers
… then next     the same, stage by stage, or the    maximin: leximin_stages, exact_stage           one per stage
                program by HiGHS, refined
… large tables  rows and columns of the game, as    maximin: row_generation, column_generation     the same
                they matter
… squares, and  the plain linear program (HiGHS),   maximin: linear_program, exact_basis           the same
large sparse    and an exact corner from its basis
… many ranks    an augmented Lagrangian on the      maximin: many_rank_gini, augmented_lagrangian, the same
                hull of all orders of the weights;  permutahedron, transport_program,
                a linear program; an exact corner   exact_vertex
max flow        push and relabel on multiples of    flow: network, push_relabel                    flow = cut
                2⁻⁶⁰
… the fairest   lexicographic cuts, then iterated   flow: lexicographic, claims,                   cuts for ratios,
                proportional fitting and Newton     proportional_fitting, attribution              arms used up
the fair set    greedy corners, cuts by a flow      fair_set: polytope, simplicial_decomposition   support function
max concave f   fully corrective Frank-Wolfe, a     fair_set: frank_wolfe, barrier                     support − slope·p
                barrier on the corners so far
which optimum   projections by a dual active set    ties: selection, flat_directions,              multipliers ≥ 0
                                                    goldfarb_idnani, active_set
… of a smooth   the same on equations that they     ties: face, equation_face                      the same
function        meet
… a corner      simplex pivots, lexicographic       ties/vertex                                    signs of columns
who would       all coalitions, as small games; a   coalition: blocking, enumeration,              a coalition, or
leave           mixed-integer program (HiGHS)       mixed_integer, timed_process, search                a bound on gains
                or a small simplex of our own       dual_simplex_tableau
==============  ==================================  =============================================  ================

Asked by: `nash` by the objectives nash and procedural and by every learner of favourite sets; `variance` by
inequality and the frontier; `maximin` by egalitarian, gini, leximin and the axiom of efficiency; `flow` by scores,
voices, audit and core; `fair_set` by `within="fair"` and the frontier; `ties` by every objective; `coalition` by
the core.

`algebra` is what they share: `cholesky`, `pivoted_cholesky`, `householder`, `inverse_iteration`, `gauss_jordan`,
singular directions by `jacobi`, `block_pivoting` of large matrices. What is written for `real` serves doubles and,
where sixteen digits are too few, a `pair` of them, which is the same on every machine; `pair_products` shows them to
Python. `ties/tie_break` names the choices. `rows` has the tables: memory from `arena`, signals in long searches from
`interrupt`, validation in one pass by `scan_means`, equal rows by `merge` and `codes`, `duplicate_arms`, sparse rows
by `csr_rows` and `csr_kernels`, names by `name_bytes`, and exact points of the `simplex`. `method_limits` says which
method serves which size; `isegoria.utils.threads` holds BLAS to one thread; `isegoria.testing.kernel_bindings` shows
Python the kernels that only kernels call.

Kernels that search ask for signals every few hundredths of a second. What cannot be interrupted: HiGHS, LAPACK on large
matrices, and a single pass over a table.
"""

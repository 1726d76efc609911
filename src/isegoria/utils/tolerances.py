"""Every tolerance that affects a result, by name, with its reason; those that only tune one method are in its module.

Each is a number followed by one sentence; `docs/reference/tolerances.md` is generated from these lines.
"""

FAVOURITE_TIE = 1e-12
"""Means this close to an agent's best count as favourites: rounding of data that was meant to be equal."""

NEAR_TIE = 1e-9
"""A gap above TIE but below this may be rounding as well, so `Instance` warns."""

POLICY_NEGATIVE = 1e-9
"""Entries of a given policy down to minus this are taken as 0."""

NEVER_CHOSEN = 1e-9
"""In tables for people, an arm with less than this probability shows as never chosen; JSON and CSV keep every digit."""

POLICY_SUM = 1e-6
"""A given policy may miss the sum 1 by this much, and is then renormalised: hand-typed thirds."""

POLICY_ROUNDING = 1e-12
"""A repair of a given policy by at most this is the rounding of sums and products, and is not worth a warning."""

SCALE_ROUNDING = 1e-9
"""The part of a scale by which sums and averages of doubles may overstep its ends; people do not rate that finely."""

SIMPLEX_SUM = 1e-15
"""A policy whose sum is this near to 1 is an exact point of the simplex: a few last bits."""

FAIRNESS_GAP = 1e-9
"""A procedural score of at least 1 minus this is fair, for the audit, the exit code, the sentences and the core."""

FLOW_RESIDUAL = 1e-12
"""Residual capacity below this is saturated: probabilities are sums of rounded doubles."""

FLOW_WIDENING = FLOW_RESIDUAL / 10
"""Arms are widened by this fraction before the neglected are read off, so that a tie lost to rounding names nobody."""

FLOW_NEGLIGIBLE = 1e-15
"""A link that carries less than this part of its group carries nothing: the rounding of a share and a probability."""

CLAIMS_RESIDUAL = 1e-14
"""Claims on an arm are settled when they miss its probability by at most this: sums of up to millions of roundings."""

CLAIMS_RIDGE = 1e-15
"""Added to the curvature of claims, which is 0 along factors common to tied arms: rounding must not steer there."""

OPTIMUM_TIE = 1e-12
"""Policies whose value is within this times max(1, |value|) of the optimum are tied; it is part of the gap."""

OPTIMUM_ROUNDING = 1e-14
"""What is tied by less than this is tied up to rounding; a wider tie is told to the user as the tie margin."""

FACE_SIMULTANEOUS = 1e-15
"""Variables on the way to a corner that reach 0 within this of each other reach it together."""

NASH_GAP = 1e-9
"""A Nash product is certified when its relative duality gap is at most this."""

NEWTON_CONVERGED = 1e-13
"""A gap at which another Newton step in doubles would only stir the rounding."""

NEWTON_NOISE = 1e-15
"""The relative rounding error of a Hessian summed in doubles; the proximal ridge is a hundred times as large."""

TINY_ROW = 1e-100
"""A row whose best entry is below this is divided by it first, so that reciprocals stay finite."""

CLEAR_MARGIN = 1e-3
"""A tie margin of this or more is safe in doubles: it loses three of sixteen digits. Below, pairs of doubles decide."""

NEWTON_PAIR_NOISE = 1e-18
"""The same in pairs of doubles: far above their rounding, and far below what a tie is told by."""

INEQUALITY_GAP = 1e-12
"""Inequality is certified when its Frank-Wolfe gap is at most this."""

EGALITARIAN_GAP = 1e-12
"""The least utility is certified when its dual bound is at most this above it."""

LEXIMIN_GAP = 1e-11
"""Leximin is certified when no stage misses its level by more: the rounding of up to some hundred stages adds up."""

GINI_GAP = 1e-10
"""The Gini welfare is certified when its dual bound is at most this above it: a sum of N rounded products."""

SLOPE_DOUBLE = 2e-15
"""An arm enters a quadratic search when its slope is lower by more than this: the rounding of a K × K product."""

SLOPE_PAIR = 1e-18
"""The same for slopes in pairs of doubles; a policy is then right to 1e-10 where the smallest eigenvalue is 1e-8."""

NEWTON_LAST_STEP = 1e-11
"""A Newton step that moves no probability further is the last: it leaves this times the rounding of its matrix."""

NEWTON_NO_STEP = 1e-15
"""A Newton step that moves no probability further is not made: the policy is as exact as doubles have it."""

PIVOT_FLOOR = 1e-18
"""A Cholesky pivot below this is a tie; the long step it gives ends at the first arm that reaches 0."""

REDUCED_COST = 2e-15
"""A cut or an arm enters a matrix game when it is priced below 0 by more than this: the rounding of a dot product."""

GAME_PIVOT = 1e-14
"""A pivot of a matrix game that is not above this may be nothing but rounding."""

CONSTRAINT_VIOLATION = 1e-15
"""A constraint of a projection may be missed by this, a few roundings of a dot product; far below OPTIMUM_TIE."""

LINEAR_DEPENDENCE = 1e-13
"""A normal this close to the span of the active ones adds nothing to them but rounding."""

FACE_DEPTH = OPTIMUM_TIE / 20
"""How far below the best value a policy is chosen: fifty roundings, so that some exist; more, and they would wander."""

ACTIVE_MULTIPLIER = 1e-12
"""An active constraint whose multiplier is below minus this holds the projection back, and is dropped."""

NEAR_ACTIVE = 2e-12
"""A constraint this close to active counts for the margin of a tie: rounding might have made it active."""

RANK_ORDER_TIE = 4 * CONSTRAINT_VIOLATION
"""Two orders of agents whose welfare differs by less could both be met: which one is, rounding decides."""

SLIGHT_CURVATURE = 2e-11
"""A bend of a welfare function this slight turns no policy by more than rounding does, whichever side is met."""

EQUALITY_RESIDUAL = 2e-14
"""How far an equality between optima may be missed where it leaves nothing at all in doubles."""

VERTEX_NEGLIGIBLE = 1e-12
"""What a corner plays less is nothing: it is rounding, since data hardly ever say a probability so small."""

RANK_PIVOT = 1e-10
"""A pivot on the way to a corner that is not above this is 0: the column depends on those of the basis."""

CUT_VIOLATION = 1e-14
"""A corner may miss a cut by this: some roundings of an inverse; far below OPTIMUM_TIE."""

MAX_PROXIMAL_PULL = 1e7
"""How far a point is pulled when a linear function is maximised by projections; further, rounding would outgrow it."""

SLOPE_TIE = OPTIMUM_TIE / 4
"""Arms whose slope is this close to the lowest are tied in a quadratic search; the gap then stays below OPTIMUM_TIE."""

CURVATURE_TIE = OPTIMUM_TIE / 10
"""A direction of smaller curvature is flat: a step across the whole simplex changes the value by less than a tie."""

NASH_CURVATURE_TIE = 1e-24
"""The same for a Nash product, whose gap grows with the root of the curvature and not with the curvature itself."""

ORTHOGONAL_COSINE = 1e-15
"""Rows whose cosine is smaller are orthogonal: a few times the rounding of a double."""

UNIQUE_CURVATURE = 1e-8
"""Above this estimate of the smallest eigenvalue an optimum is unique, and no choice among several is made."""

CORE_GAIN = 1e-9
"""A coalition blocks only if some member gains at least this, in units of that member's best."""

CORE_LOSS = 1e-12
"""Every member of a blocking coalition may lose at most this, the rounding of one dot product."""

CORE_WEAK_BOUND = 1e-6
"""A bound on gains of at most this still lets a policy be called stable, with the bound said beside it."""

WORTH_ROUNDING = 1e-15
"""How far rounding may have moved what an arm is worth to a group, a sum around 1, up or down."""

CORE_CLEAR_GAIN = 1e-3
"""The search for a blocking coalition stops at this total gain: well above the solver's tolerance, a clear block."""

MILP_SCALE = 1e3
"""The mixed-integer program of the core is scaled up by this: what HiGHS lets slip, 1e-7, is then below CORE_GAIN."""

LP_FEASIBILITY = 1e-10
"""The tightest feasibility tolerance that HiGHS accepts for a linear program."""

SCORE_DOMINANCE = 1e-9
"""Scores this close are equal when one policy is said to outscore another: certified policies differ by less."""

NORMAL_REACH_SIGMAS = 35
"""Standard deviations below 0 at which the centre of a truncated normal may lie: beyond 37 its tail underflows."""

BISECTION_STEPS = 80
"""Halvings that bring an interval of any sensible width down to rounding."""

TABLE1_ROUNDING = 0.005
"""Half a unit of the last decimal that the paper prints: a printed number stands for all within this of it."""

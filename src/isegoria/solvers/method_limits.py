"""Which method serves which size: every limit of the dispatch, with what was measured when it was set.

Times are of one core of a shared machine; each limit lies where the two methods took equally long, and either side of
it both are right: the certificate does not depend on the method.

================  =======================================  ==========================================================
limit             on either side                           measured (below · above, at shapes agents × arms)
================  =======================================  ==========================================================
SET_ARMS          bit codes and Newton on all arms ·       procedural 1,000 × 70: 10 ms · 2 ms; 100 × 600: 118 ms ·
                  lists, Newton on the arms that matter    1.2 ms; with up to 64 arms a set is one word
ROW_ARMS,         dense Newton · the same on lists         nash 100 × 70: 0.3 ms · 0.6 ms; 1,000 × 70: 13 ms ·
ROW_ENTRIES                                                1.7 ms; 50 × 150: 14 ms · 0.7 ms; 500 × 500: 119 · 60 ms
EVERY_ARM,        dense Newton on all arms · lists         nash 1 × 1,000: 203 ms · 2 ms; 2 × 3,000: over a minute ·
WIDE_ARMS         and the arms that matter, if dense       8 ms; 300²: 17 · 69; 100 × 500: 26 · 23; 12 × 547 with
                                                           many ties: 548 · 3, 67 × 557: 1,424 · 28
VARIANCE_ARMS     primal active set, slopes from rows ·    inequality 4,000 × 100: 19 ms · 4 ms; 30 × 90: 9 · 0.4 ms;
                  block pivoting, and a projection         200 × 90: 2.4 · 1.2 ms; 550 × 480: 3 s · 0.06 s; 130 ×
                  in the dual, by LAPACK                   4,000: over 200 s · 0.02 s
VARIANCE_SIDE     the same with as many agents as arms,    inequality 100²: 0.28 · 0.54 ms; 150²: 0.8 · 0.9 ms; 4,000 ×
                  and one optimum · LAPACK                 100: 2.4 · 6.6 ms; 200²: 2.1 · 1.8 ms
GAME_ARMS,        all agents and arms at once · those      gini 20,000 × 60: 7 s · 0.04 s; egalitarian 10⁶ × 50: 8.6 s ·
GAME_ENTRIES      who matter, as they are asked for        0.3 s; gini 7,000 × 2,000 ballots: minutes · 0.6 s
SQUARE_SIDE,      those who matter, as they are asked      egalitarian, dense: 120²: 18 · 14 ms; 200²: 216 · 45; 500²:
SQUARE_ENTRIES    for · the plain linear program, by       12 s · 0.6 s; 100 × 1,000: 225 · 122 ms; 40 × 4,000: 50 ·
                  HiGHS, and a corner from its basis       115 ms; 20,000 × 100: 0.2 · 2 s
OBLONG_SIDE,      the same                                 egalitarian 120 × 500: 270 · 59 ms; 1,000 × 100: 133 · 65;
OBLONG                                                     70 × 4,000: 178 · 282; 80²: 12 · 7 ms, but SciPy to load
PROGRAM_TABLE,    those who matter, as they are asked      egalitarian on ballots 3,000 × 500: 39 · 49 ms; 7,000 ×
PROGRAM_ENTRIES,  for · the plain linear program, by       2,000: 0.46 · 0.22 s, with a ballot for each arm alone:
PROGRAM_DENSITY   HiGHS                                    minutes · 1 s; 100,000 × 300: 20 · 7 s
GAME_CUTS         cuts by the simplex · an augmented       gini with linear weights 550 × 480: 5 · 10 ms; 2,000 × 60:
                  Lagrangian                               minutes · 0.3 s; 20,000 × 60: hours · 0.4 s
FEW_TRANSPORTS,   cuts by the simplex · a linear program   gini with linear weights 40 × 700: 0.05 · 0.15 s; 90 × 300:
TRANSPORTS,       of transports, by HiGHS · an augmented   3.7 · 0.3 s; 140 × 200: 0.6 · 5 s; 300 × 400: 8.5 · 8 s
MOST_TRANSPORTS   Lagrangian
CROWD             distinct rows · moments of all rows      inequality 10⁶ × 20: 0.8 s · 0.06 s; 2 × 10⁴ × 20: 9 · 3 ms
CLONED_ARMS       equal arms as they are · told once,      10 × 10 without any: 0 · 0.5 µs; party lists of 600 arms:
                  with a count                             1.9 s · 2 ms, of 3,000: minutes · 0.03 s
DENSITY           lists · a dense table                    a pass over lists costs as much at one entry in two
IN_PLACE,         equal rows merged, Newton · rows read    nash 1,000 × 10: 0.13 ms · 0.10 ms; 5,000 × 10: 1.2 · 0.4;
SAMPLE            where they lie, a Hessian of some        100,000 × 10: 36 · 7; where rows repeat, 3 arms: 2.4 · 3.0
MERGED_ABOVE      rows as they are · equal ones merged     inequality 1,000 × 4: 0.035 ms · 0.076 ms, or 0.023 ms where
                                                           rows repeat; 10,000 × 4: 0.32 · 1.06, or 0.14
================  =======================================  ==========================================================
"""

from __future__ import annotations

MAX_CODE_SET_ARMS = 64
"""Favourite sets over more arms than this are stored as lists."""

DENSE_NASH_ARMS = 64
"""Sparse rows with more arms than this are stored as lists, unless the table has fewer than `DENSE_NASH_ENTRIES`
entries."""

DENSE_NASH_ENTRIES = 10_000
"""A table with fewer entries than this counts as small and stays dense."""

SPARSE_NASH_ARMS, WIDE_NASH_ARMS = 600, 128
"""Rows with more than `SPARSE_NASH_ARMS` arms are stored as lists at any density; so are rows with more than
`WIDE_NASH_ARMS` arms, if there are more than twice as many arms as agents."""

VARIANCE_ARMS = 64
"""The variance over more arms than this is minimised with LAPACK."""

SQUARE_VARIANCE_ARMS = 160
"""Up to this many arms, LAPACK is not used either if there are at least as many agents as arms and a single optimum."""

MAX_MERGED_AGENTS = 50_000
"""With more agents than this, rows are not sorted and merged before the variance is minimised; one pass computes their
moments instead."""

GAME_ARMS = 64
"""A game with more arms than this is solved on the relevant arms only."""

GAME_ENTRIES = 10_000
"""A game with more entries than this is solved on the relevant agents and arms only."""

MAX_SIMPLEX_ENTRIES = 30_000
"""If nearly all agents are relevant, a game with more entries than this is solved by a smooth method instead of the
simplex method."""

TRANSPORT_LP_MIN, TRANSPORT_LP_MAX, TRANSPORT_LP_FALLBACK_MAX = 2_500, 25_000, 100_000
"""Limits on the pairs of agent and rank for a Gini welfare of many ranks. Above the first, it is solved as a linear
program; above the second, by a smooth method that falls back on that program up to the third."""

MAX_RETRY_ENTRIES = 20_000
"""A game with more entries than this whose solution was not certified is not solved again as a whole: it would
take hours."""

SQUARE_LP_SIDE, SQUARE_LP_MAX_ENTRIES = 128, 2_000_000
"""A game with more than `SQUARE_LP_SIDE` agents and arms is solved as a linear program by HiGHS, if at most
`SQUARE_LP_MAX_ENTRIES` of its entries are above 0."""

OBLONG_LP_SIDE, OBLONG_LP_MAX_RATIO = 64, 32
"""So is a game with more than `OBLONG_LP_SIDE` agents and arms and more than `SQUARE_LP_SIDE`² entries, if its longer
side is at most `OBLONG_LP_MAX_RATIO` times the shorter one."""

SPARSE_LP_MIN_SIZE = 1_000_000
"""A sparse game with at least this many agents times arms is solved as a linear program by HiGHS, within the limits
below."""

SPARSE_LP_MAX_ENTRIES, SPARSE_LP_MAX_DENSITY = 10_000_000, 0.1
"""Maximum number and maximum fraction of entries above 0 for that linear program."""

FEW_GINI_RANKS, MAX_ROW_GENERATION_RANKS = 64, 512
"""A Gini welfare has few relevant ranks if it has at most `FEW_GINI_RANKS`, or at most a quarter of the number of
agents and at most `MAX_ROW_GENERATION_RANKS`; with more, it needs nearly all agents."""

SUBSAMPLED_NEWTON_ENTRIES = 50_000
"""From this many entries, the rows of a Nash product are read in place, unless rows repeat."""

REPEAT_SAMPLE_ROWS = 1_000
"""Approximate number of rows sampled to detect repeated rows."""

MERGE_AGENTS_ABOVE = 1_000
"""Equal agents are merged if there are more agents than this; with fewer, finding them costs more than it can save."""

MERGE_ARMS_ABOVE = 16
"""Duplicate arms are merged if there are more arms than this; with fewer, they cost less than the search for them, and
they get equal probabilities anyway."""

MAX_SPARSE_DENSITY = 0.5
"""A table with a larger fraction of entries above 0 stays dense."""

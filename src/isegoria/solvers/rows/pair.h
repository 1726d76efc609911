/* Pairs of doubles: numbers of about 32 digits as unevaluated sums hi + lo, |lo| at most half a last place of hi. */

#ifndef ISEGORIA_PAIR_H
#define ISEGORIA_PAIR_H

#include <math.h>
#include "solvers/rows/arena.h"
#include "solvers/rows/two_sum.h"

typedef struct {
    double hi, lo;
} pair;

static inline pair pair_of(double x)
{
    return (pair) {x, 0.0};
}

/* hi + lo when hi is the larger. */
static inline pair pair_settled(double hi, double lo)
{
    double sum = hi + lo;
    return (pair) {sum, lo - (sum - hi)};
}

static inline pair pair_plus(pair a, pair b)
{
    double s, e;
    TWO_SUM(a.hi, b.hi, s, e);
    return pair_settled(s, e + (a.lo + b.lo));
}

static inline pair pair_minus(pair a, pair b)
{
    return pair_plus(a, (pair) {-b.hi, -b.lo});
}

static inline pair pair_product(double a, double b)
{
    double a1, a0, b1, b0, p = a * b;
    HALVES(a, a1, a0);
    HALVES(b, b1, b0);
    return (pair) {p, LOST(p, a1, a0, b1, b0)};
}

static inline pair pair_scaled(pair a, double b)
{
    pair p = pair_product(a.hi, b);
    return pair_settled(p.hi, p.lo + a.lo * b);
}

static inline pair pair_times(pair a, pair b)
{
    pair p = pair_product(a.hi, b.hi);
    return pair_settled(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

/* total + x, to be settled when the last is in: sums of many wait for one addition each, not for ten. */
static inline pair pair_and(pair total, double x)
{
    pair sum;
    TWO_SUM(total.hi, x, sum.hi, sum.lo);
    sum.lo += total.lo;
    return sum;
}

static inline pair pair_over(pair a, pair b)
{
    double q = a.hi / b.hi;
    pair rest = pair_minus(a, pair_scaled(b, q));
    return pair_settled(q, (rest.hi + rest.lo) / b.hi);
}

static inline pair pair_root(pair a)
{
    double r = sqrt(a.hi);
    pair rest;
    if (!(r > 0))
        return pair_of(r);
    rest = pair_minus(a, pair_product(r, r));
    return pair_settled(r, (rest.hi + rest.lo) / (2 * r));
}

/* An array of pairs for each pointer named, from an arena. */
#define ARENA_PAIRS(arena, count, ...) ARENA_EACH(pair, arena_carve, arena, count, __VA_ARGS__)

#endif

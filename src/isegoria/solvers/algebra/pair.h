/* Pairs of doubles: numbers of about 32 digits as unevaluated sums hi + lo, |lo| at most half a last place of hi. */

#ifndef ISEGORIA_PAIR_H
#define ISEGORIA_PAIR_H

#include <math.h>
#include "rows/two_sum.h"

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

enum { PAIR_BLOCK = 64 }; /* rows worked on at a time: their digits stay in the nearest cache */

/* high + low = r p for each of `count` rows r (K,) of doubles, `width` apart; arms that are not played cost nothing. */
WIDE void pair_products(const double *rows, ptrdiff_t width, ptrdiff_t count, ptrdiff_t K, const double *p, double *high,
                        double *low)
{
    for (ptrdiff_t first = 0; first < count; first += 4) {
        int n = count - first < 4 ? (int) (count - first) : 4;
        const double *a = rows + first * width, *b = a + (n > 1) * width, *c = b + (n > 2) * width;
        const double *e = c + (n > 3) * width;
        lanes hi = SPREAD(0.0), lo = hi, sum, rest;
        for (ptrdiff_t k = 0; k < K; k++) {
            lanes y = {a[k], b[k], c[k], e[k]}, y1, y0, product = p[k] * y, lost;
            double x1, x0;
            if (p[k] == 0)
                continue;
            HALVES(p[k], x1, x0);
            HALVES(y, y1, y0);
            lo += LOST(product, x1, x0, y1, y0);
            TWO_SUM(hi, product, hi, lost);
            lo += lost;
        }
        sum = hi + lo;
        rest = lo - (sum - hi);
        for (int j = 0; j < n; j++) {
            high[first + j] = sum[j];
            low[first + j] = rest[j];
        }
    }
}

/* Numbers of at most 1 can be cut at a fixed place, which is quicker than halving them: of two that are cut there, the
   leading parts have exact products, which add up exactly, too, while the sum is below 2. */
#define PLACES 100663296.0 /* 3 * 2^25: what is added to it keeps the digits down to 2^-26 */
#define LEADING(a) (((a) + PLACES) - PLACES)

/* The same to about 2^-78 where no entry of r or p is much larger than 1, as in tables of means. */
WIDE void pair_utilities(const double *rows, ptrdiff_t width, ptrdiff_t count, ptrdiff_t K, const double *p,
                         double *high, double *low)
{
    for (ptrdiff_t first = 0; first < count; first += 4) {
        int n = count - first < 4 ? (int) (count - first) : 4;
        const double *a = rows + first * width, *b = a + (n > 1) * width, *c = b + (n > 2) * width;
        const double *e = c + (n > 3) * width;
        lanes hi = SPREAD(0.0), lo = hi, sum, rest;
        for (ptrdiff_t k = 0; k < K; k++) {
            lanes y = {a[k], b[k], c[k], e[k]}, y1 = LEADING(y);
            double p1 = LEADING(p[k]);
            if (p[k] == 0)
                continue;
            hi += p1 * y1;
            lo += p1 * (y - y1) + (p[k] - p1) * y;
        }
        sum = hi + lo;
        rest = lo - (sum - hi);
        for (int j = 0; j < n; j++) {
            high[first + j] = sum[j];
            low[first + j] = rest[j];
        }
    }
}

/* The sum of w_i (high_i + low_i) over n doubles w, in four lanes. */
WIDE pair pair_total(const double *w, const double *high, const double *low, ptrdiff_t n)
{
    lanes hi = SPREAD(0.0), lo = hi;
    pair total = {0.0, 0.0};
    ptrdiff_t i = 0;
    for (; i + 4 <= n; i += 4) {
        lanes x = AT(high + i), y = AT(w + i), x1, x0, y1, y0, p = x * y, e;
        HALVES(x, x1, x0);
        HALVES(y, y1, y0);
        lo += LOST(p, x1, x0, y1, y0) + AT(low + i) * y;
        TWO_SUM(hi, p, hi, e);
        lo += e;
    }
    for (int j = 0; i > 0 && j < 4; j++)
        total = pair_plus(total, pair_settled(hi[j], lo[j]));
    for (; i < n; i++)
        total = pair_plus(total, pair_scaled((pair) {high[i], low[i]}, w[i]));
    return total;
}

/* What each of n agents is apart from the mean, times its weight w, in place: high + low ← w (high + low − mean).
   Returns the weighted sum of the squares. */
WIDE pair pair_apart(const double *w, pair mean, ptrdiff_t n, double *restrict high, double *restrict low)
{
    lanes hi = SPREAD(0.0), lo = hi;
    pair total = {0.0, 0.0};
    for (ptrdiff_t first = 0; first < n; first += 4) {
        int m = n - first < 4 ? (int) (n - first) : 4;
        lanes x = SPREAD(mean.hi), y = SPREAD(mean.lo), v = SPREAD(0.0), d, e, x1, x0, v1, v0, p, q, lost;
        for (int j = 0; j < m; j++)
            x[j] = high[first + j], y[j] = low[first + j], v[j] = w[first + j];
        TWO_SUM(x, SPREAD(-mean.hi), d, e);
        y = e + (y - mean.lo);
        x = d + y;
        y = y - (x - d);
        HALVES(x, x1, x0);
        HALVES(v, v1, v0);
        p = x * v;
        q = LOST(p, x1, x0, v1, v0) + y * v;
        d = p + q;
        q = q - (d - p);
        HALVES(d, v1, v0);
        p = d * x;
        lo += LOST(p, v1, v0, x1, x0) + (d * y + q * x);
        TWO_SUM(hi, p, hi, lost);
        lo += lost;
        for (int j = 0; j < m; j++)
            high[first + j] = d[j], low[first + j] = q[j];
    }
    for (int j = 0; j < 4; j++)
        total = pair_plus(total, pair_settled(hi[j], lo[j]));
    return total;
}

/* s = u' A over n rows of K entries of at most 1, u = heavy_high + heavy_low of any size, to about 2^-78 of what the
   sizes of u add up to; the digits of s are kept apart, high and low (K,). */
WIDE void pair_gather_rows(const double *heavy_high, const double *heavy_low, const double *rows, ptrdiff_t n,
                           ptrdiff_t K, double *restrict high, double *restrict low)
{
    double size = 0, scale;
    int digits;
    for (ptrdiff_t i = 0; i < n; i++)
        size += fabs(heavy_high[i]);
    frexp(size, &digits);
    scale = ldexp(1, digits < -1000 ? 1000 : -digits); /* with which they add up to at most 1 */
    memset(high, 0, K * sizeof(double));
    memset(low, 0, K * sizeof(double));
    for (ptrdiff_t i = 0; i < n; i++) {
        const double *a = rows + i * K;
        double u = scale * heavy_high[i], u1 = LEADING(u), u0 = (u - u1) + scale * heavy_low[i];
        for (ptrdiff_t k = 0; k < K; k++) {
            double a1 = LEADING(a[k]);
            high[k] += u1 * a1;
            low[k] += u1 * (a[k] - a1) + u0 * a[k];
        }
    }
    for (ptrdiff_t k = 0; k < K; k++) {
        high[k] /= scale;
        low[k] /= scale;
    }
}

/* d = Ax for a table (K, m) of doubles kept column by column; arms that are not played cost nothing. */
WIDE void pair_combine(const double *A, ptrdiff_t m, ptrdiff_t K, const pair *x, pair *d)
{
    for (ptrdiff_t first = 0; first < m; first += PAIR_BLOCK) {
        ptrdiff_t n = m - first < PAIR_BLOCK ? m - first : PAIR_BLOCK;
        double high[PAIR_BLOCK] = {0}, low[PAIR_BLOCK] = {0};
        for (ptrdiff_t k = 0; k < K; k++)
            if (x[k].hi != 0)
                gather(x[k].hi, x[k].lo, A + k * m + first, n, high, low);
        for (ptrdiff_t i = 0; i < n; i++)
            d[first + i] = pair_settled(high[i], low[i]);
    }
}

/* The digits of some pairs, those above halved for products. */
typedef struct {
    double hi[PAIR_BLOCK], lo[PAIR_BLOCK], upper[PAIR_BLOCK], lower[PAIR_BLOCK];
} digits;

static inline void digits_put(digits *t, ptrdiff_t i, pair x)
{
    t->hi[i] = x.hi;
    t->lo[i] = x.lo;
    HALVES(x.hi, t->upper[i], t->lower[i]);
}

/* The sum of t_i c_i over n rows, n at most PAIR_BLOCK. */
INLINE pair digits_dot(const digits *t, const double *c, ptrdiff_t n)
{
    lanes hi = SPREAD(0.0), lo = hi;
    ptrdiff_t i = 0;
    pair total = {0.0, 0.0};
    for (; i + 4 <= n; i += 4) {
        lanes x = AT(t->hi + i), y = AT(c + i), y1, y0, p = x * y, e;
        HALVES(y, y1, y0);
        lo += LOST(p, AT(t->upper + i), AT(t->lower + i), y1, y0) + AT(t->lo + i) * y;
        TWO_SUM(hi, p, hi, e);
        lo += e;
    }
    for (int j = 0; i > 0 && j < 4; j++)
        total = pair_plus(total, pair_settled(hi[j], lo[j]));
    for (; i < n; i++)
        total = pair_plus(total, pair_scaled((pair) {t->hi[i], t->lo[i]}, c[i]));
    return total;
}

/* s = A'u for a table (K, m) of doubles kept column by column. */
WIDE void pair_dots(const double *A, ptrdiff_t m, ptrdiff_t K, const pair *u, pair *s)
{
    digits t;
    for (ptrdiff_t k = 0; k < K; k++)
        s[k] = pair_of(0);
    for (ptrdiff_t first = 0; first < m; first += PAIR_BLOCK) {
        ptrdiff_t n = m - first < PAIR_BLOCK ? m - first : PAIR_BLOCK;
        for (ptrdiff_t i = 0; i < n; i++)
            digits_put(&t, i, u[first + i]);
        for (ptrdiff_t k = 0; k < K; k++)
            s[k] = pair_plus(s[k], digits_dot(&t, A + k * m + first, n));
    }
}

/* Add A' diag(u / d) A on the listed arms to the lower triangle of H (size, size). */
WIDE void pair_hessian(const double *A, ptrdiff_t m, const ptrdiff_t *arms, ptrdiff_t size, const pair *d,
                       const pair *u, pair *H)
{
    pair curve[PAIR_BLOCK];
    digits t;
    for (ptrdiff_t first = 0; first < m; first += PAIR_BLOCK) {
        ptrdiff_t n = m - first < PAIR_BLOCK ? m - first : PAIR_BLOCK;
        for (ptrdiff_t i = 0; i < n; i++)
            curve[i] = pair_over(u[first + i], d[first + i]);
        for (ptrdiff_t k = 0; k < size; k++) {
            const double *column = A + arms[k] * m + first;
            for (ptrdiff_t i = 0; i < n; i++)
                digits_put(&t, i, pair_scaled(curve[i], column[i]));
            for (ptrdiff_t l = 0; l <= k; l++)
                H[k * size + l] = pair_plus(H[k * size + l], digits_dot(&t, A + arms[l] * m + first, n));
        }
    }
}

#endif

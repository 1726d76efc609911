/* Sums over rows and over columns of doubles, in pairs and in vector lanes: utilities, slopes, Hessians. */

#ifndef ISEGORIA_PAIR_SUMS_H
#define ISEGORIA_PAIR_SUMS_H

#include "solvers/rows/pair.h"

enum { PAIR_BLOCK = 64 }; /* rows worked on at a time: their digits stay in the nearest cache */

/* Numbers of at most 1 can be cut at a fixed place, which is quicker than halving them: of two that are cut there, the
   leading parts have exact products, which add up exactly, too, while the sum is below 2. */
#define PLACES 100663296.0 /* 3 * 2^25: what is added to it keeps the digits down to 2^-26 */
#define LEADING(a) (((a) + PLACES) - PLACES)

/* Four sums hi + lo, a product added to each, with what rounding lost of it. */
INLINE void add_product(lanes *hi, lanes *lo, lanes product, lanes lost)
{
    lanes e;
    *lo += lost;
    TWO_SUM(*hi, product, *hi, e);
    *lo += e;
}

INLINE pair lanes_total(lanes hi, lanes lo)
{
    pair total = {0.0, 0.0};
    for (int j = 0; j < 4; j++)
        total = pair_plus(total, pair_settled(hi[j], lo[j]));
    return total;
}

/* high + low = r p for each of `count` rows r (K,), `width` apart; arms that are not played cost nothing. */
INLINE void sums_of_rows(const double *rows, ptrdiff_t width, ptrdiff_t count, ptrdiff_t K, const double *p,
                         double *high, double *low, int fixed)
{
    for (ptrdiff_t first = 0; first < count; first += 4) {
        int n = count - first < 4 ? (int) (count - first) : 4;
        const double *a = rows + first * width, *b = a + (n > 1) * width, *c = b + (n > 2) * width;
        const double *e = c + (n > 3) * width;
        lanes hi = SPREAD(0.0), lo = hi, sum, rest;
        for (ptrdiff_t k = 0; k < K; k++) {
            lanes y = {a[k], b[k], c[k], e[k]}, y1, y0;
            double x1, x0;
            if (p[k] == 0)
                continue;
            if (fixed) {
                x1 = LEADING(p[k]), y1 = LEADING(y);
                hi += x1 * y1;
                lo += x1 * (y - y1) + (p[k] - x1) * y;
            } else {
                HALVES(p[k], x1, x0);
                HALVES(y, y1, y0);
                add_product(&hi, &lo, p[k] * y, LOST(p[k] * y, x1, x0, y1, y0));
            }
        }
        sum = hi + lo;
        rest = lo - (sum - hi);
        for (int j = 0; j < n; j++)
            high[first + j] = sum[j], low[first + j] = rest[j];
    }
}

WIDE void pair_products(const double *rows, ptrdiff_t width, ptrdiff_t count, ptrdiff_t K, const double *p, double *high,
                        double *low)
{
    sums_of_rows(rows, width, count, K, p, high, low, 0);
}

/* The same to about 2^-78 where no entry of r or p is much larger than 1, as in tables of means. */
WIDE void pair_utilities(const double *rows, ptrdiff_t width, ptrdiff_t count, ptrdiff_t K, const double *p,
                         double *high, double *low)
{
    sums_of_rows(rows, width, count, K, p, high, low, 1);
}

/* The sum of (high_i + low_i) c_i over n doubles c, in four lanes; the halves of `high` where they are known, or NULL. */
INLINE pair sum_of_products(const double *high, const double *low, const double *upper, const double *lower,
                            const double *c, ptrdiff_t n)
{
    lanes hi = SPREAD(0.0), lo = hi;
    pair total = {0.0, 0.0};
    ptrdiff_t i = 0;
    for (; i + 4 <= n; i += 4) {
        lanes x = AT(high + i), y = AT(c + i), x1, x0, y1, y0;
        HALVES(y, y1, y0);
        if (upper == NULL)
            HALVES(x, x1, x0);
        else
            x1 = AT(upper + i), x0 = AT(lower + i);
        add_product(&hi, &lo, x * y, LOST(x * y, x1, x0, y1, y0) + AT(low + i) * y);
    }
    if (i > 0)
        total = lanes_total(hi, lo);
    for (; i < n; i++)
        total = pair_plus(total, pair_scaled((pair) {high[i], low[i]}, c[i]));
    return total;
}

WIDE pair pair_total(const double *w, const double *high, const double *low, ptrdiff_t n)
{
    return sum_of_products(high, low, NULL, NULL, w, n);
}

/* What each of n agents is apart from the mean, times its weight w, in place: high + low ← w (high + low − mean).
   Returns the weighted sum of the squares. */
WIDE pair pair_apart(const double *w, pair mean, ptrdiff_t n, double *restrict high, double *restrict low)
{
    lanes hi = SPREAD(0.0), lo = hi;
    for (ptrdiff_t first = 0; first < n; first += 4) {
        int m = n - first < 4 ? (int) (n - first) : 4;
        lanes x = SPREAD(mean.hi), y = SPREAD(mean.lo), v = SPREAD(0.0), d, e, x1, x0, v1, v0, p, q;
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
        add_product(&hi, &lo, d * x, LOST(d * x, v1, v0, x1, x0) + (d * y + q * x));
        for (int j = 0; j < m; j++)
            high[first + j] = d[j], low[first + j] = q[j];
    }
    return lanes_total(hi, lo);
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
    return sum_of_products(t->hi, t->lo, t->upper, t->lower, c, n);
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

/* Loops over rows of a table that lies column by column, a bundle of at most BUNDLE rows at a time. */

#ifndef ISEGORIA_COLUMNS_H
#define ISEGORIA_COLUMNS_H

#include "solvers/rows/lanes.h"

enum { BUNDLE = HESSIAN_BLOCK };

/* Move n numbers to doubles on [0, 1]: (x - low) / width, or x itself where width is 0. */
#define LOADER(name, type)                                                                           \
    WIDE void name(const type *x, ptrdiff_t n, double low, double width, double *restrict a)         \
    {                                                                                                \
        if (width == 0)                                                                              \
            for (ptrdiff_t i = 0; i < n; i++)                                                        \
                a[i] = (double) x[i];                                                                \
        else                                                                                         \
            for (ptrdiff_t i = 0; i < n; i++)                                                        \
                a[i] = ((double) x[i] - low) / width;                                                \
    }

LOADER(load_double, double)
LOADER(load_float, float)
LOADER(load_int8, int8_t)
LOADER(load_uint8, uint8_t)

/* The best entry of each of n rows; returns 1 when some entry may be outside [0, 1] (see lanes_scan_row). */
WIDE int columns_best(const double *A, ptrdiff_t n, ptrdiff_t K, double *restrict best)
{
    const uint64_t one = 0x3FF0000000000000ULL;
    uint64_t alarm = 0, entry;
    for (ptrdiff_t i = 0; i < n; i++) {
        memcpy(&entry, A + i, 8);
        alarm |= entry | (one - entry);
        best[i] = A[i];
    }
    for (ptrdiff_t k = 1; k < K; k++) {
        const double *c = A + k * n;
        for (ptrdiff_t i = 0; i < n; i++) {
            memcpy(&entry, c + i, 8);
            alarm |= entry | (one - entry);
            best[i] = c[i] > best[i] ? c[i] : best[i];
        }
    }
    return alarm >> 63;
}

/* The favourites of n rows as bits, given the best entry of each; `gap` falls to the least distance to another entry. */
WIDE void columns_favourites(const double *A, ptrdiff_t n, ptrdiff_t K, double tolerance, const double *best,
                             uint64_t *restrict codes, double *restrict next, double *gap)
{
    double least = *gap;
    for (ptrdiff_t i = 0; i < n; i++) {
        codes[i] = 0;
        next[i] = -1;
    }
    for (ptrdiff_t k = 0; k < K; k++) {
        const double *c = A + k * n;
        const uint64_t place = (uint64_t) 1 << (k & 63);
        for (ptrdiff_t i = 0; i < n; i++) {
            int high = c[i] >= best[i] - tolerance;
            double rest = high ? -1.0 : c[i];
            codes[i] |= high ? place : 0;
            next[i] = rest > next[i] ? rest : next[i];
        }
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        double distance = next[i] >= 0 ? best[i] - next[i] : *gap;
        least = distance < least ? distance : least;
    }
    *gap = least;
}

/* Add w * x to a sum kept as high and low part, without a rounding that is lost; w may be NULL. */
WIDE void columns_sum(const double *x, const double *w, ptrdiff_t n, double *high, double *low)
{
    lanes h = SPREAD(0.0), l = SPREAD(0.0);
    ptrdiff_t i = 0;
    double hs = *high, ls = *low;
    if (!w)
        for (; i + 4 <= n; i += 4) {
            lanes v = AT(x + i), s = h + v, b = s - h;
            l += (h - (s - b)) + (v - b);
            h = s;
        }
    for (int lane = 0; lane < 4; lane++) {
        double s = hs + h[lane], b = s - hs;
        ls += (hs - (s - b)) + (h[lane] - b) + l[lane];
        hs = s;
    }
    for (; i < n; i++) {
        double v = w ? w[i] * x[i] : x[i], s = hs + v, b = s - hs;
        ls += (hs - (s - b)) + (v - b);
        if (w) { /* what the product lost: w is a whole number below 2^53 */
            double c = 134217729.0 * w[i], wh = c - (c - w[i]), wl = w[i] - wh;
            double e = 134217729.0 * x[i], xh = e - (e - x[i]), xl = x[i] - xh;
            ls += ((wh * xh - v) + wh * xl + wl * xh) + wl * xl;
        }
        hs = s;
    }
    *high = hs;
    *low = ls;
}

/* Add the row of K entries that begins at `from` with a step of n to a table of rows. */
static inline void columns_row(const double *from, ptrdiff_t n, ptrdiff_t K, double *to)
{
    for (ptrdiff_t k = 0; k < K; k++)
        to[k] = from[k * n];
}

#endif

/* Sums and products of doubles split into their rounded value and what rounding lost: Knuth's two-sum, Dekker's
   two-product. Every machine with IEEE doubles gives the same bits: none has to have a longer type.

   Nothing may be reassociated or fused here, which setup.py sees to. */

#ifndef ISEGORIA_TWO_SUM_H
#define ISEGORIA_TWO_SUM_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include "solvers/rows/lanes.h"

#if FLT_EVAL_METHOD != 0
#error "Isegoria needs arithmetic that rounds to double after each operation (on 32-bit x86: -msse2 -mfpmath=sse)."
#endif

#define INLINE static inline __attribute__((always_inline, unused))

#define SPLITTER 134217729.0 /* 2^27 + 1: a product with it separates the upper half of a double's digits */

/* s + e = a + b exactly, for doubles or for lanes of them. */
#define TWO_SUM(a, b, s, e)                       \
    do {                                          \
        __typeof__(s) first_ = (a), other_ = (b); \
        (s) = first_ + other_;                    \
        __typeof__(s) back_ = (s) - first_;       \
        (e) = (first_ - ((s) - back_)) + (other_ - back_); \
    } while (0)

/* upper + lower = a exactly, each of at most 26 digits. */
#define HALVES(a, upper, lower)                        \
    do {                                               \
        __typeof__(upper) wide_ = (a) * SPLITTER;      \
        (upper) = wide_ - (wide_ - (a));               \
        (lower) = (a) - (upper);                       \
    } while (0)

/* What rounding lost in p = a b, from the halves of a and b. */
#define LOST(p, a1, a0, b1, b0) (((((a1) * (b1) - (p)) + (a1) * (b0)) + (a0) * (b1)) + (a0) * (b0))

/* s += (u + v) a for a vector a (n,), v the further digits of u; those of s are kept apart, high (n,) and low (n,). */
INLINE void gather(double u, double v, const double *restrict a, ptrdiff_t n, double *restrict high,
                   double *restrict low)
{
    double u1, u0;
    HALVES(u, u1, u0);
    for (ptrdiff_t i = 0; i < n; i++) {
        double a1, a0, p = u * a[i], e;
        HALVES(a[i], a1, a0);
        low[i] += LOST(p, u1, u0, a1, a0) + v * a[i];
        TWO_SUM(high[i], p, high[i], e);
        low[i] += e;
    }
}

/* s += a, which loses nothing. */
INLINE void gather_once(const double *restrict a, ptrdiff_t n, double *restrict high, double *restrict low)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double e;
        TWO_SUM(high[i], a[i], high[i], e);
        low[i] += e;
    }
}

/* Adds N rows (K,) up, each `weights` (N,) times, or once where that is NULL; returns how many they are. */
WIDE double sum_rows(const double *rows, const int64_t *weights, ptrdiff_t N, ptrdiff_t K, double *high, double *low)
{
    double total = 0;
    for (ptrdiff_t i = 0; i < N; i++) {
        double w = weights == NULL ? 1 : (double) weights[i];
        total += w;
        if (w == 1)
            gather_once(rows + i * K, K, high, low);
        else
            gather(w, 0, rows + i * K, K, high, low);
    }
    return total;
}

#endif

/* Loops over many numbers, four lanes at a time.

   On x86-64 with gcc and glibc each is built twice, for any processor and for those with AVX2, and the loader picks.
   A sum is always taken in four lanes and never fused with a product (-ffp-contract=off), so that every processor gives
   the same bits. */

#ifndef ISEGORIA_LANES_H
#define ISEGORIA_LANES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__GNUC__)
#error "Isegoria's kernels use vectors that this compiler does not know: build with gcc or clang (or clang-cl)."
#endif

#if !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && !defined(ISEGORIA_DEBUG)
#define WIDE __attribute__((target_clones("avx2", "default"), unused)) static
#else
#define WIDE __attribute__((unused)) static
#endif

typedef double lanes __attribute__((vector_size(32), aligned(8), may_alias));
typedef uint64_t bits __attribute__((vector_size(32), aligned(8), may_alias));

#define AT(p) (*(const lanes *) (p))
#define SUM(t) (((t)[0] + (t)[1]) + ((t)[2] + (t)[3]))
#define SPREAD(x) ((lanes) {(x), (x), (x), (x)})

enum { HESSIAN_BLOCK = 512 }; /* rows whose curvature stays in the nearest cache */

/* d = Ax for a table (K, m) kept column by column; arms that are not played cost nothing. */
WIDE void lanes_combine(const double *A, ptrdiff_t m, ptrdiff_t K, const double *x, double *restrict d)
{
    memset(d, 0, m * sizeof(double));
    for (ptrdiff_t k = 0; k < K;) {
        const double *c[4];
        double y[4] = {0, 0, 0, 0};
        int found = 0;
        for (; k < K && found < 4; k++)
            if (x[k] != 0) {
                c[found] = A + k * m;
                y[found++] = x[k];
            }
        for (int j = found; j < 4; j++)
            c[j] = A;
        if (found)
            for (ptrdiff_t i = 0; i < m; i++)
                d[i] += (y[0] * c[0][i] + y[1] * c[1][i]) + (y[2] * c[2][i] + y[3] * c[3][i]);
    }
}

/* u = w / d. */
WIDE void lanes_divide(const double *w, const double *d, ptrdiff_t m, double *restrict u)
{
    for (ptrdiff_t i = 0; i < m; i++)
        u[i] = w[i] / d[i];
}

/* s = A'u for a table (K, m) kept column by column: four columns share each load of u. */
WIDE void lanes_dots(const double *A, ptrdiff_t m, ptrdiff_t K, const double *u, double *s)
{
    for (ptrdiff_t k = 0; k < K; k += 4) {
        const double *c[4];
        lanes t[4] = {SPREAD(0.0), SPREAD(0.0), SPREAD(0.0), SPREAD(0.0)};
        ptrdiff_t i = 0;
        for (int j = 0; j < 4; j++)
            c[j] = A + (k + j < K ? k + j : K - 1) * m;
        for (; i + 4 <= m; i += 4) {
            lanes v = AT(u + i);
            t[0] += v * AT(c[0] + i);
            t[1] += v * AT(c[1] + i);
            t[2] += v * AT(c[2] + i);
            t[3] += v * AT(c[3] + i);
        }
        for (int j = 0; j < 4 && k + j < K; j++) {
            double total = SUM(t[j]);
            for (ptrdiff_t rest = i; rest < m; rest++)
                total += u[rest] * c[j][rest];
            s[k + j] = total;
        }
    }
}

/* The eight dot products of t0 and t1 with four columns. */
#define TILE(t0, t1, c, n, sums)                                          \
    do {                                                                  \
        lanes a0 = SPREAD(0.0), a1 = a0, a2 = a0, a3 = a0;                \
        lanes b0 = a0, b1 = a0, b2 = a0, b3 = a0;                         \
        ptrdiff_t i = 0;                                                  \
        for (; i + 4 <= (n); i += 4) {                                    \
            lanes u = AT((t0) + i), v = AT((t1) + i), y;                  \
            y = AT((c)[0] + i), a0 += u * y, b0 += v * y;                 \
            y = AT((c)[1] + i), a1 += u * y, b1 += v * y;                 \
            y = AT((c)[2] + i), a2 += u * y, b2 += v * y;                 \
            y = AT((c)[3] + i), a3 += u * y, b3 += v * y;                 \
        }                                                                 \
        sums[0] = SUM(a0), sums[1] = SUM(a1), sums[2] = SUM(a2);          \
        sums[3] = SUM(a3), sums[4] = SUM(b0), sums[5] = SUM(b1);          \
        sums[6] = SUM(b2), sums[7] = SUM(b3);                             \
        for (; i < (n); i++)                                              \
            for (int j = 0; j < 4; j++) {                                 \
                sums[j] += (t0)[i] * (c)[j][i];                           \
                sums[4 + j] += (t1)[i] * (c)[j][i];                       \
            }                                                             \
    } while (0)

/* Add A' diag(u / d) A on the `size` listed arms to the lower triangle of H. */
WIDE void lanes_hessian(const double *A, ptrdiff_t m, const ptrdiff_t *arms, ptrdiff_t size, const double *d,
                        const double *u, double *H)
{
    double curve[HESSIAN_BLOCK], t[2][HESSIAN_BLOCK], sums[8];
    for (ptrdiff_t first = 0; first < m; first += HESSIAN_BLOCK) {
        ptrdiff_t n = m - first < HESSIAN_BLOCK ? m - first : HESSIAN_BLOCK;
        for (ptrdiff_t i = 0; i < n; i++)
            curve[i] = u[first + i] / d[first + i];
        for (ptrdiff_t k = 0; k < size; k += 2) { /* an odd last arm is paired with itself: its copy is not stored */
            const double *one = A + arms[k] * m + first;
            const double *two = A + arms[k + 1 < size ? k + 1 : k] * m + first;
            for (ptrdiff_t i = 0; i < n; i++) {
                t[0][i] = curve[i] * one[i];
                t[1][i] = curve[i] * two[i];
            }
            for (ptrdiff_t l = 0; l <= k + 1 && l < size; l += 4) {
                const double *c[4];
                for (int j = 0; j < 4; j++)
                    c[j] = A + arms[l + j < size ? l + j : size - 1] * m + first;
                TILE(t[0], t[1], c, n, sums);
                for (int j = 0; j < 4; j++) {
                    if (l + j <= k)
                        H[k * size + l + j] += sums[j];
                    if (k + 1 < size && l + j <= k + 1)
                        H[(k + 1) * size + l + j] += sums[4 + j];
                }
            }
        }
    }
}

/* `count` rows of K entries, `stride` entries apart, as columns of A (K, count). */
WIDE void lanes_transpose(const double *rows, ptrdiff_t stride, ptrdiff_t count, ptrdiff_t K, double *restrict A)
{
    ptrdiff_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const double *a = rows + i * stride, *b = a + stride, *c = b + stride, *e = c + stride;
        for (ptrdiff_t k = 0; k < K; k++) {
            lanes v = {a[k], b[k], c[k], e[k]};
            *(lanes *) (A + k * count + i) = v;
        }
    }
    for (; i < count; i++)
        for (ptrdiff_t k = 0; k < K; k++)
            A[k * count + i] = rows[i * stride + k];
}

#define CHOOSE(mask, yes, no) ((lanes) (((bits) (yes) & (bits) (mask)) | ((bits) (no) & ~(bits) (mask))))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define LARGEST(t) LARGER(LARGER((t)[0], (t)[1]), LARGER((t)[2], (t)[3]))

/* The favourites of a row of K entries, as bits (meaningless beyond 64): those within `tolerance` of the largest.

   `gap` falls to the distance of the next entry, where that is less. Returns 1 when some entry may be outside [0, 1]:
   doubles inside are those whose bits are at most those of 1.0, which sees NaN, infinity and minus zero too. */
WIDE int lanes_scan_row(const double *row, ptrdiff_t K, double tolerance, uint64_t *code, double *gap)
{
    const uint64_t one = 0x3FF0000000000000ULL;
    bits alarms = {0, 0, 0, 0}, place = {1, 2, 4, 8}, found = {0, 0, 0, 0};
    lanes best = SPREAD(row[0]), below = SPREAD(-1.0), floors;
    uint64_t alarm, entry;
    double most, next;
    ptrdiff_t k = 0, whole = K & ~(ptrdiff_t) 3;
    for (; k < whole; k += 4) {
        lanes v = AT(row + k);
        alarms |= (bits) v | (one - (bits) v);
        best = CHOOSE(v > best, v, best);
    }
    alarm = alarms[0] | alarms[1] | alarms[2] | alarms[3];
    most = LARGEST(best);
    for (; k < K; k++) {
        memcpy(&entry, row + k, 8);
        alarm |= entry | (one - entry);
        most = row[k] > most ? row[k] : most;
    }
    floors = SPREAD(most - tolerance);
    for (k = 0; k < whole; k += 4, place <<= 4) {
        lanes v = AT(row + k);
        bits high = (bits) (v >= floors);
        lanes rest = CHOOSE(high, SPREAD(-1.0), v);
        found |= high & place;
        below = CHOOSE(rest > below, rest, below);
    }
    *code = found[0] | found[1] | found[2] | found[3];
    next = LARGEST(below);
    for (; k < K; k++)
        if (row[k] >= most - tolerance)
            *code |= (uint64_t) 1 << (k & 63);
        else
            next = row[k] > next ? row[k] : next;
    if (next >= 0 && most - next < *gap)
        *gap = most - next;
    return alarm >> 63;
}

/* The row i of a table with the lowest sum over k of p_k A_ik, the first of several, and that sum; the table is kept
   column by column, `stride` apart, a multiple of 4, and its last row is repeated up to there. */
WIDE ptrdiff_t lanes_lowest(const double *A, ptrdiff_t stride, ptrdiff_t K, const double *p, double *least)
{
    lanes low = SPREAD(0.0), at = low, here = {0, 1, 2, 3};
    ptrdiff_t best = 0;
    for (ptrdiff_t first = 0; first < stride; first += 4, here += 4) {
        lanes u = SPREAD(0.0);
        bits lower;
        for (ptrdiff_t k = 0; k < K; k++)
            u += p[k] * AT(A + k * stride + first);
        lower = first == 0 ? ~(bits) SPREAD(0.0) : (bits) (u < low);
        low = CHOOSE(lower, u, low);
        at = CHOOSE(lower, here, at);
    }
    for (int j = 1; j < 4; j++)
        if (low[j] < low[best] || (low[j] == low[best] && at[j] < at[best]))
            best = j;
    *least = low[best];
    return (ptrdiff_t) at[best];
}

/* The largest entry of a row. */
WIDE double lanes_largest(const double *row, ptrdiff_t K)
{
    lanes best = SPREAD(row[0]);
    double most;
    ptrdiff_t k = 0, whole = K & ~(ptrdiff_t) 3;
    for (; k < whole; k += 4) {
        lanes v = AT(row + k);
        best = CHOOSE(v > best, v, best);
    }
    most = LARGEST(best);
    for (; k < K; k++)
        most = row[k] > most ? row[k] : most;
    return most;
}

#endif

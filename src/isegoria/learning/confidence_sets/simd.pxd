"""Vectorised loops over all agents, for rounds in which each of them reported a reward.

The results equal those of a loop agent by agent. `WIDE` also builds each loop for wider vectors, where available.
"""

cdef extern from *:
    """
    #include "solvers/rows/lanes.h"

    /* Whether none of n rewards is missing (NaN). */
    WIDE int all_told(const double *x, ptrdiff_t n)
    {
        int64_t missing = 0;
        for (ptrdiff_t i = 0; i < n; i++)
            missing += x[i] != x[i];
        return missing == 0;
    }

    /* Sums, counts and their quotients, after one more reward x of each. */
    WIDE void tally_told(const double *x, ptrdiff_t n, double *restrict sum, double *restrict count,
                         double *restrict mean)
    {
        for (ptrdiff_t i = 0; i < n; i++) {
            sum[i] += x[i];
            count[i] += 1.0;
            mean[i] = sum[i] / count[i];
        }
    }

    /* Add a reward to each sum; with `anew`, start from 0. */
    WIDE void add_told(const double *x, ptrdiff_t n, int anew, double *restrict sum)
    {
        if (anew)
            for (ptrdiff_t i = 0; i < n; i++)
                sum[i] = 0.0 + x[i];
        else
            for (ptrdiff_t i = 0; i < n; i++)
                sum[i] += x[i];
    }

    /* Pay full pairs of the watch, sums `own` against `ahead` with so much for each reward: two evidences, to each of
       which `start` is staked first. Whether the mean of the two has reached its limit anywhere. */
    WIDE int pay_told(const double *own, double own_part, const double *ahead, double ahead_part, const double *start,
                      const double *limit, ptrdiff_t n, double slow_bet, double quick_bet, double *restrict slow,
                      double *restrict quick)
    {
        int64_t reached = 0;
        for (ptrdiff_t i = 0; i < n; i++) {
            double z = own[i] * own_part - ahead[i] * ahead_part;
            slow[i] = (slow[i] + start[i]) * (1.0 + slow_bet * z);
            quick[i] = (quick[i] + start[i]) * (1.0 + quick_bet * z);
            reached += (slow[i] + quick[i]) / 2.0 >= limit[i];
        }
        return reached != 0;
    }
    """
    int all_told(const double* x, Py_ssize_t n) nogil
    void tally_told(const double* x, Py_ssize_t n, double* total, double* count, double* mean) nogil
    void add_told(const double* x, Py_ssize_t n, int anew, double* total) nogil
    int pay_told(const double* own, double own_part, const double* ahead, double ahead_part, const double* start,
                 const double* limit, Py_ssize_t n, double slow_bet, double quick_bet, double* slow,
                 double* quick) nogil

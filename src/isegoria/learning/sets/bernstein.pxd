# The bounds of one agent on one arm, for compiled loops: eight numbers, so that a pair fills one cache line.

cdef enum:
    COUNT = 0       # n: rewards seen (what is left of them, where the past fades)
    SUM = 1         # Σ x
    SPREAD = 2      # Σ (x − the running mean that includes it)²
    BETS = 3        # Σ λ
    WON = 4         # Σ λ x
    PRICE = 5       # Σ v ψ(λ)
    LOWER = 6
    UPPER = 7
    FIELDS = 8

cdef bint observe(double* pair, double x, double log_term) noexcept nogil
cdef void interval(const double* pair, double log_term, double* lower, double* upper) noexcept nogil
cdef void fade(double* pair, double share, double log_term) noexcept nogil
cdef void restart(double* pair) noexcept nogil

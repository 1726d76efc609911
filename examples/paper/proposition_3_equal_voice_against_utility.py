"""Proposition 3: on some instances no policy has both perfect procedural fairness and the largest total utility.

Published on rows (M, 0, …) and N - 1 times (0, 1, 0, …), 0 < M < 1: the utilitarian policy is (0, 1, 0, …), the only
fair one (1/N, (N-1)/N, 0, …).
"""

import numpy as np

import isegoria as iso


def main():
    for n in (2, 3, 5, 20):
        for m in (0.1, 0.5, 0.9):
            instance = iso.Instance([[m, 0, 0], [0, 1, 0]], weights=[1, n - 1])
            assert iso.solve(instance, "utilitarian").policy.tolist() == [0, 1, 0]
            fair = iso.solve(instance, "utilitarian", within="fair")
            assert np.allclose(fair.policy, [1 / n, (n - 1) / n, 0], rtol=0, atol=1e-12)
            price = 1 - iso.frontier(instance).values[-1]
            assert abs(price - ((n - 1) - m) / (n * (n - 1))) < 1e-12
            assert price > 0
    print(
        "Proposition 3: on 12 published instances equal voice costs (N-1-M) / (N(N-1)) of the utility, never nothing."
    )


if __name__ == "__main__":
    main()

"""Proposition 2: on some instances no policy has both perfect procedural fairness and least inequality.

Published on rows (M, 0, …) and N - 1 times (0, 1, 0, …), 0 < M < 1: the only fair policy is (1/N, (N-1)/N, 0, …) with
inequality 2 (N-1-M)^2 / N^3, where (1, M) / (1+M) has none.
"""

import numpy as np

import isegoria as iso


def main():
    for n in (2, 3, 5, 20):
        for m in (0.1, 0.5, 0.9):
            instance = iso.Instance([[m, 0, 0], [0, 1, 0]], weights=[1, n - 1])
            best_fair = iso.solve(instance, "inequality", within="fair")
            assert np.allclose(best_fair.policy, [1 / n, (n - 1) / n, 0], rtol=0, atol=1e-12)
            assert abs(best_fair.value - 2 * (n - 1 - m) ** 2 / n**3) < 1e-12
            assert best_fair.value > 0
            least = iso.solve(instance, "inequality")
            assert least.value < 1e-15
            assert iso.frontier(instance, "equality").values[-1] < 1
            assert iso.RULES["inequality"].evaluate(instance, np.array([1, m, 0]) / (1 + m)) < 1e-15
    print("Proposition 2: on 12 published instances even the most equal fair policy has D = 2 (N-1-M)^2 / N^3 > 0.")


if __name__ == "__main__":
    main()

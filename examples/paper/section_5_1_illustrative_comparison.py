"""Section 5.1.3, a comparison: equal voice is (2/3, 1/3), equal outcomes (1/2, 1/2), and most utility (1, 0)."""

import numpy as np

import isegoria as iso


def main():
    table = iso.compare(iso.Instance([[1, 0], [1, 0], [0, 1]]))
    published = {"procedural": [2 / 3, 1 / 3], "inequality": [1 / 2, 1 / 2], "utilitarian": [1, 0]}
    for objective, policy in published.items():
        assert np.allclose(table[objective].solution.policy, policy, rtol=0, atol=1e-12)
    assert table["inequality"].solution.value < 1e-15  # everyone has 0.5
    print("Illustrative comparison: (2/3, 1/3) for voice, (1/2, 1/2) for equality, (1, 0) for utility.")


if __name__ == "__main__":
    main()

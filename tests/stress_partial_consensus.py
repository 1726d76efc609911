"""`make stress`: MaxParC against its definition on 10,000 random small profiles; exit code 1 if one differs."""

import sys

from oracles.partial_consensus import count_disagreements

if __name__ == "__main__":
    different = count_disagreements(10_000, seed=1)
    print(f"MaxParC: {different} of 10,000 profiles differ from the largest solution of its definition")
    sys.exit(bool(different))

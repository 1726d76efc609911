"""`make bits`: a digest of every policy that this build finds on a hostile sample, one line for each objective.

Two builds of the same source print the same lines, whatever compiler and processor they are for. (Values pass through
the logarithm of the C library, and `within` through NumPy's: these are promised to 1e-12, not to the last bit.)
"""

import hashlib
import warnings

import isegoria as iso
from oracles.hostile import hostile
from oracles.promises import build

SAMPLE = range(0, 3000, 10)

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    instances = [build(*hostile(number)) for number in SAMPLE]
    for objective in iso.OBJECTIVES:
        digest = hashlib.sha256()
        for instance in instances:
            for tie_break in iso.objectives.TIE_BREAKS:
                digest.update(iso.solve(instance, objective, tie_break).policy.tobytes())
        print(objective, digest.hexdigest())

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

WELFARES: Any
def welfares(by_arm: np.ndarray, weights: np.ndarray, spread: np.ndarray, policies: np.ndarray) -> Any: ...

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

CODE_ARMS: Any
def scan(means: np.ndarray, tolerance: float) -> Any: ...
def mean_row(rows: np.ndarray, weights: np.ndarray | None = ...) -> Any: ...

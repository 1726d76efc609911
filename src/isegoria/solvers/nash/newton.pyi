# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def optimum(A: np.ndarray, w: np.ndarray, warm_up: int = ..., settled: float = ...) -> Any: ...

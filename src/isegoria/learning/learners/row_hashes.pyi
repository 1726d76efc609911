# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def row_hashes(table: np.ndarray, arms: np.ndarray, rows: np.ndarray, weights: Any) -> Any: ...

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def rolling(starts: np.ndarray, values: np.ndarray, ends: np.ndarray, window: int) -> Any: ...

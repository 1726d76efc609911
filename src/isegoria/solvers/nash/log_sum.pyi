# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def maximise(rows: np.ndarray, weights: np.ndarray, tie_break: Any = ..., direction: Any = ..., copies: np.ndarray | None = ..., start: Any = ...) -> Any: ...

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def maximise_rows(rows: np.ndarray, weights: Any = ..., tie_break: Any = ..., direction: Any = ..., copies: Any = ...) -> Any: ...

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def merge_rows(rows: np.ndarray, weights: np.ndarray | None = ...) -> Any: ...
def merge_codes(codes: np.ndarray, weights: np.ndarray | None = ..., members: bool = ...) -> Any: ...

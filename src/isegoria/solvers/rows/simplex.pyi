# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def simplex_point(values: np.ndarray) -> Any: ...
def inner(one: np.ndarray, other: np.ndarray) -> Any: ...

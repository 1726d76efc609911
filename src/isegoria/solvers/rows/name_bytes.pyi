# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def hash_names(data: np.ndarray, ends: np.ndarray) -> Any: ...
def blank_name(data: np.ndarray, ends: np.ndarray) -> Any: ...

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def toss(draws: np.ndarray, means: np.ndarray) -> Any: ...

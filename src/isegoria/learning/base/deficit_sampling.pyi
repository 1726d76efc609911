# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def chances(deficit: np.ndarray, policy: np.ndarray, arms: np.ndarray, floor: float) -> Any: ...
def record_play(deficit: np.ndarray, policy: np.ndarray, arm: int) -> Any: ...

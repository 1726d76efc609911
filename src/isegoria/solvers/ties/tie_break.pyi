# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from enum import StrEnum
from typing import Any

import numpy as np

class TieBreak(StrEnum):
    ...
    CENTRE = "centre"
    VERTEX = "vertex"
    UTILITARIAN = "utilitarian"
def best_arms(values: np.ndarray, tie: float, first: bool = ...) -> Any: ...

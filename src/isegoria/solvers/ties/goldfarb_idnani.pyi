# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

class Projection:
    def __getattr__(self, name: str) -> Any: ...
    margin: float
    empty: bool
    def __init__(self, arms: int, cuts: Any = ..., level: float = ..., equal: Any = ..., given: Any = ..., separate: Any = ..., copies: np.ndarray | None = ...) -> None: ...
    def nearest(self, target: np.ndarray) -> Any: ...

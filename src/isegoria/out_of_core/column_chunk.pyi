# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

KINDS: Any

class Columns:
    def __getattr__(self, name: str) -> Any: ...
    arrays: list[Any]
    weights: np.ndarray
    rows: int
    arms: int
    low: float
    width: float
    def __init__(self, arrays: list[Any], weights: np.ndarray | None = ..., low: float = ..., width: float = ...) -> None: ...
    def take(self, places: Any) -> Any: ...
    def weights_at(self, places: Any) -> Any: ...

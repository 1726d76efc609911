# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def equalities(directions: np.ndarray, tied: np.ndarray, policy: np.ndarray) -> Any: ...

class ActiveSet:
    def __getattr__(self, name: str) -> Any: ...
    arms: int
    active: int
    equalities: int
    def __init__(self, arms: int, *args: Any, **kwargs: Any) -> None: ...

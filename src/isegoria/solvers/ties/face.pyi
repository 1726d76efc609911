# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def pick_on(held: np.ndarray, point: np.ndarray, tie_break: Any, direction: np.ndarray | None, copies: np.ndarray | None = ...) -> Any: ...
def pick(H: Any, p0: Any, slack: Any, tie_break: Any = ..., direction: Any = ..., noise: float = ..., copies: np.ndarray | None = ...) -> Any: ...

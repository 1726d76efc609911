# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

class Parting:
    def __getattr__(self, name: str) -> Any: ...
    def __init__(self, network: Any, shares: np.ndarray, policy: np.ndarray, ratios: np.ndarray) -> None: ...

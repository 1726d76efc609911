# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def parse(data: bytes, columns: int, named: int, separator: int, table: np.ndarray, first: int, names: np.ndarray, ends: np.ndarray) -> Any: ...

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def centred_columns(rows: np.ndarray, tied: np.ndarray) -> Any: ...
def row_directions(matrix: np.ndarray) -> Any: ...

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

import numpy as np

def inner_product(a: np.ndarray, b: np.ndarray) -> Any: ...
def computed(operation: str, a: tuple, b: tuple) -> Any: ...

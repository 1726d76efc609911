# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

PAIR: Any
SIZES: Any
def unknown_pairs(arms: int, agents: int) -> Any: ...
def pair_sizes(front: float, behind: float, whole: bool = ...) -> Any: ...

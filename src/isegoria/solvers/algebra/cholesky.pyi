# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

def solved(matrix: Any, b: Any, relative: float = ..., absolute: float = ..., in_pairs: bool = ...) -> Any: ...

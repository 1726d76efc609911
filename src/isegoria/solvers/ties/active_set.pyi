# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

class ActiveSet:
    def __getattr__(self, name: str) -> Any: ...
    arms: int
    active: int
    equalities: int
    def __init__(self, arms: int, *args: Any, **kwargs: Any) -> None: ...
def held(normals: Any, bounds: Any, target: Any) -> Any: ...

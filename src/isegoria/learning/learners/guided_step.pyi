# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

from isegoria.learning.runs.loop import Step

class GuidedStep(Step):
    def __getattr__(self, name: str) -> Any: ...
    def __init__(self, sets: Any, truth: Any, tally: Any, rows: Any, gamma: float, in_doubt: float, discount: float, every: int) -> None: ...

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

from isegoria.learning.simulation.compiled_loop import Step

class ProceduralStep(Step):
    def __getattr__(self, name: str) -> Any: ...
    def __init__(self, sets: Any, truth: Any, tally: Any, rows: Any, arms: Any, gamma: float, alpha: float) -> None: ...

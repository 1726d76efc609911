# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

from isegoria.learning.simulation.compiled_loop import Step

class GuidedStep(Step):
    def __getattr__(self, name: str) -> Any: ...
    def __init__(self, sets: Any, truth: Any, voices: Any, tally: Any, rows: Any, version: int, happened: Any) -> None: ...

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

def scan_ballots(text: bytes, start: int, lines: int, first: int, arms: int, strict: bool, categories: bool) -> Any: ...

# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from enum import StrEnum
from typing import Any

class TieBreak(StrEnum):
    ...

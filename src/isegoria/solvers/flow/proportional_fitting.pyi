# Written by docs/stubs.py from the source of the kernel; run `make docs` after a change there.
from typing import Any

def fitted(rows: Any, masses: Any, policy: Any, tight: Any) -> Any: ...

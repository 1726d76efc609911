"""The page that needs no installation. The verifiers behind one face are a module beside the verifier's tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "verifier"))

import engines  # noqa: F401

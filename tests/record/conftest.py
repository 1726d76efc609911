"""The tests' own maker of records is beside the verifiers' tests."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "verifier"))

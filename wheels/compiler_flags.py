"""How every kernel is compiled, natively (setup.py) and for other machines (cross_build.py): flags and macros."""

from __future__ import annotations

import os

SANITISE = os.environ.get("ISEGORIA_SANITISE") == "1"
STABLE = os.environ.get("ISEGORIA_ABI3") == "1"
LIMITED = ("Py_LIMITED_API", "0x030C0000")
MACROS = [("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")]
SANITISERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
FAITHFUL = ["-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"]
"""Every product and every sum rounds by itself."""
FAST = ["-O3", "-g0", "-w"]  # the C is Cython's, and so are its warnings
WATCHED = ["-O1", "-g", "-DISEGORIA_DEBUG", *SANITISERS]

"""Learning equal voice: learners that ask and tell, the worlds they learn in, and what theory says about them.

The public names of this floor can be had from here as well as from `isegoria`; they are loaded when first used.
"""

from importlib import import_module
from typing import Any

import isegoria


def __getattr__(name: str) -> Any:
    home = isegoria._HOME.get(name, "")
    if not home.startswith("learning."):
        raise AttributeError(f"module 'isegoria.learning' has no attribute {name!r}")
    return getattr(import_module(f"isegoria.{home}"), name)

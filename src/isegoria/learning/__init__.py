"""Learners, the environments they act in, simulations, and the paper's regret bounds.

The public names of this package are available here as well as from `isegoria`. They are loaded when first used.
"""

from importlib import import_module
from typing import Any

import isegoria


def __getattr__(name: str) -> Any:
    home = isegoria._PUBLIC_NAMES.get(name, "")
    if not home.startswith("learning."):
        raise AttributeError(f"module 'isegoria.learning' has no attribute {name!r}")
    return getattr(import_module(f"isegoria.{home}"), name)

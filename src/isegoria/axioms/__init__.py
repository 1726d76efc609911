"""What a policy or a rule can be asked for in the name of fairness, decided with a proof or a witness.

>>> import isegoria as iso
>>> group = iso.Instance.from_approvals(["a", "ab"])
>>> iso.axioms.check(group, [0.5, 0.5], "gfs").holds
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isegoria.axioms.checking import check as check
    from isegoria.axioms.checking import check_all as check_all
    from isegoria.axioms.checking import check_rule as check_rule
    from isegoria.axioms.registry import AXIOMS as AXIOMS
    from isegoria.axioms.registry import Axiom as Axiom
    from isegoria.axioms.verdict import Verdict as Verdict
    from isegoria.axioms.verdict import Witness as Witness

_HOME = {
    "check": "checking", "check_all": "checking", "check_rule": "checking", "AXIOMS": "registry", "Axiom": "registry",
    "Verdict": "verdict", "Witness": "verdict",
}  # fmt: skip
__all__ = ["AXIOMS", "Axiom", "Verdict", "Witness", "check", "check_all", "check_rule"]


def __getattr__(name: str) -> Any:
    """Loaded when first used: `compare` needs the proof of efficiency alone."""
    if name not in _HOME:
        raise AttributeError(f"module 'isegoria.axioms' has no attribute {name!r}")
    return getattr(import_module(f"isegoria.axioms.{_HOME[name]}"), name)

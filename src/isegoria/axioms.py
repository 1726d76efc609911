"""Fairness axioms of policies and rules: each check returns a verdict with a proof or a witness.

>>> import isegoria as iso
>>> group = iso.Instance.from_approvals(["a", "ab"])
>>> iso.axioms.check(group, [0.5, 0.5], "gfs").holds
True
"""

from isegoria.analysis.axioms.checking import check, check_all
from isegoria.analysis.axioms.registry import AXIOMS, Axiom
from isegoria.analysis.axioms.temporal import TemporalVerdict, check_over_time
from isegoria.analysis.axioms.verdict import Verdict, Witness

__all__ = [
    "AXIOMS",
    "Axiom",
    "TemporalVerdict",
    "Verdict",
    "Witness",
    "check",
    "check_all",
    "check_over_time",
]

"""The procedurally fair policies of an instance, for objectives that are asked to stay within them."""

from __future__ import annotations

from isegoria.instance import Instance
from isegoria.solvers.fair import Fair


def fair_policies(instance: Instance, within: str | None) -> Fair | None:
    """The polytope of procedurally fair policies, or None when `within` is None and all policies are allowed."""
    if within is None:
        return None
    rows, weights, _ = instance.favourite_types
    return Fair(rows, weights / instance.total_weight)

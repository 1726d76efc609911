"""Who prefers what: an `Instance` holds the mean rewards of N agents over K arms, with their names and weights."""

from isegoria.instance.instance import Instance, NashWelfare, Types

__all__ = ["Instance", "NashWelfare", "Types"]

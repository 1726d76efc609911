"""Decisions of software agents: one engine that gives every agent its fair turn, whatever framework runs them."""

from isegoria.agents.engine import Decision, DecisionEngine

__all__ = ["Decision", "DecisionEngine"]

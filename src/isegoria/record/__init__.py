"""Exact voices, draws, and the record of them that a stranger can check."""

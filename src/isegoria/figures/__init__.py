"""Figures of results: one theme, one registry of figures, and one module per group of figures."""

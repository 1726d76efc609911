"""Turns with memory: equal voice when options and people change from round to round, in whole numbers."""

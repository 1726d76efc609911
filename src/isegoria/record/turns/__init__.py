"""Turns with memory (perpetual voting): equal voice when options and people change between rounds, in whole numbers."""

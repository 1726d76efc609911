"""Helpers that every package shares: arguments, arrays, caching, formatting, registry, seeds, threads, tolerances."""

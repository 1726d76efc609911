"""Metrics of a run: voice, waiting times, regret and welfare."""

"""Baselines: learners that maximise an objective of outcomes, and reference learners."""

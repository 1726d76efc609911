"""Coalitions that would gain by leaving with their share: linear and mixed-integer programs."""

"""Coalitions that gain by leaving with their share: linear and mixed-integer programs."""

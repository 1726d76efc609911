"""Minimise the variance of utilities: a convex quadratic program on the simplex."""

"""The policy under which utilities vary least: a convex quadratic program on the simplex."""

"""Linear algebra on small dense arrays, and exact points of the simplex, shared by the other solvers."""

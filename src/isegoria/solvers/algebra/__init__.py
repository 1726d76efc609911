"""Linear algebra on small dense arrays, and exact points of the simplex: what the other problems share."""

"""Maximise a weighted product of linear values on the simplex, max Σ_i w_i log(Ap)_i, with a certificate."""

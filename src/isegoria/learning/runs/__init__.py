"""Learners in worlds: simulations, what is kept of them, regret, and learners side by side."""

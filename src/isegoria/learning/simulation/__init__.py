"""Simulations of learners: running, recording, saving and comparing them."""

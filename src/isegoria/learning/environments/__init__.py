"""Environments, which supply the rewards: noise models around true means, and replay of logged rewards."""

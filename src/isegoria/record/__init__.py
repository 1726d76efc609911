"""Exact voices, draws, and the publicly verifiable record of them."""

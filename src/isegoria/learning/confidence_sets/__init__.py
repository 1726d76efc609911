"""Confidence sets: which arms may still be an agent's favourite, given the rewards reported so far."""

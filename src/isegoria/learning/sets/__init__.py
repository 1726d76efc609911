"""Which arms may still be an agent's favourite: what was told, and the candidate sets that follow from it."""

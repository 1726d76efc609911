"""A package of another author: one file for each new member, and one line for each in its entry points."""

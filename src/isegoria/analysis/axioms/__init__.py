"""Fairness axioms: their registry, checks that give a proof or a witness, and the search for counterexamples.

The public names are in `isegoria.axioms`.
"""

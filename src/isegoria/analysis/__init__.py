"""Analysis of policies: scores, comparison, attribution of voice, audit, core, price of equal voice, and axioms."""

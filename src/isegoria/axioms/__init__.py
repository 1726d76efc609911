"""What a policy or a rule can be asked for in the name of fairness, decided with a proof or a witness."""

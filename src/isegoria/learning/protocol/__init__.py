"""What every learner shares: asking and telling, who takes part, tickets, checks, and the state that is saved."""

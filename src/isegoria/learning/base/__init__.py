"""The ask/tell protocol that all learners share: roster, tickets, feedback, validation and saved state."""

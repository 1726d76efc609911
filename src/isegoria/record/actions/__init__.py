"""Actions on a group: pure functions from a context to the events, members and response that follow."""

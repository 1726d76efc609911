"""A record in a file, and the secrets beside it."""

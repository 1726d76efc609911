"""The explorer: one table of ratings on this computer, looked at from every side, for whoever started it."""

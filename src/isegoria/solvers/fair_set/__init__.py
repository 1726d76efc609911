"""The procedurally fair policies as a set to search in: corners, support, separation."""

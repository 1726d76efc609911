"""The procedurally fair policies as a set to search: vertices, support function, separation."""

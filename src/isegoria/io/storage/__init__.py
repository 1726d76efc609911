"""Files on disk: atomic writes, locks, opening, text decoding, and columns as CSV."""

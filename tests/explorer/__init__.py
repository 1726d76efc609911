"""The explorer: its answers, and its page in a real browser."""

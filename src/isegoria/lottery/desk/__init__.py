"""A record in a file, kept by one person at a desk: what the command line does, step by step, from Python."""

from isegoria.lottery.desk.book import Book, keeping, reading

__all__ = ["Book", "keeping", "reading"]

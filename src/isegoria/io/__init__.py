"""Files in and out: one module per format, one table of them (`formats`), and `read` and `write` in front."""

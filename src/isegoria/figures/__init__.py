"""Pictures of results: one theme, one table of figures, one module per group of figures."""

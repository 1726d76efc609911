"""Tables of plain numbers, one row per agent: validated in one pass, equal rows merged, in canonical order."""

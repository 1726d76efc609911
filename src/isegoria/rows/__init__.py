"""Tables of bare numbers, one row per agent: checked in one pass, equal rows merged, in an order of their own."""

"""Tables of text cells: separators, columns, ratings as people write them, wide and long shapes."""

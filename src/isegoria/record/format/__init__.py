"""What stands in a record, byte by byte: lines, their shapes and their order; messages, trees, pseudonyms, units."""

"""What stands in a record, byte by byte: lines, their shapes and their order; hashes, pseudonyms, signatures, units."""

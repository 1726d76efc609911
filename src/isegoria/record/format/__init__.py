"""The format of a record, byte by byte: lines, schema and order, hashes, pseudonyms, signatures and voice units."""

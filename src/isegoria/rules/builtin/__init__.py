"""The built-in rules, one module each, named by its id and loaded at first use."""

"""A real browser for the tests: Chromium and axe-core, fetched once, pinned by version and SHA-256."""

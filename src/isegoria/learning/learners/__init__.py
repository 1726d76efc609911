"""The learners, an idea to a file; `isegoria.learning.registry` is their table."""

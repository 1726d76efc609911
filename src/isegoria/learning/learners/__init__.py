"""The learners, one method per file; `isegoria.learning.registry` lists them."""

"""The planted faults, each subtly wrong, each with the tests or examples that must notice it."""

from mutants.faults import interop, learning, records, rules, scores, solvers, studies  # noqa: F401, each fills the list

"""A Griffe extension for the reference pages: examples that follow the text of a docstring become a section."""

import re

import griffe

FIRST_EXAMPLE = re.compile(r"\n(?=\n>>> )")


class ExampleSections(griffe.Extension):
    """Put a numpydoc heading before the first example of a docstring that has no section of examples."""

    def on_instance(self, *, obj: griffe.Object, **kwargs: object) -> None:
        """Change the docstring of a module, class, function or attribute."""
        docstring = obj.docstring
        if docstring and "Examples\n--------" not in docstring.value:
            docstring.value = FIRST_EXAMPLE.sub("\n\nExamples\n--------", docstring.value, count=1)

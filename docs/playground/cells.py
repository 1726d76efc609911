"""The cells of the playground: the examples of the README and of the notebooks, as the documents have them."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path
from typing import Any

BLOCK_PATTERN = re.compile(r"^```(pycon|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PICTURE_PATTERN = re.compile(r"\.plot\(|matplotlib|plt\.")


def read_markdown(path: Path) -> list[tuple[str, str]]:
    """Return (cell, what it prints) for each example of a page; set-up commands are left out.

    Parameters
    ----------
    path : Path
        A page with `pycon` and `console` blocks.

    Returns
    -------
    list of tuple
        A line `…` in what is printed stands for any lines.
    """
    cells = []
    for kind, block in BLOCK_PATTERN.findall(path.read_text(encoding="utf-8")):
        if kind == "pycon":
            examples = doctest.DocTestParser().get_examples(block)
            cells.append(("".join(one.source for one in examples).rstrip(), "".join(one.want for one in examples)))
        else:
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, printed = part.partition("\n")
                if command.startswith("isegoria "):
                    cells.append((f"$ {command}", printed))
    return cells


def read_notebook(path: Path) -> list[str]:
    """Return the cells of code of a notebook except those that draw; a file beside it is beside the playground too."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [text.replace('"../', '"examples/') for text in code if not PICTURE_PATTERN.search(text)]


def list_documents(root: Path) -> list[dict[str, Any]]:
    """Return the documents of the playground, {title, cells}, from the repository at `root`."""
    documents = [{"title": "README", "cells": [cell for cell, _ in read_markdown(root / "README.md")]}]
    for path in sorted((root / "examples" / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        title = next(line for cell in cells for line in cell["source"] if line.startswith("# "))
        if not any("import matplotlib" in line for cell in cells for line in cell["source"]):
            documents.append({"title": title[2:].strip(), "cells": read_notebook(path)})
    return documents

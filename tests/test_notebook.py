"""The notebook of the examples runs from top to bottom, and shows its results as tables."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[1] / "examples" / "notebooks" / "lunch.ipynb"


def test_the_notebook_runs(recwarn):
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # kept without results, so that none can be stale
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(NOTEBOOK.parent)}})
    client.execute()
    shown = [out for cell in notebook.cells for out in cell.get("outputs", []) if out.output_type == "execute_result"]
    assert [("text/html" in out.data) for out in shown] == [True] * 6

"""Run the notebooks of this folder, all or those named, and keep what they show: python examples/notebooks/run.py"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def main() -> None:
    for path in [HERE / name for name in sys.argv[1:]] or sorted(HERE.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(HERE)}}).execute()
        notebook.metadata = {key: notebook.metadata[key] for key in ("kernelspec", "language_info")}
        notebook.metadata["language_info"] = {"name": "python"}
        for cell in notebook.cells:
            cell.metadata = {}
        nbformat.write(notebook, path)
        print(path.name)


if __name__ == "__main__":
    main()

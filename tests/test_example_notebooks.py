"""The notebooks of the examples: run from top to bottom they show what they say they show, and each has a figure."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.peers
nbformat, nbclient = (pytest.importorskip(name) for name in ("nbformat", "nbclient"))

FOLDER = Path(__file__).parents[1] / "examples" / "notebooks"
BOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))

RUN = """
import json, os, sys, tempfile
os.environ["IPYTHONDIR"] = tempfile.mkdtemp()
import matplotlib
matplotlib.use("agg")
import nbformat
from IPython.core.interactiveshell import InteractiveShell
from pathlib import Path
folder, found = Path(sys.argv[1]), {}
os.chdir(folder)
for path in sorted(folder.glob("*.ipynb")):
    shell, said = InteractiveShell(), []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            done = shell.run_cell(cell.source, store_history=False)
            done.raise_error()
            said.append(None if done.result is None else shell.display_formatter.format(done.result)[0]["text/plain"])
    found[path.stem] = said
Path(sys.argv[2]).write_text(json.dumps(found))
"""


def code_cells(name):
    return [cell for cell in nbformat.read(FOLDER / f"{name}.ipynb", as_version=4).cells if cell.cell_type == "code"]


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What each code cell gives, all notebooks in one process."""
    out = tmp_path_factory.mktemp("ran") / "found.json"
    done = subprocess.run([sys.executable, "-c", RUN, str(FOLDER), str(out)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(out.read_text())


def test_there_are_eight():
    worked = ["a-study", "alignment", "audit-a-past-vote", "compute-queue"]
    assert [*worked, "lunch", "real-groups", "your-own-learner", "your-own-rule"] == BOOKS


@pytest.mark.slow
@pytest.mark.parametrize("name", BOOKS)
def test_what_a_notebook_shows_is_what_it_gives(ran, name):
    kept = [
        next((out.data["text/plain"] for out in cell.outputs if out.output_type == "execute_result"), None)
        for cell in code_cells(name)
    ]
    assert ran[name] == kept


@pytest.mark.parametrize("name", BOOKS)
def test_a_notebook_has_a_figure_and_no_complaint(name):
    outputs = [out for cell in code_cells(name) for out in cell.outputs]
    assert any("image/png" in out.get("data", {}) for out in outputs)
    assert not [out for out in outputs if out.output_type in ("stream", "error")]


@pytest.mark.slow
def test_a_kernel_runs_the_first_one():
    notebook = nbformat.read(FOLDER / "lunch.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(FOLDER)}}).execute()
    shown = [out for cell in notebook.cells for out in cell.get("outputs", []) if out.output_type == "execute_result"]
    assert [("text/html" in out.data) for out in shown] == [True] * 6

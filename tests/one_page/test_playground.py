"""The playground of the site: its cells are the documents' examples, and run in a browser tab after `make pyodide`."""

import shutil
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from browser.fixtures import collect_page_errors, find_overflowing_elements, take_screenshot
from test_docs_examples import matches

ROOT = Path(__file__).parents[2]
PLAYGROUND = ROOT / "build" / "pyodide" / "playground"
START_TIMEOUT_MS = 240_000
sys.path[:0] = [str(ROOT / "docs" / "playground"), str(ROOT / "docs")]
import runner  # noqa: E402
from cells import list_documents, read_markdown  # noqa: E402


@pytest.mark.slow
def test_readme_cells_print_what_it_shows(monkeypatch):
    monkeypatch.chdir(ROOT)
    examples = read_markdown(ROOT / "README.md")
    assert len(examples) >= 4
    for cell, shown in examples:
        assert matches(shown, runner.run_cell(cell)), cell


def test_documents_hold_cells_without_pictures():
    documents = list_documents(ROOT)
    assert [one["title"] for one in documents][:2] == ["README", "A study"]
    assert all(one["cells"] for one in documents)
    assert not any(".plot(" in cell for one in documents for cell in one["cells"])


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    if not (PLAYGROUND / "sizes.json").exists():
        pytest.skip("needs the package built for Pyodide: make pyodide")
    from build_site import copy_playground

    folder = tmp_path_factory.mktemp("site")
    assert copy_playground(folder)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/playground/index.html"
        server.shutdown()
    shutil.rmtree(folder)


@pytest.mark.slow
def test_examples_run_in_a_browser_tab(address, page, axe):
    faults = collect_page_errors(page)
    page.set_viewport_size({"width": 320, "height": 640})
    page.goto(address)
    page.wait_for_selector("#cells .cell")
    page.wait_for_function("document.querySelector('#status').textContent === 'Ready.'", timeout=START_TIMEOUT_MS)
    for number, (_, shown) in enumerate(read_markdown(ROOT / "README.md")):
        cell = page.locator(".cell").nth(number)
        cell.locator("button").click()
        cell.locator("pre[data-done]").wait_for(timeout=START_TIMEOUT_MS)
        assert matches(shown, cell.locator("pre").text_content())
    first = page.locator(".cell").first
    first.locator("textarea").fill("1 / 0")
    first.locator("textarea").press("Control+Enter")
    first.locator("pre[data-done]:has-text('ZeroDivisionError: division by zero')").wait_for()
    page.select_option("#document", label="Equal voice at lunch")
    page.locator(".cell button").first.click()
    page.locator(".cell pre[data-done]:has-text('10 agents, 4 arms')").wait_for(timeout=START_TIMEOUT_MS)
    take_screenshot(page, "playground-320")
    assert find_overflowing_elements(page) == []
    assert axe(page) == []
    assert not faults, "\n".join(faults)

"""The documentation as a site: every link leads somewhere, nothing is asked of another host, and it fits a phone."""

import importlib.util
import json
import re
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

import isegoria
from browser.fixtures import find_overflowing_elements

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.peers  # the extra site


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "docs/build_site.py", "--out", str(out)], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr  # strict: a link that leads nowhere is an error
    return out / isegoria.__version__


@pytest.fixture(scope="module")
def address(site):
    class Quiet(SimpleHTTPRequestHandler):
        def __init__(self, *args):
            super().__init__(*args, directory=str(site.parent))

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Quiet) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{site.name}"
        server.shutdown()


@pytest.mark.slow
def test_every_page_is_there_and_can_be_searched(site):
    pages = {path.relative_to(ROOT / "docs").with_suffix(".html") for path in (ROOT / "docs").rglob("*.md")}
    assert all((site / page).exists() for page in pages)
    index = (site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "pareto_dominates" in index
    reference = (site / "reference" / "api.html").read_text(encoding="utf-8")
    assert "check_learner" in reference
    assert isegoria.__version__ in reference
    assert "tie_break" in (site / "reference" / "api-policies.html").read_text(encoding="utf-8")
    assert "perpetual voting" in (site / "changelog.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_examples_are_code_and_mathematics_is_marked(site):
    for path in [*(site / "reference").glob("api*.html"), *(site / "explanation").glob("*.html")]:
        text = re.sub(r"<(pre|code)[^>]*>.*?</\1>", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert "&gt;&gt;&gt;" not in text, path
        assert "$$" not in text, path
    assert (site / "explanation" / "core.html").read_text(encoding="utf-8").count('class="arithmatex"') > 10


def test_mathematics_is_set_without_a_network(address, page):
    page.goto(f"{address}/explanation/core.html", wait_until="networkidle")
    assert page.locator(".katex").count() > 10
    assert page.locator(".katex-error").count() == 0


FIELD = (
    "decomposable",
    "fair mixing",
    "strategyproof",
    "donor coordination",
    "average fair share",
    "conditional utilitarian",
)


@pytest.mark.parametrize("words", FIELD)
def test_the_words_of_the_field_are_found(site, words):
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    found = {part["location"].partition("#")[0] for part in index["docs"] if words in part["text"].lower()}
    assert "explanation/literature.html" in found


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("name", ["index.html", "reference/api.html", "how-to/add-your-own.html"])
def test_it_opens_at_phone_and_desk_width_without_asking_elsewhere(address, page, name, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{address}/{name}", wait_until="networkidle")
    assert page.locator("h1").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1"), find_overflowing_elements(
        page
    )


def test_a_switch_leads_from_version_to_version(address, site, page):
    assert json.loads((site.parent / "versions.json").read_text())[0]["version"] == isegoria.__version__
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(address.rsplit("/", 1)[0], wait_until="networkidle")
    assert page.url.endswith("/latest/index.html")
    assert page.locator(".md-version__current").inner_text().strip() == isegoria.__version__


@pytest.mark.slow
def test_the_newest_of_several_versions_is_the_latest(tmp_path):
    spec = importlib.util.spec_from_file_location("build_site", ROOT / "docs" / "build_site.py")
    build_site = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build_site)
    for name in ("0.9.0", "0.10.0", "0.2.1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text(name)
    for _ in range(2):  # a second build of a version changes nothing
        assert build_site.listed(tmp_path) == ["0.10.0", "0.9.0", "0.2.1"]
        assert (tmp_path / "latest" / "index.html").read_text() == "0.10.0"
    aliases = [each["aliases"] for each in json.loads((tmp_path / "versions.json").read_text())]
    assert aliases == [["latest"], [], []]

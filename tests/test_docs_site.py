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


def read_pages(site) -> dict[str, str]:
    """The HTML of the article of every page, by its address; the page that needs no installation has none."""
    pages = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    articles = {name: re.search(r"<article.*?</article>", text, re.DOTALL) for name, text in pages.items()}
    return {name: article[0] for name, article in articles.items() if article and "404" not in name}


RAW_MATHEMATICS = re.compile(r"\$\$|[A-Za-zα-ωμ̂]_\{?[a-zA-Z0-9]\b|[A-Za-z0-9)]\^[({\-−]|\\\\(?:frac|sum|le|ge)\b")


@pytest.mark.slow
def test_examples_are_code_and_mathematics_is_rendered(site):
    for name, text in read_pages(site).items():
        prose = re.sub(r"<(pre|code)\b.*?</\1>", "", text, flags=re.DOTALL)
        assert "&gt;&gt;&gt;" not in prose, name
        prose = re.sub(r'<(span|div) class="arithmatex">.*?</\1>', "", prose, flags=re.DOTALL)
        raw = RAW_MATHEMATICS.search(re.sub(r"<[^>]+>", "", prose))
        assert raw is None, f"{name}: {raw[0]}"
    assert (site / "explanation" / "core.html").read_text(encoding="utf-8").count('class="arithmatex"') > 10


@pytest.mark.slow
def test_public_names_stand_once_and_are_linked(site):
    pages = {name: text for name, text in read_pages(site).items() if name.startswith("reference/api")}
    index = pages["reference/api.html"]
    for name in isegoria._PUBLIC_NAMES:
        homes = [page for page, text in pages.items() if re.search(rf'<h2 id="[\w.]*\.{name}"', text)]
        assert len(homes) == 1, f"{name} is on {homes}"
        assert re.search(rf'href="{homes[0].partition("/")[2]}#[\w.]*\.{name}"', index), name


@pytest.mark.slow
def test_levels_of_the_side_bar_have_at_most_eight_entries(site):
    soup = (site / "index.html").read_text(encoding="utf-8")
    side = soup[soup.index("md-nav--primary") : soup.index("md-content")]
    counts, depth = [[]], 0
    for tag in re.findall(r"<(/?)(ul|li)\b(?![^>]*md-nav__list--toc)", side):
        if tag == ("", "ul"):
            counts.append([])
        elif tag == ("", "li"):
            counts[-1].append(1)
        elif tag == ("/", "ul"):
            depth = max(depth, len(counts))
            assert len(counts.pop()) <= 8
    assert depth > 2


def test_mathematics_is_set_without_a_network(address, page):
    page.goto(f"{address}/explanation/elimination.html", wait_until="networkidle")
    assert page.locator(".katex").count() > 100
    assert page.locator(".katex-error").count() == 0


SEARCHES = {
    "dataframe": "how-to/prepare-your-data.html",
    "social choice": "explanation/literature.html",
    "approval": "explanation/literature.html",
    "strategyproof": "explanation/literature.html",
    "perpetual voting": "explanation/turns.html",
    "multi-armed bandit": "explanation/algorithm-1.html",
    "random dictatorship": "explanation/literature.html",
    "participatory budgeting": "explanation/literature.html",
    "pluralistic alignment": "explanation/literature.html",
}
"""Nine words of the field, and the page whose title or first paragraph has each."""


@pytest.mark.slow
@pytest.mark.parametrize("words", SEARCHES)
def test_first_paragraphs_have_the_words_of_the_field(site, words):
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    part = next(part for part in index["docs"] if part["location"] == SEARCHES[words])
    assert words in f"{part['title']} {part['text'].partition('</p>')[0]}".lower()


def test_the_search_finds_the_words_of_the_field(address, page):
    page.set_viewport_size({"width": 1280, "height": 800})
    for words, home in SEARCHES.items():
        page.goto(f"{address}/index.html?q={words.replace(' ', '+')}", wait_until="networkidle")
        page.locator(f".md-search-result__link[href*='{home}']").first.wait_for(state="attached", timeout=60_000)


@pytest.mark.parametrize("name", ["how-to/draw-in-public", "reference/json", "reference/command-line"])
def test_code_fits_its_column(address, page, name):
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{address}/{name}.html", wait_until="networkidle")
    wide = (
        "[...document.querySelectorAll('.md-typeset pre > code')].filter(one => one.scrollWidth > one.clientWidth + 1)"
    )
    assert page.evaluate(f"{wide}.map(one => one.textContent.slice(0, 80))") == []
    style = "getComputedStyle(document.querySelector('.md-typeset pre > code'))"
    size, padding = (float(page.evaluate(f"parseFloat({style}.{name})")) for name in ("fontSize", "paddingLeft"))
    width = page.evaluate("document.querySelector('.md-typeset pre > code').clientWidth")
    assert (
        0.602 * size * 100 + 2 * padding <= width
    )  # a table of 100 columns does not wrap in Menlo or DejaVu Sans Mono


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("name", ["index.html", "reference/api.html", "explanation/elimination.html"])
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

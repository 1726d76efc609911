"""The documentation as a site that can be searched: python docs/build_site.py --out site; `make site` runs it.

MkDocs with Material, from the same Markdown that the repository shows; the reference of the Python names is made by
mkdocstrings from signatures and docstrings. Nothing is asked of another host: no fonts from elsewhere, and mathematics
is set by a copy of KaTeX from npm. A link that leads nowhere is an error.

Each version has a folder of its own in `out`; versions that are there already stay. `versions.json` lists them for the
switch at the top of every page, and `latest` leads to the newest.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
OURS = "tutorial|how-to|reference|explanation|images|index"
HEADING = re.compile(r"^### (.*)$")
ENTRY = re.compile(r"^( *)- (?:\*\*(?P<group>.*)\*\*|\[(?P<title>.*?)\]\((?P<path>[^)]*)\).*)$")
BRAND_STYLE = """\
:root > * { --md-primary-fg-color: #1f5fa8; --md-accent-fg-color: #1f5fa8; }
[data-md-color-scheme="slate"] { --md-typeset-a-color: #8ab8f0; --md-accent-fg-color: #8ab8f0; }
.md-grid { max-width: 72rem; }
.md-typeset pre > code { font-size: 0.6rem; padding-left: 0.8em; padding-right: 0.8em; }
.md-typeset .katex-display { margin: 0; overflow: auto hidden; }
.md-typeset table:not([class]) :is(th, td) { min-width: 0; padding: 0.6em 0.8em; }
@media (max-width: 45em) {
  .md-typeset span.arithmatex { display: inline-block; max-width: 100%; overflow: auto hidden; vertical-align: bottom; }
}
@media (min-width: 60em) {
  .md-typeset pre > code { white-space: pre-wrap; overflow-wrap: anywhere; }
}
"""
"""The colours of the service's pages. On a desktop 100 characters of code fit their column, and longer lines wrap."""
LINK = re.compile(rf"\]\((?P<up>(?:\.\./)+)(?P<path>(?!{OURS})[^)#\s]+)(?P<part>#[^)]*)?\)")
FRONT = """\
<!doctype html>
<meta charset="utf-8">
<title>Isegoria</title>
<meta http-equiv="refresh" content="0; url=latest/index.html">
<a href="latest/index.html">Isegoria: equal voice in repeated group decisions</a>
"""
"""The page that leads to the newest version."""
RENDER_SCRIPT = """\
for (const element of document.querySelectorAll(".arithmatex")) {
  renderMathInElement(element, {
    delimiters: [{left: "\\\\(", right: "\\\\)", display: false}, {left: "\\\\[", right: "\\\\]", display: true}],
  });
}
"""


def copy_pages(build: Path) -> None:
    """Copy every page into `build`, with the repository's other files that it links to."""
    for path in sorted(DOCS.rglob("*.md")):
        target = build / path.relative_to(DOCS)
        target.parent.mkdir(parents=True, exist_ok=True)
        text = LINK.sub(partial(_kept, page=path, build=build), path.read_text(encoding="utf-8"))
        target.write_text(text, encoding="utf-8")


def navigation(api: list[tuple[str, str]], playground: bool) -> list[str]:
    """The side bar as YAML: the doors of the home page with their lists; `api` follows the list of names."""
    lines = ["nav:", "  - Home: index.md", "  - Try it now:", "      - One file for any browser: isegoria.html"]
    lines += ["      - Playground in Python: playground/index.html"] * playground
    for line in (DOCS / "index.md").read_text(encoding="utf-8").partition("## All pages")[2].splitlines():
        if heading := HEADING.match(line):
            lines += ["      - Changelog: changelog.md"] * (heading[1] == "Explanation")
            door = f"  - {_quoted(heading[1])}:"
        elif entry := ENTRY.match(line):
            lines += [door] * bool(door)
            door, indent = "", entry[1] + " " * 6
            lines.append(f"{indent}- {_quoted(entry['group'] or entry['title'])}: {entry['path'] or ''}".rstrip())
            if entry["path"] == "reference/python.md":
                lines.append(f"{indent}- API:")
                lines += [f"{indent}    - {_quoted(title)}: {path}" for title, path in api]
    return lines


def _kept(match: re.Match, page: Path, build: Path) -> str:
    """A link to a file of the repository outside docs: the file is copied beside the pages, under files/."""
    source = (page.parent / (match["up"] + match["path"])).resolve()
    if not source.is_file() or not source.is_relative_to(ROOT):
        return match[0]
    copy = build / "files" / source.relative_to(ROOT)
    if source.suffix == ".md":
        copy = copy.with_suffix(".md.txt")
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, copy)
    return f"]({os.path.relpath(copy, (build / page.relative_to(DOCS)).parent)})"


def reference(build: Path) -> list[tuple[str, str]]:
    """(title, path) of the pages of public names with signatures: an index, and a page for each group."""
    sys.path[:0] = [str(ROOT / "src"), str(DOCS)]
    from api_groups import GROUPS, check

    import isegoria

    check(set(isegoria._PUBLIC_NAMES))
    found = [("All names", "reference/api.md")]
    preface = f"Every public name of `import isegoria as iso`, version {isegoria.__version__}, with a link to its page."
    index = [f"# All names\n\n{preface}\n"]
    for id, (title, names) in GROUPS.items():
        parts = [f"# {title}", f"Isegoria {isegoria.__version__}.", *(f"::: {_home(name)}" for name in names)]
        (build / "reference" / f"api-{id}.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
        links = (f"[`{name}`](api-{id}.md#{_home(name)})" for name in names)
        index.append(f"- [{title}](api-{id}.md): " + ", ".join(links))
        found.append((title, f"reference/api-{id}.md"))
    suites = [f"::: isegoria.testing.{kind}_checks.check_{kind}" for kind in ("objective", "learner", "format")]
    text = "\n\n".join(["\n".join(index), "## For authors: isegoria.testing", *suites])
    (build / "reference" / "api.md").write_text(text + "\n", encoding="utf-8")
    return found


def _home(name: str) -> str:
    """Where mkdocstrings finds a public name."""
    import isegoria

    value = getattr(isegoria, name)
    home = getattr(value, "__module__", None)
    where = home if isinstance(home, str) and home.startswith("isegoria") and callable(value) else None
    return f"{where or f'isegoria.{isegoria._PUBLIC_NAMES[name]}'}.{name}"


def copy_rest(build: Path) -> None:
    """Write what is no page of docs: the changelog, the page that needs no installation, logo and colours."""
    from isegoria.service.web.one_page import build_one_page

    shutil.copyfile(ROOT / "CHANGELOG.md", build / "changelog.md")
    (build / "isegoria.html").write_text(build_one_page(), encoding="utf-8")
    (build / "brand.css").write_text(BRAND_STYLE, encoding="utf-8")
    shutil.copyfile(ROOT / "src/isegoria/service/web/static/icons/icon.svg", build / "images/logo.svg")


def copy_playground(build: Path) -> bool:
    """Copy the playground and the wasm files that `make pyodide` makes; whether they were there."""
    assets = ROOT / "build" / "pyodide" / "playground"
    if not (assets / "sizes.json").exists():
        print("The site has no playground: run make pyodide first, then make site.", file=sys.stderr)
        return False
    sys.path.insert(0, str(DOCS / "playground"))
    from cells import list_documents

    shutil.copytree(assets, build / "playground")
    for name in ("index.html", "style.css", "playground.js", "worker.js", "runner.py"):
        shutil.copyfile(DOCS / "playground" / name, build / "playground" / name)
    cells = json.dumps(list_documents(ROOT), ensure_ascii=False)
    (build / "playground" / "cells.json").write_text(cells, encoding="utf-8")
    return True


def configuration(build: Path, out: Path, api: list[tuple[str, str]], playground: bool) -> str:
    """mkdocs.yml."""
    return f"""\
site_name: Isegoria
site_description: Equal voice in repeated group decisions
docs_dir: {build}
site_dir: {out}
use_directory_urls: false
strict: true
validation:
  omitted_files: ignore
  links: {{not_found: warn, anchors: warn, absolute_links: warn, unrecognized_links: ignore}}
extra:
  version: {{provider: mike}}
theme:
  name: material
  font: false
  logo: images/logo.svg
  favicon: images/logo.svg
  features: [navigation.tabs, navigation.top, search.suggest, search.highlight, content.code.copy, toc.follow]
  palette:
    - {{media: "(prefers-color-scheme: light)", scheme: default, primary: custom,
        toggle: {{icon: material/weather-night, name: Dark}}}}
    - {{media: "(prefers-color-scheme: dark)", scheme: slate, primary: custom,
        toggle: {{icon: material/weather-sunny, name: Light}}}}
markdown_extensions:
  - tables
  - admonition
  - toc: {{permalink: true}}
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.arithmatex: {{generic: true}}
extra_css: [katex/katex.min.css, brand.css]
extra_javascript: [katex/katex.min.js, katex/auto-render.min.js, katex/render.js]
plugins:
  - search
  - mkdocstrings:
      handlers:
        python:
          paths: [{ROOT / "src"}]
          options:
            docstring_style: numpy
            extensions: [{DOCS / "docstring_examples.py"}]
            show_source: false
            show_attribute_values: false
            show_root_heading: true
            show_root_full_path: false
            separate_signature: true
            show_signature_annotations: true
            signature_crossrefs: false
            members_order: source
            heading_level: 2
            filters: ["!^_"]
{chr(10).join(navigation(api, playground))}
"""


def _quoted(text: str) -> str:
    return '"' + text.replace("`", "").replace('"', "'") + '"'


def vendor_katex(build: Path) -> None:
    """Copy KaTeX among the pages, from npm by way of the tests' fetcher."""
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import downloads

    source, target = Path(downloads.install_package("katex")) / "dist", build / "katex"
    target.mkdir()
    for name in ("katex.min.js", "katex.min.css", "contrib/auto-render.min.js"):
        shutil.copy(source / name, target)
    shutil.copytree(source / "fonts", target / "fonts", ignore=shutil.ignore_patterns("*.ttf", "*.woff"))
    (target / "render.js").write_text(RENDER_SCRIPT, encoding="utf-8")


def build(out: Path) -> int:
    """Write this version's pages into its folder of `out`, and list it; the exit code of MkDocs, which is strict."""
    version = _version()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "docs"
        shutil.copytree(DOCS / "images", source / "images")
        copy_pages(source)
        for data in [*DOCS.rglob("*.json"), *DOCS.rglob("*.csv"), *DOCS.rglob("*.svg"), *DOCS.rglob("*.png")]:
            copy = source / data.relative_to(DOCS)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(data, copy)
        api = reference(source)
        copy_rest(source)
        settings = Path(folder) / "mkdocs.yml"
        vendor_katex(source)
        text = configuration(source, out.resolve() / version, api, copy_playground(source))
        settings.write_text(text, encoding="utf-8")
        words = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file", str(settings)]
        code = subprocess.run(words, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}).returncode
    if code == 0:
        listed(out)
    return code


def listed(out: Path) -> list[str]:
    """The versions in the folder `out`, newest first, as the switch reads them; `latest` is a link to the first."""
    versions = [path.name for path in out.iterdir() if (path / "index.html").exists() and not path.is_symlink()]
    versions.sort(key=lambda name: [int(part) for part in re.findall(r"\d+", name)], reverse=True)
    told = [{"version": name, "title": name, "aliases": ["latest"] * (name == versions[0])} for name in versions]
    (out / "versions.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    latest = out / "latest"
    latest.unlink(missing_ok=True)
    latest.symlink_to(versions[0], target_is_directory=True)
    (out / "index.html").write_text(FRONT, encoding="utf-8")
    return versions


def _version() -> str:
    sys.path.insert(0, str(ROOT / "src"))
    import isegoria

    return isegoria.__version__


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "site")
    sys.exit(build(parser.parse_args().out))

"""The documentation as a site that can be searched: python docs/build_site.py --out site; `make site` runs it.

MkDocs with Material, from the same Markdown that the repository shows; the reference of the Python names is made by
mkdocstrings from signatures and docstrings. Nothing is asked of another host: no fonts from elsewhere, and diagrams are
drawn by a copy of mermaid from npm. A link that leads nowhere is an error.
"""

from __future__ import annotations

import argparse
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
SECTIONS = {"Tutorial": "tutorial", "How-to": "how-to", "Reference": "reference", "Explanation": "explanation"}
OURS = "|".join([*SECTIONS.values(), "images", "index"])
LINK = re.compile(rf"\]\((?P<up>(?:\.\./)+)(?P<path>(?!{OURS})[^)#\s]+)(?P<part>#[^)]*)?\)")


def pages(build: Path) -> list[tuple[str, str, str]]:
    """(section, title, path) of every page, copied into `build` with links to the repository's other files kept."""
    found = []
    for path in sorted(DOCS.rglob("*.md")):
        inside = path.relative_to(DOCS)
        text = path.read_text(encoding="utf-8")
        target = build / inside
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(LINK.sub(partial(_kept, page=path, build=build), text), encoding="utf-8")
        title = re.search(r"^# (.*)$", text, re.MULTILINE)
        folder = inside.parts[0] if len(inside.parts) > 1 else ""
        found.append((folder, title[1] if title else inside.stem, str(inside)))
    return found


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


def reference(build: Path) -> str:
    """The page of all public names with their signatures, by module."""
    sys.path.insert(0, str(ROOT / "src"))
    import isegoria

    names = sorted(isegoria._HOME, key=str.lower)
    parts = ["# Python, with signatures", "`import isegoria as iso`. Every public name, as its source says it."]
    for name in names:
        value = getattr(isegoria, name)
        home = getattr(value, "__module__", None)
        where = home if isinstance(home, str) and home.startswith("isegoria") and callable(value) else None
        parts.append(f"::: {where or f'isegoria.{isegoria._HOME[name]}'}.{name}")
    parts += ["## For authors: isegoria.testing"]
    parts += [f"::: isegoria.testing.{kind}s.check_{kind}" for kind in ("objective", "learner", "format")]
    (build / "reference" / "api.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return "reference/api.md"


def configuration(build: Path, out: Path, found: list[tuple[str, str, str]], mermaid: str | None) -> str:
    """mkdocs.yml."""
    lines = ["nav:", "  - Home: index.md"]
    for heading, folder in SECTIONS.items():
        lines.append(f"  - {heading}:")
        lines += [f"    - {_quoted(title)}: {path}" for section, title, path in found if section == folder]
    script = f"extra_javascript:\n  - {mermaid}\n" if mermaid else ""
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
theme:
  name: material
  font: false
  features: [navigation.sections, navigation.top, search.suggest, search.highlight, content.code.copy, toc.follow]
  palette:
    - {{media: "(prefers-color-scheme: light)", scheme: default, primary: indigo,
        toggle: {{icon: material/weather-night, name: Dark}}}}
    - {{media: "(prefers-color-scheme: dark)", scheme: slate, primary: indigo,
        toggle: {{icon: material/weather-sunny, name: Light}}}}
markdown_extensions:
  - tables
  - admonition
  - toc: {{permalink: true}}
  - pymdownx.highlight
  - pymdownx.superfences:
      custom_fences:
        - name: mermaid
          class: mermaid
          format: !!python/name:pymdownx.superfences.fence_code_format
plugins:
  - search
  - mkdocstrings:
      handlers:
        python:
          paths: [{ROOT / "src"}]
          options:
            show_source: false
            show_root_heading: true
            show_root_full_path: false
            separate_signature: true
            show_signature_annotations: true
            signature_crossrefs: false
            members_order: source
            heading_level: 2
            filters: ["!^_"]
{script}{chr(10).join(lines)}
"""


def _quoted(text: str) -> str:
    return '"' + text.replace("`", "").replace('"', "'") + '"'


def mermaid(build: Path) -> str | None:
    """The path of a copy of mermaid among the pages, from npm by way of the tests' fetcher; None if no page draws."""
    if not any("```mermaid" in path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")):
        return None
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import fetch

    source = Path(fetch.package("mermaid")) / "dist" / "mermaid.min.js"
    target = build / "javascript" / "mermaid.min.js"
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return "javascript/mermaid.min.js"


def build(out: Path) -> int:
    """Write the site into `out`; the exit code of MkDocs, which is strict."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "docs"
        shutil.copytree(DOCS / "images", source / "images")
        found = pages(source)
        for data in [*DOCS.rglob("*.json"), *DOCS.rglob("*.csv"), *DOCS.rglob("*.svg"), *DOCS.rglob("*.png")]:
            copy = source / data.relative_to(DOCS)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(data, copy)
        found.append(("reference", "Python, with signatures", reference(source)))
        settings = Path(folder) / "mkdocs.yml"
        settings.write_text(configuration(source, out.resolve(), found, mermaid(source)), encoding="utf-8")
        words = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file", str(settings)]
        return subprocess.run(words, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}).returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "site")
    sys.exit(build(parser.parse_args().out))

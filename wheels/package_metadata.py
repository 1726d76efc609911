"""What an index of packages, a citation and conda-forge are told; every address comes from one line of pyproject.toml.

    python wheels/package_metadata.py            writes CITATION.cff, conda/recipe.yaml, a table of install.md
    python wheels/package_metadata.py --check    exits 1 unless they are what it would write

The line is `repository` in `[tool.isegoria]`. While it is empty the package has no urls, the citation no
`repository-code`, and the relative links of README.md, which lead nowhere outside this folder, become plain text; once
a person has filled it, they lead to the files of the version's tag. setup.py asks here for both.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PICTURE = re.compile(r"!\[(?P<words>[^\]]*)\]\((?P<path>(?![a-z+]+:|#)[^)\s]+)\)")
LINK = re.compile(r"(?<!!)\[(?P<words>[^\]]*)\]\((?P<path>(?![a-z+]+:|#)[^)\s]+)\)")
TAG = re.compile(r'<img src="(?P<path>(?![a-z+]+:)[^"]+)"(?P<rest>[^>]*?)\s*/?>')
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Publication:
    """What a person says of a publication, and the version that the package itself tells."""

    version: str
    repository: str = ""
    released: str = ""
    doi: str = ""

    @property
    def urls(self) -> dict[str, str]:
        """The addresses of the project by their labels; none while nobody has said where it lives."""
        if not self.repository:
            return {}
        return {
            "Homepage": self.repository,
            "Documentation": self.file("docs/index.md"),
            "Source": f"{self.repository}/tree/v{self.version}",
            "Issues": f"{self.repository}/issues",
            "Changelog": self.file("CHANGELOG.md"),
        }

    def file(self, path: str, kind: str = "blob") -> str:
        """Where a file of this version is shown; of the kind `raw`, where its bytes are."""
        return f"{self.repository}/{kind}/v{self.version}/{path}"


def publication(root: Path = ROOT) -> Publication:
    """What pyproject.toml and the package in a folder say."""
    said = _project(root)["tool"]["isegoria"]
    repository = said["repository"].rstrip("/")
    if repository and not re.fullmatch(r"https://[^/\s]+/[^/\s]+/[^/\s]+", repository):
        raise SystemExit(f"repository is {repository!r} in pyproject.toml; write https://HOST/OWNER/NAME, or nothing.")
    version = re.search(r'^__version__ = "(.+)"$', _text(root / "src" / "isegoria" / "__init__.py"), re.MULTILINE)
    assert version is not None
    return Publication(version[1], repository, said["released"], said["doi"])


def readme(text: str, told: Publication) -> str:
    """README.md for a page that is not in its folder: no relative link is left.

    >>> readme("See [the licence](LICENSE).", Publication("1.0"))
    'See the licence.'
    >>> readme("See [the licence](LICENSE).", Publication("1.0", "https://example.org/us/it"))
    'See [the licence](https://example.org/us/it/blob/v1.0/LICENSE).'
    """
    code = FENCE.findall(text)
    prose = [_absolute(part, told) if told.repository else _plain(part) for part in FENCE.split(text)]
    return "".join(part + block for part, block in zip(prose, [*code, ""], strict=True))


def _absolute(text: str, told: Publication) -> str:
    text = PICTURE.sub(lambda found: f"![{found['words']}]({told.file(found['path'], 'raw')})", text)
    text = LINK.sub(lambda found: f"[{found['words']}]({told.file(found['path'])})", text)
    return TAG.sub(lambda found: f'<img src="{told.file(found["path"], "raw")}"{found["rest"]}>', text)


def _plain(text: str) -> str:
    text = PICTURE.sub(r"*(Picture: \g<words>.)*", text)
    text = LINK.sub(r"\g<words>", text)
    return TAG.sub(lambda found: f"*(Picture: {_alternative(found['rest'])}.)*", text)


def _alternative(attributes: str) -> str:
    found = re.search(r'alt="([^"]*)"', attributes)
    return found[1] if found else "without words"


def citation(text: str, told: Publication) -> str:
    """CITATION.cff with the version, and with what was said of the publication; what was not said has no line."""
    said = {"date-released": told.released, "doi": told.doi, "repository-code": told.repository}
    kept = [line for line in text.splitlines() if line.split(":")[0] not in said]
    place = next(number for number, line in enumerate(kept) if line.startswith("version:"))
    kept[place] = f"version: {told.version}"
    kept[place + 1 : place + 1] = [f'{key}: "{value}"' for key, value in said.items() if value]
    return "\n".join(kept) + "\n"


def recipe(told: Publication, project: dict) -> str:
    """The recipe of conda-forge, from the source archive, with the dependencies of pyproject.toml."""
    archive = f"isegoria-{told.version}.tar.gz"
    address = f"{told.repository}/releases/download/v{told.version}/{archive}"
    source = f"  url: {address}\n  sha256: ${{{{ sha256 }}}}" if told.repository else f"  path: ../dist/{archive}"
    about = f"\n  homepage: {told.repository}\n  repository: {told.repository}" if told.repository else ""
    return RECIPE.format(
        version=told.version,
        source=source,
        sha256=f'\n  sha256: "{"0" * 64}"  # put that of the published archive' if told.repository else "",
        least=project["project"]["requires-python"].removeprefix(">="),
        build=_conda(project["build-system"]["requires"]),
        run=_conda(project["project"]["dependencies"]),
        summary=project["project"]["description"],
        about=about,
    )


def _conda(requirements: list[str]) -> str:
    return "\n".join(f"    - {re.sub(r'(?<=[A-Za-z_])(?=[<>=])', ' ', each).lower()}" for each in requirements)


RECIPE = """\
# written by wheels/package_metadata.py; proposed to conda-forge by a person, see RELEASING.md
schema_version: 1

context:
  version: "{version}"{sha256}

package:
  name: isegoria
  version: ${{{{ version }}}}

source:
{source}

build:
  number: 0
  skip:
    - win  # the kernels use vectors that MSVC does not know
    - match(python, "<{least}")
  script: ${{{{ PYTHON }}}} -m pip install . -vv --no-deps --no-build-isolation

requirements:
  build:
    - ${{{{ compiler("c") }}}}
    - ${{{{ stdlib("c") }}}}
  host:
    - python
    - pip
{build}
  run:
    - python >={least}
{run}

tests:
  - python:
      imports: [isegoria, isegoria.solvers, isegoria.record]
      pip_check: true
  - script: python wheels/smoke_test.py
    files:
      source: [wheels/smoke_test.py]

about:
  summary: "{summary}"
  license: MIT
  license_file: LICENSE{about}
"""


def systems(text: str) -> str:
    """install.md with the table of other systems as targets.py has it."""
    from targets import TARGETS

    rows = [
        f"| {target.label} | `…-cp312-abi3-{'.'.join(target.platforms)}.whl` | "
        + (f"built, inspected, run under {target.runner}" if target.runner else "built and inspected, NOT RUN")
        + " |"
        for target in TARGETS.values()
    ]
    table = "\n".join(["| system | wheel | what `make wheels-all` does |", "|---|---|---|", *rows])
    block = re.compile(r"(<!-- systems -->\n).*?(<!-- end -->)", re.DOTALL)
    return block.sub(lambda found: f"{found[1]}{table}\n{found[2]}", text)


def written(root: Path = ROOT) -> dict[Path, str]:
    """The files that this module keeps up to date, and what belongs in them."""
    told = publication(root)
    cff, page = root / "CITATION.cff", root / "docs" / "how-to" / "install.md"
    recipes = root / "conda" / "recipe.yaml"
    return {cff: citation(_text(cff), told), recipes: recipe(told, _project(root)), page: systems(_text(page))}


def _project(root: Path) -> dict:
    return tomllib.loads(_text(root / "pyproject.toml"))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def main() -> None:
    asking = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asking.add_argument("--check", action="store_true", help="write nothing; exit 1 if something would change")
    check = asking.parse_args().check
    stale = [path for path, text in written().items() if not path.exists() or _text(path) != text]
    for path in stale:
        print(f"{path.relative_to(ROOT)} {'is not up to date: run make docs' if check else 'written'}")
        if not check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(written()[path], encoding="utf-8", newline="\n")
    sys.exit(1 if check and stale else 0)


if __name__ == "__main__":
    main()

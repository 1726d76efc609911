"""Ready to be published: one line tells where the project lives, and both of its states give sound metadata."""

import importlib.util
import io
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from email import message_from_string
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SOMEWHERE = "https://code.example/people/isegoria"
STATES = {"empty": "", "filled": SOMEWHERE}


def loaded(name: str):
    """A module of the folder wheels, under its own name: they import one another."""
    if str(ROOT / "wheels") not in sys.path:
        sys.path.insert(0, str(ROOT / "wheels"))
    return importlib.import_module(name)


class Links(HTMLParser):
    """Where a page's links and pictures lead."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.found += [value for key, value in attributes if key in ("href", "src")]


@pytest.fixture(scope="module", params=STATES)
def published(request, tmp_path_factory):
    """(the line's state, the metadata that a source archive carries), with nothing but the files that decide it."""
    folder = tmp_path_factory.mktemp(request.param)
    deciding = [
        "pyproject.toml",
        "setup.py",
        "README.md",
        "LICENSE",
        "wheels/package_metadata.py",
        "wheels/compiler_flags.py",
        "wheels/compiler.py",
    ]
    for name in [*deciding, "src/isegoria/__init__.py"]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    settings = folder / "pyproject.toml"
    filled = re.sub(r"^repository = .*$", f'repository = "{STATES[request.param]}"', settings.read_text(), flags=re.M)
    settings.write_text(filled)
    made = "from setuptools import build_meta; build_meta.build_sdist('out')"
    done = subprocess.run([sys.executable, "-c", made], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (archive,) = (folder / "out").glob("*.tar.gz")
    with tarfile.open(archive) as files:
        text = files.extractfile(f"{archive.name.removesuffix('.tar.gz')}/PKG-INFO").read().decode()
    return STATES[request.param], message_from_string(text)


def test_the_urls_are_there_exactly_when_somebody_said_where(published):
    address, told = published
    urls = dict(each.split(", ") for each in told.get_all("Project-URL", []))
    assert set(urls) == ({"Homepage", "Documentation", "Source", "Issues", "Changelog"} if address else set())
    assert all(url.startswith(SOMEWHERE) for url in urls.values())


def test_no_relative_link_is_left_on_the_page_of_an_index(published):
    address, told = published
    assert told["Description-Content-Type"] == "text/markdown"
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    before = Links(MarkdownIt("commonmark", {"html": True}).enable("table").render(front)).found
    after = Links(MarkdownIt("commonmark", {"html": True}).enable("table").render(told.get_payload())).found
    assert len([link for link in before if "://" not in link]) >= 10
    assert [link for link in after if "://" not in link] == []
    assert len(after) == (len(before) if address else len([link for link in before if "://" in link]))
    for link in (link for link in after if link.startswith(SOMEWHERE)):
        path = re.fullmatch(rf"{SOMEWHERE}/(?:blob|raw)/v{re.escape(told['Version'])}/([^#]+)(?:#.*)?", link)
        assert path, link
        assert (ROOT / path[1]).exists(), link


def test_code_and_words_of_the_readme_are_kept(published):
    _, told = published
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = told.get_payload()
    assert re.findall(r"^```.*?^```$", front, re.M | re.S) == re.findall(r"^```.*?^```$", shown, re.M | re.S)
    assert "how to cite" in shown
    assert "Where each voice went" in shown


def test_an_address_of_another_shape_is_refused(tmp_path):
    metadata = loaded("package_metadata")
    (tmp_path / "src" / "isegoria").mkdir(parents=True)
    shutil.copyfile(ROOT / "src/isegoria/__init__.py", tmp_path / "src/isegoria/__init__.py")
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(re.sub(r"^repository = .*$", 'repository = "our house"', text, flags=re.M))
    with pytest.raises(SystemExit, match="write https://HOST/OWNER/NAME, or nothing"):
        metadata.publication(tmp_path)


@pytest.mark.parametrize("address", STATES.values(), ids=STATES)
def test_the_citation_tells_version_and_what_was_said(address):
    metadata = loaded("package_metadata")
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    told = metadata.Publication("9.8.7", address, "2031-02-03" if address else "", "10.1234/x" if address else "")
    cited = yaml.safe_load(metadata.citation(text, told))
    assert cited["version"] == "9.8.7"
    said = {key: cited.get(key) for key in ("repository-code", "date-released", "doi")}
    assert said == dict(zip(said, (address, "2031-02-03", "10.1234/x") if address else (None,) * 3, strict=True))
    assert metadata.citation(metadata.citation(text, told), metadata.publication()) == text
    assert cited["preferred-citation"]["title"] == "Procedural Fairness in Multi-Agent Bandits"


@pytest.mark.parametrize("address", STATES.values(), ids=STATES)
def test_the_recipe_asks_for_what_the_project_asks_for(address):
    metadata = loaded("package_metadata")
    recipe = yaml.safe_load(metadata.recipe(metadata.Publication("9.8.7", address), PROJECT))
    asked = {re.split(r"[<>= ]", each)[0] for each in recipe["requirements"]["run"]}
    assert asked == {re.split("[<>=]", each)[0] for each in PROJECT["project"]["dependencies"]} | {"python"}
    assert "python" in recipe["requirements"]["host"]  # without a number: one package for every Python there is
    assert recipe["about"]["summary"] == PROJECT["project"]["description"]
    assert ("url" in recipe["source"], "homepage" in recipe["about"]) == (bool(address),) * 2
    for test in recipe["tests"]:
        assert all((ROOT / file).exists() for file in test.get("files", {}).get("source", []))
        assert all(importlib.util.find_spec(name) for name in test.get("python", {}).get("imports", []))


def test_citation_and_recipe_are_up_to_date():
    for path, text in loaded("package_metadata").written().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `make docs`"


def test_the_list_of_parts_names_each_with_version_and_licence():
    sbom = loaded("sbom")
    parts = [*sbom.translated("3.1", "2.0"), *sbom.linked("zig", "0.17.0", windows=True), *sbom.vendored()]
    told = json.loads(sbom.sbom("9.8.7", parts))
    names = {each["name"] for each in told["components"]}
    assert {"Cython", "numpy", "zig", "compiler-rt", "mingw-w64", "@noble/ed25519", "@noble/curves"} <= names
    for each in told["components"]:
        assert re.match(r"\d", each["version"])
        assert each["licenses"]
    assert told["dependencies"][0]["dependsOn"] == [each["bom-ref"] for each in told["components"]]
    assert sbom.sbom("9.8.7", parts) == sbom.sbom("9.8.7", parts)
    assert "mingw-w64" not in {each.name for each in sbom.linked("zig", "0.17.0")}


def test_the_release_uploads_only_what_ran_on_a_real_machine():
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    upload = jobs["publish"]
    assert upload["environment"] == "pypi"
    assert upload["permissions"]["id-token"] == "write"
    assert set(upload["needs"]) == {"try"}
    fetched = [step["with"]["pattern"] for step in upload["steps"] if "download-artifact" in step.get("uses", "")]
    assert fetched == ["tried-*"]
    kept = [step["with"]["name"] for step in jobs["try"]["steps"] if "upload-artifact" in step.get("uses", "")]
    assert all(name.startswith("tried-") for name in kept)
    assert "secrets." not in text
    for script in re.findall(r"[\w./]+\.py\b", text):
        assert (ROOT / script).exists(), script
    for target in re.findall(r"\bmake ([\w-]+)", text):
        assert f"\n{target}:" in (ROOT / "Makefile").read_text()


def test_what_a_person_must_still_do_is_ten_lines():
    page = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
    assert len(re.findall(r"^\d+\. ", page, re.M)) == 10
    for name in re.findall(r"`((?:wheels|docs|conda)/[\w./-]+|[A-Z]+\.(?:md|cff)|pyproject\.toml)`", page):
        assert (ROOT / name).exists(), name


def test_an_image_is_read_back_as_it_was_made_and_a_changed_one_is_refused(tmp_path):
    image = loaded("container_image")
    root = tmp_path / "root"
    (root / "usr/bin").mkdir(parents=True)
    (root / "usr/bin/python").write_bytes(b"an interpreter")
    (root / "usr/bin/python").chmod(0o755)
    (root / "bin").symlink_to("usr/bin")
    (root / image.HOME[1:] / "data").mkdir(parents=True)
    made = [image.image(root, tmp_path / name) for name in ("one.tar", "two.tar")]
    assert made[0].read_bytes() == made[1].read_bytes()
    config = image.unpacked(made[0], tmp_path / "back")
    assert config == image.CONFIG
    assert config["User"] not in ("", "0", "root")
    assert (tmp_path / "back/bin/python").read_bytes() == b"an interpreter"
    with tarfile.open(made[0]) as archive:
        names = archive.getnames()
    assert {"oci-layout", "index.json"} < set(names)
    spoilt = tmp_path / "spoilt.tar"
    with tarfile.open(made[0]) as archive, tarfile.open(spoilt, "w") as other:
        for each in archive.getmembers():
            data = bytearray(archive.extractfile(each).read())
            data[-1] ^= each.name.startswith("blobs/")
            other.addfile(each, io.BytesIO(data))
    with pytest.raises(loaded("locked_packages").Refused, match="does not have the digest that it is named by"):
        image.unpacked(spoilt, tmp_path / "other")


def test_the_page_starts_the_image_as_it_is_started_here():
    image, page = loaded("container_image"), (ROOT / "docs/how-to/run-the-service.md").read_text(encoding="utf-8")
    (file,) = re.findall(r"```dockerfile\n(.*?)```", page, re.S)
    assert f"USER {image.USER}" in file
    assert f"VOLUME {image.HOME}/data" in file
    told = json.loads(re.search(r"^CMD (.*)$", file, re.M)[1])
    assert told[1:7] == image.CONFIG["Cmd"]

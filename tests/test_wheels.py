"""What `make wheels` relies on, without building: its choices, its settings, and those for other platforms."""

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def build():
    sys.path.insert(0, str(ROOT / "wheels"))  # its modules import one another
    spec = importlib.util.spec_from_file_location("wheels_build", ROOT / "wheels" / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_interpreter_of_each_version_and_those_that_build_first(build, monkeypatch):
    given = {
        "/a": build.Python("/a", (3, 12), False),
        "/b": build.Python("/b", (3, 12), True),
        "/c": build.Python("/c", (3, 11), True),
        "/broken": None,
        "/d": build.Python("/d", (3, 13), True),
    }
    monkeypatch.setattr(build, "asked", given.get)
    pythons = build.chosen(list(given))
    assert [each.path for each in pythons] == ["/c", "/b", "/d"]
    assert [each.path for each in build.builders(pythons)] == ["/c", "/b"]
    with pytest.raises(build.Refused, match=r"Python 3\.12 or later, with its headers, is not on this machine"):
        build.builders(build.chosen(["/a", "/c"]))


def test_an_interpreter_is_asked_and_what_is_none_is_passed_over(build, tmp_path):
    here = build.asked(sys.executable)
    assert here.version == sys.version_info[:2]
    assert build.asked(str(tmp_path / "none")) is None
    assert build.asked("/bin/true") is None


def test_the_trial_refuses_the_source_and_names_it(build):
    done = subprocess.run([sys.executable, ROOT / "wheels" / "trial.py"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "is the source, not an installed package" in done.stderr


def test_the_stable_interface_is_one_version_everywhere(build):
    digits = "".join(map(str, build.STABLE))
    setup = (ROOT / "setup.py").read_text()
    flags = (ROOT / "wheels" / "flags.py").read_text()
    assert f'"Py_LIMITED_API", "0x{build.STABLE[0]:02X}{build.STABLE[1]:02X}0000"' in flags
    assert f'"cp{digits}" if STABLE' in setup
    assert f"cp{digits}-abi3" in (ROOT / "docs/how-to/install.md").read_text()


def test_other_platforms_build_the_same_two_wheels(build):
    section = PROJECT["tool"]["cibuildwheel"]
    (stable,) = section["overrides"]
    assert stable["environment"] == {"ISEGORIA_ABI3": "1"}
    assert set(section["build"]) - set(stable["select"]) == {"cp311-*"}
    assert "*-win*" in section["skip"]
    tried = section["test-command"].split("{project}/")[1]
    assert (ROOT / tried).exists()
    assert set(section["test-extras"]) <= set(PROJECT["project"]["optional-dependencies"])


def test_every_extra_is_explained(build):
    page = (ROOT / "docs/how-to/install.md").read_text()
    makers = {"test", "bench", "site", "wheels"}
    for extra in set(PROJECT["project"]["optional-dependencies"]) - makers:
        assert f"| `{extra}` |" in page

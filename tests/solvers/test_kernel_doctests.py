"""The examples in the docstrings of compiled modules are run: pytest itself collects those of .py files only."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import isegoria

SOURCE = Path(isegoria.__file__).parent
HERE = Path(__file__).parents[2] / "src" / "isegoria"
KERNELS = sorted(".".join(("isegoria", *path.relative_to(HERE).with_suffix("").parts)) for path in HERE.rglob("*.pyx"))
WITH_EXAMPLES = [
    name
    for name in KERNELS
    if ">>>" in (HERE / Path(*name.split(".")[1:]).with_suffix(".pyx")).read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_are_right(name):
    done = doctest.testmod(
        import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS, report=True
    )
    assert done.attempted > 0
    assert done.failed == 0

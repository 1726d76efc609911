"""Build the compiled kernels: every .pyx below src/isegoria is one extension module.

With ISEGORIA_SANITISE=1 in the environment they are built to be watched, not to be fast: with bounds checks, guard
words around every workspace, and the address and undefined-behaviour sanitisers (see `make sanitise`).

With ISEGORIA_ABI3=1 they use only the stable interface of Python 3.12, so that one wheel serves it and all later ones
(see `make wheels`).
"""

import os
import sys
import sysconfig
from pathlib import Path

import numpy as np
from Cython.Build import cythonize
from Cython.Build.Dependencies import DependencyTree
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "wheels"))
from compiler import find_obstacle  # noqa: E402
from compiler_flags import FAITHFUL, FAST, LIMITED, MACROS, SANITISE, SANITISERS, STABLE, WATCHED  # noqa: E402
from package_metadata import publication, readme  # noqa: E402

TOLD = publication(ROOT)
CORES = os.cpu_count() or 1
HEADERS = [str(path.relative_to(ROOT)) for path in (ROOT / "src").rglob("*.h")]
DIRECTIVES = {
    "language_level": "3",
    "boundscheck": SANITISE,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": SANITISE,
    "embedsignature": True,
}


def changed(tree: DependencyTree, path: str) -> float:
    """When a file of ours was changed. What Cython and NumPy declare counts by their versions, not by when pip unpacked
    it: an installer that builds in an environment of its own unpacks it anew each time."""
    ours = Path(path).resolve().is_relative_to((ROOT / "src").resolve())
    return os.path.getmtime(path) if ours else 0.0


DependencyTree.timestamp = changed


class BuildKernels(build_ext):
    """Translate every kernel to C only when it is to be built, not whenever an installer asks a question."""

    def run(self) -> None:
        if obstacle := find_obstacle():
            sys.exit(obstacle)
        if getattr(self, "editable_mode", False):  # pip would build all of it again, in a folder that it throws away
            place = f"{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
            self.build_lib, self.build_temp = f"build/lib.{place}", f"build/temp.{place}"
        folder = Path("build/sanitise/cython" if SANITISE else "build/cython")
        numpy = folder / "numpy.txt"
        translated = cythonize(
            self.extensions,
            build_dir=str(folder),
            nthreads=CORES,
            force=self.force or not numpy.exists() or numpy.read_text() != np.__version__,
            compiler_directives=DIRECTIVES,
        )
        folder.mkdir(parents=True, exist_ok=True)
        numpy.write_text(np.__version__)
        made = {extension.name: extension for extension in translated}
        for extension in self.extensions:  # a kernel may ask for flags of its own in its first lines
            extension.sources = made[extension.name].sources
            extension.extra_compile_args = made[extension.name].extra_compile_args
        super().run()

    def build_extensions(self) -> None:
        if self.compiler.compiler_type == "msvc":
            sys.exit(
                "Isegoria's kernels use vectors that MSVC does not know: install a wheel, or build "
                "with gcc, clang or zig. To check a record alone, isegoria_verify.py runs without any of it."
            )
        self.parallel = self.parallel or CORES  # not as an option of setup(): an editable install forgets those
        super().build_extensions()


def extension(path: Path) -> Extension:
    """The extension of one .pyx file."""
    return Extension(
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts),
        [str(path.relative_to(ROOT))],
        include_dirs=[np.get_include(), "src/isegoria"],
        depends=HEADERS,
        libraries=["m"] if os.name == "posix" else [],
        define_macros=[*MACROS, LIMITED] if STABLE else MACROS,
        py_limited_api=STABLE,
        extra_compile_args=[*FAITHFUL, *(WATCHED if SANITISE else FAST)],
        extra_link_args=SANITISERS if SANITISE else [],
    )


setup(
    long_description=readme((ROOT / "README.md").read_text(encoding="utf-8"), TOLD),
    long_description_content_type="text/markdown",
    project_urls=TOLD.urls,
    ext_modules=[extension(path) for path in sorted((ROOT / "src").rglob("*.pyx"))],
    cmdclass={"build_ext": BuildKernels},
    options={"bdist_wheel": {"py_limited_api": "cp312" if STABLE else None}},
)

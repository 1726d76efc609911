"""`make pyodide`: the kernels for Python in a browser tab, built by zig and tried in Node.

Pyodide is CPython 3.11 for WebAssembly, whose integers for sizes have 32 bits. The package runs in it beside NumPy:
the policies of `tests/bit_digests.py` must have the digests of this machine's build, and a record is drawn and
verified. What is built is in build/pyodide/site.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
BUILD = ROOT / "build" / "pyodide"
SITE, PURE = BUILD / "site", BUILD / "pure"
SUFFIX = ".cpython-311-wasm32-emscripten.so"
PURE_PACKAGES = ("click", "cloudpickle", "threadpoolctl")
POINTER_SIZES = ("LONG", "SIZE_T", "VOID_P", "UINTPTR_T", "PTHREAD_T")
FOREIGN_MACROS = ("HAVE_GCC_ASM_FOR_X64", "HAVE_GCC_ASM_FOR_X87", "HAVE_GCC_UINT128_T", "HAVE_EPOLL")
COMPILE = (
    *("cc", "-target", "wasm32-wasi-musl", "-fPIC", "-O2", "-g0", "-w"),
    *("-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off"),
    *("-DNPY_NO_DEPRECATED_API=NPY_1_7_API_VERSION", "-D__EMSCRIPTEN__=1"),
)
LINK = (
    *("wasm-ld", "-shared", "--experimental-pic", "--no-entry", "--allow-undefined", "--import-memory"),
    *("--no-check-features", "--features=mutable-globals,sign-ext,nontrapping-fptoint,bulk-memory", "--strip-debug"),
)
NODE_SCRIPT = """
const [runtime, script, ...roots] = process.argv.slice(2);
const { loadPyodide } = await import(runtime);
const python = await loadPyodide({ stdout: (line) => console.log(line), stderr: (line) => console.error(line) });
roots.forEach((root, i) => {
  python.FS.mkdirTree(`/m${i}`);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, `/m${i}`);
});
python.runPython("import sys; sys.dont_write_bytecode = True; sys.path[:0] = ['/m0', '/m1', '/m2', '/m3/tests']");
python.runPython(script);
"""
DIGESTS = "import bit_digests; print('\\n'.join(bit_digests.digests({every})))"
ROUND = """
import os
from click.testing import CliRunner
from isegoria.cli import main
os.chdir("/tmp")
def run(*words):
    done = CliRunner().invoke(main, [*words])
    print("isegoria", *words[:2], "→", done.exit_code)
    return done.exit_code
lunch = ("/m3/examples/lunch.csv", "--scale", "1,5")
codes = [run("compare", *lunch), run("learn", *lunch, "--rounds", "200"), run("draw", *lunch, "--seed", "1")]
codes += [run("record", "init", "r.record", *lunch, "--source", "dice")]
codes += [run("record", "freeze", "r.record", "--form", "9,1,6,throw", "--event", "lunch")]
codes += [run("record", "draw", "r.record", "--value", "314426531"), run("verify", "r.record") - 3]
assert codes == [0] * 7, codes
"""


def write_headers() -> list[str]:
    """Copy the headers of Python and NumPy with the sizes of a 32-bit machine; return the options that name them."""
    folders = {"python": Path(sysconfig.get_path("include")), "numpy": Path(np.get_include())}
    for name, folder in folders.items():
        shutil.copytree(folder, BUILD / "include" / name, dirs_exist_ok=True)
    config = BUILD / "include" / "python" / "pyconfig.h"
    text = config.read_text(encoding="utf-8")
    text = re.sub(rf"#define (SIZEOF_(?:{'|'.join(POINTER_SIZES)})|ALIGNOF_(?:LONG|SIZE_T)) \d+", r"#define \1 4", text)
    config.write_text(re.sub(rf"#define ({'|'.join(FOREIGN_MACROS)}|HAVE_SYS_EPOLL_H) 1", "", text), encoding="utf-8")
    config = BUILD / "include" / "numpy" / "numpy" / "_numpyconfig.h"
    names = r"#define (NPY_SIZEOF_(?:LONG|INTP|UINTP|PY_INTPTR_T)) \d+"
    config.write_text(re.sub(names, r"#define \1 4", config.read_text(encoding="utf-8")), encoding="utf-8")
    return [f"-I{BUILD / 'include' / name}" for name in folders] + [f"-I{ROOT / 'src' / 'isegoria'}", f"-I{ROOT}"]


def build_kernel(source: Path, zig: str, headers: list[str]) -> None:
    """Compile and link one kernel, if its C file is newer than what is there."""
    inside = source.relative_to(ROOT).with_suffix("")
    code, made = ROOT / "build" / "cython" / f"{inside}.c", (SITE / inside.relative_to("src")).with_suffix(SUFFIX)
    if made.exists() and made.stat().st_mtime > code.stat().st_mtime:
        return
    made.parent.mkdir(parents=True, exist_ok=True)
    part = made.with_suffix(".o")
    subprocess.run([zig, *COMPILE, *headers, "-c", str(code), "-o", str(part)], check=True, cwd=ROOT)
    start = f"--export-if-defined=PyInit_{source.stem}"
    subprocess.run([zig, *LINK, start, "-o", str(made), str(part)], check=True, cwd=ROOT)
    part.unlink()


def build_site() -> None:
    """Write the package with its kernels into build/pyodide/site, and the pure packages that it needs beside it."""
    spec = find_spec("ziglang")
    if spec is None or spec.origin is None:
        sys.exit("make pyodide needs zig: pip install ziglang, or run make wheels first.")
    listed = subprocess.run(["git", "ls-files", "src/isegoria"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.split():
        target = SITE / Path(name).relative_to("src")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    headers, zig = write_headers(), str(Path(spec.origin).parent / "zig")
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(lambda one: build_kernel(one, zig, headers), (ROOT / "src").rglob("*.pyx")))
    for package in PURE_PACKAGES:
        origin = Path(str(find_spec(package).origin))  # type: ignore[union-attr]
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, PURE / package, dirs_exist_ok=True)
        else:
            PURE.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin, PURE / origin.name)


def install_runtime() -> tuple[Path, Path]:
    """Fetch Pyodide and its NumPy from npm; return the runtime's module and the folder of NumPy."""
    sys.path.insert(0, str(ROOT / "tests"))
    from browser import downloads

    (archive,) = (downloads.install_package("@emscripten-forge/numpy") / "pkg").glob("*.tar.gz")
    numpy = BUILD / "numpy"
    if not numpy.exists():
        with tarfile.open(archive) as file:
            file.extractall(numpy, filter="data")
    return downloads.install_package("pyodide") / "pyodide.mjs", numpy / "lib" / "python3.11" / "site-packages"


def run_in_node(script: str) -> str:
    """Run a Python script under Pyodide and return what it printed."""
    from browser import downloads

    runtime, numpy = install_runtime()
    driver = BUILD / "run.mjs"
    driver.write_text(NODE_SCRIPT, encoding="utf-8")
    words = [downloads.find_node(), str(driver), str(runtime), script, str(SITE), str(PURE), str(numpy), str(ROOT)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def main() -> None:
    """Build the package for Pyodide, compare its digests with this machine's, and draw and verify a record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="Take each so-manieth table of the sample.")
    every = parser.parse_args().every
    build_site()
    install_runtime()
    here = DIGESTS.format(every=every)
    tests = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    native = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True, check=True, env=tests).stdout
    if run_in_node(here) != native:
        sys.exit("policies under Pyodide differ from those of this machine")
    print(f"{len(native.splitlines()) - 1} digests are equal under Pyodide and here")
    print(run_in_node(ROUND), end="")


if __name__ == "__main__":
    main()

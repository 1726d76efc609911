"""`make pyodide`: a wheel for Python in a browser tab, built by zig and tried in Node.

Pyodide is CPython 3.11 for WebAssembly, whose integers for sizes have 32 bits. The package runs in it beside NumPy:
the policies of `tests/bit_digests.py` must have the digests of this machine's build, a record is drawn and verified,
and the examples of the README print what it shows. The wheel is in dist/, and the playground's files, which
`make site` publishes, are in build/pyodide/playground.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "docs" / "playground")]
from cells import list_documents, read_markdown  # noqa: E402
from repack import write_archive, write_wheel  # noqa: E402
from targets import PYODIDE  # noqa: E402

from browser import downloads  # noqa: E402
from test_docs_examples import matches  # noqa: E402

BUILD = ROOT / "build" / "pyodide"
KERNELS, SITE, PURE, PLAYGROUND = (BUILD / name for name in ("kernels", "site", "pure", "playground"))
RUNTIME_FILES = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
SUFFIX = ".cpython-311-wasm32-emscripten.so"
PURE_PACKAGES = ("click", "cloudpickle", "threadpoolctl")
POINTER_SIZES = ("LONG", "SIZE_T", "VOID_P", "UINTPTR_T", "PTHREAD_T")
FOREIGN_MACROS = ("HAVE_GCC_ASM_FOR_X64", "HAVE_GCC_ASM_FOR_X87", "HAVE_GCC_UINT128_T", "HAVE_EPOLL")
COMPILE = (
    *("cc", "-target", PYODIDE.zig, "-fPIC", "-O2", "-g0", "-w"),
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
const folders = ["/m0", "/m1", "/m2", "/m3/tests", "/m3/docs/playground"];
python.runPython(`import sys; sys.dont_write_bytecode = True; sys.path[:0] = ${JSON.stringify(folders)}`);
python.runPython(script);
"""
DIGESTS = "import bit_digests; print('\\n'.join(bit_digests.digests({every})))"
CELLS = """
import json, os, runner
os.chdir("/m3")
print(json.dumps([[runner.execute_cell(cell) for cell in cells] for cells in json.loads({cells!r})]))
"""
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
    code, made = ROOT / "build" / "cython" / f"{inside}.c", (KERNELS / inside.relative_to("src")).with_suffix(SUFFIX)
    if made.exists() and made.stat().st_mtime > code.stat().st_mtime:
        return
    made.parent.mkdir(parents=True, exist_ok=True)
    part = made.with_suffix(".o")
    subprocess.run([zig, *COMPILE, *headers, "-c", str(code), "-o", str(part)], check=True, cwd=ROOT)
    start = f"--export-if-defined=PyInit_{source.stem}"
    subprocess.run([zig, *LINK, start, "-o", str(made), str(part)], check=True, cwd=ROOT)
    part.unlink()


def build_wheel() -> Path:
    """Build the wheel of the package for Pyodide, unpack it into build/pyodide/site, and return its path."""
    spec = find_spec("ziglang")
    if spec is None or spec.origin is None:
        sys.exit("make pyodide needs zig: pip install ziglang, or run make wheels first.")
    headers, zig = write_headers(), str(Path(spec.origin).parent / "zig")
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        list(threads.map(lambda one: build_kernel(one, zig, headers), (ROOT / "src").rglob("*.pyx")))
    listed = subprocess.run(["git", "ls-files", "src/isegoria"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = {name.removeprefix("src/"): (ROOT / name).read_bytes() for name in listed.stdout.split()}
    files |= {path.relative_to(KERNELS).as_posix(): path.read_bytes() for path in KERNELS.rglob("*.so")}
    package = distribution("isegoria")
    stem, tag = f"isegoria-{package.version}", f"cp311-cp311-{PYODIDE.platforms[0]}"
    about = {name: package.read_text(name) or "" for name in ("METADATA", "entry_points.txt")}
    about["WHEEL"] = f"Wheel-Version: 1.0\nGenerator: isegoria\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files |= {f"{stem}.dist-info/{name}": text.encode() for name, text in about.items()}
    files[f"{stem}.dist-info/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    wheel = ROOT / "dist" / f"{stem}-{tag}.whl"
    wheel.parent.mkdir(exist_ok=True)
    write_wheel(wheel, f"{stem}.dist-info", files)
    shutil.rmtree(SITE, ignore_errors=True)
    shutil.unpack_archive(wheel, SITE, "zip")
    return wheel


def copy_packages() -> None:
    """Copy the pure packages that the wheel needs from this environment into build/pyodide/pure."""
    for package in PURE_PACKAGES:
        origin = Path(str(find_spec(package).origin))  # type: ignore[union-attr]
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, PURE / package, dirs_exist_ok=True)
        else:
            PURE.mkdir(parents=True, exist_ok=True)
            shutil.copy2(origin, PURE / origin.name)


def write_playground() -> Path:
    """Write the files that the playground loads: the runtime, and one archive of all packages and the examples."""
    runtime, numpy = install_runtime()
    shutil.rmtree(PLAYGROUND, ignore_errors=True)
    PLAYGROUND.mkdir(parents=True)
    for name in RUNTIME_FILES:
        shutil.copy2(runtime.with_name(name), PLAYGROUND)
    files = {}
    for root in (SITE, PURE, numpy):
        for path in root.rglob("*"):
            name = path.relative_to(root)
            if path.is_file() and path.suffix not in (".pyc", ".pyi", ".pyx", ".a") and "tests" not in name.parts:
                files[name.as_posix()] = path.read_bytes()
    for path in (ROOT / "examples").glob("*.*"):
        files[f"examples/{path.name}"] = path.read_bytes()
    archive = PLAYGROUND / "packages.zip"
    write_archive(archive, files)
    (PLAYGROUND / "sizes.json").write_text(json.dumps({archive.name: archive.stat().st_size}), encoding="utf-8")
    return archive


def install_runtime() -> tuple[Path, Path]:
    """Fetch Pyodide and its NumPy from npm; return the runtime's module and the folder of NumPy."""
    (archive,) = (downloads.install_package("@emscripten-forge/numpy") / "pkg").glob("*.tar.gz")
    numpy = BUILD / "numpy"
    if not numpy.exists():
        with tarfile.open(archive) as file:
            file.extractall(numpy, filter="data")
    return downloads.install_package("pyodide") / "pyodide.mjs", numpy / "lib" / "python3.11" / "site-packages"


def run_in_node(script: str) -> str:
    """Run a Python script under Pyodide and return what it printed."""
    runtime, numpy = install_runtime()
    driver = BUILD / "run.mjs"
    driver.write_text(NODE_SCRIPT, encoding="utf-8")
    words = [downloads.find_node(), str(driver), str(runtime), script, str(SITE), str(PURE), str(numpy), str(ROOT)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


def check_cells() -> str:
    """Run the playground's cells; the README's must print what it shows, and no other may fail."""
    shown = read_markdown(ROOT / "README.md")
    documents = [[cell for cell, _ in shown], *(list(one["cells"]) for one in list_documents(ROOT)[1:])]
    printed = json.loads(run_in_node(CELLS.format(cells=json.dumps(documents))).splitlines()[-1])
    wrong = [cell for (cell, text), found in zip(shown, printed[0], strict=True) if not matches(text, found[0])]
    for cells, outputs in zip(documents[1:], printed[1:], strict=True):
        wrong += [f"{cell}\n{text}" for cell, (text, good) in zip(cells, outputs, strict=True) if not good]
    if wrong:
        sys.exit("\n\n".join(["these cells of the playground do not do what they should:", *wrong]))
    return (
        f"{len(shown)} examples of the README print what it shows; {sum(map(len, printed[1:]))} cells of notebooks run"
    )


def main() -> None:
    """Build the wheel and the playground, compare digests with this machine's, and draw and verify a record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="Take each so-manieth table of the sample.")
    every = parser.parse_args().every
    wheel = build_wheel()
    copy_packages()
    print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")
    print(f"build/pyodide/playground: packages.zip has {write_playground().stat().st_size / 1e6:.1f} MB")
    here = DIGESTS.format(every=every)
    tests = {**os.environ, "PYTHONPATH": str(ROOT / "tests")}
    native = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True, check=True, env=tests).stdout
    if run_in_node(here) != native:
        sys.exit("policies under Pyodide differ from those of this machine")
    print(f"{len(native.splitlines()) - 1} digests are equal under Pyodide and here")
    print(run_in_node(ROUND), end="")
    print(check_cells())


if __name__ == "__main__":
    main()

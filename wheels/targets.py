"""The machines that wheels are made for besides this one: one table, which install.md and the tests read too."""

from __future__ import annotations

from dataclasses import dataclass

DYNAMIC = ("-undefined", "dynamic_lookup", "-Wl,-install_name,@rpath/isegoria")
"""macOS finds Python's names when it loads a module; without the last, the build folder would stand in every module."""


@dataclass(frozen=True)
class Target:
    """A machine: what zig, wheels and people call it, where NumPy's headers for it are, and what runs it here."""

    id: str
    label: str
    zig: str
    platforms: tuple[str, ...]
    headers: str
    words: tuple[str, ...]
    runner: str = ""
    """The emulator's name, as every sentence about it says it; none: built and inspected, NOT RUN."""

    @property
    def windows(self) -> bool:
        return "windows" in self.zig

    @property
    def macos(self) -> bool:
        return "macos" in self.zig

    @property
    def suffix(self) -> str:
        """How the file of a compiled module ends."""
        return ".pyd" if self.windows else ".abi3.so"


TARGETS = {
    target.id: target
    for target in (
        Target(
            "aarch64",
            "Linux aarch64, glibc 2.17 or later",
            "aarch64-linux-gnu.2.17",
            ("manylinux_2_17_aarch64", "manylinux2014_aarch64"),
            "aarch64-packages",
            ("-fPIC", "-lm"),
            "qemu-user",
        ),
        Target(
            "windows",
            "Windows x86-64",
            "x86_64-windows-gnu",
            ("win_amd64",),
            "windows-packages",
            ("-lpython3",),
            "Wine",
        ),
        Target(
            "musl",
            "Linux x86-64, musl 1.2 (Alpine)",
            "x86_64-linux-musl",
            ("musllinux_1_2_x86_64",),
            "musl-headers",
            ("-fPIC", "-lm"),
        ),
        Target(
            "macos-arm64",
            "macOS 11 or later, Apple silicon",
            "aarch64-macos.11.0",
            ("macosx_11_0_arm64",),
            "macos-arm64-headers",
            ("-fPIC", *DYNAMIC),
        ),
        Target(
            "macos-x86_64",
            "macOS 10.13 or later, Intel",
            "x86_64-macos.10.13",
            ("macosx_10_13_x86_64",),
            "macos-x86_64-headers",
            ("-fPIC", *DYNAMIC),
        ),
    )
}

PYODIDE = Target(
    "pyodide",
    "Python in a browser tab (Pyodide 0.25)",
    "wasm32-wasi-musl",
    ("emscripten_3_1_46_wasm32",),
    "",
    (),
    "Node",
)
"""Built by pyodide.py, not with the others: its Python is 3.11 alone, and a linker of its own makes its modules."""

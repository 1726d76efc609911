"""What went into a wheel besides this source: a list in CycloneDX's JSON, put into its dist-info/sboms."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
VENDORED = ROOT / "src" / "isegoria" / "verifier" / "web" / "vendor"
NAME = "isegoria.cdx.json"


class Part(NamedTuple):
    """Something that a wheel holds, or that its modules were made with and left pieces in."""

    name: str
    version: str
    licence: str
    why: str
    kind: str = "library"
    purl: str = ""


def translated(cython: str, numpy: str) -> list[Part]:
    """What every wheel's modules hold of Cython and NumPy, given their versions."""
    return [
        Part(
            "Cython",
            cython,
            "Apache-2.0",
            "its helpers stand in every translated kernel",
            purl=f"pkg:pypi/cython@{cython}",
        ),
        Part("numpy", numpy, "BSD-3-Clause", "its headers, compiled in", purl=f"pkg:pypi/numpy@{numpy}"),
    ]


def linked(compiler: str, version: str, windows: bool = False) -> list[Part]:
    """What a compiler's own libraries leave in the modules."""
    if compiler == "gcc":
        return [
            Part("libgcc", version, "GPL-3.0-or-later WITH GCC-exception-3.1", "helpers of the compiler, where used")
        ]
    parts = [
        Part("zig", version, "MIT", "compiled the modules", "application", f"pkg:pypi/ziglang@{version}"),
        Part(
            "compiler-rt",
            version,
            "MIT",
            "zig's helpers, where used, some of them after LLVM's",
        ),
    ]
    return parts + [Part("mingw-w64", version, "ZPL-2.1", "the start of a DLL, as this zig brings it")] * windows


def vendored() -> list[Part]:
    """The JavaScript of others that the verifier's page brings, as its files name it."""
    heads = {path.read_text(encoding="utf-8").split("\n", 1)[0] for path in VENDORED.glob("*.js")}
    found = sorted({each for head in heads for each in re.findall(r"(@noble/[\w-]+)@([\d.]+\d)", head)})
    return [
        Part(name, version, "MIT", "in the verifier's page", purl=f"pkg:npm/%40{name[1:]}@{version}")
        for name, version in found
    ]


def sbom(version: str, parts: list[Part]) -> bytes:
    """The list for this version: it tells no time and no serial number, so that the same parts give the same bytes."""
    own = {
        "type": "library",
        "bom-ref": "isegoria",
        "name": "isegoria",
        "version": version,
        "licenses": _licence("MIT"),
    }
    components = [
        {
            "type": part.kind,
            "bom-ref": f"{part.name}@{part.version}",
            "name": part.name,
            "version": part.version,
            "description": part.why,
            "licenses": _licence(part.licence),
            **({"purl": part.purl} if part.purl else {}),
        }
        for part in parts
    ]
    told = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**own, "licenses": _licence("MIT")}},
        "components": components,
        "dependencies": [{"ref": "isegoria", "dependsOn": [each["bom-ref"] for each in components]}],
    }
    return (json.dumps(told, indent=1, ensure_ascii=False) + "\n").encode()


def _licence(words: str) -> list[dict]:
    return [{"expression": words} if " " in words else {"license": {"id": words}}]

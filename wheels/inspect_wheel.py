"""What can be known of a wheel without running it: its machine, what it asks of the system, what it tells of ours."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

from locked_packages import ROOT
from repack import MODULE, unsound
from targets import Target

C_NAMES = {"bzero", "calloc", "exp", "exp2", "floor", "free", "frexp", "ldexp", "lgamma", "llrint", "log", "log1p"}
C_NAMES |= {"malloc", "memcmp", "memcpy", "memmove", "memset", "memset_pattern16", "pow", "qsort", "realloc", "strlen"}
C_NAMES |= {"strrchr", "vsnprintf", "__bzero", "dyld_stub_binder"}  # __bzero is what Intel's machines call bzero
"""What modules for macOS may ask of the system besides Python's own names."""
SYSTEM = re.compile(r"python3\.dll|kernel32\.dll|api-ms-win-crt-[a-z]+-l1-1-0\.dll", re.IGNORECASE)
"""The libraries that every Windows has, and Python's."""


def objections(wheel: Path, target: Target) -> list[str]:
    """What is wrong with a wheel for a target, in words; nothing if all is as it should be."""
    return [*unsound(wheel), *objections_to_modules(wheel, target), *_audited(wheel, target)]


def objections_to_modules(wheel: Path, target: Target, most: int | None = None) -> list[str]:
    """What is wrong with the compiled modules of a wheel for a target, or with the first few of them."""
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if MODULE.search(name)]
        modules = {name: archive.read(name) for name in names[:most]}
    wrong = [] if modules else ["it has no compiled modules"]
    for name, content in modules.items():
        wrong += [f"{name}: {each}" for each in _about(name, content, target)]
    return wrong


def _about(name: str, content: bytes, target: Target) -> list[str]:
    """What is wrong with one module."""
    paths = {str(ROOT), str(Path.home() / ".pyenv"), str(Path(sys.prefix))}
    wrong = [f"it tells of {path}" for path in sorted(paths) if path.encode() in content]
    check = _macos if target.macos else _windows if target.windows else _linux
    return wrong + check(content, f"PyInit_{name.rsplit('/', 1)[1].split('.')[0]}", target)


def _linux(content: bytes, start: str, target: Target) -> list[str]:
    import lief

    module = lief.ELF.parse(list(content))
    machine = lief.ELF.ARCH.AARCH64 if "aarch64" in target.zig else lief.ELF.ARCH.X86_64
    if module is None or module.header.machine_type != machine:
        return ["it is not of this machine"]
    needed = set(module.libraries)
    allowed = {"libc.so"} if "musl" in target.zig else {"libc.so.6", "libm.so.6"}
    wrong = [] if needed <= allowed else [f"it needs {', '.join(sorted(needed - allowed))}"]
    return wrong + ([] if start in {each.name for each in module.exported_symbols} else [f"{start} is not there"])


def _windows(content: bytes, start: str, target: Target) -> list[str]:
    import lief

    module = lief.PE.parse(list(content))
    if module is None or module.header.machine != lief.PE.Header.MACHINE_TYPES.AMD64:
        return ["it is not of this machine"]
    foreign = [each.name for each in module.imports if not SYSTEM.fullmatch(each.name)]
    wrong = [f"it needs {', '.join(foreign)}"] if foreign else []
    names = {each.name for each in module.get_export().entries} if module.has_exports else set()
    return wrong + ([] if start in names else [f"{start} is not there"])


def _macos(content: bytes, start: str, target: Target) -> list[str]:
    import lief

    lief.logging.disable()  # of every module it says that it cannot read at 0, and then reads it
    fat = lief.MachO.parse(list(content))
    module = fat.at(0) if fat is not None else None
    arm = "aarch64" in target.zig
    cpu = lief.MachO.Header.CPU_TYPE.ARM64 if arm else lief.MachO.Header.CPU_TYPE.X86_64
    if module is None or module.header.cpu_type != cpu:
        return ["it is not of this machine"]
    least = ".".join(
        map(str, (module.build_version.minos if module.has_build_version else module.version_min.version)[:2])
    )
    wrong = [] if target.zig.endswith(least) else [f"it asks for macOS {least}"]
    libraries = {each.name for each in module.libraries} - {"@rpath/isegoria", "/usr/lib/libSystem.B.dylib"}
    wrong += [f"it needs {', '.join(sorted(libraries))}"] if libraries else []
    asked = {each.name.removeprefix("_") for each in module.imported_symbols}
    strange = {name for name in asked - C_NAMES if not name.startswith(("Py", "_Py"))}
    wrong += [f"it asks for {', '.join(sorted(strange))}"] if strange else []
    wrong += [] if not arm or module.has_code_signature else ["it has no signature entry"]
    return wrong + ([] if f"_{start}" in {each.name for each in module.exported_symbols} else [f"{start} is not there"])


def _audited(wheel: Path, target: Target) -> list[str]:
    """What abi3audit says of the stable interface and, for glibc, auditwheel of the oldest system."""
    done = subprocess.run([sys.executable, "-m", "abi3audit", "--strict", wheel], capture_output=True, text=True)
    wrong = [f"abi3audit: {done.stderr.strip()[-300:]}"] if done.returncode else []
    if "gnu." in target.zig:
        done = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True)
        said = " ".join(done.stdout.split())
        wrong += [] if f'platform tag: "{target.platforms[0]}"' in said else [f"auditwheel: {said[-300:]}"]
    return wrong

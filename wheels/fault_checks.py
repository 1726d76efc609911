"""Whether the checks of `make wheels-all` would notice a wheel that is wrong: two are made wrong on purpose."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import build
from compiler_flags import FAITHFUL
from cross_compile import Origin, compiled
from emulators import Runner
from inspect_wheel import objections_to_modules
from locked_packages import WORK, Refused
from repack import repacked
from targets import TARGETS, Target

CONTRACTED = [flag.replace("contract=off", "contract=fast") for flag in FAITHFUL]
"""A product and a sum may round once, together: aarch64 has an instruction for it, which zig then takes."""


def modules_of_another_machine(wheel: Path, target: Target) -> None:
    """Refused if the inspection would take a wheel of one machine for one of another."""
    for other in TARGETS.values():
        if other is not target and not objections_to_modules(wheel, other, 1):
            raise Refused(f"{wheel.name} would pass for {other.label}: the inspection sees nothing.")


def contracted_sums(runner: Runner, target: Target, origin: Origin, bits: Path) -> tuple[str, bool]:
    """How many digests of every tenth table change in the guest if sums may be contracted, and whether any does.

    The guest is left empty.
    """
    some = ("--every", "10")
    folder = WORK / "guard"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    wheel = repacked(origin.native, folder, list(target.platforms), compiled(target, origin, CONTRACTED))
    runner.pip("--no-deps", wheel)
    theirs = runner.run(bits, *some).splitlines()
    shutil.rmtree(runner.site)
    changed = set(theirs) - set(build.policies(sys.executable, {}, *some).splitlines())
    told = f"{len(changed)} of {len(theirs) - 1} digests change if sums are contracted"
    return told if changed else f"{told}: THE SAMPLE of tests/bit_digests.py IS TOO NARROW", bool(changed)

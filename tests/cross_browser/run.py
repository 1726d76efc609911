"""The pages of a group in Firefox and in WebKit, the engine of iPhones: one line for each check, exit 1 if one fails.

python tests/cross_browser/run.py [firefox] [webkit] [check …]        make browsers runs all
"""

import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from cross_browser.checks import CHECKS
from cross_browser.engines import NEEDED, list_missing_packages, start_engine
from pages.conftest import RunningService


def main(words: list[str]) -> int:
    names = [name for name in NEEDED if name in words] or list(NEEDED)
    checks = [check for check in CHECKS if check.__name__ in words] or CHECKS
    if list_missing_packages():
        print(
            f"make browsers needs Firefox and WebKit: apt install {' '.join(list_missing_packages())}", file=sys.stderr
        )
        return 2
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        service = RunningService(Path(folder))
        for name in names:
            with start_engine(name) as session:
                session.open(service.site)
                print(f"{name}: {session.script('return navigator.userAgent')}", flush=True)
            failed += sum(not run_check(name, check, service) for check in checks)
        service.close()
    print(f"{len(names) * len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


def run_check(name: str, check, service: RunningService) -> bool:
    """Run one check and print its line; whether it passed."""
    start = time.monotonic()
    try:
        said, good = check(name, service), True
    except Exception as error:  # the other checks are looked at all the same
        said, good = f"{type(error).__name__}: {error}", False
        traceback.print_exc()
    print(f"{'ok ' if good else 'NO '} {name} {check.__name__}: {said} ({time.monotonic() - start:.0f} s)", flush=True)
    return good


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Checking a beacon leaves the interpreter as it was: a limit raised for ever would let deep JSON end the process."""

import subprocess
import sys

PROGRAM = """
import json, sys
before = sys.getrecursionlimit()
import isegoria.record.sources.curve
assert sys.getrecursionlimit() == before
try:
    json.loads("[" * 200_000)
except RecursionError:
    print("refused")
"""


def test_the_curve_leaves_the_depth_of_recursion_as_it_was():
    told = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert told.stdout == "refused\n"

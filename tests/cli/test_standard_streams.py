"""The standard streams: closed or full, they end in one sentence and the right exit code, never in 1."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
LUNCH = f"{shlex.quote(str(EXAMPLES / 'lunch.csv'))} --scale 1,5"
FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")


def shell(command: str) -> subprocess.CompletedProcess:
    """`isegoria …` with the redirections that only a shell can make."""
    line = f"{shlex.quote(sys.executable)} -m isegoria {command}"
    return subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=60)


def test_a_closed_standard_input_is_named():
    shown = shell("solve - <&-")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr == "Error: standard input is closed; give a file, or pipe one in.\n"


def test_a_standard_input_for_writing_is_a_matter_of_reading():
    shown = shell("solve - 0>/dev/null")
    assert shown.returncode == 2
    assert shown.stderr == "Error: cannot read standard input: bad file descriptor.\n"


def test_a_closed_standard_output_is_named_before_any_work():
    shown = shell(f"solve {LUNCH} >&-")
    assert shown.returncode == 2
    assert shown.stderr.startswith("Error: cannot write the output: standard output is closed")


@pytest.mark.parametrize(("what", "code"), [(f"solve {LUNCH}", 0), ("solve nowhere.csv", 2), (f"solve {LUNCH} >&-", 2)])
def test_a_closed_standard_error_changes_no_exit_code(what, code):
    shown = shell(f"{what} 2>&-")
    assert (shown.returncode, shown.stderr) == (code, "")


@pytest.mark.slow
@FULL
@pytest.mark.parametrize("command", [f"audit {LUNCH} --policy 1,0,0,0", f"audit {LUNCH}", f"compare {LUNCH}"])
@pytest.mark.parametrize("redirection", [">/dev/full", ">/dev/full 2>/dev/full", ">/dev/full 2>&-"])
def test_output_that_cannot_be_written_exits_with_2(command, redirection):
    assert shell(f"{command} {redirection}").returncode == 2


@FULL
def test_the_verdict_keeps_its_code_when_only_the_output_is_wanted():
    assert shell(f"audit {LUNCH} --policy 1,0,0,0 2>&-").returncode == 1


@FULL
@pytest.mark.parametrize(
    "command",
    ["solve /dev/zero --input-format csv", "solve /dev/full --input-format npz", f"learn {LUNCH} --state /dev/full"],
)
def test_a_device_that_never_ends_is_refused(command):
    shown = shell(command)
    assert (shown.returncode, shown.stdout) == (2, "")
    assert "is a device, not a file; give the path of a file" in shown.stderr


@pytest.mark.slow
def test_pipes_of_every_kind_are_read(tmp_path):
    fifo = shlex.quote(str(tmp_path / "pipe"))
    lunch = shlex.quote(str(EXAMPLES / "lunch.csv"))
    options = "--input-format csv --scale 1,5 --format csv"
    expected = shell(f"solve {LUNCH} --format csv").stdout
    assert expected
    assert shell(f"solve <(cat {lunch}) {options}").stdout == expected
    assert shell(f"solve /dev/stdin {options} < {lunch}").stdout == expected
    assert shell(f"solve /dev/stdin {options} < <(cat {lunch})").stdout == expected
    subprocess.run(["bash", "-c", f"mkfifo {fifo}"], check=True)
    assert shell(f"solve {fifo} {options} & cat {lunch} > {fifo}; wait").stdout == expected

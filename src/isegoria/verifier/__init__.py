"""Two verifiers of a record, written from its description and not from its writer: one file of Python, one page."""

from pathlib import Path

HERE = Path(__file__).parent


def script() -> str:
    """The text of the one-file verifier, for `python3 -I -S isegoria_verify.py RECORD`."""
    return (HERE / "isegoria_verify.py").read_text(encoding="utf-8")

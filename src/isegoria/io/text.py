"""Bytes to text: UTF-8 with or without a mark at its start, and advice where it is something else."""

from __future__ import annotations

from isegoria.errors import FileError

_OTHERS = {
    b"PK\x03\x04": "a spreadsheet or zip file; open it in the program that made it and save it as CSV (UTF-8)",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet file; open it in the program that made it and save it as CSV (UTF-8)",
    b"\xff\xfe": "text in UTF-16; save it as UTF-8, or convert it with: iconv -f utf-16 -t utf-8",
    b"\xfe\xff": "text in UTF-16; save it as UTF-8, or convert it with: iconv -f utf-16 -t utf-8",
    b"\x1f\x8b": "a gzip file; unpack it with gunzip first",
}


def decode(data: bytes, where: str) -> str:
    """The text of `data`; a byte that is not UTF-8 is named with its line, and what the file seems to be instead.

    >>> decode(b"agent,th\\xc3\\xa9", "a.csv")
    'agent,thé'
    """
    if not data.strip():
        raise FileError(f"{where} is empty; expected a header line and at least one line of data.")
    for start, what in _OTHERS.items():
        if data.startswith(start):
            raise FileError(f"{where} is {what}.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(
            f"{where}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8, "
            "or convert it with: iconv -f latin1 -t utf-8"
        ) from None

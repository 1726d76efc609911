"""Decode bytes as UTF-8, with or without a byte order mark, and give advice for other content."""

from __future__ import annotations

from isegoria.errors import FileError

_OTHER_FILE_TYPES = {
    b"PK\x03\x04": "a spreadsheet or zip file; name it .xlsx or .ods, or save it as CSV (UTF-8)",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet file; open it in the program that made it and save it as CSV (UTF-8)",
    b"\x1f\x8b": "a gzip file; unpack it with gunzip first",
}
_BYTE_ORDER_MARKS = {  # longer marks first: the shorter ones are their prefixes
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
_SAMPLE_BYTES = 4096


def decode_text(data: bytes, where: str) -> str:
    """Return the text of `data`.

    Raise `FileError` for other content: it names the line of the first wrong byte, or what the file seems to be.

    >>> decode_text(b"agent,th\\xc3\\xa9", "a.csv")
    'agent,thé'
    """
    if not data.strip():
        raise FileError(f"{where} is empty; expected a header line and at least one line of data.")
    for start, what in _OTHER_FILE_TYPES.items():
        if data.startswith(start):
            raise FileError(f"{where} is {what}.")
    other = _detect_wide_encoding(data)
    if other:
        raise FileError(
            f"{where} is text in {other.upper()}; save it as UTF-8, or convert it with: iconv -f {other} -t utf-8"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FileError(
            f"{where}, line {line}: byte 0x{data[error.start]:02x} is not UTF-8 text; save the file as UTF-8, "
            "or convert it with: iconv -f latin1 -t utf-8"
        ) from None


def _detect_wide_encoding(data: bytes) -> str | None:
    """Detect UTF-16 or UTF-32 by the byte order mark, or by the zero bytes in ASCII letters; else return None.

    >>> _detect_wide_encoding("agent,tea".encode("utf-16-le")), _detect_wide_encoding(b"agent,tea")
    ('utf-16le', None)
    """
    for order_mark, name in _BYTE_ORDER_MARKS.items():
        if data.startswith(order_mark):
            return name
    zeros = [_is_mostly_zero(data[start:_SAMPLE_BYTES:4]) for start in range(4)]
    kinds = {
        "utf-32le": [False, True, True, True],
        "utf-32be": [True, True, True, False],
        "utf-16le": [False, True, False, True],
        "utf-16be": [True, False, True, False],
    }
    return next((name for name, pattern in kinds.items() if zeros == pattern), None)


def _is_mostly_zero(part: bytes) -> bool:
    return 2 * part.count(0) > len(part)

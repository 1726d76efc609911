"""Files in and out: one module per format, one table of them (`formats`), and `read` and `write` in front."""

from isegoria.io.files import read, write
from isegoria.io.formats import FORMATS, Format

__all__ = ["FORMATS", "Format", "read", "write"]

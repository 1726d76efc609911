"""File input and output: `read`, `write`, one module per format, and the registry `FORMATS`."""

from isegoria.io.files import read, write
from isegoria.io.format_table import FORMATS, Format

__all__ = ["FORMATS", "Format", "read", "write"]

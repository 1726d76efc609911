"""TSV: the tables of CSV, with tabs between the cells."""

from __future__ import annotations

from typing import BinaryIO

from isegoria.instance import Instance
from isegoria.io.csv import read_text, written
from isegoria.io.read_options import ReadOptions


def read(stream: BinaryIO, where: str, **options) -> dict:
    """The parts of an `Instance`."""
    return read_text(stream, where, ReadOptions.checked(**options), "\t")


def write(instance: Instance) -> bytes:
    """UTF-8 text, wide or long as in CSV."""
    return written(instance, "\t")

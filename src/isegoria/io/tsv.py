"""TSV: the tables of CSV, with tabs between the cells."""

from __future__ import annotations

from typing import BinaryIO

from isegoria.instance import Instance
from isegoria.io.asked import Asked
from isegoria.io.csv import written
from isegoria.io.dialect import separated
from isegoria.io.tabular import parts_of
from isegoria.io.text import decode


def read(stream: BinaryIO, where: str, **options) -> dict:
    """The parts of an `Instance`."""
    return parts_of(separated(decode(stream.read(), where), where, "\t"), Asked.checked(**options))


def write(instance: Instance) -> bytes:
    """UTF-8 text, wide or long as in CSV."""
    return written(instance, "\t")

"""Parquet, by pyarrow: see `arrow` for what its columns mean."""

from __future__ import annotations

import io
from importlib import import_module
from typing import BinaryIO

from isegoria.errors import FileError
from isegoria.instance import Instance
from isegoria.io.arrow import arrow, as_table, opened, read_columns

THREADED = 10**6
"""Cells above which columns are read side by side; a process that ends while Arrow starts its threads is aborted."""


def read(stream: BinaryIO, where: str, **options) -> dict:
    """The parts of an `Instance`."""
    pyarrow = arrow(where)
    try:
        file = import_module("pyarrow.parquet").ParquetFile(opened(stream), pre_buffer=False)
        cells = file.metadata.num_rows * file.metadata.num_columns
        table = file.read(use_threads=cells > THREADED)
    except (pyarrow.ArrowException, OSError) as error:
        raise FileError(
            f"{where} is not a whole Parquet file ({str(error).splitlines()[0]}); write it again."
        ) from None
    return read_columns(table, where, **options)


def write(instance: Instance) -> bytes:
    """The file, compressed, with row groups of 125,000 agents: the units in which a large table is read."""
    table = as_table(instance)
    buffer = io.BytesIO()
    import_module("pyarrow.parquet").write_table(table, buffer, row_group_size=125_000, compression="zstd")
    return buffer.getvalue()

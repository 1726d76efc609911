"""Parquet and Arrow's own file, by pyarrow: see `arrow` for what their columns mean. Arrow's streams are read too."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib import import_module
from typing import Any, BinaryIO

from isegoria.errors import FileError, IsegoriaError
from isegoria.instance import Instance
from isegoria.io.arrow import arrow, as_table, opened, read_columns

MAGIC = b"ARROW1"
THREADED = 10**6
"""Cells above which columns are read side by side; a process that ends while Arrow starts its threads is aborted."""
UNIT = 125_000
"""Agents in a row group or batch: the units in which a large table is read."""


class ArrowFile:
    """One of the two formats: how a table is taken from a stream of bytes, and how it is put into one."""

    def __init__(self, name: str, take: Callable[[BinaryIO], Any], put: Callable[[Any, BinaryIO], None]) -> None:
        self.name, self.take, self.put = name, take, put

    def read(self, stream: BinaryIO, where: str, **keywords: Any) -> dict[str, Any]:
        """The parts of an `Instance`."""
        pyarrow = arrow(where)
        try:
            table = self.take(stream)
            table.validate(full=True)  # what points outside its file would be followed there
            return read_columns(table, where, **keywords)
        except IsegoriaError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError, IndexError, SystemError) as error:
            why = (str(error).splitlines() or [type(error).__name__])[0]
            raise FileError(f"{where} is not a whole {self.name} file ({why}); write it again.") from None

    def write(self, instance: Instance) -> bytes:
        """The file, in units of 125,000 agents."""
        buffer = io.BytesIO()
        self.put(as_table(instance), buffer)
        return buffer.getvalue()


def _from_parquet(stream: BinaryIO) -> Any:
    file = import_module("pyarrow.parquet").ParquetFile(opened(stream), pre_buffer=False)
    return file.read(use_threads=file.metadata.num_rows * file.metadata.num_columns > THREADED)


def _to_parquet(table: Any, file: BinaryIO) -> None:
    import_module("pyarrow.parquet").write_table(table, file, row_group_size=UNIT, compression="zstd")


def _from_arrow(stream: BinaryIO) -> Any:
    ipc = import_module("pyarrow.ipc")
    data = stream.read()  # read from memory: a process that ends while Arrow starts threads for a file is aborted
    alone = ipc.IpcReadOptions(use_threads=False)
    with (ipc.open_file if data.startswith(MAGIC) else ipc.open_stream)(data, options=alone) as reader:
        return reader.read_all()


def _to_arrow(table: Any, file: BinaryIO) -> None:
    with import_module("pyarrow.ipc").new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=UNIT)


PARQUET = ArrowFile("Parquet", _from_parquet, _to_parquet)
ARROW = ArrowFile("Arrow", _from_arrow, _to_arrow)

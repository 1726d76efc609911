"""Parquet and Arrow files, by pyarrow; Arrow streams are read too. See `import_pyarrow` for the meaning of the
columns."""

from __future__ import annotations

import io
from collections.abc import Callable
from importlib import import_module
from typing import Any, BinaryIO

from isegoria.errors import FileError, IsegoriaError
from isegoria.io.readers.arrow_table import (
    ensure_seekable,
    import_pyarrow,
    is_text_type,
    parse_arrow_table,
    to_arrow_table,
)
from isegoria.profiles import Instance

ARROW_MAGIC = b"ARROW1"
THREADED_READ_CELLS = 10**6
"""Cells above which columns are read side by side; a process that ends while Arrow starts its threads is aborted."""
ROW_GROUP_AGENTS = 125_000
"""Agents in a row group or batch: the units in which a large table is read."""


class ArrowFile:
    """Parquet or Arrow: `take` reads a table from a stream of bytes, `put` writes one to it."""

    def __init__(self, name: str, take: Callable[[BinaryIO], Any], put: Callable[[Any, BinaryIO], None]) -> None:
        self.name, self.take, self.put = name, take, put

    def read(self, stream: BinaryIO, where: str, **keywords: Any) -> dict[str, Any]:
        """Return the parts of an `Instance`; raise `FileError` if the file is damaged."""
        pyarrow = import_pyarrow(where)
        try:
            table = self.take(stream)
            table.validate(full=True)  # offsets outside the file would otherwise be followed
            return parse_arrow_table(table, where, **keywords)
        except IsegoriaError:
            raise
        except (pyarrow.ArrowException, OSError, ValueError, IndexError, SystemError) as error:
            why = (str(error).splitlines() or [type(error).__name__])[0]
            raise FileError(f"{where} is not a whole {self.name} file ({why}); write it again.") from None

    def write(self, instance: Instance) -> bytes:
        """Return the file as bytes, in row groups or batches of `ROW_GROUP_AGENTS` agents."""
        buffer = io.BytesIO()
        self.put(to_arrow_table(instance), buffer)
        return buffer.getvalue()


def _from_parquet(stream: BinaryIO) -> Any:
    parquet, stream = import_module("pyarrow.parquet"), ensure_seekable(stream)
    file = parquet.ParquetFile(stream, pre_buffer=False)
    text = [field.name for field in file.schema_arrow if is_text_type(field.type)]
    if len(text) > 1:  # a long table: names that occur in many rows are read once
        stream.seek(0)
        file = parquet.ParquetFile(stream, pre_buffer=False, read_dictionary=text)
    return file.read(use_threads=file.metadata.num_rows * file.metadata.num_columns > THREADED_READ_CELLS)


def _to_parquet(table: Any, file: BinaryIO) -> None:
    import_module("pyarrow.parquet").write_table(table, file, row_group_size=ROW_GROUP_AGENTS, compression="zstd")


def _from_arrow(stream: BinaryIO) -> Any:
    ipc = import_module("pyarrow.ipc")
    data = stream.read()  # in memory: a process that exits while Arrow starts threads for a file is aborted
    alone = ipc.IpcReadOptions(use_threads=False)
    with (ipc.open_file if data.startswith(ARROW_MAGIC) else ipc.open_stream)(data, options=alone) as reader:
        return reader.read_all()


def _to_arrow(table: Any, file: BinaryIO) -> None:
    with import_module("pyarrow.ipc").new_file(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=ROW_GROUP_AGENTS)


PARQUET_FORMAT = ArrowFile("Parquet", _from_parquet, _to_parquet)
ARROW_FORMAT = ArrowFile("Arrow", _from_arrow, _to_arrow)

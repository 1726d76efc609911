"""Arrow's own file, by pyarrow: see `arrow` for what its columns mean. Files and streams are both read."""

from __future__ import annotations

import io
from importlib import import_module
from typing import BinaryIO

from isegoria.errors import FileError
from isegoria.instance import Instance
from isegoria.io.arrow import arrow, as_table, read_columns

MAGIC = b"ARROW1"


def read(stream: BinaryIO, where: str, **options) -> dict:
    """The parts of an `Instance`."""
    pyarrow = arrow(where)
    ipc = import_module("pyarrow.ipc")
    data = stream.read()  # read from memory: a process that ends while Arrow starts threads for a file is aborted
    alone = ipc.IpcReadOptions(use_threads=False)
    try:
        with (ipc.open_file if data.startswith(MAGIC) else ipc.open_stream)(data, options=alone) as reader:
            table = reader.read_all()
    except (pyarrow.ArrowException, OSError) as error:
        raise FileError(f"{where} is not a whole Arrow file ({str(error).splitlines()[0]}); write it again.") from None
    return read_columns(table, where, **options)


def write(instance: Instance) -> bytes:
    """The file, in batches of 125,000 agents: the units in which a large table is read."""
    table = as_table(instance)
    buffer = io.BytesIO()
    with import_module("pyarrow.ipc").new_file(buffer, table.schema) as writer:
        writer.write_table(table, max_chunksize=125_000)
    return buffer.getvalue()

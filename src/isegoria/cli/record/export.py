"""`isegoria record export-secrets GROUP FILE`: export a group of a service as a record file with its secrets."""

from __future__ import annotations

from pathlib import Path

import click

from isegoria.cli import options
from isegoria.cli.record import common
from isegoria.utils.formatting import pluralise


@click.command("export-secrets", short_help="A group of a service, as a record with its secrets.")
@click.argument("group", metavar="GROUP")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@options.store
@common.output_format
def command(group: str, path: Path, store: str, secret_file: str | None, form: str) -> None:
    """Write the record of GROUP to FILE and its secrets to FILE.secrets, for 'isegoria record replay FILE'.

    GROUP is the part behind /g/ in its address. Everyone who has FILE.secrets knows what everybody answered.
    """
    from isegoria.service.backup.record_export import export_record
    from isegoria.service.store import open_store

    opened = open_store(store, must_exist=True, secret_file=secret_file)
    try:
        with opened.reading() as session:
            lines = export_record(session, group, path)
    finally:
        opened.close()
    text = f"{pluralise(lines, 'line')} in {path}; what is private lies in {path}.secrets, readable by you only."
    common.print_result(form, text, {"group": group, "lines": lines})

"""`isegoria backup`: write all data of a service to one file while it runs."""

from __future__ import annotations

import click

from isegoria.cli import options
from isegoria.cli.render import print_note
from isegoria.utils.formatting import pluralise

HELP_EPILOG = """\b
Examples:
  isegoria backup monday.jsonl
  isegoria backup monday.jsonl --store postgresql:///isegoria"""


@click.command("backup", epilog=HELP_EPILOG)
@click.argument("path", metavar="FILE")
@options.store
def command(path: str, store: str, secret_file: str | None) -> None:
    """Write every group of a service to FILE, as of one moment; the service may go on meanwhile."""
    from isegoria.service.backup.backup_file import write_backup
    from isegoria.service.store import open_store

    opened = open_store(store, must_exist=True, secret_file=secret_file)
    try:
        done = write_backup(opened, path)
    finally:
        opened.close()
    print_note(f"{pluralise(done['groups'], 'group')} with {pluralise(done['events'], 'event')} in {path}.")

"""`isegoria backup`: everything that a service keeps, in one file, taken while it runs."""

from __future__ import annotations

import click

from isegoria.cli import options
from isegoria.cli.render import note
from isegoria.wording import counted

EPILOG = """\b
Examples:
  isegoria backup monday.jsonl
  isegoria backup monday.jsonl --store postgresql:///isegoria"""


@click.command("backup", epilog=EPILOG)
@click.argument("path", metavar="FILE")
@options.store
def command(path: str, store: str) -> None:
    """Write every group of a service to FILE, as of one moment; the service may go on meanwhile."""
    from isegoria.service.backup import backup
    from isegoria.service.store import open_store

    opened = open_store(store, must_exist=True)
    try:
        done = backup(opened, path)
    finally:
        opened.close()
    note(f"{counted(done['groups'], 'group')} with {counted(done['events'], 'event')} in {path}.")

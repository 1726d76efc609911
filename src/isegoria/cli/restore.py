"""`isegoria restore`: a backup back into an empty store, of either kind."""

from __future__ import annotations

import click

from isegoria.cli import options
from isegoria.cli.render import note
from isegoria.wording import counted

EPILOG = """\b
Examples:
  isegoria restore monday.jsonl --store sqlite:///again.db
  isegoria restore monday.jsonl --store postgresql:///isegoria"""


@click.command("restore", epilog=EPILOG)
@click.argument("path", metavar="FILE")
@options.store
def command(path: str, store: str) -> None:
    """Fill an empty store with the backup in FILE, whole or not at all; every record is checked on the way."""
    from isegoria.service.backup import restore
    from isegoria.service.store import open_store

    opened = open_store(store)
    try:
        done = restore(opened, path)
    finally:
        opened.close()
    note(f"{counted(done['groups'], 'group')} with {counted(done['events'], 'event')} restored.")

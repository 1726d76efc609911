"""`isegoria restore`: a backup back into an empty store, of either kind."""

from __future__ import annotations

import click

from isegoria.cli import options
from isegoria.cli.render import note
from isegoria.wording import counted

EPILOG = """\b
Examples:
  isegoria restore monday.jsonl --store sqlite:///again.db
  isegoria restore monday.jsonl --store postgresql:///isegoria
  isegoria restore monday.jsonl --store sqlite:///again.db --record lunch.jsonl"""


@click.command("restore", epilog=EPILOG)
@click.argument("path", metavar="FILE")
@click.option(
    "--record", "records", multiple=True, metavar="FILE",
    help="A record that goes on where the backup ends, from a phone or an export; may be repeated.",
)  # fmt: skip
@options.store
def command(path: str, store: str, records: tuple[str, ...]) -> None:
    """Fill an empty store with the backup in FILE, whole or not at all; every record is checked on the way.

    Phones refuse a record that is shorter than one they have signed: bring the missing lines back with --record.
    """
    from isegoria.service.backup import restore
    from isegoria.service.store import open_store

    opened = open_store(store)
    try:
        done = restore(opened, path, records)
    finally:
        opened.close()
    note(f"{counted(done['groups'], 'group')} with {counted(done['events'], 'event')} restored.")
    lines = counted(done["lines"], "line")
    note(f"{lines} of records: a phone that has signed more refuses it, until the missing lines are back (--record).")

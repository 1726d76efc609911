"""`isegoria restore`: load a backup into an empty store, in SQLite or PostgreSQL."""

from __future__ import annotations

import click

from isegoria.cli import options
from isegoria.cli.render import print_note
from isegoria.utils.formatting import pluralise

HELP_EPILOG = """\b
Examples:
  isegoria restore monday.jsonl --store sqlite:///again.db --secret-file isegoria.db.key
  isegoria restore monday.jsonl --store postgresql:///isegoria
  isegoria restore monday.jsonl --store postgresql:///isegoria --heads heads.txt --record lunch.jsonl
  isegoria restore monday.jsonl --store sqlite:///again.db --heads heads.txt --new-record"""


@click.command("restore", epilog=HELP_EPILOG)
@click.argument("path", metavar="FILE")
@click.option(
    "--record",
    "records",
    multiple=True,
    metavar="FILE",
    help="A record that goes on where the backup ends, from a phone or an export; may be repeated.",
)
@click.option(
    "--heads",
    metavar="FILE",
    help="The file that serve --heads wrote: a record that is shorter than it says is refused.",
)
@click.option(
    "--new-record",
    is_flag=True,
    help="Let a group whose record is too short, or without --heads every group, go on in a new record: its people, "
    "options and ratings under a new address, with new links and no history.",
)
@options.store
def command(
    path: str, store: str, secret_file: str | None, records: tuple[str, ...], heads: str | None, new_record: bool
) -> None:
    """Fill an empty store with the backup in FILE, whole or not at all; every record is checked on the way.

    Phones refuse a record that is shorter than one they have signed: bring the missing lines back with --record, or go
    on in a new record with --new-record.
    """
    from isegoria.service.backup.restore_backup import restore
    from isegoria.service.store import open_store

    opened = open_store(store, secret_file=secret_file)
    try:
        done = restore(opened, path, records, heads, new_record)
    finally:
        opened.close()
    print_note(f"{pluralise(done.groups, 'group')} with {pluralise(done.events, 'event')} restored.")
    begun = {group: lines for group, lines in done.lines.items() if lines}
    for group, lines in begun.items():
        print_note(f"the record of {group} ends at line {lines}.")
    if begun and heads is None:
        print_note("a phone that has signed more lines refuses it: restore again with --record FILE, or --new-record.")
    for group, renewed in done.renewed.items():
        print_note(f"{group} goes on as {renewed} in a new record; isegoria link {renewed} gives its organiser a link.")
        if renewed in done.join_tokens:
            print_note(f"its join link is /g/{renewed}/join#k={done.join_tokens[renewed]}")
    for group in done.lost_webhooks:
        print_note(f"the webhook of {group} cannot be read without the old server key; its organiser sets it again.")

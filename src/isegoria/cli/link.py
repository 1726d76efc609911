"""`isegoria link`: issue a private link from the server's console, the start link or that of a group's organiser."""

from __future__ import annotations

import click

from isegoria.cli import options
from isegoria.cli.render import print_note
from isegoria.errors import InputError

HELP_EPILOG = """\b
Examples:
  isegoria link --start
  isegoria link lunch-k3m9pq --site https://lunch.example"""


@click.command("link", epilog=HELP_EPILOG)
@click.argument("group", required=False)
@click.option("--start", is_flag=True, help="The link with which groups are made on a closed server.")
@click.option("--site", default="http://127.0.0.1:8000", show_default=True, help="The address that people open.")
@options.store
def command(group: str | None, start: bool, site: str, store: str, secret_file: str | None) -> None:
    """Issue a new link for the organiser of GROUP, or with --start the start link; the previous one is void."""
    from isegoria.service.actions.administration import create_start_link, reissue_organiser_link
    from isegoria.service.store import open_store

    if start == (group is not None):
        raise InputError("name a group, or say --start: one of the two.")
    opened = open_store(store, must_exist=not start, secret_file=secret_file)
    try:
        token = create_start_link(opened) if group is None else reissue_organiser_link(opened, group)
    finally:
        opened.close()
    where = site.rstrip("/") + ("" if group is None else f"/g/{group}")
    click.echo(f"{where}{'/' if group is None else ''}#k={token}")
    print_note("this link is shown only once, and the previous one is void; everyone who has it can use it.")

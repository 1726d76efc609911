"""`isegoria page`: write the page that needs no installation."""

from __future__ import annotations

import click

HELP_EPILOG = """\b
Examples:
  isegoria page --out isegoria.html
  isegoria page > isegoria.html"""


@click.command("page", epilog=HELP_EPILOG)
@click.option("--out", metavar="FILE", type=click.Path(dir_okay=False), help="The file to write.  [default: print it]")
def command(out: str | None) -> None:
    """Write a page that works without installation: one file for any browser, which asks no network for anything.

    It finds the fair lottery of a table and proves it, draws with one phone that goes round or by a link in a chat,
    keeps turns with memory, and verifies records.
    """
    from isegoria.io.storage.atomic_write import write_bytes
    from isegoria.service.web.one_page import build_one_page

    text = build_one_page()
    if out is None:
        click.echo(text, nl=False)
    else:
        write_bytes(out, text.encode())

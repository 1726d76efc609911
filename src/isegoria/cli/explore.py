"""`isegoria explore [FILE]`: explore a table of ratings in the browser of this computer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from isegoria.cli import options
from isegoria.cli.error_handling import missing_dependency_error
from isegoria.cli.render import print_note

if TYPE_CHECKING:
    from isegoria.profiles import Instance

HELP_EPILOG = """\b
Examples:
  isegoria explore
  isegoria explore ratings.csv --scale 1,5
  isegoria explore ratings.xlsx --no-browser --port 8001"""


@click.command("explore", epilog=HELP_EPILOG)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="The port to listen on.  [default: a free one]")
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
@options.with_optional_instance
def command(instance: Instance, port: int, no_browser: bool) -> None:
    """Look at a table of ratings from every side: who is heard, what equal voice costs, how a group learns.

    The page runs on this computer, for whoever opens the printed address first; nothing leaves it. Without FILE, drop
    one on the page.
    """
    try:
        from isegoria.service.server import serve_explorer
    except ImportError as error:
        raise missing_dependency_error("the explorer", error) from None
    file = click.get_current_context().params.get("file")
    serve_explorer(Path(file).name if file else "", instance, port, not no_browser, say=click.echo, whisper=print_note)

"""`isegoria explore [FILE]`: explore a table of ratings in the browser of this computer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from isegoria.cli import options
from isegoria.cli.error_handling import missing_dependency_error
from isegoria.cli.render import print_note
from isegoria.errors import InputError

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
def command(instance: Instance | InputError | None, port: int, no_browser: bool) -> None:
    """Explore a table of ratings in the browser: who is heard, what equal voice costs, how a group learns.

    The page runs on this computer, for the first browser that opens the printed address; nothing leaves it. Without
    FILE, drop one on the page. Where FILE needs a scale or another option, the page asks for it.
    """
    try:
        from isegoria.service.explorer.uploads import PendingFile
        from isegoria.service.server import serve_explorer
    except ImportError as error:
        raise missing_dependency_error("the explorer", error) from None
    file = Path(click.get_current_context().params.get("file") or "")
    pending = None
    if isinstance(instance, InputError):
        print_note(f"{instance} Or choose on the page.")
        pending, instance = PendingFile(file.name, file.read_bytes(), options.collect_read_options()), None
    serve_explorer(file.name, instance, port, not no_browser, say=click.echo, whisper=print_note, pending=pending)

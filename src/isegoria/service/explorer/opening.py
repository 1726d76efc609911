"""Starting the explorer: a socket on this computer only, the address that opens it once, and a browser."""

from __future__ import annotations

import threading
import webbrowser
from collections.abc import Callable
from typing import Any

from isegoria.instance import Instance
from isegoria.service.explorer.app import create_explorer
from isegoria.service.explorer.uploads import Uploads
from isegoria.service.serving import bound, run

HERE = "127.0.0.1"


def explore(
    name: str,
    instance: Instance | None,
    port: int,
    browse: bool,
    say: Callable[..., Any] = print,
    whisper: Callable[..., Any] = print,
) -> None:
    """Serve the explorer until interrupted; `say` prints its address once."""
    uploads = Uploads()
    first = None if instance is None else uploads.keep(name, instance)
    app = create_explorer(first, uploads)
    listening = bound(HERE, port)
    address = f"http://{HERE}:{listening.getsockname()[1]}/#k={app.state.explorer.token}"
    say(address)
    whisper("this address opens the explorer once; stop it with ctrl-C.")
    if browse:
        threading.Timer(0.3, webbrowser.open, [address]).start()
    run(app, listening)

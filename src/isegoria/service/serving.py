"""Starting the service: the socket, the application, and what is said on the way."""

from __future__ import annotations

import socket
import tempfile
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.service.app import create_app
from isegoria.service.settings import Settings


def serve(
    settings: Settings,
    host: str,
    port: int,
    demo: bool = False,
    say: Callable[..., Any] = print,
    whisper: Callable[..., Any] = print,
) -> None:
    """Serve until interrupted. `say` is for what is printed once (the start link), `whisper` for notes."""
    if not demo:
        _serve(settings, host, port, say, whisper)
        return
    with tempfile.TemporaryDirectory(prefix="isegoria-demo-") as folder:
        own = replace(settings, store=f"sqlite:///{Path(folder) / 'demo.db'}")
        _serve(own, host, port, say, whisper, demo=True)


def _serve(
    settings: Settings,
    host: str,
    port: int,
    say: Callable[[str], object],
    whisper: Callable[[str], object],
    demo: bool = False,
) -> None:
    listening = bound(host, port)
    app = create_app(settings)
    service = app.state.service
    shown = f"[{host}]" if ":" in host else host
    site = f"http://{shown}:{listening.getsockname()[1]}"
    if demo:
        from isegoria.service.demo import living_example

        say(living_example(service, site))
    if settings.closed:
        public = f"https://{min(settings.hosts)}" if settings.hosts and settings.proxies else site
        say(f"{public}/#k={service.starter}")
        whisper("this start link is shown once; whoever has it makes groups.")
    whisper(f"serving on {site}; stop with ctrl-C.")
    run(
        app,
        listening,
        proxy_headers=bool(settings.proxies),
        forwarded_allow_ips=list(settings.proxies) or None,
    )


def run(app: Any, listening: socket.socket, **options: Any) -> None:
    """Answer on a socket until interrupted."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        server_header=False,
        h11_max_incomplete_event_size=16384,
        timeout_graceful_shutdown=5,
        lifespan="on",
        **options,
    )
    uvicorn.Server(config).run(sockets=[listening])


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens, or a sentence why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(2048)  # from here on a request waits, and is not refused
    except OSError as error:
        listening.close()
        raise InputError(
            f"cannot listen on {host}:{port}: {(error.strerror or str(error)).lower()}; take another --port."
        ) from error
    return listening


def explore(
    name: str,
    instance: Instance | None,
    port: int,
    browse: bool,
    say: Callable[..., Any] = print,
    whisper: Callable[..., Any] = print,
) -> None:
    """Serve the explorer until interrupted; `say` prints its address once."""
    from isegoria.service.explorer.app import create_explorer
    from isegoria.service.explorer.uploads import Uploads

    uploads = Uploads()
    first = None if instance is None else uploads.keep(name, instance)
    app = create_explorer(first, uploads)
    listening = bound("127.0.0.1", port)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/#k={app.state.explorer.token}"
    say(address)
    whisper("this address opens the explorer once; stop it with ctrl-C.")
    if browse:
        threading.Timer(0.3, webbrowser.open, [address]).start()
    run(app, listening)

"""Starting the service: the socket, the application, and what is said on the way."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import uvicorn

from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.service.addresses import ANYWHERE, is_loopback, reachable, scannable, site_name, written
from isegoria.service.app import create_app
from isegoria.service.http.connections import Connections, limited
from isegoria.service.limits import ConnectionLimits
from isegoria.service.organising import start_link
from isegoria.service.settings import Settings
from isegoria.service.store import Store

GRACE = 1  # seconds in which answers that are under way may end
SHARED = 0.001  # seconds after which a thread that computes lets another go on: many wait for the disk in between
SPARE = 200  # files that the store, the children that read tables and the server itself may have open
ACCEPTED = 32  # connections that are accepted at a time: four times as many are open before one without room is closed
WAITING = 2048  # connections that wait to be accepted


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
    port = listening.getsockname()[1]
    settings = placed(settings, host, port)
    app = create_app(settings)
    service = app.state.service
    here = written("127.0.0.1" if host in ANYWHERE else host, port)
    sites = [settings.site] if settings.site else [*settings.addresses] or [here]
    if demo:
        from isegoria.service.example import living_example

        say(living_example(service, sites[0]))
    if settings.closed:
        _tell_start(service.store, sites[0], say, whisper)
    for line in announcement(sites, here):
        whisper(line)
    if sys.stderr.isatty() and not is_loopback(site_name(sites[0])):
        print(scannable(sites[0]), file=sys.stderr)  # at full contrast, for a camera
    run(app, listening, settings.connections, settings.proxies)
    if not service.ended:  # somebody's work goes on: what it has not written never happened, so nobody waits for it
        sys.stdout.flush()
        os._exit(0)


def _tell_start(store: Store, site: str, say: Callable[[str], object], whisper: Callable[[str], object]) -> None:
    """Show the first start link of a store to who sits at a terminal; a log is no place for one."""
    with store.reading() as session:
        there = bool(session.starts())
    if there or not sys.stdout.isatty():
        whisper(
            f"only who has the start link makes groups; isegoria link --start --store {store.shown} makes a new one."
        )
        return
    say(f"{site}/#k={start_link(store)}")
    whisper("this start link is shown once; whoever has it makes groups.")


def placed(settings: Settings, host: str, port: int) -> Settings:
    """The settings with where the server is found; it goes by every name that it prints."""
    site = settings.site
    if site is None and settings.hosts and settings.proxies:
        site = f"https://{min(settings.hosts)}"
    hosts = settings.hosts | ({site_name(site)} if site else set())
    return replace(settings, site=site, addresses=tuple(reachable(host, port)), hosts=frozenset(hosts))


def announcement(sites: Sequence[str], here: str) -> list[str]:
    """Where to open the service: what phones can open first."""
    first, *others = sites
    lines = [f"serving on {first}; stop with ctrl-C."]
    lines += [f"also {one}" for one in others]
    if is_loopback(site_name(first)):
        return [*lines, "only this computer can open it; --host 0.0.0.0 lets phones in the same network open it too."]
    return lines if here in sites else [*lines, f"on this computer also {here}"]


def run(
    app: Any, listening: socket.socket, limits: ConnectionLimits | None = None, proxies: tuple[str, ...] = ()
) -> None:
    """Answer on a socket until interrupted."""
    sys.setswitchinterval(SHARED)
    server_of(app, limits or ConnectionLimits(), proxies).run(sockets=[listening])


def server_of(app: Any, limits: ConnectionLimits, proxies: tuple[str, ...] = ()) -> uvicorn.Server:
    """The server of an application: no more connections than there are files for, each with its time."""
    most = min(limits.most, max(32, open_files(limits.most + SPARE) - SPARE))
    config = uvicorn.Config(
        app,
        log_level="warning",
        server_header=False,
        http=limited(Connections(replace(limits, most=most), proxies)),
        ws="none",
        backlog=ACCEPTED,
        h11_max_incomplete_event_size=16384,
        timeout_graceful_shutdown=GRACE,
        lifespan="on",
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies) or None,
    )
    return _Server(config)


class _Server(uvicorn.Server):
    """A server that accepts a few connections at a time, while as many wait as the system lets."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        for one in sockets or ():
            one.listen(WAITING)


def open_files(wanted: int) -> int:
    """How many files and sockets this process may have open, after it has asked for as many as are wanted."""
    try:
        import resource
    except ImportError:  # not a system with such limits
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if 0 <= soft < wanted:
        raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
        soft = raised
    return wanted if soft == resource.RLIM_INFINITY else soft


def bound(host: str, port: int) -> socket.socket:
    """A socket that listens, or a sentence why not."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # whatever it accepts inherits it
    alone = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)  # on Windows the latter lets two share a port
    listening.setsockopt(socket.SOL_SOCKET, alone, 1)
    try:
        listening.bind((host, port))
        listening.listen(WAITING)  # from here on a request waits, and is not refused
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

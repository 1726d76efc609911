"""Start of the service: socket, application, and the messages printed on the way."""

from __future__ import annotations

import logging
import os
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn

from isegoria.errors import InputError
from isegoria.profiles import Instance
from isegoria.service.actions.administration import create_start_link
from isegoria.service.app import create_app
from isegoria.service.http.connections import ConnectionTracker, make_protocol_class
from isegoria.service.http.event_log import AccessLog, configure_logging
from isegoria.service.http.limits import ConnectionLimits
from isegoria.service.http.network_addresses import (
    WILDCARD_HOSTS,
    format_url,
    is_loopback,
    list_reachable_urls,
    parse_site_host,
    render_terminal_qr,
)
from isegoria.service.settings import Settings
from isegoria.service.store import Store
from isegoria.utils.progress import IS_QUIET

if TYPE_CHECKING:
    from isegoria.service.explorer.uploads import PendingFile

server_log = logging.getLogger("isegoria.service")
SHUTDOWN_GRACE_SECONDS = 1  # seconds in which responses in progress may finish
SWITCH_INTERVAL_SECONDS = 0.001  # thread switch interval in seconds: many threads wait for the disk while one computes
RESERVED_FILES = 200  # files that the store, the sandboxed readers and the server itself may have open
ACCEPT_BACKLOG = 32  # connections accepted at a time: four times as many are open before an excess one is closed
LISTEN_BACKLOG = 2048  # connections that may queue to be accepted


def serve(
    settings: Settings,
    host: str,
    port: int,
    demo: bool = False,
    say: Callable[..., Any] = print,
    whisper: Callable[..., Any] = print,
) -> None:
    """Run the service until interrupted.

    Parameters
    ----------
    settings : Settings
        How to run the service.
    host : str
        The address to listen on.
    port : int
        The port to listen on.
    demo : bool, optional
        Serve a demo group from a temporary store.
    say : callable, optional
        Prints what is shown once, such as the start link.
    whisper : callable, optional
        Prints notes.

    Raises
    ------
    InputError
        If the socket cannot be bound.
    """
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
    undo_logging = configure_logging(settings.log_format, settings.access_log)
    if (settings.log_format == "json" or not sys.stderr.isatty()) and not IS_QUIET.get():
        whisper = server_log.info  # with its time, as every line of a log
    listening = bind_socket(host, port)
    port = listening.getsockname()[1]
    settings = resolve_addresses(settings, host, port)
    app = create_app(settings)
    service = app.state.service
    here = format_url("127.0.0.1" if host in WILDCARD_HOSTS else host, port)
    sites = [settings.site] if settings.site else [*settings.addresses] or [here]
    if demo:
        from isegoria.service.pages.example import create_demo_group

        say(create_demo_group(service.resources, sites[0]))
    if settings.closed:
        _print_start_link(service.store, sites[0], say, whisper)
    for line in format_startup_lines(sites, here):
        whisper(line)
    if sys.stderr.isatty() and not is_loopback(parse_site_host(sites[0])):
        print(render_terminal_qr(sites[0]), file=sys.stderr)  # at full contrast, for a camera
    observed, metrics_server = _observe(app, settings)
    if metrics_server is not None:
        whisper(f"metrics at {format_url(*metrics_server.server_address[:2])}/metrics")
    try:
        run_server(observed, listening, settings.connections, settings.proxies)
    finally:
        if metrics_server is not None:
            metrics_server.shutdown()
            metrics_server.server_close()
        undo_logging()
    if not service.ended:  # a thread is still at work: what it has not committed is rolled back, so do not wait for it
        sys.stdout.flush()
        os._exit(0)


def _observe(app: Any, settings: Settings) -> tuple[Any, Any]:
    """Return the application with the access log and the metrics that the settings ask for, and the metrics server."""
    metrics_server = None
    observed = app
    if settings.metrics:
        from prometheus_client import CollectorRegistry

        from isegoria.service.http.metrics import RequestMetrics, register_service_gauges, start_metrics_server

        registry = CollectorRegistry()
        observed = RequestMetrics(observed, registry)
        register_service_gauges(registry, app.state.service)
        metrics_server = start_metrics_server(settings.metrics, registry)
    return AccessLog(observed) if settings.access_log else observed, metrics_server


def _print_start_link(store: Store, site: str, say: Callable[[str], object], whisper: Callable[[str], object]) -> None:
    """Print the first start link of a store if stdout is a terminal; never write one to a log."""
    with store.reading() as session:
        there = bool(session.starts())
    if there or not sys.stdout.isatty():
        whisper(f"making a group needs the start link; isegoria link --start --store {store.shown} prints a new one.")
        return
    say(f"{site}/#k={create_start_link(store)}")
    whisper("this start link is shown only once; everyone who has it can make groups.")


def resolve_addresses(settings: Settings, host: str, port: int) -> Settings:
    """Return the settings with the addresses of the server; every name that it prints is an allowed host."""
    site = settings.site
    if site is None and settings.hosts and settings.proxies:
        site = f"https://{min(settings.hosts)}"
    hosts = settings.hosts | ({parse_site_host(site)} if site else set())
    return replace(settings, site=site, addresses=tuple(list_reachable_urls(host, port)), hosts=frozenset(hosts))


def format_startup_lines(sites: Sequence[str], here: str) -> list[str]:
    """Return the lines that say where to open the service, addresses for phones first."""
    first, *others = sites
    lines = [f"serving on {first}; stop with ctrl-C."]
    lines += [f"also {one}" for one in others]
    if is_loopback(parse_site_host(first)):
        return [*lines, "only this computer can open it; --host 0.0.0.0 lets phones in the same network open it too."]
    return lines if here in sites else [*lines, f"on this computer also {here}"]


def run_server(
    app: Any, listening: socket.socket, limits: ConnectionLimits | None = None, proxies: tuple[str, ...] = ()
) -> None:
    """Serve an application on a socket until interrupted."""
    sys.setswitchinterval(SWITCH_INTERVAL_SECONDS)
    make_server(app, limits or ConnectionLimits(), proxies).run(sockets=[listening])


def make_server(app: Any, limits: ConnectionLimits, proxies: tuple[str, ...] = ()) -> uvicorn.Server:
    """Return the uvicorn server of an application, with connections limited by the available file descriptors."""
    most = min(limits.most, max(32, raise_file_limit(limits.most + RESERVED_FILES) - RESERVED_FILES))
    config = uvicorn.Config(
        app,
        log_level="warning",
        log_config=None,  # its loggers are configured like ours
        server_header=False,
        http=make_protocol_class(ConnectionTracker(replace(limits, most=most), proxies)),
        ws="none",
        backlog=ACCEPT_BACKLOG,
        h11_max_incomplete_event_size=16384,
        timeout_graceful_shutdown=SHUTDOWN_GRACE_SECONDS,
        lifespan="on",
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies) or None,
    )
    return _BacklogServer(config)


class _BacklogServer(uvicorn.Server):
    """A server that accepts a few connections at a time, while up to `LISTEN_BACKLOG` others queue."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        for one in sockets or ():
            one.listen(LISTEN_BACKLOG)


def raise_file_limit(wanted: int) -> int:
    """Raise the limit on open files to `wanted` if possible; return the limit, or `wanted` if there is none."""
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


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise `InputError` if the address cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # accepted sockets inherit it
    alone = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)  # on Windows the latter lets two share a port
    listening.setsockopt(socket.SOL_SOCKET, alone, 1)
    try:
        listening.bind((host, port))
        listening.listen(LISTEN_BACKLOG)  # from here on requests queue instead of being refused
    except OSError as error:
        listening.close()
        raise InputError(
            f"cannot listen on {host}:{port}: {(error.strerror or str(error)).lower()}; take another --port."
        ) from error
    return listening


def serve_explorer(
    name: str,
    instance: Instance | None,
    port: int,
    browse: bool,
    say: Callable[..., Any] = print,
    whisper: Callable[..., Any] = print,
    pending: PendingFile | None = None,
) -> None:
    """Run the explorer until interrupted; `say` prints its address once, and the page asks how to read `pending`."""
    from isegoria.service.explorer.app import create_explorer
    from isegoria.service.explorer.uploads import UploadCache

    uploads = UploadCache()
    first = None if instance is None else uploads.keep(name, instance)
    app = create_explorer(first, uploads, pending)
    listening = bind_socket("127.0.0.1", port)
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/#k={app.state.explorer.token}"
    say(address)
    whisper("this address opens the explorer once; stop it with ctrl-C.")
    if browse:
        threading.Timer(0.3, webbrowser.open, [address]).start()
    run_server(app, listening)

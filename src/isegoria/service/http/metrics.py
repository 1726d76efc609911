"""Metrics for Prometheus, at an address of their own, which no proxy of the pages passes on."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from isegoria.errors import InputError
from isegoria.service.store import StoreError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

DURATION_BUCKETS_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class RequestMetrics:
    """ASGI middleware that counts requests by method, route and status, and measures how long their answers took."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry) -> None:
        self.app = app
        labels = ["method", "route", "status"]
        self.requests = Counter("isegoria_requests", "Requests answered.", labels, registry=registry)
        self.durations = Histogram(
            "isegoria_request_seconds",
            "Seconds until the first byte of an answer.",
            ["method", "route"],
            buckets=DURATION_BUCKETS_SECONDS,
            registry=registry,
        )
        self.open = Gauge("isegoria_requests_open", "Requests and event streams under way.", registry=registry)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.perf_counter()

        async def count(message: Message) -> None:
            if message["type"] == "http.response.start":
                route = getattr(scope.get("route"), "path", None) or "none"
                self.requests.labels(scope["method"], route, str(message["status"])).inc()
                self.durations.labels(scope["method"], route).observe(time.perf_counter() - began)
            await send(message)

        with self.open.track_inprogress():
            await self.app(scope, receive, count)


def register_service_gauges(registry: CollectorRegistry, service: Any) -> None:
    """Add what the service knows at the moment of asking: its store, its worker threads and its timetables."""
    store = Gauge("isegoria_store_up", "Whether the store answers.", registry=registry)
    store.set_function(lambda: _has_store(service))
    busy = Gauge(
        "isegoria_workers_in_use", "Requests on worker threads, or waiting for one.", ["pool"], registry=registry
    )
    for pool in (service.readers, service.writers, service.files):
        busy.labels(pool.name).set_function(partial(getattr, pool, "in_use"))


def _has_store(service: Any) -> bool:
    try:
        service.check_store()
    except StoreError:
        return False
    return True


def start_metrics_server(address: str, registry: CollectorRegistry) -> Any:
    """Serve `/metrics` at HOST:PORT on a thread of its own, and return the server; raise `InputError` if it cannot."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal() or not 0 <= int(port) <= 65535:
        raise InputError(f"--metrics is {address!r}; give HOST:PORT, such as 127.0.0.1:9100.")
    try:
        return start_http_server(int(port), host.strip("[]") or "127.0.0.1", registry)[0]
    except OSError as error:
        raise InputError(f"cannot serve metrics at {address}: {(error.strerror or str(error)).lower()}.") from error

"""The service's log: a line for each event with its time and level, as text or JSON; and a line for each request."""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

from isegoria.service.http.origin import to_client_network

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOGGER_NAMES = ("isegoria", "uvicorn")
REPEAT_INTERVAL_SECONDS = 60.0
"""Seconds in which a message that was written is counted and not written again."""
SECRET_SEGMENT = re.compile(r"[A-Za-z0-9_-]{20,}")
"""A part of a path that may be somebody's token."""
access_log = logging.getLogger("isegoria.access")


def format_time(seconds: float) -> str:
    """Return a time as ISO 8601 in UTC, to the millisecond.

    >>> format_time(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class TextFormatter(logging.Formatter):
    """Time, level, logger and message on one line; a traceback follows on lines of its own."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return format_time(record.created)

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")


class JsonFormatter(logging.Formatter):
    """A JSON object on one line: `time`, `level`, `logger`, `message`, the `fields` of the record, and `traceback`."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {"time": format_time(record.created), "level": record.levelname.lower()}
        entry |= {"logger": record.name, "message": record.getMessage(), **getattr(record, "fields", {})}
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


class RepeatCounter(logging.Handler):
    """Passes records on to a handler; the same warning within a minute is counted, and the count is passed on."""

    def __init__(self, target: logging.Handler, interval: float = REPEAT_INTERVAL_SECONDS) -> None:
        super().__init__()
        self.target, self.interval = target, interval
        self._counts: dict[tuple[str, int, str], int] = {}

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno < logging.WARNING:
            self.target.handle(record)
            return
        key = (record.name, record.levelno, record.getMessage())
        if key in self._counts:
            self._counts[key] += 1
            return
        self._counts[key] = 0
        self.target.handle(record)
        timer = threading.Timer(self.interval, self.pass_count, [key])
        timer.daemon = True
        timer.start()

    def pass_count(self, key: tuple[str, int, str]) -> None:
        """Pass on how often a message came since it was written, if it did; from now on it is written again."""
        self.acquire()
        try:
            count = self._counts.pop(key, 0)
        finally:
            self.release()
        if count:
            name, level, message = key
            text = f"{message} ({count} more in {self.interval:g} s)"
            self.target.handle(logging.LogRecord(name, level, __file__, 0, text, None, None))

    def close(self) -> None:
        for key in list(self._counts):
            self.pass_count(key)
        super().close()


def configure_logging(
    log_format: str = "text", access: bool = False, stream: TextIO | None = None
) -> Callable[[], None]:
    """Send the log of the service to a stream.

    Parameters
    ----------
    log_format : {"text", "json"}
        How a line looks.
    access : bool, optional
        Whether each request gets a line.
    stream : file, optional
        Where the lines go; standard error by default.

    Returns
    -------
    callable
        Undoes it, and writes what was only counted so far.
    """
    target = logging.StreamHandler(stream or sys.stderr)
    target.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    handler = RepeatCounter(target)
    loggers = [logging.getLogger(name) for name in LOGGER_NAMES]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    access_log.disabled = not access

    def undo() -> None:
        handler.close()
        for logger in loggers:
            logger.removeHandler(handler)
        access_log.disabled = False

    return undo


def redact_path(path: str) -> str:
    """Return a path without the tokens that it may hold.

    >>> redact_path("/calendar/lunch-k3m9pq/uJq3mB0sKx_8rT2vWz5YcA.ics")
    '/calendar/lunch-k3m9pq/….ics'
    """
    return SECRET_SEGMENT.sub("…", path)


class AccessLog:
    """ASGI middleware that logs each request: method, path without tokens, status, time, bytes and network."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status, size = time.perf_counter(), 0, 0

        async def count(message: Message) -> None:
            nonlocal status, size
            status = message.get("status", status)
            size += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, count)
        finally:
            milliseconds = round((time.perf_counter() - began) * 1000, 1)
            client = to_client_network(scope["client"][0]) if scope.get("client") else ""
            fields = {"method": scope["method"], "path": redact_path(scope["path"]), "status": status}
            fields |= {"milliseconds": milliseconds, "bytes": size, "client": client}
            access_log.info(
                "%(method)s %(path)s %(status)d %(milliseconds).1f ms %(bytes)d B %(client)s",
                fields,
                extra={"fields": fields},
            )

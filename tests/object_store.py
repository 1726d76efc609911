"""A very small object store, to whom pyarrow's own client speaks S3: whole buckets from a folder, to be read only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'
SPACE = "http://s3.amazonaws.com/doc/2006-03-01/"


class Keeper(BaseHTTPRequestHandler):
    """Answers ListObjectsV2, HeadObject and GetObject (also of a range), as far as they are needed here."""

    protocol_version = "HTTP/1.1"
    folder: Path
    asked: list[str]

    def do_HEAD(self):
        self._object(body=False)

    def do_GET(self):
        if "list-type" in parse_qs(urlsplit(self.path).query):
            self._list()
        else:
            self._object(body=True)

    def _list(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        bucket = self.folder / unquote(urlsplit(self.path).path).strip("/")
        prefix = query.get("prefix", [""])[0]
        files = sorted(path for path in bucket.rglob("*") if path.is_file())
        found = [path for path in files if path.relative_to(bucket).as_posix().startswith(prefix)]
        items = "".join(
            f"<Contents><Key>{escape(path.relative_to(bucket).as_posix())}</Key><Size>{path.stat().st_size}</Size>"
            "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
            for path in found[: int(query.get("max-keys", ["1000"])[0])]
        )
        text = f'{HEAD}<ListBucketResult xmlns="{SPACE}"><IsTruncated>false</IsTruncated>'
        text += f"<Name>{bucket.name}</Name><KeyCount>{len(found)}</KeyCount>{items}</ListBucketResult>"
        self._answer(200, text.encode(), {"Content-Type": "application/xml"})

    def _object(self, body: bool) -> None:
        path = self.folder / unquote(urlsplit(self.path).path).strip("/")
        self.asked.append(self.headers.get("Range") or self.command)
        if not path.is_file():
            return self._answer(404 if body or not path.is_dir() or path.parent != self.folder else 200, b"")
        data, code = path.read_bytes(), 200
        extra = {"Last-Modified": "Thu, 01 Jan 2026 00:00:00 GMT", "Accept-Ranges": "bytes"}
        size = len(data)
        if body and self.headers.get("Range"):
            low, _, high = self.headers["Range"].removeprefix("bytes=").partition("-")
            code, data = 206, data[int(low) : int(high) + 1 if high else None]
            extra["Content-Range"] = f"bytes {low}-{int(low) + len(data) - 1}/{size}"
        return self._answer(code, data, extra, body)

    def _answer(self, code: int, data: bytes, extra: dict | None = None, body: bool = True) -> None:
        self.send_response(code)
        for name, value in {"Content-Length": str(len(data)), **(extra or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if body and self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *args) -> None:
        pass


@contextmanager
def object_store(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """(options, asked): what to write after the ? of an s3:// address, and the requests for objects so far."""
    keeper = type("KeeperOf", (Keeper,), {"folder": folder, "asked": []})
    server = ThreadingHTTPServer(("127.0.0.1", 0), keeper)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"scheme=http&region=here&endpoint_override=127.0.0.1:{server.server_port}", keeper.asked
    finally:
        server.shutdown()
        server.server_close()

"""The explorer as an application for one user: a one-time address, one page, and requests about a table."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from hmac import compare_digest
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from isegoria import datasets
from isegoria.errors import InputError, IsegoriaError
from isegoria.io.format_table import FORMATS
from isegoria.io.option_suggestions import get_brief
from isegoria.learning.registry import LEARNERS, NOISE_MODELS
from isegoria.service.explorer import analysis, live_learning
from isegoria.service.explorer.uploads import PendingFile, Upload, UploadCache, list_ways_out, select_read_options
from isegoria.service.http.http_errors import HttpError, Unauthorized
from isegoria.service.http.middleware import ErrorMiddleware, handle_error
from isegoria.service.http.origin import validate_origin
from isegoria.service.http.request import make_json_reply, parse_json_body, read_body
from isegoria.service.pages.rendering import template_environment
from isegoria.service.web import STATIC_FOLDER
from isegoria.service.web.one_page import build_one_page
from isegoria.service.web.translations import list_languages, load_explorer_messages, load_page_messages
from isegoria.utils.messages import Message

if TYPE_CHECKING:
    from isegoria.profiles import Instance

MAX_UPLOAD_BYTES = 64_000_000
MAX_JSON_BYTES = 1_000_000
EXPLORER_COOKIE = "isegoria-explorer"
ADDRESS_USED_MESSAGE = (
    "this address was used before, or is not this explorer's; go back to its window, or start 'isegoria explore'."
)


class Explorer:
    """One explorer: the token that opens it once, the cookie that replaces it, and the tables."""

    def __init__(
        self, first: Upload | None = None, uploads: UploadCache | None = None, pending: PendingFile | None = None
    ) -> None:
        self.token, self._pass = secrets.token_urlsafe(18), secrets.token_urlsafe(18)
        self.uploads, self.first, self.pending = uploads or UploadCache(), first, pending
        self._used = False
        self.threads = ThreadPoolExecutor(4, thread_name_prefix="isegoria")

    async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run `work` on a thread, so that a long computation does not block other requests."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work, *arguments)

    def check(self, request: Request) -> None:
        """Raise `Unauthorized` for a client that did not open the printed address."""
        shown = request.cookies.get(EXPLORER_COOKIE, "").encode("utf-8", "surrogateescape")
        if not compare_digest(shown, self._pass.encode()):
            raise Unauthorized(Message("explorer_opened_somebody_else"))

    async def open(self, request: Request) -> Response:
        """Exchange the one-time token for a cookie."""
        validate_origin(request.headers, request.headers.get("host", ""), request.url.scheme == "https", form=False)
        given = await _read_json(request)
        token = given.get("token") if isinstance(given, dict) else None
        if self._used or not isinstance(token, str) or not compare_digest(token.encode(), self.token.encode()):
            raise Unauthorized(ADDRESS_USED_MESSAGE)
        self._used = True
        cookie = f"{EXPLORER_COOKIE}={self._pass}; Path=/; HttpOnly; SameSite=Strict"
        return make_json_reply({"opened": True}, 200, {"set-cookie": cookie}).response()

    async def start(self, request: Request) -> Response:
        """Return what the page needs to begin: the initial table or file, the learners and the noise models."""
        pending = self.pending and {"name": self.pending.name, "options": select_read_options(self.pending.options)}
        return _to_response(
            {
                "first": None if self.first is None else analysis.describe_table(self.first),
                "pending": pending,
                "learners": [{"id": row.id, "label": row.label, "summary": row.summary} for row in LEARNERS.values()],
                "noises": list(NOISE_MODELS),
            }
        )

    async def fetch_pending(self, request: Request) -> Response:
        """Return the bytes of the file for which the page asks an option."""
        return Response(self.pending.data if self.pending else b"", media_type="application/octet-stream")

    async def drop(self, request: Request) -> Response:
        """Read an uploaded file; its name and the reading options are in the query."""
        body = await read_body(request.stream(), MAX_UPLOAD_BYTES)
        if body is None:
            raise InputError(Message("file_larger_mb", megabytes=MAX_UPLOAD_BYTES // 1000000))
        name = request.query_params.get("name", "table.csv")[:200]
        try:
            table = await self.run(self.uploads.put, name, body, request.query_params)
        except InputError as error:
            # A normal response, not an HTTP error: most tables cannot be read the first time.
            return _to_response({"error": get_brief(error.message), "proposed": list_ways_out(error.message)})
        return _to_response(analysis.describe_table(table))

    async def example(self, request: Request) -> Response:
        """Load the voters of the paper's second experiment as an example table."""
        table = await self.run(
            self.uploads.put, "dots.soc", _read_dots(), {"rewards": ",".join(map(str, datasets.DOTS_REWARDS))}
        )
        return _to_response(analysis.describe_table(table))

    async def ask(self, request: Request) -> Response:
        """Answer a question about a table: `facts`, `table`, `compare` or `price`."""
        table, query = self.uploads[request.path_params["table"]], request.query_params
        work: Callable[[Instance, Any], dict[str, Any]]
        match request.path_params["question"]:
            case "facts":
                return _to_response(analysis.describe_table(table))
            case "table":
                return _to_response(analysis.list_ratings(table.instance))
            case "compare":
                work, choice = analysis.compare_rules, query.get("tie_break")
            case "price":
                work, choice = analysis.compute_price_curve, query.get("axis", "utilitarian")
            case other:
                raise InputError(Message("no_question", other=other))
        return _to_response(await self.run(work, table.instance, choice))

    async def judge(self, request: Request) -> Response:
        """Answer a question about a policy chosen by the user."""
        table = self.uploads[request.path_params["table"]]
        given = await _read_json(request)
        work = analysis.check_core if request.path_params["question"] == "core" else analysis.audit_policy
        policy = given.get("policy") if isinstance(given, dict) else None
        return _to_response(await self.run(work, table.instance, policy))

    async def learn(self, request: Request) -> Response:
        """Stream the runs of learners, frame by frame."""
        table = self.uploads[request.path_params["table"]]
        runs = await self.run(live_learning.make_simulations, table.instance, request.query_params)
        return StreamingResponse(self._stream(live_learning.iterate_frames(runs)), media_type="text/event-stream")

    async def _stream(self, frames: Iterator[Any]) -> AsyncIterator[str]:
        while (frame := await self.run(next, frames, None)) is not None:
            yield f"data: {json.dumps(frame, separators=(',', ':'))}\n\n"
        yield "event: end\ndata: {}\n\n"


def create_explorer(
    first: Upload | None = None, uploads: UploadCache | None = None, pending: PendingFile | None = None
) -> ErrorMiddleware:
    """Create the explorer application; `app.state.explorer` is its `Explorer`."""
    explorer = Explorer(first, uploads, pending)

    def private(work: Callable[..., Any]) -> Callable[[Request], Awaitable[Response]]:
        async def call(request: Request) -> Response:
            explorer.check(request)
            if request.method == "POST":
                validate_origin(request.headers, request.headers.get("host", ""), request.url.scheme == "https", False)
            return await work(request)

        return call

    async def page(request: Request) -> Response:
        return HTMLResponse(
            template_environment.get_template("explorer.html").render(
                languages=dict(list_languages()), formats=list(FORMATS)
            )
        )

    async def words(request: Request) -> Response:
        known = request.path_params["language"]
        language = known if known in list_languages() else "en"
        return _to_response({**load_page_messages(language), **load_explorer_messages(language)})

    async def one_page(request: Request) -> Response:
        return HTMLResponse(build_one_page())

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        explorer.threads.shutdown(wait=False, cancel_futures=True)

    routes = [
        Route("/", page),
        Route("/words/{language}", words),
        Route("/one-page", one_page),
        Route("/api/open", explorer.open, methods=["POST"]),
        Route("/api/start", private(explorer.start)),
        Route("/api/pending", private(explorer.fetch_pending)),
        Route("/api/tables", private(explorer.drop), methods=["POST"]),
        Route("/api/example", private(explorer.example), methods=["POST"]),
        Route("/api/tables/{table}/learn", private(explorer.learn)),
        Route("/api/tables/{table}/{question:str}", private(explorer.ask), methods=["GET"]),
        Route("/api/tables/{table}/{question:str}", private(explorer.judge), methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC_FOLDER)),
        Mount("/verify", StaticFiles(packages=[("isegoria.verifier", "web")])),
    ]
    app = Starlette(
        routes=routes, exception_handlers={IsegoriaError: handle_error, HttpError: handle_error}, lifespan=lifespan
    )
    app.state.explorer = explorer
    return ErrorMiddleware(app, frozenset())


def _to_response(answer: Any) -> Response:
    return make_json_reply(answer).response()


async def _read_json(request: Request) -> Any:
    raw = await read_body(request.stream(), MAX_JSON_BYTES)
    return parse_json_body(raw, request.headers.get("content-type", ""), MAX_JSON_BYTES)


def _read_dots() -> bytes:
    return files(datasets).joinpath(datasets.DOTS_FILE).read_bytes()

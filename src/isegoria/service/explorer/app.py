"""The explorer as an application for one person: a one-time address, one page, and questions about a table."""

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

from isegoria import data
from isegoria.errors import InputError, IsegoriaError
from isegoria.io.formats import FORMATS
from isegoria.learning.registry import LEARNERS, NOISES
from isegoria.service.explorer import answers, lessons
from isegoria.service.explorer.uploads import Upload, Uploads, proposed, without_flags
from isegoria.service.http.refusals import Refusal, Unauthorized
from isegoria.service.http.request import check_origin, json_reply, parse, read_limited
from isegoria.service.middleware import ErrorMiddleware, answer_of
from isegoria.service.rendering import environment
from isegoria.service.web import STATIC
from isegoria.service.web.words import explorer_messages, languages

if TYPE_CHECKING:
    from isegoria.instance import Instance

MOST_BYTES = 64_000_000
MOST_QUESTION = 1_000_000
COOKIE = "isegoria-explorer"
AGAIN = "this address was used before, or is not this explorer's; go back to its window, or start 'isegoria explore'."


class Explorer:
    """One explorer: the token that opens it once, the cookie that follows, and the tables."""

    def __init__(self, first: Upload | None = None, uploads: Uploads | None = None) -> None:
        self.token, self._pass = secrets.token_urlsafe(18), secrets.token_urlsafe(18)
        self.uploads, self.first = uploads or Uploads(), first
        self._used = False
        self.threads = ThreadPoolExecutor(4, thread_name_prefix="isegoria")

    async def run(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Run `work` on a thread, so that a long question does not keep others waiting."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work, *arguments)

    def check(self, request: Request) -> None:
        """Refuse whoever did not open the address that was printed."""
        shown = request.cookies.get(COOKIE, "").encode("utf-8", "surrogateescape")
        if not compare_digest(shown, self._pass.encode()):
            raise Unauthorized(
                "this explorer was opened by somebody else; use the address that it printed at its start."
            )

    async def open(self, request: Request) -> Response:
        """Change the one-time token for a cookie."""
        check_origin(request.headers, request.headers.get("host", ""), request.url.scheme == "https", form=False)
        given = await _json(request)
        token = given.get("token") if isinstance(given, dict) else None
        if self._used or not isinstance(token, str) or not compare_digest(token.encode(), self.token.encode()):
            raise Unauthorized(AGAIN)
        self._used = True
        cookie = f"{COOKIE}={self._pass}; Path=/; HttpOnly; SameSite=Strict"
        return json_reply({"opened": True}, 200, {"set-cookie": cookie}).response()

    async def start(self, request: Request) -> Response:
        """What a page needs to begin: the table it was started with, and what can be chosen."""
        return _reply(
            {
                "first": None if self.first is None else answers.facts(self.first),
                "learners": [{"id": row.id, "label": row.label, "summary": row.summary} for row in LEARNERS.values()],
                "noises": list(NOISES),
            }
        )  # fmt: skip

    async def drop(self, request: Request) -> Response:
        """Read a dropped file; the name and the options of reading stand in the query."""
        body = await read_limited(request.stream(), MOST_BYTES)
        if body is None:
            raise InputError(
                f"the file is larger than {MOST_BYTES // 1_000_000} MB; use the command line, or a table of parts."
            )
        name = request.query_params.get("name", "table.csv")[:200]
        try:
            table = await self.run(self.uploads.put, name, body, request.query_params)
        except InputError as error:
            # an ordinary answer: most tables are not right the first time
            return _reply({"error": without_flags(str(error)), "proposed": proposed(str(error))})
        return _reply(answers.facts(table))

    async def example(self, request: Request) -> Response:
        """The voters of the paper's second experiment, as a table to try."""
        table = await self.run(
            self.uploads.put, "dots.soc", _dots(), {"rewards": ",".join(map(str, data.DOTS_REWARDS))}
        )
        return _reply(answers.facts(table))

    async def ask(self, request: Request) -> Response:
        """A question about a table that takes nothing but a choice."""
        table, query = self.uploads[request.path_params["table"]], request.query_params
        work: Callable[[Instance, Any], dict[str, Any]]
        match request.path_params["question"]:
            case "facts":
                return _reply(answers.facts(table))
            case "compare":
                work, choice = answers.compared, query.get("tie_break")
            case "price":
                work, choice = answers.priced, query.get("axis", "utilitarian")
            case other:
                raise InputError(f"there is no question {other!r}; ask facts, compare or price.")
        return _reply(await self.run(work, table.instance, choice))

    async def judge(self, request: Request) -> Response:
        """A question about a lottery of one's own."""
        table = self.uploads[request.path_params["table"]]
        given = await _json(request)
        work = answers.stable if request.path_params["question"] == "core" else answers.lottery
        policy = given.get("policy") if isinstance(given, dict) else None
        return _reply(await self.run(work, table.instance, policy))

    async def learn(self, request: Request) -> Response:
        """Learners at work, frame by frame."""
        table = self.uploads[request.path_params["table"]]
        runs = await self.run(lessons.lesson, table.instance, request.query_params)
        return StreamingResponse(self._stream(lessons.frames(runs)), media_type="text/event-stream")

    async def _stream(self, frames: Iterator[Any]) -> AsyncIterator[str]:
        while (frame := await self.run(next, frames, None)) is not None:
            yield f"data: {json.dumps(frame, separators=(',', ':'))}\n\n"
        yield "event: end\ndata: {}\n\n"


def create_explorer(first: Upload | None = None, uploads: Uploads | None = None) -> ErrorMiddleware:
    """The application; `app.state.explorer` is its `Explorer`."""
    explorer = Explorer(first, uploads)

    def private(work: Callable[..., Any]) -> Callable[[Request], Awaitable[Response]]:
        async def call(request: Request) -> Response:
            explorer.check(request)
            if request.method == "POST":
                check_origin(request.headers, request.headers.get("host", ""), request.url.scheme == "https", False)
            return await work(request)

        return call

    async def page(request: Request) -> Response:
        return HTMLResponse(
            environment.get_template("explore.html").render(languages=dict(languages()), formats=list(FORMATS))
        )

    async def words(request: Request) -> Response:
        known = request.path_params["language"]
        return _reply(dict(explorer_messages(known if known in languages() else "en")))

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        explorer.threads.shutdown(wait=False, cancel_futures=True)

    routes = [
        Route("/", page),
        Route("/words/{language}", words),
        Route("/api/open", explorer.open, methods=["POST"]),
        Route("/api/start", private(explorer.start)),
        Route("/api/tables", private(explorer.drop), methods=["POST"]),
        Route("/api/example", private(explorer.example), methods=["POST"]),
        Route("/api/tables/{table}/learn", private(explorer.learn)),
        Route("/api/tables/{table}/{question:str}", private(explorer.ask), methods=["GET"]),
        Route("/api/tables/{table}/{question:str}", private(explorer.judge), methods=["POST"]),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    app = Starlette(routes=routes, exception_handlers={IsegoriaError: answer_of, Refusal: answer_of}, lifespan=lifespan)
    app.state.explorer = explorer
    return ErrorMiddleware(app, frozenset())


def _reply(answer: Any) -> Response:
    return json_reply(answer).response()


async def _json(request: Request) -> Any:
    raw = await read_limited(request.stream(), MOST_QUESTION)
    return parse(raw, request.headers.get("content-type", ""), MOST_QUESTION)


def _dots() -> bytes:
    return files(data).joinpath(data.DOTS_FILE).read_bytes()

"""One row for each route: who may use it, what it takes, what it does. Routes and `openapi.json` are made from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from isegoria.service.http.fields import Object
from isegoria.service.http.request import SMALL
from isegoria.service.http.tokens import COORGANISER, MEMBER, ORGANISER, STARTER

ANYONE = frozenset({"anyone"})
MEMBERS = frozenset({MEMBER})
ORGANISERS = frozenset({ORGANISER, COORGANISER})
OWNER = frozenset({ORGANISER})
INSIDE = frozenset({MEMBER, ORGANISER, COORGANISER})
STARTERS = frozenset({STARTER})


@dataclass(frozen=True)
class Endpoint:
    """A route of the API.

    - `roles`: who may use it; `ANYONE` needs no token.
    - `run`: for a GET a function of (service, request, actor) that gives a `Reply`. For a POST an action of the group,
      from a `Context` to a `Change`; or with `plain` a function of (service, request, actor, body, key, body_digest)
      that gives a `Reply` and sees itself to the idempotency key.
    - `takes`: the body; `most`: how many bytes it may have.
    - `answers`: the statuses of success, each with its meaning. `paced`: one person does it only so often in an hour.
    """

    method: str
    path: str
    roles: frozenset[str]
    run: Callable[..., Any]
    summary: str
    takes: Object = field(default_factory=Object)
    answers: dict[int, str] = field(default_factory=lambda: {200: "Done."})
    most: int = SMALL
    plain: bool = False
    query: dict[str, str] = field(default_factory=dict)
    paced: bool = False
    media: str = "application/json"

    @property
    def success(self) -> int:
        """The status of a request that did something."""
        return next(iter(self.answers))

    @property
    def parameters(self) -> list[str]:
        """The names in the path."""
        return [part[1:-1] for part in self.path.split("/") if part.startswith("{")]


REFUSALS = {
    400: "The body, the Idempotency-Key or the Host cannot be used.",
    401: "No token, or one that is not good here.",
    403: "The token is good, but this is not for its role; or the request came from another site's page.",
    404: "There is no such group.",
    409: "Not in this state, or the Idempotency-Key was used for something else.",
    413: "The body is too large.",
    429: "Too many wrong guesses, new groups, ratings, streams or connections; wait as long as Retry-After says.",
    503: "The database is down or full; nothing was changed.",
}


def described(endpoints: list[Endpoint], version: str) -> dict[str, Any]:
    """The OpenAPI document of these routes."""
    paths: dict[str, dict[str, Any]] = {}
    for row in endpoints:
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Isegoria",
            "version": version,
            "summary": "Equal voice in repeated group decisions, for a group that decides together.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "description": "The secret of a private link."},
                "cookie": {
                    "type": "apiKey", "in": "cookie", "name": "isegoria-GROUP",
                    "description": "What a page got for that secret; `__Host-isegoria-GROUP` under https.",
                },
            },
            "responses": {
                str(status): {
                    "description": text,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
                }
                for status, text in REFUSALS.items()
            },
            "schemas": {
                "Error": {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
            },
        },
    }  # fmt: skip


def _operation(row: Endpoint) -> dict[str, Any]:
    needs_token = row.roles != ANYONE
    refusals = [400, *([401, 403] if needs_token else []), *([404] if row.parameters else [])]
    if row.method != "GET":
        refusals += [409, 413, 429, 503]
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in row.parameters
    ]
    parameters += [
        {"name": name, "in": "query", "required": False, "description": note, "schema": {"type": "string"}}
        for name, note in row.query.items()
    ]
    if row.method != "GET":
        parameters.append({
            "name": "Idempotency-Key", "in": "header", "required": True,
            "description": "Any text of 1 to 200 characters; the same key acts once.",
            "schema": {"type": "string", "minLength": 1, "maxLength": 200},
        })  # fmt: skip
    operation: dict[str, Any] = {
        "summary": row.summary,
        "operationId": getattr(row.run, "__name__", "run").strip("_"),
        "x-roles": sorted(row.roles),
        "security": [{"token": []}, {"cookie": []}] if needs_token else [],
        "parameters": parameters,
        "responses": {
            **{str(status): {"description": text, "content": {row.media: {}}} for status, text in row.answers.items()},
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in refusals},
        },
    }
    if row.method != "GET":
        operation["requestBody"] = {
            "required": bool(row.takes.fields),
            "content": {"application/json": {"schema": row.takes.schema()}},
        }
    return operation

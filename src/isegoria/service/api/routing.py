"""Endpoints of the API: roles, body and handler. Routes, forms and `openapi.json` are generated from them.

Every request passes the same checks in the same order: token, role, origin, body, idempotency key and rate limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from isegoria.record.actions.action import Action
from isegoria.record.state.group import Group
from isegoria.service.actions.security_log import log_request
from isegoria.service.http.authentication import ANY_ROLE
from isegoria.service.http.http_errors import BadRequest
from isegoria.service.http.origin import validate_origin
from isegoria.service.http.request import MAX_BODY_BYTES, Reply, Request, hash_request, parse_json_body
from isegoria.service.http.tokens import ROLE_COORGANISER, ROLE_MEMBER, ROLE_ORGANISER, ROLE_STARTER, Actor
from isegoria.service.request_context import RequestContext, Resources
from isegoria.utils.fields import ObjectField
from isegoria.utils.messages import Message

MEMBER_ROLES = frozenset({ROLE_MEMBER})
ORGANISER_ROLES = frozenset({ROLE_ORGANISER, ROLE_COORGANISER})
OWNER_ROLES = frozenset({ROLE_ORGANISER})
GROUP_ROLES = frozenset({ROLE_MEMBER, ROLE_ORGANISER, ROLE_COORGANISER})
STARTER_ROLES = frozenset({ROLE_STARTER})
JSON_MEDIA = "application/json"
Handler = Callable[[RequestContext], Reply]
FormData = dict[str, list[str]]
Question = tuple[str, dict[str, Any]]
"""The name of a message and the values in its text."""


def _build_empty_body(given: FormData, context: RequestContext) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Form:
    """The form of an action on the pages.

    - `name`: its name in the URL. `build_body`: builds the body of the action from the fields of the form.
    - `leads_to`: the page to show next, a path below the group's page, or None for the home page. `shows_done`: whether
      that page says that it was done. `row`: the row of *Organise* that has the form.
    - `confirm`: returns what the page asks before the action, or None if nothing needs to be asked.
    """

    name: str
    build_body: Callable[[FormData, RequestContext], dict[str, Any]] = _build_empty_body
    leads_to: str | None = ""
    row: str = ""
    confirm: Callable[[Group, Mapping[str, Any]], Question | None] | None = None
    shows_done: bool = True

    @property
    def page(self) -> str:
        """Path of the page that contains the form, below the group's page."""
        return "/organise" if self.row else (self.leads_to or "").partition("?")[0]


@dataclass(frozen=True)
class ReadEndpoint:
    """A route of the API that changes nothing.

    - `roles`: who may use it; `ANY_ROLE` needs no token. `query`: its query parameters, each with its meaning.
    - `answers`: the success statuses, each with its meaning; `media`: the media type of the response.
    - `security_event`: the name under which its use is logged for the group, if it is.
    """

    path: str
    roles: frozenset[str]
    handler: Handler
    summary: str
    query: Mapping[str, str] = field(default_factory=dict)
    media: str = JSON_MEDIA
    security_event: str = ""
    answers: Mapping[int, str] = field(default_factory=lambda: {200: "Done."})
    method = "GET"

    @property
    def operation_id(self) -> str:
        """Name of the operation in the OpenAPI document."""
        return self.handler.__name__.strip("_")

    def respond(self, context: RequestContext) -> Reply:
        """Return the reply to a request whose sender is known."""
        reply = self.handler(context)
        if self.security_event:
            log_request(context, self.security_event)
        return reply


@dataclass(frozen=True)
class ActionEndpoint:
    """A route of the API that changes something: an action of a group, or a handler that does more than that.

    - `action`: changes the group in one transaction, under the idempotency key. `handler`: handles the key itself.
    - `body`: the schema of the body; `max_bytes`: its maximum size.
    - `answers`: the success statuses, each with its meaning; the first is that of a request that changed something.
    - `is_rating`: whether the rate limit for ratings applies instead of the one for other actions.
    - `forms`: the forms of the pages that run this action.
    - `security_event`: the name under which its use is logged for the group, if it is.
    """

    path: str
    roles: frozenset[str]
    summary: str
    action: Action | None = None
    handler: Handler | None = None
    body: ObjectField = field(default_factory=ObjectField)
    answers: Mapping[int, str] = field(default_factory=lambda: {200: "Done."})
    max_bytes: int = MAX_BODY_BYTES
    is_rating: bool = False
    forms: Sequence[Form] = ()
    security_event: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    media = JSON_MEDIA
    method = "POST"

    @property
    def operation_id(self) -> str:
        """Name of the operation in the OpenAPI document."""
        return (self.action or self.handler).__name__.strip("_")  # type: ignore[union-attr]  # one of them is set

    def respond(self, context: RequestContext) -> Reply:
        """Apply the sender's rate limit, run the action, and return the reply."""
        if context.actor is not None:
            ratings = len(context.body["values"]) if self.is_rating else None
            context.limits.require_pace(context.actor.id, ratings)
        if self.action is None:
            assert self.handler is not None
            return self.handler(context)
        status = next(iter(self.answers))
        answer = context.groups.act(
            context.require_actor(), self.action, context.body, context.key, context.body_digest, status=status
        )
        if self.security_event:
            log_request(context, self.security_event)
        return Reply(answer.body.encode(), answer.status)


Endpoint = ReadEndpoint | ActionEndpoint


def handle_request(resources: Resources, endpoint: Endpoint, request: Request) -> Reply:
    """Handle a request of the API: check token, role, origin and body in this order, then run the endpoint."""
    context = resources.open_context(request)
    starts = isinstance(endpoint, ActionEndpoint) and resources.settings.closed and not request.group
    actor = resources.authenticator.authenticate(request, STARTER_ROLES if starts else endpoint.roles)
    if isinstance(endpoint, ReadEndpoint):
        return endpoint.respond(replace(context, actor=actor))
    validate_origin(request.headers, request.host, request.https, form=False)
    raw = parse_json_body(request.raw, request.headers.get("content-type", ""), endpoint.max_bytes)
    body = endpoint.body.check(raw)
    key = request.headers.get("idempotency-key", "")
    if not 1 <= len(key) <= 200:
        raise BadRequest(Message("header_idempotency_key_missing"))
    return endpoint.respond(make_action_context(context, actor, body, key))


def make_action_context(context: RequestContext, actor: Actor | None, body: Any, key: str) -> RequestContext:
    """Return the context of an action with a validated body, under an idempotency key."""
    request = context.request
    return replace(
        context, actor=actor, body=body, key=key, body_digest=hash_request(request.method, request.path, body)
    )


def list_path_parameters(path: str) -> list[str]:
    """Return the names of the parameters of a path.

    >>> list_path_parameters("/api/groups/{group}/ratings")
    ['group']
    """
    return [part[1:-1] for part in path.split("/") if part.startswith("{")]


ERROR_RESPONSES = {
    400: "The body, the Idempotency-Key or the Host cannot be used.",
    401: "No token, or one that is not good here.",
    403: "The token is good, but this is not for its role; or the request came from another site's page.",
    404: "There is no such group.",
    409: "Not in this state, or the Idempotency-Key was used for something else.",
    413: "The body is too large.",
    429: "Too many wrong guesses, new groups, ratings, streams or connections; wait as long as Retry-After says.",
    503: "The database is down or full; nothing was changed.",
}


def build_openapi(endpoints: Sequence[Endpoint], version: str) -> dict[str, Any]:
    """Return the OpenAPI document of these endpoints."""
    paths: dict[str, dict[str, Any]] = {}
    for row in endpoints:
        paths.setdefault(row.path, {})[row.method.lower()] = _build_operation(row)
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
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "isegoria-GROUP",
                    "description": "What a page got for that secret; `__Host-isegoria-GROUP` under https.",
                },
            },
            "responses": {
                str(status): {
                    "description": text,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
                }
                for status, text in ERROR_RESPONSES.items()
            },
            "schemas": {
                "Error": {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
            },
        },
    }


def _build_operation(row: Endpoint) -> dict[str, Any]:
    needs_token, names = row.roles != ANY_ROLE, list_path_parameters(row.path)
    refusals = [400, *([401, 403] if needs_token else []), *([404] if names else [])]
    if isinstance(row, ActionEndpoint):
        refusals += [409, 413, 429, 503]
    parameters = [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]
    parameters += [
        {"name": name, "in": "query", "required": False, "description": note, "schema": {"type": "string"}}
        for name, note in row.query.items()
    ]
    if isinstance(row, ActionEndpoint):
        parameters.append(
            {
                "name": "Idempotency-Key",
                "in": "header",
                "required": True,
                "description": "Text of 1 to 200 characters; the same key acts once. Under a key of 22 random "
                "characters or more, a repeated request gets the same answer; under a shorter one no answer is kept.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 200},
            }
        )
    operation: dict[str, Any] = {
        "summary": row.summary,
        "operationId": row.operation_id,
        "x-roles": sorted(row.roles),
        "security": [{"token": []}, {"cookie": []}] if needs_token else [],
        "parameters": parameters,
        "responses": {
            **{str(status): {"description": text, "content": {row.media: {}}} for status, text in row.answers.items()},
            **{str(status): {"$ref": f"#/components/responses/{status}"} for status in refusals},
        },
    }
    if isinstance(row, ActionEndpoint):
        operation["requestBody"] = {
            "required": bool(row.body.fields),
            "content": {"application/json": {"schema": row.body.schema()}},
        }
    return operation

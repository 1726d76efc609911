"""HTML forms of the pages. Each belongs to an endpoint of the API, and uses its checks and its action."""

from __future__ import annotations

import json
import secrets
from urllib.parse import parse_qsl

from isegoria.service.actions.draw_round import draw
from isegoria.service.api.endpoints import API_ENDPOINTS
from isegoria.service.api.form_bodies import get_text
from isegoria.service.api.routing import (
    GROUP_ROLES,
    ActionEndpoint,
    Form,
    FormData,
    make_action_context,
)
from isegoria.service.groups.group_views import build_view_for
from isegoria.service.http.authentication import ANY_ROLE
from isegoria.service.http.http_errors import BadRequest, Forbidden, NotFound, PayloadTooLarge
from isegoria.service.http.origin import validate_origin
from isegoria.service.http.request import MAX_LARGE_BODY_BYTES, Reply, Request
from isegoria.service.http.tokens import is_csrf_token_valid
from isegoria.service.pages.rendering import render_page
from isegoria.service.request_context import RequestContext
from isegoria.utils.messages import Message

FORMS_BY_NAME = {
    form.name: (form, row) for row in API_ENDPOINTS if isinstance(row, ActionEndpoint) for form in row.forms
}

DRAW_ENDPOINT = next(row for row in API_ENDPOINTS if isinstance(row, ActionEndpoint) and row.handler is draw)


def submit_form(context: RequestContext) -> Reply:
    """Handle a submitted form of a group: check it like the API, ask for confirmation if needed, and run its action."""
    request = context.request
    form, endpoint = FORMS_BY_NAME.get(request.parameters["step"], (None, None))
    if form is None or endpoint is None:
        raise NotFound(Message("no_such_step"))
    roles = endpoint.roles if endpoint.roles != ANY_ROLE else GROUP_ROLES
    actor = context.authenticator.require_actor(request, roles)
    validate_origin(request.headers, request.host, request.https, form=True)
    given = parse_form(request)
    if not is_csrf_token_valid(actor.token, get_text(given, "csrf") or ""):
        raise Forbidden(Message("form_not_page_yours"))
    body = endpoint.body.check(form.build_body(given, context))
    key = (get_text(given, "key") or secrets.token_urlsafe(16))[:200]
    context = make_action_context(context, actor, body, key)
    return _ask_confirmation(context, form, given) or run_form(context, form, endpoint, given)


def _ask_confirmation(context: RequestContext, form: Form, given: FormData) -> Reply | None:
    """Return the page that asks for confirmation, with all sent fields; None if confirmed or none is needed."""
    if form.confirm is None or get_text(given, "sure") == "yes":
        return None
    request = context.request
    with context.groups.reading(request.group) as (state, _):
        question, view = form.confirm(state, context.body), build_view_for(state, context.actor, context.now)
    if question is None:
        return None
    return render_page(
        request,
        "confirm.html",
        view=view,
        roles=context.authenticator.find_roles(request),
        step=form.name,
        question=question[0],
        topic=question[0].split("_")[1],
        values=question[1],
        fields=[(name, value) for name, values in given.items() for value in values],
        back=f"/g/{request.group}{form.page}",
    )


def run_form(context: RequestContext, form: Form, endpoint: ActionEndpoint, given: FormData) -> Reply:
    """Run the action of a form and redirect to the page that the form leads to.

    *Decide now* closes answers and draws: a freeze with the field `then`, for a source that needs nobody else.
    """
    reply = endpoint.respond(context)
    if form.name == "freeze" and get_text(given, "then") == "draw" and json.loads(reply.body).get("kind") == "fair":
        form, endpoint = FORMS_BY_NAME["draw"][0], DRAW_ENDPOINT
        body = endpoint.body.check({"value": None})
        reply = endpoint.respond(make_action_context(context, context.require_actor(), body, f"{context.key} draw"))
    if form.leads_to is None:
        return Reply(b"", 303, headers={"location": "/"})
    opens = f"&row={form.row}" if form.leads_to == "/organise" else ""
    if get_text(given, "back") == "today":
        return Reply(b"", 303, headers={"location": f"/g/{context.request.group}?said=1"}, cookies=reply.cookies)
    done = f"?said=1{opens}" if form.shows_done else ""
    where = f"/g/{context.request.group}{form.leads_to}{done}"
    return Reply(b"", 303, headers={"location": where}, cookies=reply.cookies)


def parse_form(request: Request) -> FormData:
    """Parse a form into its fields, each with all its values; raise `PayloadTooLarge` or `BadRequest` if it is
    invalid."""
    if request.raw is None:
        raise PayloadTooLarge(Message("form_larger_bytes", max_large_body_bytes=MAX_LARGE_BODY_BYTES))
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise BadRequest(Message("not_form"))
    try:
        pairs = parse_qsl(request.raw.decode("utf-8"), keep_blank_values=True, errors="strict", max_num_fields=50_000)
    except (UnicodeDecodeError, ValueError):
        raise BadRequest(Message("form_not_utf8")) from None
    given: FormData = {}
    for name, value in pairs:
        given.setdefault(name, []).append(value)
    return given

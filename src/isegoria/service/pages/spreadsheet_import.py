"""Read the members and options of a new group from a spreadsheet."""

from __future__ import annotations

from isegoria.errors import InputError
from isegoria.io.sandbox.sandbox import SandboxBusyError
from isegoria.service.api.routing import STARTER_ROLES
from isegoria.service.explorer.uploads import parse_read_options, select_read_options
from isegoria.service.http.http_errors import (
    TooManyRequests,
)
from isegoria.service.http.origin import to_client_network, validate_origin
from isegoria.service.http.request import MAX_LARGE_BODY_BYTES, Reply, make_json_reply
from isegoria.service.request_context import RequestContext
from isegoria.utils.messages import Message

SPREADSHEET_SUFFIXES = (".csv", ".tsv", ".xlsx", ".ods")
"""Formats that the pages accept for a table of people and options; the command line and the explorer accept others."""


def import_spreadsheet(context: RequestContext) -> Reply:
    """Return the members and options of a spreadsheet, for a new group; nothing is stored."""
    request = context.request
    if context.settings.closed:
        context.authenticator.authenticate(request, STARTER_ROLES)
    validate_origin(request.headers, request.host, request.https, form=False)
    if context.limits.group_creation.take(to_client_network(request.address)) > 0:
        raise TooManyRequests(Message("too_many_tables_address"))
    if request.raw is None:
        return make_json_reply(
            {"error": f"the file is larger than {MAX_LARGE_BODY_BYTES // 1024 // 1024} MB; paste the names instead."}
        )
    name = request.query.get("name", "table.csv")[:200]
    if not name.lower().endswith(SPREADSHEET_SUFFIXES):
        return make_json_reply(
            {"error": f"this is no table that is read here; save it as one of {', '.join(SPREADSHEET_SUFFIXES)}."}
        )
    try:
        instance, notes = context.sandbox.read(
            name, request.raw, parse_read_options(select_read_options(request.query))
        )
    except SandboxBusyError as error:
        raise TooManyRequests(error.message, {"retry-after": "15"}) from None
    except InputError as error:
        return make_json_reply({"error": str(error)})
    return make_json_reply({"members": list(instance.agents), "arms": list(instance.arms), "notes": notes})

"""Creation of groups: charter, roster, secrets and links."""

from __future__ import annotations

import json
import re
import secrets
import unicodedata
from collections.abc import Mapping
from typing import Any

from isegoria.record.actions.action import ActionContext, NewEvent
from isegoria.record.actions.members import found_group
from isegoria.record.state.group import Group
from isegoria.record.turns.modes import build_turn_terms
from isegoria.service.actions.administration import normalise_timetable, validate_group_size, validate_timetable_source
from isegoria.service.actions.randomness_source import build_source_terms
from isegoria.service.groups.result_writer import StoreActionResult, encode_body, write_result
from isegoria.service.http.http_errors import BadRequest, Conflict, TooManyRequests, translate_record_errors
from isegoria.service.http.origin import to_client_network
from isegoria.service.http.request import Reply, Request, make_json_reply
from isegoria.service.http.tokens import ROLE_JOIN, ROLE_ORGANISER, Actor, generate_token, make_token_row
from isegoria.service.request_context import RequestContext
from isegoria.service.store import GroupRow, ResponseRow, Transaction
from isegoria.utils.messages import FieldPath, Message

GROUP_ID_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
ANONYMOUS_ACTOR_ID = ":anyone:"


def create_group(context: RequestContext) -> Reply:
    """Create a group and return the join link and the organiser's token, and the number of each member."""
    return make_json_reply(store_new_group(context).answer(), 201)


def find_created_group(session: Transaction, who: str, key: str, body_digest: str) -> str | None:
    """Return the id of the group created with this idempotency key, or None if there is none.

    Raise `Conflict` if the key was used for another request.
    """
    kept = session.answer(who, key)
    if kept is None:
        return None
    if kept.digest != body_digest:
        raise Conflict(Message("idempotency_key_used_another_request"))
    if not kept.body:
        raise Conflict(Message("response_not_kept"))
    return str(json.loads(kept.body)["group"])


def get_creator_id(request: Request, actor: Actor | None) -> str:
    """Return the actor id under which the idempotency key of a group's creation is stored."""
    return actor.id if actor else ANONYMOUS_ACTOR_ID


def store_new_group(context: RequestContext) -> NewGroup:
    """Create and store the group that the body describes; an idempotency key creates at most one.

    Raise `Conflict` if the key was used before, and `TooManyRequests` above the rate limit of the client network.
    """
    request, actor, body = context.request, context.actor, context.body
    key, body_digest = context.key, context.body_digest
    who = get_creator_id(request, actor)
    with context.store.reading() as session:
        _reject_repeat(find_created_group(session, who, key, body_digest))
    wait = context.limits.group_creation.take(to_client_network(request.address), 1 + len(body["members"]) // 100)
    if wait > 0:
        raise TooManyRequests(Message("too_many_new_groups_address"), {"retry-after": str(int(wait) + 1)})
    made = build_new_group(body, context.now)
    with context.store.writing() as session:
        _reject_repeat(find_created_group(session, who, key, body_digest))
        made.insert(session)
        session.keep_answer(who, key, ResponseRow(body_digest, 201, encode_body({"group": made.row.id})), made.row.made)
    return made


def _reject_repeat(group: str | None) -> None:
    if group is not None:
        raise Conflict(Message("response_not_kept"))


class NewGroup:
    """New group that is not stored yet: its title, its row, its first change and its tokens."""

    def __init__(self, title: str, row: GroupRow, change: StoreActionResult, join: bool = True) -> None:
        self.title, self.row, self.change = title, row, change
        self.organiser = generate_token()
        self.join = generate_token() if join else None

    def insert(self, session: Transaction) -> None:
        """Write the row, events, people and tokens in a transaction; take another id if the row's is in use."""
        while not session.add_group(self.row):
            self.row = self.row._replace(id=generate_group_id(self.title))
        name, now = self.row.id, self.row.made
        tokens = [
            make_token_row(self.organiser, name, ROLE_ORGANISER, 0, now),
            *([make_token_row(self.join, name, ROLE_JOIN, 0, now)] if self.join else []),
        ]
        change = StoreActionResult.of(self.change, tokens=tokens)
        write_result(session, self.row, Group(name), change, Actor(name, ROLE_ORGANISER, 0, self.organiser), now)

    def answer(self) -> dict[str, Any]:
        """Return the response for the creator, which is sent only once; nothing in it lets a member in."""
        numbers = {person.name: person.number for person in self.change.people}
        return {"group": self.row.id, "organiser": self.organiser, "join": self.join, "members": numbers}


def build_new_group(body: Mapping[str, Any], now: int) -> NewGroup:
    """Build a new group from a validated body; raise `BadRequest` or `Conflict` if its fields are inconsistent."""
    low, high = body["scale"]
    if not low < high:
        raise BadRequest(
            Message("scale_expected_lowest_rating_first_higher", field=FieldPath("scale"), low=low, high=high)
        )
    validate_group_size(len(body["members"]), len(body["arms"]))
    me, learns = body["me"], body["learner"] is not None
    if me is not None and me not in body["members"]:
        raise BadRequest(Message("not_among_members", me=me))
    if body["ballot"] == "favourites" and learns:
        raise BadRequest(Message("learner_asks_how_stars"))
    with translate_record_errors():
        source = build_source_terms(body["source"], body["first"], body["every"], body["timetable"], now)
        validate_timetable_source(body["source"], body["timetable"])
        turns = None if body["turns"] is None else build_turn_terms(**body["turns"])
        asked = {**body, "source": source, "organisers": [] if me is None else [me], "turns": turns}
        change = found_group(ActionContext(Group(), asked, now, chance=secrets.token_bytes))
        first: dict[str, Any] = {"ballot": body["ballot"] or ("stars" if learns else "favourites")}
        if body["once"]:
            first["once"] = True
        if body["timetable"] is not None:
            first["timetable"] = normalise_timetable(body["timetable"], 1, now, body["source"] == "beacon")
        events = [*change.events, NewEvent("setting:first", "setting", first)]
        due = now if body["timetable"] is not None else None
        change = StoreActionResult.of(change, events=events, due=due)
    vault = encode_body({"secret": secrets.token_hex(32)})  # the organiser's secret for the rehearsal source
    row = GroupRow(generate_group_id(body["title"]), now, now, 0, 0, "0" * 64, None, vault)
    return NewGroup(body["title"], row, change, body["join"])


def generate_group_id(title: str) -> str:
    """Return a new group id: the title in ASCII letters and digits, and six random characters.

    >>> import re
    >>> bool(re.fullmatch("lunch-at-the-cafe-[a-z2-9]{6}", generate_group_id("Lunch at the Café!")))
    True
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:30].strip("-")
    return f"{plain or 'group'}-{''.join(secrets.choice(GROUP_ID_ALPHABET) for _ in range(6))}"

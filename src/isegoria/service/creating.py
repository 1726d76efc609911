"""A new group: its charter, its roster, its secrets and its links."""

from __future__ import annotations

import json
import re
import secrets
import unicodedata
from typing import TYPE_CHECKING, Any

from isegoria.record.changes import Context, NewEvent
from isegoria.record.group import Group
from isegoria.record.people import found
from isegoria.record.turns.modes import turns_term
from isegoria.service.groups import StoreChange, compact, refusing, write
from isegoria.service.http.refusals import BadRequest, Conflict, TooManyRequests
from isegoria.service.http.request import Reply, Request, json_reply, place_of
from isegoria.service.http.tokens import JOIN, MEMBER, ORGANISER, Actor, new_token, token_row
from isegoria.service.organising import begun, check_by_hand, check_size
from isegoria.service.sources import source_terms
from isegoria.service.store import AnswerRow, GroupRow, Session

if TYPE_CHECKING:
    from isegoria.service.app import Service

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
ANYONE_ID = ":anyone:"


def create(
    service: Service, request: Request, actor: Actor | None, body: dict[str, Any], key: str, body_digest: str
) -> Reply:
    """Make a group, and hand out its links; the links page shows each again until it is first opened."""
    return json_reply(made_group(service, request, actor, body, key, body_digest).answer(), 201)


def made_before(session: Session, who: str, key: str, body_digest: str) -> str | None:
    """The group that this key has made, if it has made one."""
    kept = session.answer(who, key)
    if kept is None:
        return None
    if kept.digest != body_digest:
        raise Conflict("this Idempotency-Key was used for another request; make a new key for a new request.")
    return str(json.loads(kept.body)["group"])


def creator(request: Request, actor: Actor | None) -> str:
    """Under which name the idempotency key of whoever makes a group is kept."""
    return actor.id if actor else ANYONE_ID


def made_group(
    service: Service, request: Request, actor: Actor | None, body: dict[str, Any], key: str, body_digest: str
) -> Made:
    """The group that this body asks for, stored; an idempotency key makes one, once."""
    who = creator(request, actor)
    with service.store.reading() as session:
        _refuse_again(made_before(session, who, key, body_digest))
    wait = service.new_groups.take(place_of(request.address), 1 + len(body["members"]) // 100)
    if wait > 0:
        raise TooManyRequests(
            "too many new groups from this address; wait a little.", {"retry-after": str(int(wait) + 1)}
        )
    made = new_group(body, int(service.groups.clock()))
    with service.store.writing() as session:
        _refuse_again(made_before(session, who, key, body_digest))
        while not session.add_group(made.row):
            made = made.renamed(fresh_name(body["title"]))
        made.keep(session)
        session.keep_answer(who, key, AnswerRow(body_digest, 201, compact({"group": made.row.id})), made.row.made)
    return made


def _refuse_again(group: str | None) -> None:
    if group is not None:
        raise Conflict("this was done before, and its links are shown only once; issue a link again if it is lost.")


class Made:
    """A group that is about to be: its row, its first change and its tokens."""

    def __init__(self, row: GroupRow, change: StoreChange, join: bool = True) -> None:
        self.row, self.change = row, change
        self.organiser = new_token()
        self.members = {person.name: new_token() for person in change.people}
        self.join = new_token() if join else None

    def renamed(self, name: str) -> Made:
        """The same group under another address."""
        self.row = self.row._replace(id=name)
        return self

    def keep(self, session: Session) -> None:
        """Write everything, inside the transaction that added the row."""
        name, now = self.row.id, self.row.made
        tokens = [
            token_row(self.organiser, name, ORGANISER, 0, now),
            *(token_row(self.members[one.name], name, MEMBER, one.number, now) for one in self.change.people),
            *([token_row(self.join, name, JOIN, 0, now)] if self.join else []),
        ]
        change = StoreChange.of(self.change, tokens=tokens)
        write(session, self.row, Group(name), change, Actor(name, ORGANISER, 0, self.organiser), now)

    def answer(self) -> dict[str, Any]:
        """What the one who made it is told, once."""
        return {"group": self.row.id, "organiser": self.organiser, "join": self.join, "members": self.members}


def new_group(body: dict[str, Any], now: int) -> Made:
    """The group that a checked body asks for; what does not fit together is refused."""
    low, high = body["scale"]
    if not low < high:
        raise BadRequest(f"scale is [{low}, {high}]; expected the lowest rating first, then a higher one.")
    check_size(len(body["members"]), len(body["arms"]))
    me, learns = body["me"], body["learner"] is not None
    if me is not None and me not in body["members"]:
        raise BadRequest(f"{me!r} is not among the members; add the name there, or leave it out.")
    if body["ballot"] == "favourites" and learns:
        raise BadRequest("a learner asks how it was, by stars; leave ballot out.")
    with refusing():
        source = source_terms(body["source"], body["first"], body["every"], body["timetable"], now)
        check_by_hand(body["source"], body["timetable"])
        turns = None if body["turns"] is None else turns_term(**body["turns"])
        asked = {**body, "source": source, "organisers": [] if me is None else [me], "turns": turns}
        change = found(Context(Group(), asked, now, chance=secrets.token_bytes))
        first: dict[str, Any] = {"ballot": body["ballot"] or ("stars" if learns else "favourites")}
        if body["timetable"] is not None:
            first["timetable"] = begun(body["timetable"], 1, now, body["source"] == "beacon")
        events = [*change.events, NewEvent("setting:first", "setting", first)]
        due = now if body["timetable"] is not None else None
        change = StoreChange.of(change, events=events, due=due)
    vault = compact({"secret": secrets.token_hex(32)})  # the organiser's part of a rehearsal
    return Made(GroupRow(fresh_name(body["title"]), now, now, 0, 0, "0" * 64, None, vault), change, body["join"])


def fresh_name(title: str) -> str:
    """An address for a group: its title in plain letters, and six letters that nobody guesses.

    >>> import re
    >>> bool(re.fullmatch("lunch-at-the-cafe-[a-z2-9]{6}", fresh_name("Lunch at the Café!")))
    True
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:30].strip("-")
    return f"{plain or 'group'}-{''.join(secrets.choice(ALPHABET) for _ in range(6))}"

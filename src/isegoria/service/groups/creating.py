"""A new group: its charter, its roster, its secrets and its links."""

from __future__ import annotations

import json
import re
import secrets
import unicodedata
from importlib.util import find_spec

from isegoria.lottery import people as identity
from isegoria.lottery import steps
from isegoria.lottery.desk.learning import check_learner, settings_of
from isegoria.lottery.record import Record
from isegoria.lottery.sources import SOURCES
from isegoria.service.groups.deeds import line_hash
from isegoria.service.groups.desk import repeated
from isegoria.service.groups.state import compact
from isegoria.service.http.refusals import BadRequest, TooManyRequests
from isegoria.service.http.request import Reply, Request, json_reply
from isegoria.service.http.tokens import MEMBER, ORGANISER, Actor, new_token, token_row
from isegoria.service.store import AnswerRow, Event, GroupRow, PersonRow

ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
ANYONE_ID = ":anyone:"


def create(service, asked: Request, actor: Actor | None, body: dict, key: str, mark: str) -> Reply:
    """Make a group, and hand out its links: the only time that its tokens are seen."""
    who = actor.id if actor else f"{ANYONE_ID}{asked.address}"
    with service.store.reading() as session:
        if kept := session.answer(who, key):
            repeated(kept, mark)
    wait = service.new_groups.take(asked.address)
    if wait > 0:
        raise TooManyRequests(
            "too many new groups from this address; wait a little.", {"retry-after": str(int(wait) + 1)}
        )
    made = new_group(body, int(service.desk.clock()))
    with service.store.writing() as session:
        if kept := session.answer(who, key):
            repeated(kept, mark)
        while not session.add_group(made.row):
            made = made.renamed(fresh_name(body["title"]))
        made.keep(session)
        session.keep_answer(who, key, AnswerRow(mark, 201, ""), made.row.made)
    return json_reply(made.answer(), 201)


class Made:
    """A group that is about to be: rows, lines and tokens."""

    def __init__(self, row: GroupRow, lines: list[bytes], people: list[PersonRow], now: int):
        self.row, self.lines, self.people, self.now = row, lines, people, now
        self.organiser = new_token()
        self.members = {person.name: new_token() for person in people}

    def renamed(self, name: str) -> Made:
        """The same group under another address."""
        self.row = self.row._replace(id=name)
        return self

    def keep(self, session) -> None:
        """Write everything, inside the transaction that added the row."""
        row, name = self.row, self.row.id
        actor = f"{name}:{ORGANISER}:0"
        for kind, key, line in zip(("charter", "roster"), ("charter", "roster:1"), self.lines, strict=True):
            event = Event(row.length + 1, key, kind, actor, self.now, "{}", line.decode(), row.head)
            row = session.append(row, event, line_hash(line))
        for person in self.people:
            session.keep_person(name, person)
        session.add_tokens([
            token_row(self.organiser, name, ORGANISER, 0, self.now),
            *(token_row(self.members[person.name], name, MEMBER, person.number, self.now) for person in self.people),
        ])  # fmt: skip

    def answer(self) -> dict:
        """What the one who made it is told, once."""
        return {"group": self.row.id, "organiser": self.organiser, "members": self.members}


def new_group(body: dict, now: int) -> Made:
    """The group that a checked body asks for; what does not fit together is refused."""
    low, high = body["scale"]
    if not low < high:
        raise BadRequest(f"scale is [{low}, {high}]; expected the lowest rating first, then a higher one.")
    if body["every"] is not None and body["source"] != "beacon":
        raise BadRequest("first and every belong to a beacon; give another group a timetable after it was made.")
    group = secrets.token_bytes(16)
    charter = steps.charter(
        group=group,
        title=body["title"],
        arms=body["arms"],
        privacy=body["privacy"],
        block=body["block"],
        learner=body["learner"],
        settings=learner_settings(body["learner"]),
        source=source_of(body, now),
        scale=[low, high],
    )
    people = [new_person(number, name) for number, name in enumerate(body["members"])]
    record = Record.from_lines([charter])
    roster = steps.roster(record, [entry_of(person) for person in people])
    row = GroupRow(fresh_name(body["title"]), now, now, 0, 0, "0" * 64, None, vault())
    return Made(row, [charter, roster], people, now)


def vault() -> str:
    """What the whole group keeps secret: the organiser's part of a rehearsal."""
    return compact({"secret": secrets.token_hex(32)})


def new_person(number: int, name: str) -> PersonRow:
    """A member with a salt and a secret of her own."""
    return PersonRow(number, name, compact({"salt": secrets.token_hex(32), "secret": secrets.token_hex(32)}))


def entry_of(person: PersonRow, key: str | None = None) -> dict:
    """A member's entry in the roster: a commitment that names nobody."""
    kept = json.loads(person.secrets)
    salt, secret = bytes.fromhex(kept["salt"]), bytes.fromhex(kept["secret"])
    sealed = identity.commitment(salt, person.number, secret, person.name)
    return {"commitment": sealed.hex(), "weight": 1, "key": key}


def learner_settings(learner: str | None) -> dict:
    """The settings that a charter names: groups change, so a learner that can must let newcomers in."""
    if learner is None:
        return {}
    check_learner(learner, {})
    return settings_of(learner, {})


def source_of(body: dict, now: int) -> dict:
    """The source of randomness as a charter writes it."""
    if body["source"] != "beacon":
        return SOURCES[body["source"]].terms()
    if "beacon" not in offered():
        raise BadRequest("a beacon's word cannot be checked here; the server needs: pip install 'isegoria[beacon]'.")
    every = body["every"] or 86400
    first = body["first"] if body["first"] is not None else (now // every + 1) * every
    return SOURCES["beacon"].terms(first=first, every=every)


def offered() -> list[str]:
    """The sources that this server offers: a beacon only where its signatures can be checked."""
    return [name for name in SOURCES if name != "beacon" or find_spec("py_ecc") is not None]


def fresh_name(title: str) -> str:
    """An address for a group: its title in plain letters, and six letters that nobody guesses.

    >>> import re
    >>> bool(re.fullmatch("lunch-at-the-cafe-[a-z2-9]{6}", fresh_name("Lunch at the Café!")))
    True
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:30].strip("-")
    return f"{plain or 'group'}-{''.join(secrets.choice(ALPHABET) for _ in range(6))}"

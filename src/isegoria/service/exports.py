"""What leaves the house as a file: the record, with its secrets or without, and what people said as JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.io.atomic import write_private
from isegoria.record.group import Group
from isegoria.record.receipts import Tree, names_file, receipt_parts
from isegoria.record.secrets import BODIES, Secrets, secrets_path
from isegoria.service.groups import StorePeople
from isegoria.service.http.refusals import BadRequest, Conflict, NotFound
from isegoria.service.http.request import Reply, Request, json_reply
from isegoria.service.http.tokens import Actor
from isegoria.service.store import GroupRow, Session
from isegoria.service.views import number_of, round_view

if TYPE_CHECKING:
    from isegoria.record.round import Round
    from isegoria.service.app import Service

GUARDED = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a spreadsheet takes for a formula, in full width too."""
LINES_AT_ONCE = 20
"""Lines of the record that are fetched at a time; a line of a large group has a hundred kilobytes."""
FOR_GOOD = "private, max-age=31536000, immutable"
"""What a browser, and no proxy, may keep without asking again."""
HASH = re.compile("[0-9a-f]{64}")
PARTED = re.compile("[;\t|]")
"""What another spreadsheet parts cells by; inside quotes it does not."""


def record(service: Service, request: Request, actor: Actor | None) -> Reply:
    """The public record: JSON Lines, to be kept and checked anywhere; with `?after=HASH` what follows that line, with
    `?lines=1000` at most so many. A part that is full never changes; another is not sent to who has it to its head.
    """
    after, most = request.query.get("after", ""), _count(request, "lines")
    with service.store.reading() as session:
        row = session.group(request.group)
        place = _place(session, request.group, after)
        full = row is not None and place is not None and session.has_lines(request.group, place, most)
    if row is None:
        raise NotFound("there is no such group; look at the link again.")
    if place is None and after != row.head:
        raise NotFound("no line of the record has this hash; ask for the whole record.")
    version = {"etag": f'"{row.lines}-{row.head}"', "cache-control": FOR_GOOD if full else "no-cache"}
    if request.headers.get("if-none-match") == version["etag"]:
        return Reply(b"", 304, "application/jsonl", version)
    reply = _attached(b"", f"{request.group}.jsonl", "application/jsonl")
    parts = iter(()) if place is None else _record_parts(service, row, place, most)
    return replace(reply, headers={**reply.headers, **version}, parts=parts)


def _place(session: Session, group: str, after: str) -> int | None:
    """The place in the log behind which the lines begin that follow the line with this hash; None: no line follows."""
    if not after:
        return 0
    return session.place_behind(group, after) if HASH.fullmatch(after) else None


def _count(request: Request, name: str) -> int | None:
    """A whole number above 0 of the query, if it is there."""
    asked = request.query.get(name)
    if asked is not None and not (asked.isascii() and asked.isdigit() and int(asked[:9]) > 0 and len(asked) < 9):
        raise BadRequest(f"{name} is {asked[:20]!r}; expected a whole number above 0.")
    return None if asked is None else int(asked)


def _record_parts(service: Service, row: GroupRow, place: int, most: int | None) -> Iterator[bytes]:
    """The lines behind a place as they were when they were asked for, a few at a time: memory may not hold them."""
    left = row.lines if most is None else most
    while left > 0 and place < row.length:
        with service.store.reading() as session:
            found = session.lines(row.id, place, min(LINES_AT_ONCE, left))
        told = [line for seq, line in found if seq <= row.length]
        if not told:
            return  # all were sent, or the group was erased meanwhile
        place, left = found[-1][0], left - len(told)
        yield "".join(f"{line}\n" for line in told).encode()


def receipt(service: Service, request: Request, actor: Actor) -> Reply:
    """A member's receipt: her secret, her leaves and their paths; with `?last=50`, of so many rounds. It is hers alone.

    The group is held only while its state is noted; the paths are worked out as they are sent.
    """
    last = _count(request, "last")
    with service.groups.reading(request.group) as (state, session):
        group, person = state.snapshot(), StorePeople(session, state)[actor.number]

    def tree_on(line: int) -> Tree | None:
        with service.store.reading() as session:
            body = session.body_behind(request.group, group.hashes[line - 2].hex())
        kept = json.loads(body or "{}").get("tree")
        if kept is None:  # a line that came back with a restored record, without what was private behind it
            return None
        return Tree([number for number, _ in kept], [bytes.fromhex(hash_) for _, hash_ in kept])

    reply = _attached(b"", f"{request.group}.receipt", "application/json")
    return replace(reply, parts=_together(receipt_parts(group, person, tree_on, last)))


def _together(parts: Iterator[bytes], least: int = 1 << 14) -> Iterator[bytes]:
    """Small parts joined to larger ones; the first comes at once."""
    yield next(parts)
    held: list[bytes] = []
    size = 0
    for part in parts:
        held.append(part)
        size += len(part)
        if size >= least:
            yield b"".join(held)
            held, size = [], 0
    if held:
        yield b"".join(held)


def names(service: Service, request: Request, actor: Actor) -> Reply:
    """Names, salts and secrets of an open group: whoever has it sees whose row is whose."""
    with service.groups.reading(request.group) as (state, session):
        if state.charter["privacy"] != "open":
            raise Conflict("this group keeps ballots: names are not joined to rows.")
        data = names_file(state, StorePeople(session, state))
    return _attached(data, f"{request.group}.names", "application/json")


def _attached(data: bytes, name: str, media: str) -> Reply:
    return Reply(data, 200, media, {"content-disposition": f'attachment; filename="{name}"'})


def export(service: Service, request: Request, actor: Actor) -> Reply:
    """Everything that people said, as JSON, or with `?format=csv` as a table that `isegoria` reads."""
    form = request.query.get("format", "json")
    if form not in ("json", "csv"):
        raise BadRequest(f"format is {form[:20]!r}; expected json or csv.")
    with service.groups.reading(request.group) as (state, _):
        if form == "csv":
            return _attached(table(state).encode(), f"{request.group}.csv", "text/csv; charset=utf-8")
        members = [
            {
                "name": state.name(number),
                "ratings": {state.arms[arm]: value for arm, value in rated(state, number).items()},
            }
            for number in state.members
        ]
        rounds = [(round_view(state, round_) or {}) | {"answers": answers(state, round_)} for round_ in state.rounds]
        low, high = state.scale
        return json_reply(
            {"group": state.address, "title": state.terms["title"], "scale": [low, high], "arms": state.arms,
             "available": [state.arms[arm] for arm in state.available], "members": members, "rounds": rounds}
        )  # fmt: skip


def rated(state: Group, number: int) -> dict[int, float]:
    """What a member thinks of each option: her rating, or the mean of what she said when it happened."""
    if not state.learns:
        return {arm: number_of(value) for arm, value in state.ratings.get(number, {}).items()}
    told: dict[int, list[float]] = {}
    for round_ in state.rounds:
        for said in round_.answers.values():
            if number in said:
                told.setdefault(said[number][0], []).append(float(said[number][1]))
    return {arm: sum(values) / len(values) for arm, values in sorted(told.items())}


def answers(state: Group, round_: Round) -> list[dict[str, Any]]:
    """Every rating of what happened in a round."""
    return [
        {"slot": slot, "name": state.name(member), "arm": state.arms[arm], "stars": number_of(value)}
        for slot, said in sorted(round_.answers.items())
        for member, (arm, value) in sorted(said.items())
    ]


def table(state: Group) -> str:
    """One row for each member, one column for each option; empty where nothing was said.

    A name that a spreadsheet would run as a formula is written behind an apostrophe.
    """
    out = io.StringIO()
    names = [*state.arms, *map(state.name, state.members)]
    parted = any(map(PARTED.search, names))
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if parted else csv.QUOTE_MINIMAL)
    writer.writerow(["agent", *map(guarded, state.arms)])
    for number in state.members:
        values = rated(state, number)
        writer.writerow(
            [
                guarded(state.name(number)),
                *(repr(values[arm]) if arm in values else "" for arm in range(len(state.arms))),
            ]
        )
    return out.getvalue()


def guarded(text: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(GUARDED) else text


# -- a record in a file with its secrets beside it, for `isegoria record replay`, or to go on --------------------------

GONE = {"name": "(erased)", "salt": "0" * 64, "secret": "0" * 64, "seed": None}
"""What stands for a member who was erased."""


def export_record(session: Session, group: str, path: Path) -> int:
    """Write the record of a group to `path` and what is private beside it; how many lines it has.

    Nothing is overwritten. Signing keys are not among it: a service never has them.
    """
    row = session.group(group)
    if row is None:
        raise InputError(f"there is no group {group!r} in this store.")
    lines: list[str] = []
    log: list[dict[str, Any]] = []
    for event in session.events(group):
        if event.line is not None:
            lines.append(event.line)
        elif event.kind in BODIES:
            body = json.loads(event.body)
            if event.kind == "setting":
                if "changes" not in body:
                    continue
                body = {"changes": body["changes"] or 1}
            log.append({"after": len(lines), "at": event.at, "kind": event.kind, "body": body})
    people = [
        {"name": one.name, **json.loads(one.secrets), "seed": None} if one.secrets else GONE
        for one in session.people(group)
    ]
    found: dict[str, Any] = log[0]["body"]
    marked = [number for number, one in enumerate(found["entries"]) if one and one["organiser"]]
    held = Secrets(found["charter"]["group"], json.loads(row.vault)["secret"], people, marked, log)
    write_private(secrets_path(path), held.to_bytes(), fresh=True)
    write_private(path, "".join(f"{line}\n" for line in lines).encode(), fresh=True)
    path.chmod(0o644)
    return len(lines)

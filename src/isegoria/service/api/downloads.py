"""Downloads and exports: the record, its calendar, receipts, and ratings as JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.record.receipts import LeafTree, build_names_file, iter_receipt
from isegoria.record.state.group import Group
from isegoria.service.actions.record_publication import is_record_public
from isegoria.service.delivery.calendar_feed import build_icalendar
from isegoria.service.groups.group_views import build_round_view, parse_rating
from isegoria.service.groups.old_groups import read_old_group
from isegoria.service.groups.repository import StoredPeople
from isegoria.service.http.http_errors import BadRequest, Conflict, NotFound, Unauthorized
from isegoria.service.http.request import Reply, Request, make_json_reply
from isegoria.service.request_context import RequestContext
from isegoria.service.store import GroupRow, Transaction
from isegoria.service.web.translations import choose_language, make_translator
from isegoria.utils.messages import Message

if TYPE_CHECKING:
    from isegoria.record.state.round import Round

FORMULA_PREFIXES = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""First characters that make a spreadsheet read a cell as a formula, including their full-width forms."""
RECORD_BATCH_LINES = 20
"""Number of record lines per read; a line of a large group has a hundred kilobytes."""
IMMUTABLE_CACHE_CONTROL = "private, max-age=31536000, immutable"
"""Cache-Control of responses that a browser, but no proxy, may cache without revalidation."""
HASH_PATTERN = re.compile("[0-9a-f]{64}")
CELL_SEPARATORS = re.compile("[;\t|]")
"""Characters that other spreadsheets use to separate cells, except inside quotes."""


def download_record(context: RequestContext) -> Reply:
    """Return the public record as JSON Lines, which can be stored and verified anywhere.

    `?after=HASH` returns only the lines after the line with that hash, `?lines=1000` at most that many lines. A
    response with the full number of lines never changes and may be cached. A client with the current ETag gets 304.

    In a group with turns a member has one pseudonym for all rounds, so its record is for its members until all of them
    agreed to publish it: who joined alone could be followed by anybody who reads it.

    Raise `NotFound` if there is no such group, or no line with that hash, and `Unauthorized` if a stranger asks for the
    record of a group with turns.
    """
    request = context.request
    if context.actor is None:
        with context.groups.reading(request.group) as (group, session):
            if not is_record_public(session, group):
                raise Unauthorized(Message("record_with_turns_for_members"))
    after, most = request.query.get("after", ""), _parse_count(request, "lines")
    with context.store.reading() as session:
        row = session.group(request.group)
        place = _find_line_offset(session, request.group, after)
        full = row is not None and place is not None and session.has_lines(request.group, place, most)
    if row is None:
        raise NotFound(Message("no_such_group"))
    if place is None and after != row.head:
        raise NotFound(Message("no_line_record_hash"))
    version = {"etag": f'"{row.lines}-{row.head}"', "cache-control": IMMUTABLE_CACHE_CONTROL if full else "no-cache"}
    if request.headers.get("if-none-match") == version["etag"]:
        return Reply(b"", 304, "application/jsonl", version)
    reply = _make_attachment(b"", f"{request.group}.jsonl", "application/jsonl")
    parts = iter(()) if place is None else _iterate_record(context, row, place, most)
    return replace(reply, headers={**reply.headers, **version}, parts=parts)


def _find_line_offset(session: Transaction, group: str, after: str) -> int | None:
    """Return the place in the log after which the lines behind a hash begin; 0 for no hash, None for no lines."""
    if not after:
        return 0
    return session.place_behind(group, after) if HASH_PATTERN.fullmatch(after) else None


def _parse_count(request: Request, name: str) -> int | None:
    """Return a query parameter as a positive integer, or None if it is missing; raise `BadRequest` if it is not one."""
    asked = request.query.get(name)
    if asked is not None and not (asked.isascii() and asked.isdigit() and int(asked[:9]) > 0 and len(asked) < 9):
        raise BadRequest(Message("expected_positive_integer", name=name, asked=asked[:20]))
    return None if asked is None else int(asked)


def _iterate_record(context: RequestContext, row: GroupRow, place: int, most: int | None) -> Iterator[bytes]:
    """Yield the lines after a place, a few at a time, because all of them may not fit into memory.

    Lines added after the request are left out.
    """
    left = row.lines if most is None else most
    while left > 0 and place < row.length:
        with context.store.reading() as session:
            found = session.lines(row.id, place, min(RECORD_BATCH_LINES, left))
        told = [line for seq, line in found if seq <= row.length]
        if not told:
            return  # all were sent, or the group was erased in the meantime
        place, left = found[-1][0], left - len(told)
        yield "".join(f"{line}\n" for line in told).encode()


def get_calendar(context: RequestContext) -> Reply:
    """Return the decided days and the next decision as a calendar feed. It contains only public information."""
    request = context.request
    say = make_translator(choose_language(request.query, request.cookies, request.headers))
    with context.groups.reading(request.group) as (state, _):
        text = build_icalendar(state, context.base_url, context.now, say)
    return Reply(text.encode(), 200, "text/calendar; charset=utf-8")


def download_receipt(context: RequestContext) -> Reply:
    """Return the member's private receipt: secret, leaves and Merkle paths; `?last=50` limits it to the last 50 rounds.

    The group is locked only while its state is copied; the paths are computed while the response is sent.
    """
    request = context.request
    reply = _make_attachment(b"", f"{request.group}.receipt", "application/json")
    return replace(reply, parts=_merge_small_chunks(_iterate_receipt(context, _parse_count(request, "last"))))


def download_proof(context: RequestContext) -> Reply:
    """Return the record and the member's receipt as one ZIP file, for the verifier that needs no network."""
    name = context.request.group
    with context.store.reading() as session:
        row = session.group(name)
    if row is None:
        raise NotFound(Message("no_such_group"))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, parts in (
            (f"{name}.jsonl", _iterate_record(context, row, 0, None)),
            (f"{name}.receipt", _iterate_receipt(context, None)),
        ):
            with archive.open(path, "w") as entry:
                for part in parts:
                    entry.write(part)
    return _make_attachment(file.getvalue(), f"{name}.zip", "application/zip")


def _iterate_receipt(context: RequestContext, last: int | None) -> Iterator[bytes]:
    """Yield the parts of the member's receipt."""
    request, actor = context.request, context.require_actor()
    with context.groups.reading(request.group) as (state, session):
        group, person = state.snapshot(), StoredPeople(session, state)[actor.number]

    def tree_on(line: int) -> LeafTree | None:
        with context.store.reading() as session:
            body = session.body_behind(request.group, group.hashes[line - 2].hex())
        kept = json.loads(body or "{}").get("tree")
        if kept is None:  # a line of a restored record, whose private body is missing
            return None
        return LeafTree([number for number, _ in kept], [bytes.fromhex(hash_) for _, hash_ in kept])

    return iter_receipt(group, person, tree_on, context.now, last)


def _merge_small_chunks(parts: Iterator[bytes], least: int = 1 << 14) -> Iterator[bytes]:
    """Join small parts into parts of at least `least` bytes; the first part is passed on at once."""
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


def download_names(context: RequestContext) -> Reply:
    """Return the names file of an open group: names, salts and secrets, which show whose row is whose.

    Raise `Conflict` if the group is not open.
    """
    request = context.request
    with context.groups.reading(request.group) as (state, session):
        if state.charter["privacy"] != "open":
            raise Conflict(Message("group_keeps_ballots"))
        data = build_names_file(state, StoredPeople(session, state))
    return _make_attachment(data, f"{request.group}.names", "application/json")


def _make_attachment(data: bytes, name: str, media: str) -> Reply:
    return Reply(data, 200, media, {"content-disposition": f'attachment; filename="{name}"'})


def export_ratings(context: RequestContext) -> Reply:
    """Return all ratings as JSON, or with `?format=csv` as a table that `isegoria` can read.

    A group from before the first release has its tables, as JSON.
    """
    request = context.request
    form = request.query.get("format", "json")
    if form not in ("json", "csv"):
        raise BadRequest(Message("format_expected_json_csv", form=form[:20]))
    try:
        return _export_group(context, form)
    except InputError:
        with context.store.reading() as session:
            old = read_old_group(session, request.group)
        if old is None:
            raise
        return make_json_reply({"group": request.group, **old.to_dict()})


def _export_group(context: RequestContext, form: str) -> Reply:
    request = context.request
    with context.groups.reading(request.group) as (state, _):
        if form == "csv":
            return _make_attachment(
                build_ratings_csv(state).encode(), f"{request.group}.csv", "text/csv; charset=utf-8"
            )
        members = [
            {
                "name": state.name(number),
                "ratings": {state.arms[arm]: value for arm, value in collect_ratings(state, number).items()},
            }
            for number in state.members
        ]
        rounds = [
            (build_round_view(state, round_) or {}) | {"answers": list_slot_ratings(state, round_)}
            for round_ in state.rounds
        ]
        low, high = state.scale
        return make_json_reply(
            {
                "group": state.address,
                "title": state.terms["title"],
                "scale": [low, high],
                "arms": state.arms,
                "available": [state.arms[arm] for arm in state.available],
                "members": members,
                "rounds": rounds,
            }
        )


def collect_ratings(state: Group, number: int) -> dict[int, float]:
    """Return a member's value of each option: the rating or, with a learner, the mean of the feedback on it."""
    if not state.learns:
        return {arm: parse_rating(value) for arm, value in state.ratings.get(number, {}).items()}
    told: dict[int, list[float]] = {}
    for round_ in state.rounds:
        for said in round_.answers.values():
            if number in said:
                told.setdefault(said[number][0], []).append(float(said[number][1]))
    return {arm: sum(values) / len(values) for arm, values in sorted(told.items())}


def list_slot_ratings(state: Group, round_: Round) -> list[dict[str, Any]]:
    """Return all feedback on the slots of a round."""
    return [
        {"slot": slot, "name": state.name(member), "arm": state.arms[arm], "stars": parse_rating(value)}
        for slot, said in sorted(round_.answers.items())
        for member, (arm, value) in sorted(said.items())
    ]


def build_ratings_csv(state: Group) -> str:
    """Return the ratings as CSV: one row per member, one column per option, and an empty cell for no rating.

    A name that a spreadsheet would run as a formula gets a leading apostrophe.
    """
    out = io.StringIO()
    names = [*state.arms, *map(state.name, state.members)]
    parted = any(map(CELL_SEPARATORS.search, names))
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL if parted else csv.QUOTE_MINIMAL)
    writer.writerow(["agent", *map(escape_formula, state.arms)])
    for number in state.members:
        values = collect_ratings(state, number)
        writer.writerow(
            [
                escape_formula(state.name(number)),
                *(repr(values[arm]) if arm in values else "" for arm in range(len(state.arms))),
            ]
        )
    return out.getvalue()


def escape_formula(text: str) -> str:
    """Prefix a name with an apostrophe if a spreadsheet would read it as a formula."""
    return f"'{text}" if text.startswith(FORMULA_PREFIXES) else text

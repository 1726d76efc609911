"""Build the next line of a record: one function per kind of line, each validating what it writes.

These functions are pure: they modify nothing, read no clock and generate no randomness. Times, signatures and random
values are arguments, and the caller appends the result to the record. A line that is out of order raises `InputError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import isegoria
from isegoria.errors import InputError
from isegoria.record.format import line_order, schema
from isegoria.record.format.canonical_json import dump_canonical, format_decimal, parse_canonical
from isegoria.record.format.draw_stream import DrawStream, draw_block
from isegoria.record.format.hash_chain import hash_line, link_line, require_link
from isegoria.record.format.identities import encode_key_proof, encode_override, encode_statement_fields
from isegoria.record.format.merkle import merkle_root
from isegoria.record.format.record_view import LinePayload, PageContent, RecordView, RoundView
from isegoria.record.signing.ed25519 import verify
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.turns.record_ledger import draw_turn_balls
from isegoria.utils.messages import Message


class SealedLine(NamedTuple):
    """A line that can be appended to a record: its content, its bytes without the newline, and their hash."""

    said: LinePayload
    data: bytes
    hash: bytes


class LineKind(NamedTuple):
    """A kind of line: the schema of its keys, and the validator that says where it may occur."""

    shape: schema.Schema
    place: Callable[[RecordView, LinePayload], None]


LINE_KINDS = {
    "charter": LineKind(schema.CHARTER_SCHEMA, line_order.validate_charter_line),
    "roster": LineKind(schema.ROSTER_SCHEMA, line_order.validate_roster_line),
    "statement": LineKind(schema.STATEMENT_SCHEMA, line_order.validate_statement_line),
    "freeze": LineKind(schema.FREEZE_SCHEMA, line_order.validate_freeze_line),
    "trial": LineKind(schema.TRIAL_SCHEMA, line_order.validate_trial_line),
    "draw": LineKind(schema.DRAW_SCHEMA, line_order.validate_draw_line),
    "ratings": LineKind(schema.RATINGS_SCHEMA, line_order.validate_ratings_line),
    "override": LineKind(schema.OVERRIDE_SCHEMA, line_order.validate_override_line),
    "amend": LineKind(schema.AMENDMENT_SCHEMA, line_order.validate_amendment_line),
}


def seal_line(group: RecordView, line: LinePayload) -> SealedLine:
    """Return `line` as the next line of the group, with its `prev` hash. The group does not change."""
    said = link_line(line, group.head)
    _validate_line(group, said)
    data = dump_canonical(said)
    return SealedLine(said, data, hash_line(data))


def parse_line(group: RecordView, data: bytes) -> SealedLine:
    """Parse a line that was written before, and validate its form, its `prev` hash and its place in the order."""
    said = parse_canonical(data)
    _validate_line(group, said)
    return SealedLine(said, data, hash_line(data))


def _validate_line(group: RecordView, said: LinePayload) -> None:
    kind = said.get("line")
    if not isinstance(kind, str) or kind not in LINE_KINDS:
        raise InputError(Message("no_known_kind"))
    if kind == "charter" and said.get("version") in (1, 2):
        raise InputError(Message("record_version_never_released", version=said["version"]))
    schema.validate_schema(kind, LINE_KINDS[kind].shape, said)
    require_link(said, group.head)
    line_order.validate_position(group, kind)
    LINE_KINDS[kind].place(group, said)


def build_charter_line(
    group: RecordView,
    *,
    group_id: str,
    title: str,
    arms: Sequence[str],
    source: LinePayload,
    privacy: str = "ballots",
    block: int | None = None,
    learner: str | None = None,
    settings: Mapping[str, str] | None = None,
    scale: Sequence[float | str] = (0, 1),
    tie_break: str = "centre",
    turns: LinePayload | None = None,
    resting: int = 0,
) -> SealedLine:
    """Build the first line: the identity of the group and its rules, which only an amendment on record can change."""
    line = {
        "line": "charter",
        "format": "isegoria record",
        "version": 3,
        "group": group_id,
        "title": title,
        "arms": list(arms),
        "scale": [format_decimal(end) for end in scale],
        "privacy": privacy,
        "block": block,
        "learner": learner,
        "settings": dict(settings or {}),
        "tie_break": tie_break,
        "resting": resting,
        "turns": turns,
        "source": source,
        "software": f"isegoria {isegoria.__version__}",
    }
    return seal_line(group, line)


def build_roster_line(group: RecordView, members: Sequence[LinePayload | None]) -> SealedLine:
    """Build a roster line, and verify the proof of every key that is new in its entry.

    `members` lists entries by number, None if they left.
    """
    sealed = seal_line(group, {"line": "roster", "version": len(group.rosters) + 1, "members": list(members)})
    for n in line_order.list_new_keys(group, members):
        entry = members[n]
        if entry is not None and not is_proved_key(group.charter["group"], n, entry["key"], entry["proof"]):
            raise InputError(Message("key_not_proved", member=n))
    return sealed


def is_proved_key(group: str, n: int, key: str, proof: str) -> bool:
    """Return whether a proof of possession is right: the key can sign, and signed that it is member n's."""
    message = encode_key_proof(bytes.fromhex(group), n, bytes.fromhex(key))
    return verify(bytes.fromhex(key), message, bytes.fromhex(proof))


def build_statement_line(group: RecordView, slip: LinePayload) -> SealedLine:
    """Build the line of a signed statement, and verify its signature with the member's key on the roster.

    `slip` has the keys `member`, `size`, `head`, `at`, `kind`, `value` and `signature`.
    """
    sealed = seal_line(group, {**slip, "line": "statement"})
    key = line_order.require_roster_key(group, slip["member"])
    if not verify(bytes.fromhex(key), encode_statement(group.record, slip), bytes.fromhex(slip["signature"])):
        raise InputError(Message("member_not_sign_key_roster", by=slip["member"]))
    return sealed


def encode_statement(record: bytes, slip: LinePayload) -> bytes:
    """Return the bytes that a member signs in a statement."""
    head, value = bytes.fromhex(slip["head"]), bytes.fromhex(slip["value"] or "")
    return encode_statement_fields(record, slip["member"], slip["size"], head, slip["at"], slip["kind"], value)


def build_freeze_line(
    group: RecordView,
    frozen: PageContent,
    *,
    at: int,
    title: str,
    occurrence: int | None = None,
    form: LinePayload | None = None,
) -> SealedLine:
    """Build the freeze page of the next round. After it, only the source's randomness is still open for the draw."""
    source = group.terms["source"]
    said = RANDOMNESS_SOURCES[source["kind"]].frozen(source, occurrence, form)
    return seal_line(
        group, {"line": "freeze", **_round_header(group), "at": at, "title": title, **frozen.keys(), **said}
    )


def build_trial_line(
    group: RecordView, *, available: Sequence[int] | None = None, occurrence: int | None = None
) -> SealedLine:
    """Build the page of a first trial, which plays the lowest available arm never played before, without a draw."""
    chosen = group.checked_available(available)
    arm = line_order.find_untried_arm(group, chosen)
    if arm is None:
        raise InputError(Message("every_available_arm_played"))
    return seal_line(
        group, {"line": "trial", **_round_header(group), "available": chosen, "arm": arm, "occurrence": occurrence}
    )


def _round_header(group: RecordView) -> LinePayload:
    return {"round": group.next_round, "roster": group.roster["version"]}


def build_draw_line(group: RecordView, source: bytes) -> SealedLine:
    """Build the draw line of the open round from its freeze page and the source bytes."""
    now = group.open
    if now is None:
        raise InputError(Message("no_round_open_nothing_draw"))
    RANDOMNESS_SOURCES[now.source["kind"]].check(group, now, source)
    balls = draw_balls(group, now, source)
    arms = [locate_arm(now.freeze, ball) for ball in balls]
    return seal_line(
        group, {"line": "draw", "round": now.number, "source_bytes": source.hex(), "balls": balls, "arms": arms}
    )


def draw_balls(group: RecordView, now: RoundView, source: bytes) -> list[int]:
    """Return the balls of the open round: in slot order or, with turns, one per world."""
    stream = DrawStream(now.freeze_hash, source)
    if group.turns is not None:
        return draw_turn_balls(group.turns, now.freeze, group.debts, stream)
    return draw_block(stream, sum(now.freeze["arm_units"]), now.freeze["block"])


def locate_arm(freeze: LinePayload, ball: int) -> int:
    """Return the arm whose part of the drum contains `ball`."""
    for arm, voices in enumerate(freeze["arm_units"]):
        if ball < voices:
            return arm
        ball -= voices
    raise InputError(Message("ball_not_drum"))


def locate_voice(freeze: LinePayload, ball: int) -> tuple[int, str]:
    """Return the arm and the pseudonym to which a ball belongs. Every ball belongs to one member."""
    arm = locate_arm(freeze, ball)
    ball -= sum(freeze["arm_units"][:arm])
    for kind in freeze["types"]:
        held = kind["units"][arm] * len(kind["pseudonyms"])
        if ball < held:
            return arm, kind["pseudonyms"][ball // kind["units"][arm]]
        ball -= held
    raise InputError(Message("ball_no_row"))


def has_odds(turns: LinePayload | None) -> bool:
    """Return whether the odds of a round are shown.

    They are not in `deterministic` turns, which are no lottery, nor where options are used up, because then the options
    on offer depend on earlier draws.
    """
    return turns is None or (turns["mode"] != "deterministic" and not turns["single_use"])


def compute_policy(page: LinePayload, turns: LinePayload | None) -> list[float] | None:
    """Return the chance of each arm, or None for a first trial and wherever `has_odds` is false."""
    if page["line"] != "freeze" or not has_odds(turns):
        return None
    total = sum(page["arm_units"])
    return [held / total for held in page["arm_units"]]


def build_ratings_line(group: RecordView, round_: int, leaves: Sequence[bytes]) -> SealedLine:
    """Build the line with the Merkle root of the ratings of a drawn round; leaves are ordered by (pseudonym, slot)."""
    return seal_line(
        group, {"line": "ratings", "round": round_, "root": merkle_root(leaves).hex(), "leaf_count": len(leaves)}
    )


def build_override_line(
    group: RecordView,
    round_: int,
    slot: int,
    arm: int,
    reason: str,
    by: int | None = None,
    signature: str | None = None,
) -> SealedLine:
    """Build the line that says that another arm was played in a slot, and why.

    The arm that was drawn stays on record. If `by` and `signature` are given, the signature is verified with the key
    that member `by` has on the roster.
    """
    said = {"round": round_, "slot": slot, "arm": arm, "reason": reason, "member": by, "signature": signature}
    sealed = seal_line(group, {"line": "override", **said})
    if by is not None and signature is not None:
        message = encode_override(group.record, by, round_, slot, arm, reason)
        if not verify(bytes.fromhex(line_order.require_roster_key(group, by)), message, bytes.fromhex(signature)):
            raise InputError(Message("member_not_sign_key_roster", by=by))
    return sealed


def build_amendment_line(group: RecordView, field: str, value: object, reason: str) -> SealedLine:
    """Build the line that changes a rule of the charter from the next freeze on, or ends the record (`end`, None)."""
    return seal_line(group, {"line": "amend", "field": field, "value": value, "reason": reason})

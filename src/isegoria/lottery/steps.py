"""One function for each kind of line: from a record and what happened, the bytes of the next line.

Steps are pure. They change nothing, read no clock and throw no dice: times, signatures and random values come in as
arguments, and whoever keeps the record appends what comes out. A step out of turn is refused with one sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

import isegoria
from isegoria.errors import InputError
from isegoria.lottery.canonical import decimal
from isegoria.lottery.ed25519 import verify
from isegoria.lottery.freezing import Frozen, checked_available
from isegoria.lottery.merkle import root
from isegoria.lottery.messages import reveal_message, value_message, void_message, witness_message
from isegoria.lottery.order import untried
from isegoria.lottery.record import Record, Round
from isegoria.lottery.sources import SOURCES
from isegoria.lottery.stream import Stream, block_of_balls
from isegoria.lottery.units import UNITS


def charter(
    *, group: bytes, title: str, arms: Sequence[str], source: dict, privacy: str = "ballots", block: int | None = None,
    learner: str | None = None, settings: Mapping[str, str | None] | None = None, scale: Sequence = (0, 1),
    explore_max: str = "1/5", units: int = UNITS, tie: str = "centre",
) -> bytes:  # fmt: skip
    """The first line: who we are, and the rules that nobody can change behind anyone's back."""
    rules = {"close": "freeze", "late": "next", "tie": tie, "trial": "none" if learner is None else "lowest"}
    return Record().seal(
        {
            "line": "charter", "format": "isegoria record", "version": 1, "group": group.hex(), "title": title,
            "arms": list(arms), "units": units, "explore_max": explore_max, "scale": [decimal(end) for end in scale],
            "privacy": privacy, "block": block, "learner": learner, "settings": dict(settings or {}), "rules": rules,
            "source": source, "software": f"isegoria {isegoria.__version__}",
        }
    )  # fmt: skip


def roster(record: Record, members: Sequence[dict | None]) -> bytes:
    """A roster of all members by number, `{commitment, weight, key}` in hexadecimal, None for those who left."""
    before = record.roster["members"] if record.rosters else []
    left = [n for n, entry in enumerate(before) if entry and (n >= len(members) or members[n] is None)]
    joined = list(range(len(before), len(members)))
    version = len(record.rosters) + 1
    return record.seal({"line": "roster", "version": version, "joined": joined, "left": left, "members": list(members)})


def commit(record: Record, by: int, hash: str) -> bytes:
    """A member's commitment (see `messages.commit_hash`) to the round that comes next."""
    return record.seal({"line": "commit", "round": record.next_round, "by": by, "hash": hash})


def freeze(record: Record, frozen: Frozen, *, occasion: int | None = None, event=None, form=None) -> bytes:
    """The frozen page of the next round: after it, nothing that decides the draw can change but the source."""
    source = record.terms["source"]
    said = SOURCES[source["kind"]].frozen(source, occasion, event, form)
    return record.seal({**_freezing(record), "kind": "fair", "arm": None, **frozen.keys(), **said})


def trial(record: Record, *, available: Sequence[int] | None = None, occasion: int | None = None) -> bytes:
    """The freeze of a first trial: the lowest available arm that was never played, without a draw."""
    available = checked_available(record, available)
    arm = untried(record, available)
    if arm is None:
        raise InputError("every available arm has been played; there is nothing to try.")
    nothing = {"voices": [], "explore": [], "types": [], "answered": 0, "tally_root": sha256(b"").hexdigest()}
    unsaid = {"event": None, "form": None, "source_round": None, "occasion": occasion}
    return record.seal(
        {**_freezing(record), "kind": "trial", "arm": arm, "available": available, "block": 1, **nothing, **unsaid}
    )


def _freezing(record: Record) -> dict:
    return {"line": "freeze", "round": record.next_round, "roster": record.roster["version"]}


def witness(record: Record, by: int, at: int, signature: bytes | None) -> bytes:
    """A member saw the frozen page at a time (Unix seconds); without a signature it is only claimed."""
    now = _open(record, "there is nothing to witness")
    line = {"line": "witness", "freeze": now.freeze_hash.hex(), "by": by, "at": at, "signature": _hex(signature)}
    sealed = record.seal(line)
    _check_signature(now, by, witness_message(record.charter_hash, now.freeze_hash, at), signature)
    return sealed


def reveal(record: Record, by: int, value: bytes, signature: bytes | None) -> bytes:
    """A member opens her commitment; her signature shows that she had seen this freeze."""
    now = _open(record, "there is nothing to reveal")
    line = {"line": "reveal", "round": now.number, "by": by, "value": value.hex(), "freeze": now.freeze_hash.hex()}
    sealed = record.seal({**line, "signature": _hex(signature)})
    _check_signature(now, by, reveal_message(record.charter_hash, now.freeze_hash, value), signature)
    return sealed


def draw(record: Record, source: bytes | None = None, signatures: Mapping[int, bytes] | None = None) -> bytes:
    """The draw that follows from the freeze and the source bytes; `signatures` of the value, by member, for dice."""
    now = _open(record, "there is nothing to draw")
    line = {"line": "draw", "round": now.number}
    if now.freeze["kind"] == "trial":
        return record.seal({**line, "source_bytes": None, "balls": [], "arms": [now.freeze["arm"]], "signatures": []})
    if source is None:
        raise InputError(f"round {now.number} needs what its source said.")
    kind = SOURCES[now.source["kind"]]
    kind.check(record, now, source)
    signed = signatures or {}
    if signed and not kind.signed:
        raise InputError("only the value of dice is signed.")
    for by, signature in signed.items():
        _check_signature(now, by, value_message(record.charter_hash, now.freeze_hash, source), signature)
    balls = balls_of(now, source)
    arms = [arm_of(now.freeze, ball) for ball in balls]
    return record.seal(
        {**line, "source_bytes": source.hex(), "balls": balls, "arms": arms, "signatures": _listed(signed)}
    )


def balls_of(now: Round, source: bytes) -> list[int]:
    """The balls of a round, in slot order."""
    total = sum(now.freeze["voices"]) + sum(now.freeze["explore"])
    return block_of_balls(Stream(now.freeze_hash, source), total, now.freeze["block"])


def arm_of(freeze: dict, ball: int) -> int:
    """The arm in whose part of the drum a ball lies."""
    for arm, (voices, explore) in enumerate(zip(freeze["voices"], freeze["explore"], strict=True)):
        if ball < voices + explore:
            return arm
        ball -= voices + explore
    raise InputError("this ball is not in the drum.")


def voice_of(freeze: dict, ball: int) -> tuple[int, str | None]:
    """(arm, pseudonym) that a ball names; the pseudonym is None where it is exploration."""
    arm = arm_of(freeze, ball)
    ball -= sum(freeze["voices"][:arm]) + sum(freeze["explore"][:arm])
    for kind in freeze["types"]:
        held = kind["units"][arm] * len(kind["who"])
        if ball < held:
            return arm, kind["who"][ball // kind["units"][arm]]
        ball -= held
    return arm, None


def ratings(record: Record, round_: int, leaves: Sequence[bytes]) -> bytes:
    """The root of ratings that members told about a drawn round, leaves in the order of (pseudonym, slot)."""
    return record.seal({"line": "ratings", "round": round_, "root": root(leaves).hex(), "count": len(leaves)})


def override(record: Record, round_: int, slot: int, arm: int, reason: str, by: int | None = None) -> bytes:
    """Another arm was played in a slot, and why; what was drawn stays on record."""
    said = {"round": round_, "slot": slot, "arm": arm, "reason": reason, "by": by}
    return record.seal({"line": "override", **said})


def void(record: Record, at: int, reason: str, signatures: Mapping[int, bytes] | None = None) -> bytes:
    """The open round shall not be drawn; members sign that this was decided before the source spoke."""
    now = _open(record, "there is nothing to void")
    signed = signatures or {}
    if signed and now.freeze["kind"] == "trial":
        raise InputError("the void of a trial is not signed; nothing was to be drawn.")
    for by, signature in signed.items():
        _check_signature(now, by, void_message(record.charter_hash, now.freeze_hash, at), signature)
    said = {"round": now.number, "at": at, "reason": reason, "signatures": _listed(signed)}
    return record.seal({"line": "void", **said})


def amend(record: Record, field: str, value, reason: str) -> bytes:
    """A rule of the charter changes from the next freeze on."""
    return record.seal({"line": "amend", "field": field, "value": value, "reason": reason})


def close(record: Record) -> bytes:
    """The last line."""
    return record.seal({"line": "close"})


def _open(record: Record, why: str) -> Round:
    if record.open is None:
        raise InputError(f"no round is open, so {why}; freeze one first.")
    return record.open


def _hex(signature: bytes | None) -> str | None:
    return None if signature is None else signature.hex()


def _listed(signatures: Mapping[int, bytes]) -> list[dict]:
    return [{"by": by, "signature": signatures[by].hex()} for by in sorted(signatures)]


def _check_signature(now: Round, by: int, message: bytes, signature: bytes | None) -> None:
    """Refuse a signature that is not by the key that the round's roster has for this member."""
    members = now.roster["members"]
    entry = members[by] if by < len(members) else None
    if entry is None:
        raise InputError(f"member {by} is not on the roster of round {now.number}.")
    if signature is None:
        return
    if entry["key"] is None:
        raise InputError(
            f"member {by} has no key on the roster of round {now.number}; keys count from the next freeze."
        )
    if not verify(bytes.fromhex(entry["key"]), message, signature):
        raise InputError(f"the signature of member {by} is wrong.")

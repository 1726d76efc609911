"""One function for each kind of line: from a group and what happened, the next line, checked and written once.

They are pure: they change nothing, read no clock and throw no dice. Times, signatures and random values come in as
arguments, and whoever keeps the record appends what comes out. A line out of turn is refused with one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import isegoria
from isegoria.errors import InputError
from isegoria.record.ed25519 import verify
from isegoria.record.format import order, shapes
from isegoria.record.format.canonical import canonical, decimal, line_hash, parsed
from isegoria.record.format.merkle import root
from isegoria.record.format.messages import reveal_message, value_message, void_message, witness_message
from isegoria.record.format.stream import Stream, block_of_balls
from isegoria.record.format.units import UNITS
from isegoria.record.sources import SOURCES

if TYPE_CHECKING:
    from isegoria.record.fixing import Frozen
    from isegoria.record.group import Group, Round

Said = dict[str, Any]  # what a line says


class NewLine(NamedTuple):
    """A line that fits behind a record: what it says, its bytes without the newline, and their hash."""

    said: Said
    data: bytes
    hash: bytes


class Kind(NamedTuple):
    """A kind of line: the shape of its keys, and where it may stand."""

    shape: shapes.Shape
    place: Callable[[Group, Said], None]


KINDS = {
    "charter": Kind(shapes.CHARTER, order.charter),
    "roster": Kind(shapes.ROSTER, order.roster),
    "commit": Kind(shapes.COMMIT, order.commit),
    "freeze": Kind(shapes.FREEZE, order.freeze),
    "witness": Kind(shapes.WITNESS, order.witness),
    "reveal": Kind(shapes.REVEAL, order.reveal),
    "draw": Kind(shapes.DRAW, order.ends),
    "void": Kind(shapes.VOID, order.ends),
    "ratings": Kind(shapes.RATINGS, order.of_drawn_round),
    "override": Kind(shapes.OVERRIDE, order.override),
    "amend": Kind(shapes.AMEND, order.amend),
    "close": Kind(shapes.CLOSE, order.close),
}


def seal(group: Group, line: Said) -> NewLine:
    """The line behind the last one of the group, which itself does not change."""
    said = {**line, "prev": group.head.hex()}
    _check(group, said)
    data = canonical(said)
    return NewLine(said, data, line_hash(data))


def read(group: Group, data: bytes) -> NewLine:
    """A line that was written before: its form, its `prev` and its place in the order are checked."""
    said = parsed(data)
    _check(group, said)
    return NewLine(said, data, line_hash(data))


def _check(group: Group, said: Said) -> None:
    kind = said.get("line")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InputError("it is of no known kind.")
    shapes.check_shape(kind, KINDS[kind].shape, said)
    if said["prev"] != group.head.hex():
        raise InputError("its prev is not the hash of the line before.")
    order.check_place(group, kind)
    KINDS[kind].place(group, said)


def charter(
    group: Group, *, id: bytes, title: str, arms: Sequence[str], source: Said, privacy: str = "ballots",
    block: int | None = None, learner: str | None = None, settings: Mapping[str, str | None] | None = None,
    scale: Sequence[float | str] = (0, 1), explore_max: str = "1/5", units: int = UNITS, tie: str = "centre",
) -> NewLine:  # fmt: skip
    """The first line: who we are, and the rules that nobody can change behind anyone's back."""
    rules = {"close": "freeze", "late": "next", "tie": tie, "trial": "none" if learner is None else "lowest"}
    line = {
        "line": "charter", "format": "isegoria record", "version": 1, "group": id.hex(), "title": title,
        "arms": list(arms), "units": units, "explore_max": explore_max, "scale": [decimal(end) for end in scale],
        "privacy": privacy, "block": block, "learner": learner, "settings": dict(settings or {}), "rules": rules,
        "source": source, "software": f"isegoria {isegoria.__version__}",
    }  # fmt: skip
    return seal(group, line)


def roster(group: Group, members: Sequence[Said | None]) -> NewLine:
    """A roster of all members by number, `{commitment, weight, key}` in hexadecimal, None for those who left."""
    before = group.roster["members"] if group.rosters else []
    left = [n for n, entry in enumerate(before) if entry and (n >= len(members) or members[n] is None)]
    joined = list(range(len(before), len(members)))
    version = len(group.rosters) + 1
    return seal(group, {"line": "roster", "version": version, "joined": joined, "left": left, "members": list(members)})


def commit(group: Group, by: int, hash: str) -> NewLine:
    """A member's commitment (see `messages.commit_hash`) to the round that comes next."""
    return seal(group, {"line": "commit", "round": group.next_round, "by": by, "hash": hash})


def freeze(
    group: Group,
    frozen: Frozen,
    *,
    occasion: int | None = None,
    event: str | None = None,
    form: list[int] | None = None,
) -> NewLine:
    """The frozen page of the next round: after it, nothing that decides the draw can change but the source."""
    source = group.terms["source"]
    said = SOURCES[source["kind"]].frozen(source, occasion, event, form)
    return seal(group, {**_freezing(group), "kind": "fair", "arm": None, **frozen.keys(), **said})


def trial(group: Group, *, available: Sequence[int] | None = None, occasion: int | None = None) -> NewLine:
    """The freeze of a first trial: the lowest available arm that was never played, without a draw."""
    chosen = group.checked_available(available)
    arm = order.untried(group, chosen)
    if arm is None:
        raise InputError("every available arm has been played; there is nothing to try.")
    nothing = {"voices": [], "explore": [], "types": [], "answered": 0, "tally_root": sha256(b"").hexdigest()}
    unsaid = {"event": None, "form": None, "source_round": None, "occasion": occasion}
    return seal(
        group, {**_freezing(group), "kind": "trial", "arm": arm, "available": chosen, "block": 1, **nothing, **unsaid}
    )


def check_source(group: Group, occasion: int | None) -> None:
    """Refuse an occasion that the source of the next freeze does not take, or lacks."""
    SOURCES[group.source].frozen(group.terms["source"], occasion)


def _freezing(group: Group) -> Said:
    return {"line": "freeze", "round": group.next_round, "roster": group.roster["version"]}


def witness(group: Group, by: int, at: int, signature: bytes | None) -> NewLine:
    """A member saw the frozen page at a time (Unix seconds); without a signature it is only claimed."""
    now = _open(group, "there is nothing to witness")
    line = {"line": "witness", "freeze": now.freeze_hash.hex(), "by": by, "at": at, "signature": _hex(signature)}
    sealed = seal(group, line)
    _check_signature(now, by, witness_message(group.charter_hash, now.freeze_hash, at), signature)
    return sealed


def reveal(group: Group, by: int, value: bytes, signature: bytes | None) -> NewLine:
    """A member opens her commitment; her signature shows that she had seen this freeze."""
    now = _open(group, "there is nothing to reveal")
    line = {"line": "reveal", "round": now.number, "by": by, "value": value.hex(), "freeze": now.freeze_hash.hex()}
    sealed = seal(group, {**line, "signature": _hex(signature)})
    _check_signature(now, by, reveal_message(group.charter_hash, now.freeze_hash, value), signature)
    return sealed


def draw(group: Group, source: bytes | None = None, signatures: Mapping[int, bytes] | None = None) -> NewLine:
    """The draw that follows from the freeze and the source bytes; `signatures` of the value, by member, for dice."""
    now = _open(group, "there is nothing to draw")
    line: Said = {"line": "draw", "round": now.number}
    if now.freeze["kind"] == "trial":
        return seal(group, {**line, "source_bytes": None, "balls": [], "arms": [now.freeze["arm"]], "signatures": []})
    if source is None:
        raise InputError(f"round {now.number} needs what its source said.")
    kind = SOURCES[now.source["kind"]]
    kind.check(group, now, source)
    signed = signatures or {}
    if signed and not kind.signed:
        raise InputError("only the value of dice is signed.")
    for by, signature in signed.items():
        _check_signature(now, by, value_message(group.charter_hash, now.freeze_hash, source), signature)
    balls = balls_of(now, source)
    arms = [arm_of(now.freeze, ball) for ball in balls]
    return seal(
        group, {**line, "source_bytes": source.hex(), "balls": balls, "arms": arms, "signatures": _listed(signed)}
    )


def balls_of(now: Round, source: bytes) -> list[int]:
    """The balls of a round, in slot order."""
    total = sum(now.freeze["voices"]) + sum(now.freeze["explore"])
    return block_of_balls(Stream(now.freeze_hash, source), total, now.freeze["block"])


def arm_of(freeze: Said, ball: int) -> int:
    """The arm in whose part of the drum a ball lies."""
    for arm, (voices, explore) in enumerate(zip(freeze["voices"], freeze["explore"], strict=True)):
        if ball < voices + explore:
            return arm
        ball -= voices + explore
    raise InputError("this ball is not in the drum.")


def voice_of(freeze: Said, ball: int) -> tuple[int, str | None]:
    """(arm, pseudonym) that a ball names; the pseudonym is None where it is exploration."""
    arm = arm_of(freeze, ball)
    ball -= sum(freeze["voices"][:arm]) + sum(freeze["explore"][:arm])
    for kind in freeze["types"]:
        held = kind["units"][arm] * len(kind["who"])
        if ball < held:
            return arm, kind["who"][ball // kind["units"][arm]]
        ball -= held
    return arm, None


def chances(freeze: Said) -> list[float] | None:
    """The chance of each arm in a fair round; None in a first trial, which is not drawn."""
    if freeze["kind"] != "fair":
        return None
    units = [a + b for a, b in zip(freeze["voices"], freeze["explore"], strict=True)]
    total = sum(units)
    return [held / total for held in units]


def exploring(freeze: Said) -> float:
    """The chance that a slot is drawn to learn, and not by a voice."""
    explore = sum(freeze["explore"])
    return explore / (sum(freeze["voices"]) + explore) if explore else 0.0


def ratings(group: Group, round_: int, leaves: Sequence[bytes]) -> NewLine:
    """The root of ratings that members told about a drawn round, leaves in the order of (pseudonym, slot)."""
    return seal(group, {"line": "ratings", "round": round_, "root": root(leaves).hex(), "count": len(leaves)})


def override(group: Group, round_: int, slot: int, arm: int, reason: str, by: int | None = None) -> NewLine:
    """Another arm was played in a slot, and why; what was drawn stays on record."""
    said = {"round": round_, "slot": slot, "arm": arm, "reason": reason, "by": by}
    return seal(group, {"line": "override", **said})


def void(group: Group, at: int, reason: str, signatures: Mapping[int, bytes] | None = None) -> NewLine:
    """The open round shall not be drawn; members sign that this was decided before the source spoke."""
    now = _open(group, "there is nothing to void")
    signed = signatures or {}
    if signed and now.freeze["kind"] == "trial":
        raise InputError("the void of a trial is not signed; nothing was to be drawn.")
    for by, signature in signed.items():
        _check_signature(now, by, void_message(group.charter_hash, now.freeze_hash, at), signature)
    said = {"round": now.number, "at": at, "reason": reason, "signatures": _listed(signed)}
    return seal(group, {"line": "void", **said})


def amend(group: Group, field: str, value: object, reason: str) -> NewLine:
    """A rule of the charter changes from the next freeze on."""
    return seal(group, {"line": "amend", "field": field, "value": value, "reason": reason})


def close(group: Group) -> NewLine:
    """The last line."""
    return seal(group, {"line": "close"})


def _open(group: Group, why: str) -> Round:
    if group.open is None:
        raise InputError(f"no round is open, so {why}; freeze one first.")
    return group.open


def _hex(signature: bytes | None) -> str | None:
    return None if signature is None else signature.hex()


def _listed(signatures: Mapping[int, bytes]) -> list[Said]:
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

"""One function for each kind of line: from a group and what happened, the next line, checked and written once.

They are pure: they change nothing, read no clock and throw no dice. Times, signatures and random values come in as
arguments, and whoever keeps the record appends what comes out. A line out of turn is refused with one sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import isegoria
from isegoria.errors import InputError
from isegoria.record.ed25519 import verify
from isegoria.record.format import order, shapes
from isegoria.record.format.canonical import canonical, decimal, line_hash, parsed, root
from isegoria.record.format.people import override_message, say_message
from isegoria.record.format.stream import Stream, block_of_balls
from isegoria.record.sources import SOURCES
from isegoria.record.turns.debts import turn_balls

if TYPE_CHECKING:
    from isegoria.record.fixing import Frozen
    from isegoria.record.group import Group
    from isegoria.record.round import Round

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
    "say": Kind(shapes.SAY, order.say),
    "freeze": Kind(shapes.FREEZE, order.freeze),
    "trial": Kind(shapes.TRIAL, order.trial),
    "draw": Kind(shapes.DRAW, order.draw),
    "ratings": Kind(shapes.RATINGS, order.ratings),
    "override": Kind(shapes.OVERRIDE, order.override),
    "amend": Kind(shapes.AMEND, order.amend),
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
    if kind == "charter" and said.get("version") == 1:
        raise InputError("this is a record of version 1, which was never released; begin a new one.")
    shapes.check_shape(kind, KINDS[kind].shape, said)
    if said["prev"] != group.head.hex():
        raise InputError("its prev is not the hash of the line before.")
    order.check_place(group, kind)
    KINDS[kind].place(group, said)


def charter(
    group: Group, *, group_id: str, title: str, arms: Sequence[str], source: Said, privacy: str = "ballots",
    block: int | None = None, learner: str | None = None, settings: Mapping[str, str] | None = None,
    scale: Sequence[float | str] = (0, 1), tie: str = "centre", turns: Said | None = None,
) -> NewLine:  # fmt: skip
    """The first line: who we are, and the rules that nobody can change behind anyone's back."""
    line = {
        "line": "charter", "format": "isegoria record", "version": 2, "group": group_id, "title": title,
        "arms": list(arms), "scale": [decimal(end) for end in scale], "privacy": privacy, "block": block,
        "learner": learner, "settings": dict(settings or {}), "tie": tie, "turns": turns, "source": source,
        "software": f"isegoria {isegoria.__version__}",
    }  # fmt: skip
    return seal(group, line)


def roster(group: Group, members: Sequence[Said | None]) -> NewLine:
    """A roster of all members by number, `{commitment, weight, key, organiser}`, None for those who left."""
    return seal(group, {"line": "roster", "version": len(group.rosters) + 1, "members": list(members)})


def say(group: Group, slip: Said) -> NewLine:
    """What a member says: `by`, `size`, `head`, `at`, `what`, `value`, `signature`, which is checked."""
    sealed = seal(group, {**slip, "line": "say"})
    key = order.on_roster(group, slip["by"])
    if not verify(bytes.fromhex(key), slip_message(group.record, slip), bytes.fromhex(slip["signature"])):
        raise InputError(f"member {slip['by']} did not sign this with her key of the roster.")
    return sealed


def slip_message(record: bytes, slip: Said) -> bytes:
    """The bytes that are signed in a say."""
    head, value = bytes.fromhex(slip["head"]), bytes.fromhex(slip["value"] or "")
    return say_message(record, slip["by"], slip["size"], head, slip["at"], slip["what"], value)


def freeze(
    group: Group,
    frozen: Frozen,
    *,
    at: int,
    event: str,
    occasion: int | None = None,
    form: Said | None = None,
) -> NewLine:
    """The frozen page of the next round: after it, nothing that decides the draw can change but the source."""
    source = group.terms["source"]
    said = SOURCES[source["kind"]].frozen(source, occasion, form)
    return seal(group, {"line": "freeze", **_page(group), "at": at, "event": event, **frozen.keys(), **said})


def trial(group: Group, *, available: Sequence[int] | None = None, occasion: int | None = None) -> NewLine:
    """A first trial: the lowest available arm that was never played, without a draw."""
    chosen = group.checked_available(available)
    arm = order.untried(group, chosen)
    if arm is None:
        raise InputError("every available arm has been played; there is nothing to try.")
    return seal(group, {"line": "trial", **_page(group), "available": chosen, "arm": arm, "occasion": occasion})


def _page(group: Group) -> Said:
    return {"round": group.next_round, "roster": group.roster["version"]}


def draw(group: Group, source: bytes) -> NewLine:
    """The draw that follows from the freeze and the source bytes."""
    now = group.open
    if now is None:
        raise InputError("no round is open, so there is nothing to draw; freeze one first.")
    SOURCES[now.source["kind"]].check(group, now, source)
    balls = balls_of(group, now, source)
    arms = [arm_of(now.freeze, ball) for ball in balls]
    return seal(
        group, {"line": "draw", "round": now.number, "source_bytes": source.hex(), "balls": balls, "arms": arms}
    )


def balls_of(group: Group, now: Round, source: bytes) -> list[int]:
    """The balls of the open round: in slot order, or with turns world by world."""
    stream = Stream(now.freeze_hash, source)
    if group.turns is not None:
        return turn_balls(group.turns, now.freeze, group.debts, stream)
    return block_of_balls(stream, sum(now.freeze["voices"]), now.freeze["block"])


def arm_of(freeze: Said, ball: int) -> int:
    """The arm in whose part of the drum a ball lies."""
    for arm, voices in enumerate(freeze["voices"]):
        if ball < voices:
            return arm
        ball -= voices
    raise InputError("this ball is not in the drum.")


def voice_of(freeze: Said, ball: int) -> tuple[int, str]:
    """(arm, pseudonym) that a ball names: every ball is somebody's."""
    arm = arm_of(freeze, ball)
    ball -= sum(freeze["voices"][:arm])
    for kind in freeze["types"]:
        held = kind["units"][arm] * len(kind["who"])
        if ball < held:
            return arm, kind["who"][ball // kind["units"][arm]]
        ball -= held
    raise InputError("this ball is in no row.")


def has_odds(turns: Said | None) -> bool:
    """Whether anything is said of odds: settled turns are no lottery, and where turns use options up, what is on offer
    depends on earlier draws.
    """
    return turns is None or (turns["mode"] != "settled" and not turns["used_up"])


def chances(page: Said, turns: Said | None) -> list[float] | None:
    """The chance of each arm in a fair round; None where there is none to be told, as in a first trial."""
    if page["line"] != "freeze" or not has_odds(turns):
        return None
    total = sum(page["voices"])
    return [held / total for held in page["voices"]]


def ratings(group: Group, round_: int, leaves: Sequence[bytes]) -> NewLine:
    """The root of ratings that members told about a drawn round, leaves in the order of (pseudonym, slot)."""
    return seal(group, {"line": "ratings", "round": round_, "root": root(leaves).hex(), "count": len(leaves)})


def override(
    group: Group, round_: int, slot: int, arm: int, reason: str, by: int | None = None, signature: str | None = None
) -> NewLine:
    """Another arm was played in a slot, and why; what was drawn stays on record. A member signs it."""
    said = {"round": round_, "slot": slot, "arm": arm, "reason": reason, "by": by, "signature": signature}
    sealed = seal(group, {"line": "override", **said})
    if by is not None and signature is not None:
        message = override_message(group.record, by, round_, slot, arm, reason)
        if not verify(bytes.fromhex(order.on_roster(group, by)), message, bytes.fromhex(signature)):
            raise InputError(f"member {by} did not sign this with her key of the roster.")
    return sealed


def amend(group: Group, field: str, value: object, reason: str) -> NewLine:
    """A rule of the charter changes from the next freeze on; or the record ends (`end`, None)."""
    return seal(group, {"line": "amend", "field": field, "value": value, "reason": reason})

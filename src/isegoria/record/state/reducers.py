"""Reducers: how each kind of event, public line or private, changes the state of a group.

Every function takes the group and the content of the event. Nothing is validated here: events are validated when they
are made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from isegoria.errors import InputError
from isegoria.record.format.identities import SignedRatings
from isegoria.record.format.line_order import name_statement
from isegoria.record.format.record_view import LinePayload
from isegoria.record.state.round import Cutoff, ProposedOption, Round
from isegoria.record.state.round_log import compact_oldest_round, list_recent_rounds
from isegoria.utils.messages import Message

if TYPE_CHECKING:
    from isegoria.record.state.group import Group

# -- lines of the record -----------------------------------------------------------------------------------------------


def apply_charter(group: Group, said: LinePayload) -> None:
    group.charter = group.terms = said


def apply_roster(group: Group, said: LinePayload) -> None:
    """Apply a roster line. If only the lines are known, the members follow from it."""
    group.rosters.append(said)
    group.roster_lines.append(len(group.lines))
    if len(group.lines) == 2:
        group.record = group.head
    if not group.private:
        group.entries = group.seats
    _update_members(group)


def apply_statement(group: Group, said: LinePayload) -> None:
    by, size, now = said["member"], said["size"], group.open
    before = group.says.get(by, [])
    group.says[by] = [*(before if before and before[-1][0] == size else []), (size, name_statement(said))]
    if said["kind"] == "compare" and not (group.seats[by] or {}).get("organiser"):
        group.compared = {**group.compared, said["value"]: group.compared.get(said["value"], frozenset()) | {by}}
    if said["kind"] == "commit":
        group.commits[by] = said["value"]
        group.committed.add(said["value"])
    if now is not None and size >= now.line:
        now.early.setdefault(by, said["at"])
        if said["kind"] in ("reveal", "dice"):
            (now.reveals if said["kind"] == "reveal" else now.throws)[by] = said["value"]
    for round_ in reversed(list_recent_rounds(group)):
        if round_.drawn_line and size >= round_.drawn_line:
            if by in round_.since:
                break
            round_.since.add(by)


def apply_ratings_root(group: Group, said: LinePayload) -> None:
    """Apply a ratings line: it holds the ratings of its round that the cutoff made final."""
    _ensure_cutoff(group)
    rooted = group.rounds[said["round"] - 1].rooted
    rooted.update({pair: len(group.lines) for pair, line in rooted.items() if line == 0})


def apply_freeze(group: Group, said: LinePayload) -> None:
    _append_round(group, said, group.commits)
    group.commits = {}
    group.titles.add(said["title"])


def apply_trial(group: Group, said: LinePayload) -> None:
    _append_round(group, said, {})


def _append_round(group: Group, said: LinePayload, commits: dict[int, str]) -> None:
    closing = _ensure_cutoff(group, said["occurrence"])
    group.tried = group.played_so_far
    group.spent, group.debts = group.used, group.owed
    if group.open is not None:
        group.open.left = True
    group.rounds.append(
        Round(
            said["round"],
            said,
            group.head,
            group.terms["source"],
            group.roster,
            group.arms,
            len(group.lines),
            closing,
            commits,
            turns=group.turns,
        )
    )
    group.closing, group.asked_until = None, 0
    group.last_occurrence = said["occurrence"] if said["occurrence"] is not None else group.last_occurrence
    compact_oldest_round(group)


def apply_draw(group: Group, said: LinePayload) -> None:
    group.rounds[-1].draw, group.rounds[-1].drawn_line = said, len(group.lines)


def apply_override(group: Group, said: LinePayload) -> None:
    """Apply an override: another arm takes the slot, and ratings of the arm that did not happen are dropped."""
    round_, slot = group.rounds.to_change(said["round"]), said["slot"]
    round_.overrides[slot] = said
    if round_ is not group.rounds[-1]:
        return
    round_.put[slot] = said["arm"]
    for member, (arm, _) in list(round_.answers.get(slot, {}).items()):
        if arm != said["arm"] and (slot, member) not in round_.rooted:
            del round_.answers[slot][member]


def apply_amendment(group: Group, said: LinePayload) -> None:
    if said["field"] == "end":
        group.ended = True
        if group.open is not None:
            group.open.left = True
        return
    apply_draft(group, said)


# -- what stays private ------------------------------------------------------------------------------------------------


def apply_founding(group: Group, body: LinePayload) -> None:
    """Apply the founding of a group: what its record will begin with. No line is written yet.

    Raise `InputError` for a group that was founded before the first release, whose record could not be begun.
    """
    if "resting" not in body["charter"]:
        raise InputError(Message("record_version_never_released", version=2))
    group.charter = group.terms = {**body["charter"]}
    group.entries, group.private = [*body["entries"]], True
    _update_members(group)


def apply_draft(group: Group, body: LinePayload) -> None:
    """Apply a change of a term, before the record begins or by an amendment."""
    group.terms = {**group.terms, body["field"]: body["value"]}
    if body["field"] == "arms":
        group.proposals = {number: one for number, one in group.proposals.items() if number >= len(body["value"])}
    if body["field"] == "source":
        group.last_occurrence = None


def apply_seat(group: Group, body: LinePayload) -> None:
    """Apply a member's new entry in the next roster: joining, leaving (None), or another key or mark."""
    number, entry = body["member"], body["entry"]
    if entry is None:
        group.departed[number] = body["reason"]
    group.entries = [*group.entries[:number], entry, *group.entries[number + 1 :]]
    _update_members(group)


def _update_members(group: Group) -> None:
    """Recompute the present members; drop the ratings of former members that the latest roster no longer has."""
    group.members = {number: entry for number, entry in enumerate(group.entries) if entry is not None}
    held = {number for number, entry in enumerate(group.roster["members"]) if entry is not None}
    for number in [number for number in group.ratings if number not in group.members and number not in held]:
        del group.ratings[number]
        group.told.pop(number, None)


def apply_rating(group: Group, body: LinePayload) -> None:
    values = {int(arm): value for arm, value in body["values"].items()}
    member, number = body["member"], body["round"]
    group.edits[number or 0, member] = group.edits.get((number or 0, member), 0) + 1
    signed = (body["at"], body["signature"], body["key"])
    if number is None:
        kept = group.ratings.get(member, {}) | values  # a new mapping, because earlier rounds keep the one they counted
        held = {arm: value for arm, value in sorted(kept.items()) if value is not None and arm not in group.withdrawn}
        group.ratings[member] = held
        row = [group.ratings[member].get(arm) for arm in range(len(group.options))]
        group.told.pop(member, None)
        if group.ratings[member]:
            group.told[member] = SignedRatings(row, *signed)
        return
    round_, slot = group.rounds[number - 1], body["slot"]
    answers = round_.answers.setdefault(slot, {})
    for arm, value in values.items():
        answers.pop(member, None)
        if value is not None:
            answers[member] = (arm, value)
            round_.told[slot, member] = SignedRatings(round_.row(arm, value), *signed)


def apply_away(group: Group, body: LinePayload) -> None:
    """Let a member's share rest until a time, until they are back (None), or no longer (0)."""
    group.away = {number: until for number, until in group.away.items() if number != body["member"]}
    if body["until"] != 0:
        group.away[body["member"]] = body["until"]


def apply_presence(group: Group, body: LinePayload) -> None:
    group.presence = {**group.presence, body["member"]: (body["round"], body["present"])}


def apply_hand_over(group: Group, body: LinePayload) -> None:
    group.organisers = {body["member"]}


def apply_close(group: Group, body: LinePayload) -> None:
    _ensure_cutoff(group, body["occurrence"], body["absent"])


def apply_reopen(group: Group, body: LinePayload) -> None:
    """Undo a cutoff that led to no page: what it had made final is open again."""
    for number, slot, member, _, _ in group.closing.told if group.closing else ():
        if group.rounds[number - 1].rooted.get((slot, member)) == 0:
            del group.rounds[number - 1].rooted[slot, member]
    group.closing = None


def _ensure_cutoff(group: Group, occurrence: int | None = None, absent: Sequence[int] = ()) -> Cutoff:
    """Return the cutoff of the next freeze. If there was no `apply_close` event, the first line of the freeze sets
    it."""
    if group.closing is None:
        group.closing = group.coming(occurrence, absent)
        for number, slot, member, _, _ in group.closing.told:
            group.rounds[number - 1].rooted[slot, member] = 0
    return group.closing


def apply_mask(group: Group, body: LinePayload) -> None:
    group.masked = tuple(body["masked"])


def apply_proposal(group: Group, body: LinePayload) -> None:
    group.proposals = {**group.proposals, len(group.options): ProposedOption(body["name"], body["by"])}


def apply_withdrawal(group: Group, body: LinePayload) -> None:
    number = body["number"]
    group.proposals = {**group.proposals, number: ProposedOption(None, group.proposals[number].by)}
    group.withdrawn = group.withdrawn | {number}


def apply_commitment_call(group: Group, body: LinePayload) -> None:
    """Apply a call for numbers: open pages are asked for them, under the source `group`."""
    group.asked_until = body["until"]


def apply_setting(group: Group, body: LinePayload) -> None:
    group.settings = group.settings | body


def apply_erasure(group: Group, body: LinePayload) -> None:
    """Erase a member's identity and those of their ratings that no line holds yet."""
    member = body["member"]
    group.erased.add(member)
    group.names.pop(member, None)
    group.ratings.pop(member, None)
    group.told.pop(member, None)
    mine = {number for number, one in group.proposals.items() if one.by == member}
    group.proposals = {n: replace(one, by=-1) if n in mine else one for n, one in group.proposals.items()}
    for round_ in group.rounds.here:
        for slot, answers in round_.answers.items():
            if (slot, member) not in round_.rooted:
                answers.pop(member, None)


def apply_link(group: Group, body: LinePayload) -> None:
    """Record that a link was issued again, so that its owner can see when and by whom."""
    if body["role"] == "member":
        group.reissued[body["number"]] = (group.at, body["by"])


def apply_invitation(group: Group, body: LinePayload) -> None:
    group.invited += 1
    group.coorganisers[body["number"]] = body["name"]


def apply_dismissal(group: Group, body: LinePayload) -> None:
    group.coorganisers.pop(body["number"], None)


EVENT_REDUCERS: dict[str, Callable[[Group, Any], None]] = {
    "charter": apply_charter,
    "roster": apply_roster,
    "statement": apply_statement,
    "ratings": apply_ratings_root,
    "freeze": apply_freeze,
    "trial": apply_trial,
    "draw": apply_draw,
    "override": apply_override,
    "amend": apply_amendment,
    "found": apply_founding,
    "draft": apply_draft,
    "seat": apply_seat,
    "rate": apply_rating,
    "away": apply_away,
    "presence": apply_presence,
    "hand_over": apply_hand_over,
    "close": apply_close,
    "reopen": apply_reopen,
    "mask": apply_mask,
    "propose": apply_proposal,
    "withdraw": apply_withdrawal,
    "call": apply_commitment_call,
    "setting": apply_setting,
    "erase": apply_erasure,
    "link": apply_link,
    "invite": apply_invitation,
    "dismiss": apply_dismissal,
}

"""What each kind of event changes in a group: the lines of its record, and what stays private.

Every function here has the group and what the event says. It asks nothing: whoever made the event has checked it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from isegoria.record.format.lines import Said
from isegoria.record.format.people import Told
from isegoria.record.round import Closing, ProposedOption, Round, cool, recent

if TYPE_CHECKING:
    from isegoria.record.group import Group

# -- lines of the record -----------------------------------------------------------------------------------------------


def charter(group: Group, said: Said) -> None:
    group.charter = group.terms = said


def roster(group: Group, said: Said) -> None:
    """What was gathered is written; who reads lines alone learns here who takes part."""
    group.rosters.append(said)
    group.roster_lines.append(len(group.lines))
    if len(group.lines) == 2:
        group.record = group.head
    if not group.private:
        group.entries = group.seats
    _members(group)


def say(group: Group, said: Said) -> None:
    by, size, now = said["by"], said["size"], group.open
    before = group.says.get(by, [])
    group.says[by] = [*(before if before and before[-1][0] == size else []), (size, said["what"])]
    if said["what"] == "commit":
        group.commits[by] = said["value"]
        group.committed.add(said["value"])
    if now is not None and size >= now.line:
        now.early.setdefault(by, said["at"])
        if said["what"] in ("reveal", "dice"):
            (now.reveals if said["what"] == "reveal" else now.throws)[by] = said["value"]
    for round_ in reversed(recent(group)):
        if round_.drawn_line and size >= round_.drawn_line:
            if by in round_.since:
                break
            round_.since.add(by)


def ratings(group: Group, said: Said) -> None:
    """What the closing made final of a round is under this line."""
    _closed(group)
    rooted = group.rounds[said["round"] - 1].rooted
    rooted.update({pair: len(group.lines) for pair, line in rooted.items() if line == 0})


def freeze(group: Group, said: Said) -> None:
    _page(group, said, group.commits)
    group.commits = {}
    group.events.add(said["event"])


def trial(group: Group, said: Said) -> None:
    _page(group, said, {})


def _page(group: Group, said: Said, commits: dict[int, str]) -> None:
    closing = _closed(group, said["occasion"])
    group.tried = group.played_so_far
    group.spent, group.debts = group.used, group.owed
    if group.open is not None:
        group.open.left = True
    group.rounds.append(
        Round(
            said["round"], said, group.head, group.terms["source"], group.roster, group.arms, len(group.lines), closing,
            commits, turns=group.turns,
        )
    )  # fmt: skip
    group.closing, group.asked_until = None, 0
    group.last_occasion = said["occasion"] if said["occasion"] is not None else group.last_occasion
    cool(group)


def draw(group: Group, said: Said) -> None:
    group.rounds[-1].draw, group.rounds[-1].drawn_line = said, len(group.lines)


def override(group: Group, said: Said) -> None:
    """Another arm took the slot; ratings of the one that did not happen are dropped."""
    round_, slot = group.rounds.to_change(said["round"]), said["slot"]
    round_.overrides[slot] = said
    if round_ is not group.rounds[-1]:
        return
    round_.put[slot] = said["arm"]
    for member, (arm, _) in list(round_.answers.get(slot, {}).items()):
        if arm != said["arm"] and (slot, member) not in round_.rooted:
            del round_.answers[slot][member]


def amend(group: Group, said: Said) -> None:
    if said["field"] == "end":
        group.ended = True
        if group.open is not None:
            group.open.left = True
        return
    draft(group, said)


# -- what stays private ------------------------------------------------------------------------------------------------


def found(group: Group, body: Said) -> None:
    """What the record will begin with; nothing of it is written yet."""
    group.charter = group.terms = {**body["charter"]}
    group.entries, group.private = [*body["entries"]], True
    _members(group)


def draft(group: Group, body: Said) -> None:
    """A term changes: before the record begins, or by an amendment."""
    group.terms = {**group.terms, body["field"]: body["value"]}
    if body["field"] == "arms":
        group.proposals = {number: one for number, one in group.proposals.items() if number >= len(body["value"])}
    if body["field"] == "source":
        group.last_occasion = None


def seat(group: Group, body: Said) -> None:
    """A member's entry in the next roster: she joins, leaves (None), or has another key, mark or commitment."""
    number, entry = body["member"], body["entry"]
    group.entries = [*group.entries[:number], entry, *group.entries[number + 1 :]]
    _members(group)


def _members(group: Group) -> None:
    """Who is here; what others said goes once no roster has them."""
    group.members = {number: entry for number, entry in enumerate(group.entries) if entry is not None}
    held = {number for number, entry in enumerate(group.roster["members"]) if entry is not None}
    for number in [number for number in group.ratings if number not in group.members and number not in held]:
        del group.ratings[number]
        group.told.pop(number, None)


def rate(group: Group, body: Said) -> None:
    values = {int(arm): value for arm, value in body["values"].items()}
    member, number = body["member"], body["round"]
    group.edits[number or 0, member] = group.edits.get((number or 0, member), 0) + 1
    signed = (body["at"], body["signature"], body["key"])
    if number is None:
        kept = group.ratings.get(member, {}) | values  # a new mapping: rounds before keep the one they counted
        held = {arm: value for arm, value in sorted(kept.items()) if value is not None and arm not in group.withdrawn}
        group.ratings[member] = held
        row = [group.ratings[member].get(arm) for arm in range(len(group.options))]
        group.told.pop(member, None)
        if group.ratings[member]:
            group.told[member] = Told(row, *signed)
        return
    round_, slot = group.rounds[number - 1], body["slot"]
    answers = round_.answers.setdefault(slot, {})
    for arm, value in values.items():
        answers.pop(member, None)
        if value is not None:
            answers[member] = (arm, value)
            round_.told[slot, member] = Told(round_.row(arm, value), *signed)


def close(group: Group, body: Said) -> None:
    _closed(group, body["occasion"])


def reopen(group: Group, body: Said) -> None:
    """A closing led to no page: what it had made final is open again."""
    for number, slot, member, _, _ in group.closing.told if group.closing else ():
        if group.rounds[number - 1].rooted.get((slot, member)) == 0:
            del group.rounds[number - 1].rooted[slot, member]
    group.closing = None


def _closed(group: Group, occasion: int | None = None) -> Closing:
    """The closing of the next freeze. Where nobody wrote it down apart, the lines of a freeze begin with it."""
    if group.closing is None:
        group.closing = group.coming(occasion)
        for number, slot, member, _, _ in group.closing.told:
            group.rounds[number - 1].rooted[slot, member] = 0
    return group.closing


def mask(group: Group, body: Said) -> None:
    group.masked = tuple(body["masked"])


def propose(group: Group, body: Said) -> None:
    group.proposals = {**group.proposals, len(group.options): ProposedOption(body["name"], body["by"])}


def withdraw(group: Group, body: Said) -> None:
    number = body["number"]
    group.proposals = {**group.proposals, number: ProposedOption(None, group.proposals[number].by)}
    group.withdrawn = group.withdrawn | {number}


def call(group: Group, body: Said) -> None:
    """Open pages are asked for numbers, under the source group."""
    group.asked_until = body["until"]


def setting(group: Group, body: Said) -> None:
    group.settings = group.settings | body


def erase(group: Group, body: Said) -> None:
    """Who a member is goes, and with it what she said that no line holds yet."""
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


def link(group: Group, body: Said) -> None:
    """A link was issued again: whose it is can see when, and by whom."""
    if body["role"] == "member":
        group.reissued[body["number"]] = (group.at, body["by"])


def invite(group: Group, body: Said) -> None:
    group.invited += 1
    group.coorganisers[body["number"]] = body["name"]


def dismiss(group: Group, body: Said) -> None:
    group.coorganisers.pop(body["number"], None)


EVENTS: dict[str, Callable[[Group, Any], None]] = {
    "charter": charter,
    "roster": roster,
    "say": say,
    "ratings": ratings,
    "freeze": freeze,
    "trial": trial,
    "draw": draw,
    "override": override,
    "amend": amend,
    "found": found,
    "draft": draft,
    "seat": seat,
    "rate": rate,
    "close": close,
    "reopen": reopen,
    "mask": mask,
    "propose": propose,
    "withdraw": withdraw,
    "call": call,
    "setting": setting,
    "erase": erase,
    "link": link,
    "invite": invite,
    "dismiss": dismiss,
}

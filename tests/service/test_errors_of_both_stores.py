"""Every refusal of the record's actions is raised through the file and through the store: one sentence, nothing done.

The list of refusals is read from the code, so that a new one asks for its row here, or for a place in `BEHIND`.
"""

from __future__ import annotations

import ast
import re
import traceback
from copy import copy, deepcopy
from functools import partial
from pathlib import Path
from random import Random

import pytest
from api_clients import prove_key
from test_error_translations import plain
from two_stores import ARMS, DICE_FORM, NAMES, START_TIME, FileAndDatabaseGroup

import isegoria.record
from isegoria.errors import IsegoriaError
from isegoria.record import freeze
from isegoria.record.actions import members, proposals, ratings, rounds
from isegoria.record.actions.action import ActionContext, ActionResult
from isegoria.record.files import file_store
from isegoria.record.format.canonical_json import dump_canonical
from isegoria.record.format.hash_chain import hash_line
from isegoria.record.format.identities import hash_committed_number
from isegoria.record.format.lines import encode_statement
from isegoria.record.signing.ed25519 import public_key, sign
from isegoria.record.sources import RANDOMNESS_SOURCES
from isegoria.record.sources.beacon import fetch_signature
from isegoria.record.sources.dice import parse_dice_form
from isegoria.record.state import group as groups
from isegoria.service.actions.group_creation import build_new_group
from isegoria.service.api.body_schemas import NEW_GROUP_SCHEMA
from isegoria.service.store import open_store

ROOM = Path(isegoria.record.__file__).parent
FILES = (
    "actions/rounds",
    "actions/members",
    "actions/ratings",
    "actions/proposals",
    "freeze",
    "format/lines",
    "format/line_order",
    "format/schema",
    "format/canonical_json",
    "format/hash_chain",
    "format/voice_units",
    "sources/__init__",
    "sources/beacon",
    "sources/dice",
    "sources/commit_reveal",
    "sources/rehearsal",
)
SEEDS = [bytes([number]) * 32 for number in range(4)]
KEYS = [public_key(seed).hex() for seed in SEEDS]
NOBODY = "00" * 64
Place = tuple[str, int]  # a file of the room, and a line


class ErrorCollector(FileAndDatabaseGroup):
    """Two keepers, and the places in the code at which both refused."""

    def __init__(self, path, patch, random=None, **terms):
        self.store, self.patch, self.met = open_store(f"sqlite:///{path}.db"), patch, set()
        super().__init__(path, self.store, patch, Random(1), **terms)

    def well(self, action, by: int = -1, /, **body) -> None:
        """It happens in both."""
        assert not self.do(action, by, **body)

    def no(self, sentence: str, action, by: int = -1, /, **body) -> None:
        """Both refuse it, at one place, with a sentence that begins so; and neither has anything more than before."""
        before = self.kept()
        refusals = self.do(action, by, **body)
        assert refusals, sentence
        assert str(refusals[0]).startswith(sentence)
        places = {find_raise_site(refusal) for refusal in refusals}
        assert len(places) == 1, places
        self.met |= places
        assert self.kept() == before, sentence

    def kept(self) -> tuple[bytes, bytes, int]:
        """What the file, its secrets and the store have; a page that is refused closes and reopens in the store."""
        secrets = Path(f"{self.path}.secrets").read_bytes()
        with self.groups.reading(self.address) as (group, _):
            assert group.closing is None
            return self.path.read_bytes(), secrets, len(group.lines)

    def in_store(self, action, member: int, body: dict) -> None:
        """The service's own way to freeze; by the plain action what it never asks: an occurrence, or what is open."""
        plain = (
            body.get("occurrence") is not None or self.group.open is not None or self.group.source == "commit_reveal"
        )
        super().in_store(partial(action) if plain and action is rounds.freeze else action, member, body)

    def key(self, member: int, seed: int | None = None) -> dict[str, str]:
        """The key of a member's device, with its proof."""
        return prove_key(self.group, member, SEEDS[member if seed is None else seed])

    def say(self, by: int, what: str = "seen", value: str | None = None, **other) -> dict:
        """The body of a say over the record as it is."""
        group = self.group
        head = group.hashes[-1].hex() if group.lines else "00" * 32
        slip = {"size": len(group.lines), "head": head, "at": self.now, "kind": what, "value": value, **other}
        signature = (
            sign(SEEDS[by], encode_statement(group.record, {**slip, "member": by})).hex() if group.begun else NOBODY
        )
        return {"signature": signature, **slip}


def find_raise_site(refusal: BaseException) -> Place:
    """File and line at which something was first refused."""
    while isinstance(refusal.__context__, IsegoriaError):
        refusal = refusal.__context__
    frame = traceback.extract_tb(refusal.__traceback__)[-1]
    return Path(frame.filename).relative_to(ROOM).with_suffix("").as_posix(), frame.lineno


def run_during_cutoff(action):
    """The same between a closing and its page; then the round is open again."""

    def act(context: ActionContext) -> ActionResult:
        group = copy(context.group)
        group.fetch = None  # how a store reads lines again: it is not copied
        group = deepcopy(group)
        for event in rounds.close_ratings(ActionContext(group, {"occurrence": None}, context.now)).events:
            group.apply(event.kind, event.body)
        return action(ActionContext(group, context.body, context.now, context.member, people=context.people))

    return act


# -- one scene for each kind of group ----------------------------------------------------------------------------------


def before_the_record(both: ErrorCollector) -> None:
    both.no("the record has not begun; there is nothing to sign", rounds.submit_statement, 0, **both.say(0))
    both.no("no round is frozen; freeze one first.", rounds.draw, value=None)
    both.no("round 1 has not been frozen.", rounds.override, round=1, slot=0, arm="pizza", reason="closed")
    both.no("block is 99, which a charter cannot say.", rounds.amend, field="block", value=99, reason="more")
    both.no("'pizza' is an option already.", rounds.add_option, name="pizza", reason=None)
    both.no("unavailable has 'soup', which is no option", rounds.mask_options, unavailable=["soup"])
    both.no("unavailable names every option; leave at", rounds.mask_options, unavailable=both.group.arms)
    both.no("members propose options only in a group with turns", proposals.propose_option, name="soup")
    for sentence, body in {
        "round and slot go together: both null": {"round": 1, "values": {}},
        "values has 'soup', which is no option": {"values": {"soup": 1}},
        "the rating of 'pizza' is 9; expected 0 to 5": {"values": {"pizza": 9}},
        "'many' is not a number; write a decimal": {"values": {"pizza": "many"}},
        "0.111111111111111111… has more than 400 digits": {"values": {"pizza": "0." + 400 * "1"}},
        "this group decides by ratings of all options": {"round": 1, "slot": 0, "values": {"pizza": 1}},
        "your device has no key here yet": {"values": {"pizza": 1}, "at": START_TIME, "signature": NOBODY},
    }.items():
        both.no(sentence, ratings.rate, 0, **{"round": None, "slot": None, **body})
    signed = {"round": None, "slot": None, "values": {"pizza": 1}, "signature": NOBODY}
    both.well(members.register_key, 0, **both.key(0))
    both.no("at is missing: a signature says when", ratings.rate, 0, **signed)
    both.no("signature is not that of your key over these", ratings.rate, 0, **signed, at=START_TIME)
    both.no("another of your devices signs; replace its key", members.register_key, 0, **both.key(0, 1), replace=False)
    both.no("another member has this key; each member needs a key", members.register_key, 1, **both.key(1, 0))
    both.no("this is no key that could ever sign", members.register_key, 1, key="01" + "00" * 31, proof=NOBODY)
    both.no("the key of member 1 is not proved", members.register_key, 1, **both.key(2, 1))
    both.no("'Ann' is a member already; give the new one", members.join, name=" Ann ")
    both.no("there is no member 99; members are numbered from 0.", members.remove_member, member=99)
    both.well(members.remove_member, member=3)
    both.no("member 3 has left the group.", members.mark_organiser, member=3, organiser=1)
    both.no("you have left this group; ask the organiser", ratings.rate, 3, round=None, slot=None, values={})
    both.well(members.erase_member, member=3)
    both.no("member 3 was erased before.", members.erase_member, member=3)


def one_member(both: ErrorCollector) -> None:
    both.no("Ann is the last member; end or delete the group", members.leave_group, 0)
    both.no("until has passed; give a time to come", members.set_away, 0, until=1)
    both.well(members.set_away, 0, until=None)
    both.no("nobody takes part in round 1: all members are away", rounds.freeze)
    both.no("Ann is the last member; end or delete the group", members.erase_member, member=0)


def pages_of_dice(both: ErrorCollector) -> None:
    both.no("event has 0 characters; expected 1 to 80.", rounds.freeze, event=" ", form=DICE_FORM)
    both.no("the source dice takes no occurrence; leave it out.", rounds.freeze, occurrence=3, form=DICE_FORM)
    both.no("dice need a form: how many numbers", rounds.freeze, form=None)
    both.no('"dice_form" of the freeze line is not what it must be.', rounds.freeze, form=DICE_FORM | {"count": 0})
    both.no("9 numbers from 1 to 2, one after another have only 512", rounds.freeze, form=DICE_FORM | {"high": 2})
    with both.patch.context() as patch:
        patch.setattr(freeze, "MAX_CERTIFICATE_GAP", -1)
        both.no("the voices of this page are not those of a largest", rounds.freeze, form=DICE_FORM)
    both.no("a freeze is being worked out; wait for it.", run_during_cutoff(rounds.write_roster))
    both.well(members.join, name="Goliath", weight=10**7)
    both.no("a group of total weight 10,000,004 is too large", rounds.freeze, form=DICE_FORM)
    both.well(members.remove_member, member=4)
    both.well(members.register_key, 0, **both.key(0))
    both.well(rounds.freeze, form=DICE_FORM)
    both.no("round 1 is frozen and not drawn; draw it, or leave", rounds.freeze, form=DICE_FORM)
    both.no("member 1 has no key on the roster yet; keys go on", rounds.submit_statement, 1, **both.say(1))
    compared = both.say(0, "compare", "00000001" + "11" * 32)
    both.no("the key that member 0 compared is not another", rounds.submit_statement, 0, **compared)
    both.no("member 4 is not on the roster, version 1.", rounds.submit_statement, 4, **both.say(0))
    both.no(
        "the clock of this device and that of the server differ",
        rounds.submit_statement,
        0,
        **both.say(0, at=START_TIME + 61),
    )
    both.no(
        "member 0 did not sign this with their key of the", rounds.submit_statement, 0, **both.say(0, signature=NOBODY)
    )
    both.no("member 0 signed another history of this record", rounds.submit_statement, 0, **both.say(0, head="00" * 32))
    both.well(rounds.submit_statement, 0, **both.say(0))
    both.no(
        "member 0 has said this before, or something of",
        rounds.submit_statement,
        0,
        **both.say(0, size=3, head=head(both, 3)),
    )
    both.no(
        "the source of this record is not the members' own",
        rounds.submit_statement,
        0,
        **both.say(0, "commit", "00" * 32),
    )
    both.no(
        "no round under commit_reveal is open whose page this was",
        rounds.submit_statement,
        0,
        **both.say(0, "reveal", "00" * 32),
    )
    both.no(
        "the value is not what the freeze asks for: 9 numbers",
        rounds.submit_statement,
        0,
        **both.say(0, "dice", thrown("1.2.")),
    )
    both.no("the value has the numbers 7, 7, 7", rounds.submit_statement, 0, **both.say(0, "dice", thrown("7." * 9)))
    both.well(rounds.submit_statement, 0, **both.say(0, "dice", thrown("6." * 9)))
    both.no(
        "member 0 has confirmed a throw of round 1 before",
        rounds.submit_statement,
        0,
        **both.say(0, "dice", thrown("6." * 9)),
    )
    both.no("round 1 waits for 9 numbers from 1 to 6", rounds.draw, value=None)
    both.no("the value is 'six'; expected 9 numbers", rounds.draw, value="six")
    both.well(rounds.draw, value=[6] * 9)
    overrides_and_amendments(both)
    both.well(rounds.freeze, form=DICE_FORM | {"high": 49, "order": "sorted"})
    both.no(
        "the numbers are not in ascending order",
        rounds.submit_statement,
        0,
        **both.say(0, "dice", thrown("2." + "1." * 8)),
    )
    both.well(rounds.end_record)
    both.no("this group has ended; nothing more is drawn.", rounds.freeze, form=DICE_FORM)
    both.no("this group has ended; nothing more is rated.", ratings.rate, 0, round=None, slot=None, values={})
    both.no("this group has ended; its record is closed.", members.join, name="Eve")
    both.no("the record has ended; nothing follows.", rounds.submit_statement, 0, **both.say(0))


def head(both: ErrorCollector, size: int) -> str:
    return both.group.hashes[size - 1].hex()


def thrown(shown: str) -> str:
    return shown.encode().hex()


def overrides_and_amendments(both: ErrorCollector) -> None:
    slot = {"round": 1, "slot": 0, "arm": "pizza", "reason": "closed"}
    both.no("arm is 'soup', which is no option of this group.", rounds.override, **slot | {"arm": "soup"})
    both.no("slot is 9; round 1 has slots 0 to 3.", rounds.override, **slot | {"slot": 9})
    both.no("member 0 did not sign this with their key of the", rounds.override, **slot, by=0, signature=NOBODY)
    both.well(rounds.override, **slot)
    both.no("slot 0 of round 1 was overridden before.", rounds.override, **slot)
    both.no("arms may only be added, behind those there are", rounds.amend, field="arms", value=["soup"], reason="new")
    both.no("a text of the record has half a character", rounds.amend, field="title", value="\ud800", reason="odd")
    both.no(
        "round 2 is being decided; wait for its freeze.",
        run_during_cutoff(rounds.amend),
        field="end",
        value=None,
        reason="",
    )


def numbers_of_the_group(both: ErrorCollector) -> None:
    both.no("nobody has committed to a number for this freeze", rounds.freeze)
    for member in (0, 1):
        both.well(members.register_key, member, **both.key(member))
    both.well(rounds.write_roster)
    number = bytes(32)
    hashed = [hash_committed_number(both.group.record, member, number).hex() for member in (0, 1)]
    both.well(rounds.submit_statement, 0, **both.say(0, "commit", hashed[0]))
    both.no(
        "member 0 has committed for the next freeze before.",
        rounds.submit_statement,
        0,
        **both.say(0, "commit", "11" * 32),
    )
    both.no(
        "this commitment was used before; make a fresh number.",
        rounds.submit_statement,
        1,
        **both.say(1, "commit", hashed[0]),
    )
    both.no("the source commit_reveal takes no form; leave it out.", rounds.freeze, form=DICE_FORM)
    both.well(rounds.freeze)
    both.no("the number of Ann is missing; a round is drawn", rounds.draw, value=None)
    both.no(
        "this does not open the commitment of member 0", rounds.submit_statement, 0, **both.say(0, "reveal", "11" * 32)
    )
    both.well(rounds.submit_statement, 0, **both.say(0, "reveal", number.hex()))
    both.no(
        "member 0 has revealed in round 1 before.", rounds.submit_statement, 0, **both.say(0, "reveal", number.hex())
    )
    both.no("the source commit_reveal takes no value: it follows from", rounds.draw, value="6")


def ratings_of_what_happened(both: ErrorCollector) -> None:
    def tell(number, slot, arm):
        return {"round": number, "slot": slot, "values": {arm: 5}}

    both.no("this group learns from what happened; name the round", ratings.rate, 0, **tell(None, None, "pizza"))
    both.no("round 1 has not been drawn yet; rate it when", ratings.rate, 0, **tell(1, 0, "pizza"))
    both.well(rounds.freeze)
    first = both.group.arms[both.group.last.played[0]]
    both.no(
        "a freeze is being worked out; wait for it.",
        run_during_cutoff(rounds.override),
        round=1,
        slot=0,
        arm="pizza",
        reason="closed",
    )
    both.no("slot is 7; round 1 has slots 0 to 0.", ratings.rate, 0, **tell(1, 7, first))
    both.no("in round 1 there was 'noodles'; rate that one", ratings.rate, 0, **tell(1, 0, "pizza"))
    both.well(members.join, name="Eve")
    both.no("you joined after round 1; rate what comes next.", ratings.rate, 4, **tell(1, 0, first))
    both.well(ratings.rate, 0, **tell(1, 0, first))
    both.well(rounds.freeze)
    both.no("your rating of round 1 was counted already", ratings.rate, 0, **tell(1, 0, first))
    with both.patch.context() as patch:
        patch.setattr(groups, "MAX_RATING_DELAY_ROUNDS", 1)
        both.no("round 1 is more than 20 rounds ago, and is no longer", ratings.rate, 1, **tell(1, 0, first))


def options_proposed_anew(both: ErrorCollector) -> None:
    both.no("an option needs a name.", proposals.propose_option, 0, name=" ")
    both.no("'pizza' is on offer already.", proposals.propose_option, 0, name="Pizza ")
    both.no(
        "round 1 is being decided; wait for its freeze.", run_during_cutoff(proposals.propose_option), 0, name="soup"
    )
    both.no("'soup' is no option of this group.", proposals.withdraw_option, 0, name="soup")
    both.well(proposals.propose_option, 0, name="soup")
    both.no("'soup' was proposed by somebody else; only that member", proposals.withdraw_option, 1, name="soup")
    with both.patch.context() as patch:
        patch.setattr(proposals, "MAX_PROPOSALS_PER_ROUND", 1)
        both.no("you have proposed 1 options for this round", proposals.propose_option, 0, name="rice")
    both.no("options have been proposed, and go on record at the", rounds.amend, field="arms", value=["a"], reason="r")
    with both.patch.context() as patch:
        patch.setattr(proposals, "MAX_AVAILABLE_OPTIONS", 4)
        both.no("4 options are on offer already; withdraw one first.", proposals.propose_option, 0, name="curry")
    both.well(members.remove_member, member=3)
    both.no("you have left this group; ask the organiser", proposals.propose_option, 3, name="curry")
    both.well(rounds.mask_options, unavailable=["noodles", "süß", "soup"])
    both.no("'noodles' is an option that rests for now", proposals.propose_option, 0, name="noodles")
    both.well(rounds.freeze)
    both.well(rounds.draw, value=None)
    both.no("'soup' is on record, and is not withdrawn any more", proposals.withdraw_option, 0, name="soup")
    both.no("'pizza' was played already, and what was played is", proposals.propose_option, 0, name="pizza")
    both.no("nothing is on offer for the next round; propose", rounds.freeze)
    both.no("a record with turns decides one thing a round", rounds.amend, field="block", value=3, reason="more")
    both.well(rounds.end_record)
    both.no("this group has ended; nothing more is drawn.", proposals.propose_option, 0, name="curry")


def words_of_a_beacon(both: ErrorCollector) -> None:
    both.no("the beacon of occurrence 0 speaks in 100 s; a freeze", rounds.freeze, occurrence=0)
    both.no("the source beacon takes no form; leave it out.", rounds.freeze, form=DICE_FORM)
    both.well(members.register_key, 0, **both.key(0))
    both.well(rounds.freeze)
    both.no("round 1 is frozen under a beacon; draw it before the next", rounds.freeze, undrawn=True)
    both.no("round 1 is frozen under a beacon; draw it before the end.", rounds.end_record)
    both.no(f"the beacon speaks at {both.group.open.speaks_at}; draw after that.", rounds.draw, value=None)
    both.now = both.group.open.speaks_at
    both.no("the beacon of round 1 has spoken; sign again after", rounds.submit_statement, 0, **both.say(0))
    both.no("the beacon of round 1 has spoken at", rounds.add_statement, by=0, **both.say(0))
    both.no("round 1 waits for round", rounds.draw, value=None)
    both.no("the value 'six' is not hexadecimal", rounds.draw, value="six")
    both.no("a beacon's signature has 48 bytes (96 digits), not 1.", rounds.draw, value="00")
    both.no("this is not what the beacon said in its round", rounds.draw, value="00" * 48)


def trials_under_a_beacon(both: ErrorCollector) -> None:
    both.well(rounds.freeze, occurrence=5)
    both.no("occurrence 5 is not after the last one, 5.", rounds.freeze, occurrence=5)


SOON = {"first": START_TIME + 100, "every": 3600}
SCENES = {
    before_the_record: {},
    one_member: {"members": NAMES[:1]},
    pages_of_dice: {"source": "dice"},
    numbers_of_the_group: {"source": "commit_reveal"},
    ratings_of_what_happened: {"learner": "guided"},
    options_proposed_anew: {"turns": {"mode": "deterministic", "worlds": None, "single_use": True}},
    words_of_a_beacon: {"source": "beacon", **SOON},
    trials_under_a_beacon: {"source": "beacon", "learner": "guided", **SOON},
}


# -- new groups, and lines that other hands wrote ----------------------------------------------------------------------

DRAWN = {"mode": "lottery", "worlds": 2, "single_use": False}
BEGUN_IN_A_FILE = {
    "turns go without a learner and without a block": {"turns": DRAWN, "block": 3},
    "two options are called 'pizza'; give each a name": {"arms": ["pizza", "pizza "]},
    "'Eve' is no member, so they cannot be marked as": {"organisers": ["Eve"]},
}
"""The service says the last two in its own words, field by field, before it asks for a group."""
SETTINGS = {
    "the source commit_reveal takes no first;": lambda: RANDOMNESS_SOURCES["commit_reveal"].terms(first=1),
    "a beacon needs a timetable: --first UNIX-SECONDS": lambda: RANDOMNESS_SOURCES["beacon"].terms(first=1),
    "the source beacon takes no form; leave it out.": lambda: RANDOMNESS_SOURCES["beacon"].terms(**SOON, form=1),
    "the first occurrence, 1, is before the beacon's first": lambda: RANDOMNESS_SOURCES["beacon"].terms(
        first=1, every=1
    ),
    "occurrences come every 0 seconds; expected 1 or more.": lambda: RANDOMNESS_SOURCES["beacon"].terms(
        first=START_TIME, every=0
    ),
    "the relay http://127.0.0.1:9 did not tell round 1": lambda: fetch_signature("00", 1, "http://127.0.0.1:9"),
    "the form is '9 dice'; write COUNT,LOW,HIGH,throw": lambda: parse_dice_form("9 dice"),
    "the form is '0,1,6,throw'; expected 1 to 200": lambda: parse_dice_form("0,1,6,throw"),
}
"""A source as it is asked for, and the word of a relay: no keeper has any part in it."""


def before_any_group(path: Path) -> set[Place]:
    """Where groups and sources are refused that never come to be."""
    body = {"title": "Lunch", "arms": ARMS, "members": NAMES, "source": {"kind": "dice"}}
    asked = [
        (sentence, partial(file_store.create_record, path, {**body, **terms}))
        for sentence, terms in BEGUN_IN_A_FILE.items()
    ]
    over_http = NEW_GROUP_SCHEMA.check({**body, "source": "dice", "turns": DRAWN, "block": 3})
    asked += [(next(iter(BEGUN_IN_A_FILE)), partial(build_new_group, over_http, START_TIME)), *SETTINGS.items()]
    return {find_rejection(sentence, make) for sentence, make in asked}


def find_rejection(sentence: str, make) -> Place:
    with pytest.raises(IsegoriaError, match=re.escape(sentence)) as refusal:
        make()
    return find_raise_site(refusal.value)


Lines = list[dict]


def replace_line(kind: str, /, **values):
    """The record up to the first line of a kind, which says something else."""

    def change(lines: Lines) -> Lines:
        at = [line["line"] for line in lines].index(kind)
        return [*lines[:at], {**lines[at], **values}]

    return change


def append_line(kind: str, /, **values):
    """The record with another line behind it; its end left out."""
    return lambda lines: [*(line for line in lines if line.get("field") != "end"), {**values, "line": kind}]


def repeat_line(kind: str, /, **values):
    """The record with the first line of a kind once more behind it, which says something else; its end left out."""
    return lambda lines: append_line(kind, **{**replace_line(kind)(lines)[-1], **values})(lines)


def drop_lines(*kinds: str):
    return lambda lines: [line for line in lines if line["line"] not in kinds]


def roster(change, version: int = 2):
    """The record with another roster behind it: the first one's members, changed."""

    def add(lines: Lines) -> Lines:
        members = next(line["members"] for line in lines if line["line"] == "roster")
        return append_line("roster", version=version, members=change(members))(lines)

    return add


def same_key(members: Lines) -> Lines:
    return [members[0], members[1] | {name: members[0][name] for name in ("key", "provenance", "proof")}]


def resting(lines: Lines) -> Lines:
    """The record up to its first trial, and a second one with what was played: in a group in which it rests."""
    first = replace_line("trial")(lines)
    return [{**first[0], "resting": 20}, *first[1:], {**first[-1], "round": 2, "arm": 1}]


def drawn_at_once(lines: Lines) -> Lines:
    return append_line("draw", round=1, source_bytes="00", balls=[0], arms=[0])(replace_line("freeze")(lines))


GUIDED = {"error": "0.01", "resolution": "0", "explore": "1"}
TWO_WORLDS = {"mode": "deterministic", "worlds": 2, "single_use": 0}
PUT_IN = {"round": 9, "slot": 0, "arm": 0, "reason": "", "member": None, "signature": None}
DICE, GROUP, LEARNED, TURNS = pages_of_dice, numbers_of_the_group, ratings_of_what_happened, options_proposed_anew
READ = [
    (DICE, "it is of no known kind.", replace_line("statement", line="void")),
    (DICE, "this is a record of version 2, from before", replace_line("charter", version=2)),
    (DICE, "it does not have exactly the keys of a statement line.", replace_line("statement", more=1)),
    (DICE, "a record begins with its charter, and has one.", lambda lines: lines[1:2]),
    (DICE, "the second line of a record is its roster.", lambda lines: [lines[0], lines[3]]),
    (DICE, "settings belong to a learner: error, resolution", replace_line("charter", settings=GUIDED)),
    (LEARNED, "the scale 0.0 to 0.0 is too fine or too wide", replace_line("charter", scale=["0", f"0.{'0' * 390}1"])),
    (TURNS, "turns go without a learner and without a block", replace_line("charter", block=3)),
    (TURNS, "deterministic turns have one world; leave worlds out.", replace_line("charter", turns=TWO_WORLDS)),
    (TURNS, "'pizza' was used up; it cannot be on offer again.", repeat_line("freeze", round=2)),
    (DICE, "the next roster has version 2.", roster(list, version=1)),
    (DICE, "members keep number and weight; those who left", roster(lambda members: [members[0] | {"weight": 2}])),
    (DICE, "nobody would be on the roster; end the record", roster(lambda members: [None])),
    (DICE, "two members have one key; each member needs a key of their own.", roster(same_key)),
    (LEARNED, "'noodles' rests; offer it again when", resting),
    (DICE, "a freeze has a form exactly when the source is dice.", replace_line("freeze", dice_form=None)),
    (GROUP, "nobody has committed for this freeze", drop_lines("statement", "draw")),
    (DICE, "the round that comes next is 1.", replace_line("freeze", round=2)),
    (DICE, "a page names the latest roster, version 1.", replace_line("freeze", roster=2)),
    (DICE, "arm 3 does not exist.", replace_line("freeze", available=[0, 3])),
    (DICE, "a page has an occurrence exactly when the source is a", replace_line("freeze", occurrence=1)),
    (LEARNED, "a trial is of the lowest available arm never played", replace_line("trial", arm=1)),
    (TURNS, "no round is open, so there is nothing to draw", repeat_line("draw")),
    (DICE, "the open round is 1.", replace_line("draw", round=2)),
    (GROUP, "the number of member 0 is missing; a round is drawn", drawn_at_once),
    (DICE, "round 2 has not been drawn.", append_line("ratings", round=2, root="11" * 32, leaf_count=1)),
    (DICE, "round 9 has no slot 0, or there is no arm 0.", append_line("override", **PUT_IN)),
]
"""Lines that no action of a keeper writes, since it checks or works out the same before."""


def link_lines(lines: Lines) -> list[bytes]:
    """The lines as bytes, each with the hash of the one before it."""
    found, head = [], bytes(32)
    for line in lines:
        found.append(dump_canonical({**line, "prev": head.hex()}))
        head = hash_line(found[-1])
    return found


def read(path: Path, lines: list[bytes], sentence: str) -> Place:
    """Where a file with these lines is refused."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return find_rejection(f"{path}: line {len(lines)} of the record: {sentence}", partial(file_store.load_record, path))


def lines_of_other_hands(path: Path, records: dict) -> set[Place]:
    met = {read(path, link_lines(change(records[scene])), sentence) for scene, sentence, change in READ}
    first, second = link_lines(records[DICE][:2])
    for other in (b" " + second, b"[" * 9999):
        met.add(read(path, [first, other], "it is not JSON in the canonical form."))
    met.add(read(path, [first, second, second], "its prev is not the hash of the line before."))
    return met


# -- the list ----------------------------------------------------------------------------------------------------------

BEHIND = {
    "freeze": {
        "a block of {} does not divide the drum; amend the block.",
        "the people given are not the members of the latest roster, with their weights.",
    },
    "format/lines": {
        "every available arm has been played; there is nothing to try.",
        "the key of member {} is not proved; its device must sign the group, the member's number and the key.",
        "no round is open, so there is nothing to draw; freeze one first.",
        "this ball is not in the drum.",
        "this ball is in no row.",
    },
    "actions/ratings": {"what happened in a slot is one option; rate that one and no other."},
    "sources/beacon": {"under a beacon a freeze needs its occurrence, a number of the timetable."},
    "sources/dice": {"the source dice takes no occurrence; leave it out."},
    "sources/commit_reveal": {"the source bytes are not what members revealed in round {}."},
    "sources/rehearsal": {
        "a rehearsal needs the organiser's secret, which is in the file of secrets.",
        "a rehearsal has {} bytes, not {}.",
    },
}
"""What neither keeper reaches: a check before it, or the keeper's own work, keeps it from happening."""


def refusals() -> dict[tuple[str, int, int], str]:
    """The refusals of the record's actions by file, first and last line: what each says, values as {}."""
    found = {}
    for name in FILES:
        for node in ast.walk(ast.parse((ROOM / f"{name}.py").read_text("utf-8"))):
            call = node.exc if isinstance(node, ast.Raise) else None
            if isinstance(call, ast.Call) and call.func.id not in ("ValueError", "FieldError"):
                found[name, node.lineno, node.end_lineno or 0] = plain(call.args[0])
    return found


def test_every_refusal_is_raised_in_both_keepers_or_says_why_not(tmp_path, monkeypatch):
    met, records = before_any_group(tmp_path / "none.record"), {}
    for scene, terms in SCENES.items():
        both = ErrorCollector(tmp_path / f"{scene.__name__}.record", monkeypatch, **terms)
        scene(both)
        both.store.close()
        met |= both.met
        records[scene] = both.group.parsed
    met |= lines_of_other_hands(tmp_path / "other.record", records)
    left = {
        (name, said)
        for (name, first, last), said in refusals().items()
        if not any(name == file and first <= line <= last for file, line in met)
    }
    assert left == {(name, said) for name, sentences in BEHIND.items() for said in sentences}

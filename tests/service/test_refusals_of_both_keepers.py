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
from keepers import ARMS, AT, FORM, NAMES, Both
from test_refusals_in_words import plain

import isegoria.record
from isegoria.errors import IsegoriaError
from isegoria.record import fixing, keep_file, people, proposals, ratings, rounds
from isegoria.record import group as groups
from isegoria.record.changes import Change, Context
from isegoria.record.ed25519 import public_key, sign
from isegoria.record.format.canonical import canonical, line_hash
from isegoria.record.format.lines import slip_message
from isegoria.record.format.people import commit_hash
from isegoria.record.sources import SOURCES
from isegoria.record.sources.beacon import fetch
from isegoria.record.sources.dice import form_of
from isegoria.service.creating import new_group
from isegoria.service.endpoints import NEW_GROUP
from isegoria.service.store import open_store

ROOM = Path(isegoria.record.__file__).parent
FILES = ("rounds", "people", "ratings", "proposals", "fixing", "format/lines", "format/order", "format/shapes",
         "format/canonical", "format/units", "sources/__init__", "sources/beacon", "sources/dice", "sources/group",
         "sources/rehearsal")  # fmt: skip
SEEDS = [bytes([number]) * 32 for number in range(4)]
KEYS = [public_key(seed).hex() for seed in SEEDS]
NOBODY = "00" * 64
Place = tuple[str, int]  # a file of the room, and a line


class Table(Both):
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
        places = {place(refusal) for refusal in refusals}
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
        """The service's own way to freeze; by the plain action what it never asks: an occasion, or what is open."""
        plain = body.get("occasion") is not None or self.group.open is not None or self.group.source == "group"
        super().in_store(partial(action) if plain and action is rounds.freeze else action, member, body)

    def say(self, by: int, what: str = "seen", value: str | None = None, **other) -> dict:
        """The body of a say over the record as it is."""
        group = self.group
        head = group.hashes[-1].hex() if group.lines else "00" * 32
        slip = {"size": len(group.lines), "head": head, "at": self.now, "what": what, "value": value, **other}
        signature = sign(SEEDS[by], slip_message(group.record, {**slip, "by": by})).hex() if group.begun else NOBODY
        return {"signature": signature, **slip}


def place(refusal: BaseException) -> Place:
    """File and line at which something was first refused."""
    while isinstance(refusal.__context__, IsegoriaError):
        refusal = refusal.__context__
    frame = traceback.extract_tb(refusal.__traceback__)[-1]
    return Path(frame.filename).relative_to(ROOM).with_suffix("").as_posix(), frame.lineno


def while_closed(action):
    """The same between a closing and its page; then the round is open again."""

    def act(context: Context) -> Change:
        group = copy(context.group)
        group.fetch = None  # how a store reads lines again: it is not copied
        group = deepcopy(group)
        for event in rounds.close(Context(group, {"occasion": None}, context.now)).events:
            group.apply(event.kind, event.body)
        return action(Context(group, context.body, context.now, context.member, people=context.people))

    return act


# -- one scene for each kind of group ----------------------------------------------------------------------------------


def before_the_record(both: Table) -> None:
    both.no("the record has not begun; there is nothing to sign", rounds.say, 0, **both.say(0))
    both.no("no round is frozen; freeze one first.", rounds.draw, value=None)
    both.no("round 1 has not been frozen.", rounds.override, round=1, slot=0, arm="pizza", reason="closed")
    both.no("block is 99, which a charter cannot say.", rounds.amend, field="block", value=99, reason="more")
    both.no("'pizza' is an option already.", rounds.add_option, name="pizza", reason=None)
    both.no("unavailable has 'soup', which is no option", rounds.mask, unavailable=["soup"])
    both.no("unavailable names every option; leave at", rounds.mask, unavailable=both.group.arms)
    both.no("options are proposed anew only in a group with turns", proposals.propose, name="soup")
    for sentence, body in {
        "round and slot go together: both null": {"round": 1, "values": {}},
        "values has 'soup', which is no option": {"values": {"soup": 1}},
        "the rating of 'pizza' is 9; expected 0 to 5": {"values": {"pizza": 9}},
        "'many' is not a number; write a decimal": {"values": {"pizza": "many"}},
        "0.111111111111111111… has more than 400 digits": {"values": {"pizza": "0." + 400 * "1"}},
        "this group decides by ratings of all options": {"round": 1, "slot": 0, "values": {"pizza": 1}},
        "your device has no key here yet": {"values": {"pizza": 1}, "at": AT, "signature": NOBODY},
    }.items():
        both.no(sentence, ratings.rate, 0, **{"round": None, "slot": None, **body})
    signed = {"round": None, "slot": None, "values": {"pizza": 1}, "signature": NOBODY}
    both.well(people.register_key, 0, key=KEYS[0])
    both.no("at is missing: a signature says when", ratings.rate, 0, **signed)
    both.no("signature is not that of your key over these", ratings.rate, 0, **signed, at=AT)
    both.no("another of your devices signs; replace its key", people.register_key, 0, key=KEYS[1], replace=False)
    both.no("another member has this key; each makes her own.", people.register_key, 1, key=KEYS[0])
    both.no("'Ann' is a member already; give the new one", people.join, name=" Ann ")
    both.no("there is no member 99; members are numbered from 0.", people.leave, member=99)
    both.well(people.leave, member=3)
    both.no("member 3 has left the group.", people.mark, member=3, organiser=1)
    both.no("you have left this group; ask the organiser", ratings.rate, 3, round=None, slot=None, values={})
    both.well(people.erase, member=3)
    both.no("member 3 was erased before.", people.erase, member=3)


def one_member(both: Table) -> None:
    both.no("Ann is the last member; end or delete the group", people.leave_myself, 0)
    both.no("Ann is the last member; end or delete the group", people.erase, member=0)


def pages_of_dice(both: Table) -> None:
    both.no("event has 0 characters; expected 1 to 80.", rounds.freeze, event=" ", form=FORM)
    both.no("the source dice takes no occasion; leave it out.", rounds.freeze, occasion=3, form=FORM)
    both.no("dice need a form: how many numbers", rounds.freeze, form=None)
    both.no('"form" of the freeze line is not what it must be.', rounds.freeze, form=FORM | {"count": 0})
    both.no("9 numbers from 1 to 2, one after another have only 512", rounds.freeze, form=FORM | {"high": 2})
    with both.patch.context() as patch:
        patch.setattr(fixing, "MOST_EXCESS", -1)
        both.no("the voices of this page are not those of a largest", rounds.freeze, form=FORM)
    both.no("a freeze is being worked out; wait for it.", while_closed(rounds.write_roster))
    both.well(people.join, name="Goliath", weight=10**7)
    both.no("a group of total weight 10,000,004 is too large", rounds.freeze, form=FORM)
    both.well(people.leave, member=4)
    both.well(people.register_key, 0, key=KEYS[0])
    both.well(rounds.freeze, form=FORM)
    both.no("round 1 is frozen and not drawn; draw it, or leave", rounds.freeze, form=FORM)
    both.no("member 1 has no key on the roster yet; keys go on", rounds.say, 1, **both.say(1))
    both.no("member 4 is not on the roster, version 1.", rounds.say, 4, **both.say(0))
    both.no("the clock of this device and that of the server differ", rounds.say, 0, **both.say(0, at=AT + 61))
    both.no("member 0 did not sign this with her key of the", rounds.say, 0, **both.say(0, signature=NOBODY))
    both.no("member 0 signed another history of this record", rounds.say, 0, **both.say(0, head="00" * 32))
    both.well(rounds.say, 0, **both.say(0))
    both.no("member 0 has said this before, or something of", rounds.say, 0, **both.say(0, size=3, head=head(both, 3)))
    both.no("the source of this record is not the group; nobody", rounds.say, 0, **both.say(0, "commit", "00" * 32))
    both.no("no round under group is open whose page this was", rounds.say, 0, **both.say(0, "reveal", "00" * 32))
    both.no(
        "the value is not what the freeze asks for: 9 numbers", rounds.say, 0, **both.say(0, "dice", thrown("1.2."))
    )
    both.no("the value has the numbers 7, 7, 7", rounds.say, 0, **both.say(0, "dice", thrown("7." * 9)))
    both.well(rounds.say, 0, **both.say(0, "dice", thrown("6." * 9)))
    both.no("member 0 has confirmed a throw of round 1 before", rounds.say, 0, **both.say(0, "dice", thrown("6." * 9)))
    both.no("round 1 waits for 9 numbers from 1 to 6", rounds.draw, value=None)
    both.no("the value is 'six'; expected 9 numbers", rounds.draw, value="six")
    both.well(rounds.draw, value=[6] * 9)
    overrides_and_amendments(both)
    both.well(rounds.freeze, form=FORM | {"high": 49, "order": "sorted"})
    both.no("the numbers are not in ascending order", rounds.say, 0, **both.say(0, "dice", thrown("2." + "1." * 8)))
    both.well(rounds.end)
    both.no("this group has ended; nothing more is drawn.", rounds.freeze, form=FORM)
    both.no("this group has ended; nothing more is rated.", ratings.rate, 0, round=None, slot=None, values={})
    both.no("this group has ended; its record is closed.", people.join, name="Eve")
    both.no("the record has ended; nothing follows.", rounds.say, 0, **both.say(0))


def head(both: Table, size: int) -> str:
    return both.group.hashes[size - 1].hex()


def thrown(shown: str) -> str:
    return shown.encode().hex()


def overrides_and_amendments(both: Table) -> None:
    slot = {"round": 1, "slot": 0, "arm": "pizza", "reason": "closed"}
    both.no("arm is 'soup', which is no option of this group.", rounds.override, **slot | {"arm": "soup"})
    both.no("slot is 9; round 1 has slots 0 to 3.", rounds.override, **slot | {"slot": 9})
    both.no("member 0 did not sign this with her key of the", rounds.override, **slot, by=0, signature=NOBODY)
    both.well(rounds.override, **slot)
    both.no("slot 0 of round 1 was overridden before.", rounds.override, **slot)
    both.no("arms may only be added, behind those there are", rounds.amend, field="arms", value=["soup"], reason="new")
    both.no("a text of the record has half a character", rounds.amend, field="title", value="\ud800", reason="odd")
    both.no(
        "round 2 is being decided; wait for its freeze.", while_closed(rounds.amend), field="end", value=None, reason=""
    )


def numbers_of_the_group(both: Table) -> None:
    both.no("nobody has committed to a number for this freeze", rounds.freeze)
    for member in (0, 1):
        both.well(people.register_key, member, key=KEYS[member])
    both.well(rounds.write_roster)
    number = bytes(32)
    hashed = [commit_hash(both.group.record, member, number).hex() for member in (0, 1)]
    both.well(rounds.say, 0, **both.say(0, "commit", hashed[0]))
    both.no("member 0 has committed for the next freeze before.", rounds.say, 0, **both.say(0, "commit", "11" * 32))
    both.no("this commitment was used before; make a fresh number.", rounds.say, 1, **both.say(1, "commit", hashed[0]))
    both.no("the source group takes no form; leave it out.", rounds.freeze, form=FORM)
    both.well(rounds.freeze)
    both.no("the number of Ann is missing; a round is drawn", rounds.draw, value=None)
    both.no("this does not open the commitment of member 0", rounds.say, 0, **both.say(0, "reveal", "11" * 32))
    both.well(rounds.say, 0, **both.say(0, "reveal", number.hex()))
    both.no("member 0 has revealed in round 1 before.", rounds.say, 0, **both.say(0, "reveal", number.hex()))
    both.no("the source group takes no value: it follows from", rounds.draw, value="6")


def ratings_of_what_happened(both: Table) -> None:
    def tell(number, slot, arm):
        return {"round": number, "slot": slot, "values": {arm: 5}}

    both.no("this group learns from what happened; name the round", ratings.rate, 0, **tell(None, None, "pizza"))
    both.no("round 1 has not been drawn yet; rate it when", ratings.rate, 0, **tell(1, 0, "pizza"))
    both.well(rounds.freeze)
    first = both.group.arms[both.group.last.played[0]]
    both.no("a freeze is being worked out; wait for it.", while_closed(rounds.override), round=1, slot=0, arm="pizza",
            reason="closed")  # fmt: skip
    both.no("slot is 7; round 1 has slots 0 to 0.", ratings.rate, 0, **tell(1, 7, first))
    both.no("in round 1 there was 'noodles'; rate that one", ratings.rate, 0, **tell(1, 0, "pizza"))
    both.well(people.join, name="Eve")
    both.no("you joined after round 1; rate what comes next.", ratings.rate, 4, **tell(1, 0, first))
    both.well(ratings.rate, 0, **tell(1, 0, first))
    both.well(rounds.freeze)
    both.no("your rating of round 1 was counted already", ratings.rate, 0, **tell(1, 0, first))
    with both.patch.context() as patch:
        patch.setattr(groups, "LATE_ROUNDS", 1)
        both.no("round 1 is more than 20 rounds ago, and is no longer", ratings.rate, 1, **tell(1, 0, first))


def options_proposed_anew(both: Table) -> None:
    both.no("an option needs a name.", proposals.propose, 0, name=" ")
    both.no("'pizza' is on offer already.", proposals.propose, 0, name="Pizza ")
    both.no("round 1 is being decided; wait for its freeze.", while_closed(proposals.propose), 0, name="soup")
    both.no("'soup' is no option of this group.", proposals.withdraw, 0, name="soup")
    both.well(proposals.propose, 0, name="soup")
    both.no("'soup' was proposed by somebody else; whoever did", proposals.withdraw, 1, name="soup")
    both.no("options have been proposed, and go on record at the", rounds.amend, field="arms", value=["a"], reason="r")
    with both.patch.context() as patch:
        patch.setattr(proposals, "MOST_ON_OFFER", 4)
        both.no("4 options are on offer already; withdraw one first.", proposals.propose, 0, name="curry")
    both.well(people.leave, member=3)
    both.no("you have left this group; ask the organiser", proposals.propose, 3, name="curry")
    both.well(rounds.mask, unavailable=["noodles", "süß", "soup"])
    both.no("'noodles' is an option that rests for now", proposals.propose, 0, name="noodles")
    both.well(rounds.freeze)
    both.well(rounds.draw, value=None)
    both.no("'soup' is on record, and is not withdrawn any more", proposals.withdraw, 0, name="soup")
    both.no("'pizza' was played already, and what was played is", proposals.propose, 0, name="pizza")
    both.no("nothing is on offer for the next round; propose", rounds.freeze)
    both.no("a record with turns decides one thing a round", rounds.amend, field="block", value=3, reason="more")
    both.well(rounds.end)
    both.no("this group has ended; nothing more is drawn.", proposals.propose, 0, name="curry")


def words_of_a_beacon(both: Table) -> None:
    both.no("the beacon of occasion 0 speaks in 100 s; a freeze", rounds.freeze, occasion=0)
    both.no("the source beacon takes no form; leave it out.", rounds.freeze, form=FORM)
    both.well(people.register_key, 0, key=KEYS[0])
    both.well(rounds.freeze)
    both.no("round 1 is frozen under a beacon; draw it before the next", rounds.freeze, undrawn=True)
    both.no("round 1 is frozen under a beacon; draw it before the end.", rounds.end)
    both.no(f"the beacon speaks at {both.group.open.speaks_at}; draw after that.", rounds.draw, value=None)
    both.now = both.group.open.speaks_at
    both.no("the beacon of round 1 has spoken; sign again after", rounds.say, 0, **both.say(0))
    both.no("the beacon of round 1 has spoken at", rounds.add, by=0, **both.say(0))
    both.no("round 1 waits for round", rounds.draw, value=None)
    both.no("the value 'six' is not hexadecimal", rounds.draw, value="six")
    both.no("a beacon's signature has 48 bytes (96 digits), not 1.", rounds.draw, value="00")
    both.no("this is not what the beacon said in its round", rounds.draw, value="00" * 48)


def trials_under_a_beacon(both: Table) -> None:
    both.well(rounds.freeze, occasion=5)
    both.no("occasion 5 is not after the last one, 5.", rounds.freeze, occasion=5)


SOON = {"first": AT + 100, "every": 3600}
SCENES = {
    before_the_record: {},
    one_member: {"members": NAMES[:1]},
    pages_of_dice: {"source": "dice"},
    numbers_of_the_group: {"source": "group"},
    ratings_of_what_happened: {"learner": "guided"},
    options_proposed_anew: {"turns": {"mode": "settled", "worlds": None, "used_up": True}},
    words_of_a_beacon: {"source": "beacon", **SOON},
    trials_under_a_beacon: {"source": "beacon", "learner": "guided", **SOON},
}


# -- new groups, and lines that other hands wrote ----------------------------------------------------------------------

DRAWN = {"mode": "drawn", "worlds": 2, "used_up": False}
BEGUN_IN_A_FILE = {
    "turns go without a learner and without a block": {"turns": DRAWN, "block": 3},
    "two options are called 'pizza'; give each a name": {"arms": ["pizza", "pizza "]},
    "'Eve' is no member, so she cannot be marked as": {"organisers": ["Eve"]},
}
"""The service says the last two in its own words, field by field, before it asks for a group."""
SETTINGS = {
    "the source group takes no first; leave it out.": lambda: SOURCES["group"].terms(first=1),
    "a beacon needs a timetable: --first UNIX-SECONDS": lambda: SOURCES["beacon"].terms(first=1),
    "the source beacon takes no form; leave it out.": lambda: SOURCES["beacon"].terms(**SOON, form=1),
    "the first occasion, 1, is before the beacon's first": lambda: SOURCES["beacon"].terms(first=1, every=1),
    "occasions come every 0 seconds; expected 1 or more.": lambda: SOURCES["beacon"].terms(first=AT, every=0),
    "the relay http://127.0.0.1:9 did not tell round 1": lambda: fetch("00", 1, "http://127.0.0.1:9"),
    "the form is '9 dice'; write COUNT,LOW,HIGH,throw": lambda: form_of("9 dice"),
    "the form is '0,1,6,throw'; expected 1 to 200": lambda: form_of("0,1,6,throw"),
}
"""A source as it is asked for, and the word of a relay: no keeper has any part in it."""


def before_any_group(path: Path) -> set[Place]:
    """Where groups and sources are refused that never come to be."""
    body = {"title": "Lunch", "arms": ARMS, "members": NAMES, "source": {"kind": "dice"}}
    asked = [
        (sentence, partial(keep_file.begin, path, {**body, **terms})) for sentence, terms in BEGUN_IN_A_FILE.items()
    ]
    over_http = NEW_GROUP.check({**body, "source": "dice", "turns": DRAWN, "block": 3})
    asked += [(next(iter(BEGUN_IN_A_FILE)), partial(new_group, over_http, AT)), *SETTINGS.items()]
    return {refused(sentence, make) for sentence, make in asked}


def refused(sentence: str, make) -> Place:
    with pytest.raises(IsegoriaError, match=re.escape(sentence)) as refusal:
        make()
    return place(refusal.value)


Lines = list[dict]


def changed(kind: str, /, **values):
    """The record up to the first line of a kind, which says something else."""

    def change(lines: Lines) -> Lines:
        at = [line["line"] for line in lines].index(kind)
        return [*lines[:at], {**lines[at], **values}]

    return change


def more(kind: str, /, **values):
    """The record with another line behind it; its end left out."""
    return lambda lines: [*(line for line in lines if line.get("field") != "end"), {**values, "line": kind}]


def again(kind: str, /, **values):
    """The record with the first line of a kind once more behind it, which says something else; its end left out."""
    return lambda lines: more(kind, **{**changed(kind)(lines)[-1], **values})(lines)


def without(*kinds: str):
    return lambda lines: [line for line in lines if line["line"] not in kinds]


def roster(*members: dict | None, version: int = 2):
    return more("roster", version=version, members=list(members))


def drawn_at_once(lines: Lines) -> Lines:
    return more("draw", round=1, source_bytes="00", balls=[0], arms=[0])(changed("freeze")(lines))


EVE = {"commitment": "11" * 32, "weight": 1, "key": KEYS[3], "organiser": 0}
GUIDED = {"error": "0.01", "resolution": "0", "explore": "1"}
TWO_WORLDS = {"mode": "settled", "worlds": 2, "used_up": 0}
PUT_IN = {"round": 9, "slot": 0, "arm": 0, "reason": "", "by": None, "signature": None}
DICE, GROUP, LEARNED, TURNS = pages_of_dice, numbers_of_the_group, ratings_of_what_happened, options_proposed_anew
READ = [
    (DICE, "it is of no known kind.", changed("say", line="void")),
    (DICE, "this is a record of version 1, which was never", changed("charter", version=1)),
    (DICE, "it does not have exactly the keys of a say line.", changed("say", more=1)),
    (DICE, "a record begins with its charter, and has one.", lambda lines: lines[1:2]),
    (DICE, "the second line of a record is its roster.", lambda lines: [lines[0], lines[3]]),
    (DICE, "settings belong to a learner: error, resolution", changed("charter", settings=GUIDED)),
    (LEARNED, "the scale 0.0 to 0.0 is too fine or too wide", changed("charter", scale=["0", f"0.{'0' * 390}1"])),
    (TURNS, "turns go without a learner and without a block", changed("charter", block=3)),
    (TURNS, "settled turns have one world; leave worlds out.", changed("charter", turns=TWO_WORLDS)),
    (TURNS, "'pizza' was used up; it cannot be on offer again.", again("freeze", round=2)),
    (DICE, "the next roster has version 2.", roster(EVE, version=1)),
    (DICE, "members keep number and weight; those who left", roster(EVE | {"weight": 2})),
    (DICE, "nobody would be on the roster; end the record", roster(None)),
    (DICE, "two members have one key; each makes her own.", roster(EVE, EVE)),
    (DICE, "a freeze has a form exactly when the source is dice.", changed("freeze", form=None)),
    (GROUP, "nobody has committed for this freeze", without("say", "draw")),
    (DICE, "the round that comes next is 1.", changed("freeze", round=2)),
    (DICE, "a page names the latest roster, version 1.", changed("freeze", roster=2)),
    (DICE, "arm 3 does not exist.", changed("freeze", available=[0, 3])),
    (DICE, "a page has an occasion exactly when the source is a", changed("freeze", occasion=1)),
    (LEARNED, "a trial is of the lowest available arm never played", changed("trial", arm=1)),
    (TURNS, "no round is open, so there is nothing to draw", again("draw")),
    (DICE, "the open round is 1.", changed("draw", round=2)),
    (GROUP, "the number of member 0 is missing; a round is drawn", drawn_at_once),
    (DICE, "round 2 has not been drawn.", more("ratings", round=2, root="11" * 32, count=1)),
    (DICE, "round 9 has no slot 0, or there is no arm 0.", more("override", **PUT_IN)),
]
"""Lines that no action of a keeper writes, since it checks or works out the same before."""


def chained(lines: Lines) -> list[bytes]:
    """The lines as bytes, each with the hash of the one before it."""
    found, head = [], bytes(32)
    for line in lines:
        found.append(canonical({**line, "prev": head.hex()}))
        head = line_hash(found[-1])
    return found


def read(path: Path, lines: list[bytes], sentence: str) -> Place:
    """Where a file with these lines is refused."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return refused(f"{path}: line {len(lines)} of the record: {sentence}", partial(keep_file.reading, path))


def lines_of_other_hands(path: Path, records: dict) -> set[Place]:
    met = {read(path, chained(change(records[scene])), sentence) for scene, sentence, change in READ}
    first, second = chained(records[DICE][:2])
    for other in (b" " + second, b"[" * 9999):
        met.add(read(path, [first, other], "it is not JSON in the canonical form."))
    met.add(read(path, [first, second, second], "its prev is not the hash of the line before."))
    return met


# -- the list ----------------------------------------------------------------------------------------------------------

BEHIND = {
    "fixing": {
        "a block of {} does not divide the drum; amend the block.",
        "the people given are not the members of the latest roster, with their weights.",
    },
    "format/lines": {
        "every available arm has been played; there is nothing to try.",
        "no round is open, so there is nothing to draw; freeze one first.",
        "this ball is not in the drum.",
        "this ball is in no row.",
    },
    "ratings": {"what happened in a slot is one option; rate that one and no other."},
    "sources/beacon": {"under a beacon a freeze needs its occasion, a number of the timetable."},
    "sources/dice": {"the source dice takes no occasion; leave it out."},
    "sources/group": {"the source bytes are not what members revealed in round {}."},
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
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.func.id != "ValueError":
                found[name, node.lineno, node.end_lineno or 0] = plain(node.exc.args[0])
    return found


def test_every_refusal_is_raised_in_both_keepers_or_says_why_not(tmp_path, monkeypatch):
    met, records = before_any_group(tmp_path / "none.record"), {}
    for scene, terms in SCENES.items():
        both = Table(tmp_path / f"{scene.__name__}.record", monkeypatch, **terms)
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

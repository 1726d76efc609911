"""Attacks that one record shows: how each is made, the exit that it must get, and the words that must be printed.

The reader trusts `members` and kept the head of line 2 unless a row says otherwise. Words are looked for in the whole
answer: the sentence, the rounds, what is proved and not proved, and the notes. Rows that *survive* are those whose
words are all that a reader has.
"""

from __future__ import annotations

from beacon_signatures import REAL
from record_maker import QUICKNET, RecordMaker, dump_lines, rechain_lines
from sample_records import FAST, LATER, source_of

MEMBERS = 5
DAY = 86_400


def group(seed: int, source: str, **options) -> RecordMaker:
    return RecordMaker(seed, source=source_of(source), **{"members": MEMBERS, "arms": 3, "block": 1, **options})


def asked(made: RecordMaker, data: bytes | None = None, **question) -> dict:
    """The question of a reader who trusts members and kept the head of line 2."""
    record = made.bytes() if data is None else data
    return {"record": record, "trust": ["members"], "head": [made.head(2)], **question}


# -- numbers, pages, draws ---------------------------------------------------------------------------------------------


def reveals_left_out():
    """A number that displeases is not written down, and the round is drawn without it."""
    made = group(1, "commit_reveal")
    for number in (1, 2, 3):
        made.commit(number)
    made.freeze()
    made.reveal(1)
    made.reveal(2)
    made.draw(b"".join(by.to_bytes(4, "big") + made.numbers[by] for by in (1, 2)))
    return asked(made)


def left_undrawn():
    made = group(2, "commit_reveal")
    for number in (1, 2, 3):
        made.commit(number)
    made.freeze()
    made.reveal(1)
    made.whole_round()
    return asked(made)


def commit_for_an_absentee():
    """She commits in the name of one who was not there, with her own key."""
    made = group(3, "commit_reveal")
    made.say(4, "commit", "ab" * 32, signer=made.people[0].signer)
    return asked(made)


def rewritten_page():
    """After the beacon has spoken the page is made anew, and her own say is backdated."""
    made = group(4, "beacon")
    made.freeze(title="another page")
    made.say(0, at=made.speaks() - 600)
    made.draw()
    made.says([0])
    return asked(made)


def a_line_of_kind_void():
    made = group(5, "beacon")
    made.freeze()
    void = {"line": "void", "round": 1, "at": 1, "reason": "rain", "signatures": [], "prev": made.head()}
    return asked(made, dump_lines([*made.lines, void]))


def abandoned(source: str):
    def make():
        made = group(6, source)
        for number in (1, 2, 3, 4) if source == "commit_reveal" else ():
            made.commit(number)
        made.freeze()
        made.says([1, 2, 3, 4])
        made.whole_round()
        return asked(made)

    return make


def signatures_of_reveals_dropped():
    made = group(7, "commit_reveal")
    made.whole_round()
    lines = [dict(one, signature=None) if one.get("kind") == "reveal" else one for one in made.lines]
    return asked(made, dump_lines(rechain_lines(lines, 2)))


def honest_signatures_left_out():
    made = group(8, "beacon")
    made.whole_round(who=[1], after=[])
    return asked(made)


def order_of_dice():
    """The typist picks the order of the dice; nobody confirms it."""
    made = group(9, "dice")
    made.freeze()
    made.says([1, 2, 3, 4])
    made.throw = b"".join(sorted(made.thrown().split(b".")[:-1], reverse=True)).replace(b"", b".")[1:]
    made.draw()
    made.says()
    return asked(made)


def beacon_said_to_begin_later():
    """The charter says that a known beacon began a day late: its words are public a day before the record says so."""
    true = source_of("beacon").source()
    later = {**true, "genesis": true["genesis"] + DAY, "first_at": true["first_at"] + DAY}
    made = RecordMaker(40, members=MEMBERS, arms=3, block=1, source=later)
    made.league = source_of("beacon")
    made.whole_round()
    return asked(made)


def beacon_at_infinity():
    """Any words fit a key that is the point at infinity."""
    made = group(41, "beacon")
    source = {**made.source, "key": "c0" + "00" * 95}
    made = RecordMaker(41, members=MEMBERS, arms=3, block=1, source=source)
    made.freeze()
    made.says()
    made.draw(bytes.fromhex("c0" + "00" * 47))
    return asked(made)


def deterministic_turns():
    made = group(42, "dice", block=None, turns={"mode": "deterministic", "worlds": 1, "single_use": 0})
    made.whole_round()
    return asked(made)


def empty_record():
    return asked(group(10, "beacon"))


def real_beacon() -> RecordMaker:
    """A record of one round on what quicknet really said in 2023, made today."""
    first = {"first_at": QUICKNET["genesis"] + 999 * 3, "interval_seconds": DAY}
    made = RecordMaker(11, members=MEMBERS, arms=3, source={"kind": "beacon", **QUICKNET, **first}, block=1)
    made.clock = first["first_at"] - 7200  # whoever has all the keys says any time
    made.freeze()
    made.says()
    made.draw(bytes.fromhex(REAL[1000]))
    made.says()
    return made


def of_2023(**question):
    return lambda: {"record": real_beacon().bytes(), **question}


def looked_at_too_late():
    """All sign within the last minute before the beacon speaks."""
    made = group(12, "beacon")
    made.freeze()
    made.says(at=made.speaks() - 30)
    made.draw()
    made.says()
    return asked(made)


def seen_under_the_group():
    """One member commits and reveals; the silent majority is shown the page once the numbers are known."""
    made = group(13, "commit_reveal", marked=())
    made.commit(0)
    made.freeze()
    made.reveal(0)
    made.says([1, 2, 3])
    made.draw()
    made.says([0, 1, 2, 3])
    return asked(made)


def too_few_in_time():
    """Two of seven had the page in time, and four others looked in later."""
    made = group(14, "beacon", members=7, marked=())
    made.whole_round(who=[0, 1], after=[0, 1, 2, 3, 4, 5])
    return asked(made)


def the_other_branch_under_dice():
    """Two of three confirm a throw; the third is bound to a page under another source, elsewhere."""
    made = group(15, "dice", members=3, marked=())
    made.whole_round(who=[0, 1], after=[0, 1])
    return asked(made)


def co_organisers_alone():
    """Three of four are marked, and only these sign."""
    made = group(16, "beacon", members=4, marked=(0, 1, 2))
    made.whole_round(who=[0, 1, 2], after=[0, 1, 2])
    return asked(made)


def one_false_key_suffices():
    """k = 3 of n = 5, and three had the page in time: a second page needs one false key, and that is what is said."""
    made = group(17, "beacon", marked=())
    made.whole_round(who=[0, 1, 2], after=[0, 1, 2])
    return asked(made, quorum=3)


# -- heads, keys, rosters ----------------------------------------------------------------------------------------------


def head_after_the_freeze():
    """The head of a freeze is handed over as if it had been kept before."""
    made = group(18, "beacon")
    made.whole_round()
    freeze = next(place for place, one in enumerate(made.lines, 1) if one["line"] == "freeze")
    return asked(made, head=[made.head(freeze)])


def friends_head_after_the_draw():
    """A whole record with keys of her own; a friend pins the head of line 2 after the draw."""
    made = group(19, "beacon", marked=())
    made.whole_round()
    return asked(made)


def another_roster():
    """In this branch those who saw another page are gone, and others with keys of their own have their place."""
    made = group(20, "beacon", marked=())
    for number in (0, 1, 2):
        made.gone.add(number)
    for _ in range(4):
        made.join()
    made.whole_round()
    return asked(made, quorum=3)


def replaced_keys():
    """In one branch the organiser gives three members keys that she made."""
    made = group(21, "beacon", marked=())
    for number in (0, 1, 2):
        made.rekey(number)
    made.whole_round(who=[0, 1, 2], after=[0, 1, 2])
    return asked(made)


def lost_storage():
    """A device that lost its key registers another; it counts from the next kept head on."""
    made = group(22, "beacon")
    made.rekey(2)
    made.whole_round()
    return asked(made)


def marked_from_the_start():
    made = group(23, "beacon", marked=(0, 1, 2))
    made.whole_round()
    return asked(made)


# -- time, tries, other copies -----------------------------------------------------------------------------------------


def a_page_of_the_future():
    """The keeper's clock says a day in ten years, so that a round nobody draws would wait for ever."""
    made = group(24, "dice")
    made.freeze(at=LATER + 10 * 365 * DAY)
    return asked(made)


def tries_behind_a_dummy():
    """Two rounds that displeased, a dummy round, and a reader whose head is younger than all of them."""
    made = group(25, "beacon")
    made.freeze()
    made.freeze()
    made.whole_round()
    head = made.head()
    made.whole_round()
    return asked(made, head=[head])


def against(signed: bool):
    def make():
        made = group(26, "beacon")
        made.whole_round()
        fork = made.fork()
        fork.lines = fork.lines[:3]
        fork.amend("title", "elsewhere")
        if signed:
            fork.say(1)
        return asked(made, against=[("other.record", fork.bytes())])

    return make


def the_end_cut_off():
    made = group(27, "beacon")
    made.whole_round()
    made.whole_round()
    rounds = [place for place, one in enumerate(made.lines) if one["line"] == "freeze"]
    return asked(made, dump_lines(made.lines[: rounds[1]]))


def replayed(change: str):
    """A say is copied: to another round, from another record, under another number."""

    def make():
        made, other = group(28, "beacon"), group(29, "beacon")
        made.whole_round()
        said = next(one for one in made.lines if one["line"] == "statement")
        if change == "record":
            other.whole_round()
            said = next(one for one in other.lines if one["line"] == "statement")
        made.freeze()
        fields = {key: one for key, one in said.items() if key not in ("line", "prev")}
        made.add("statement", **(fields | {"member": 2} if change == "number" else fields))
        return asked(made)

    return make


# -- what is visible, and no more --------------------------------------------------------------------------------------


def chosen_by_trial_mask_and_arm():
    made = group(30, "beacon", learner="guided", settings=dict(FAST))
    for _ in range(3):
        made.trial()
    made.amend("arms", [*made.charter["arms"], "a fourth"])
    made.trial()
    made.whole_round(available=[0, 1, 3])
    return asked(made)


def played_otherwise():
    """Two rounds for one lunch, and the second is overridden."""
    made = group(31, "beacon")
    made.whole_round(title="Lunch on Monday")
    made.whole_round(title="Lunch on Monday")
    made.override(slot=0, arm=1)
    return asked(made)


def false_sets():
    """Whoever writes the page says what members without devices like; both members who sign checked their own."""
    made = group(32, "beacon", members=4, marked=(0,))
    made.people[3].signer = None
    made.lines, made.version = made.lines[:1], 0
    made.roster()
    made.whole_round()
    return asked(made)


def issued_again():
    """The organiser issues a member's link again and makes the new key: the roster shows both, and when."""
    made = group(32, "beacon", members=4, marked=(0,))
    made.whole_round()
    made.rekey(2)
    made.whole_round()
    return asked(made)


def opened_first(how: str):
    """The organiser let devices of their own in for everybody, each in this way; the verdict names the way."""

    def make():
        made = group(32, "beacon", members=4, marked=(0,))
        for person in made.people[1:]:
            person.how = how
        made.lines, made.version = made.lines[:1], 0
        made.roster()
        made.whole_round()
        return asked(made)

    return make


def event_like_a_verdict():
    made = group(33, "beacon")
    made.whole_round(title="lunch» Round 1: proved unless 9 or more were false. «")
    return asked(made)


def doubters(made: RecordMaker) -> list[dict]:
    freeze = next(one for one in made.lines if one["line"] == "freeze")
    return [one for one in freeze["types"] if one["leader"] is not None]


def in_doubt() -> RecordMaker:
    made = group(34, "beacon", learner="guided", settings=dict(FAST))
    for _ in range(3):
        made.trial()
        made.rate(chance=1.1)
    made.freeze()
    return made


def moved_units():
    """A doubter's units are put on the wanted arm."""
    made = in_doubt()
    freeze, row = made.lines[-1], doubters(made)[0]
    wanted = next(arm for arm in row["candidates"] if arm != row["leader"])
    count = len(row["pseudonyms"])
    freeze["arm_units"][row["leader"]] -= count
    freeze["arm_units"][wanted] += count
    row["units"][row["leader"]] -= 1
    row["units"][wanted] += 1
    return asked(made)


def learned_honestly():
    """Two are resolved and three in doubt, who spend their voices by their own rule: the certificate is for the two."""
    made = in_doubt()
    made.lines.pop()
    made.round, made.occurrence = made.round - 1, made.occurrence - 1
    shown = [((0,), None), ((1,), None), *[((0, 1, 2), 2)] * 3]
    for number, page in enumerate(shown):
        made.minds[number].page = lambda available, page=page: page
    made.freeze()
    made.says()
    made.draw()
    made.says()
    return asked(made)


def false_leader(receipt: bool):
    """A doubter is given another leader, and her row follows it; only her own receipt can tell."""

    def make():
        made = in_doubt()
        mind = made.minds[1]
        true = mind.page
        held, leader = true([0, 1, 2])
        other = next(arm for arm in held if arm != leader)
        made.lines.pop()
        made.round, made.occurrence = made.round - 1, made.occurrence - 1
        mind.page = lambda available: (held, other)
        made.freeze()
        made.says()
        made.draw()
        made.says()
        question = asked(made)
        return {**question, "receipt": made.file(made.receipt(1))} if receipt else question

    return make


NAMED = {
    "reveals left out": (reveals_left_out, 1, "the number of member 3 is missing."),
    "reveals left out, left undrawn": (left_undrawn, 3, "Never drawn: rounds 1."),
    "commits for absentees": (commit_for_an_absentee, 1, "member 4 did not sign this with a key of the roster."),
    "rewritten page": (rewritten_page, 3, "had by 0 keys in time, 2 needed"),
    "a line of kind void": (a_line_of_kind_void, 2, "line 4 is not canonical JSON with the keys"),
    "a beacon round abandoned": (abandoned("beacon"), 3, "Never drawn: rounds 1."),
    "a group round abandoned": (abandoned("commit_reveal"), 3, "whoever stopped them could choose among 2"),
    "a dice round abandoned": (abandoned("dice"), 3, "Never drawn: rounds 1."),
    "signatures of reveals dropped": (signatures_of_reveals_dropped, 2, "is not canonical JSON with the keys"),
    "honest signatures left out": (honest_signatures_left_out, 3, "had by 1 keys in time, 2 needed"),
    "order of dice": (order_of_dice, 3, "had by 0 keys in time, 3 needed"),
    "a beacon whose charter says a later genesis": (
        beacon_said_to_begin_later,
        3,
        "its beacon is not one that this verifier knows",
    ),
    "a beacon with the key at infinity": (beacon_at_infinity, 1, "the beacon did not say this."),
    "turns settled before any throw": (deterministic_turns, 0, "the result could be known beforehand."),
    "survives: the organiser took everybody's name first": (
        opened_first("join_link"),
        0,
        "provided these keys are theirs: 1 (join link, 2023-11-14 21:13 UTC, not compared), ",
    ),
    "survives: the organiser opened everybody's letter first": (
        opened_first("letter_typed_by_organiser"),
        0,
        "provided these keys are theirs: 1 (letter to an address typed by the organiser, ",
    ),
    "survives: the organiser used everybody's private link first": (
        opened_first("organiser_link"),
        0,
        "provided these keys are theirs: 1 (link issued by the organiser, ",
    ),
    "survives: the organiser issued a link again and used it": (
        issued_again,
        0,
        "keys replaced: 2.",
    ),
    "empty record": (empty_record, 3, "nothing was drawn."),
    "2023, no trust": (of_2023(), 3, "Say whom you trust (--trust)."),
    "2023, members without a head": (of_2023(trust=["members"]), 2, "members need a head that you kept before"),
    "signed in the last minute": (looked_at_too_late, 3, "had by 0 keys in time, 2 needed"),
    "a silent majority shown the numbers": (seen_under_the_group, 3, "had by 1 keys in time, 2 needed"),
    "e + l > n, but too few in time": (too_few_in_time, 3, "had by 2 keys in time, 3 needed"),
    "dice here, a beacon elsewhere": (the_other_branch_under_dice, 3, "signed since by 2 of 3, 3 needed"),
    "organisers' keys alone": (co_organisers_alone, 3, "had by 0 keys in time, 1 needed"),
    "one false key is enough, and said": (one_false_key_suffices, 0, "unless 1 or more of the 5 keys you trust"),
    "a head kept after the freeze": (head_after_the_freeze, 3, "not judged: no head was kept before it"),
    "survives: a head pinned after the draw": (
        friends_head_after_the_draw,
        0,
        "That you kept the head of line 2 before the draws that it judges: you alone know.",
    ),
    "another roster in one branch": (another_roster, 3, "had by 2 keys in time, 3 needed"),
    "replaced keys in one branch": (replaced_keys, 3, "keys replaced: 0."),
    "survives: storage wiped": (lost_storage, 0, "keys replaced: 2."),
    "survives: marked from the start": (marked_from_the_start, 0, "Members whose keys never count: 0, 1, 2."),
    "a page of the future": (a_page_of_the_future, 3, "Never drawn: rounds 1."),
    "tries behind a dummy round": (tries_behind_a_dummy, 0, "Never drawn: rounds 1, 2."),
    "against a beginning that nobody signed": (
        against(False),
        0,
        "other.record parts from this record at line 4; no key you trust signed it past there.",
    ),
    "against a history that a member signed": (
        against(True),
        1,
        "there are two histories of this record: they part at line 4, and members 1 signed the other.",
    ),
    "survives: the end cut off": (the_end_cut_off, 0, "Whether more came after line"),
    "a say of another round": (replayed("round"), 1, "member 0's signatures are out of order."),
    "a say of another record": (replayed("record"), 1, "signed another history of this record."),
    "a say under another number": (replayed("number"), 1, "member 2 did not sign this with a key of the roster."),
    "survives: chosen by trial, mask and a new arm": (
        chosen_by_trial_mask_and_arm,
        0,
        "Tried without a draw: 4 rounds. Arms left out: 1 rounds. Added arms: 1.",
    ),
    "survives: practised and overridden": (played_otherwise, 0, "Played otherwise: 1 slots."),
    "survives: an event again": (played_otherwise, 0, "Round 2: the title of round 1 again."),
    "survives: false sets of who does not sign": (
        false_sets,
        0,
        "That rows whose devices did not sign follow from what was told.",
    ),
    "survives: a policy among equals": (
        false_sets,
        0,
        "Which policy was taken where several have the largest product: the tie-break is the writer's.",
    ),
    "survives: stolen keys": (
        false_sets,
        0,
        "That keys are their members' alone: whoever opens a link or a letter first, or takes a name, can make",
    ),
    "survives: a second record": (false_sets, 0, "That no other record of these people was kept beside this one."),
    "an event like a verdict": (
        event_like_a_verdict,
        0,
        "«lunch\ufffd Round 1: proved unless 9 or more were false. \ufffd»",
    ),
    "a doubter's unit moved": (moved_units, 1, "the row of a member in doubt is not the one of their leader."),
    "an honest learner": (
        learned_honestly,
        0,
        "Every member in doubt spent their own voice by the rule, from their own leader.",
    ),
    "survives: a false leader nobody checks": (false_leader(False), 0, "Signed by 4 of the keys you trust."),
    "a false leader, with her receipt": (false_leader(True), 1, "does not follow from the ratings."),
}
"""Each row: how it is made, its exit, and words of its answer."""

"""What an organiser does who holds the file, the members' pseudonyms and her own keys: she forges, and chains again.

A forgery changes a good record and makes every later `prev` right. It returns the forged lines and the number (from 0)
of the first line that differs. `rewritten` also makes later freezes' hashes, balls and arms right, as far as one can
without other people's signing keys: their signatures are then missing or wrong.
"""

import copy
import random

from maker import Maker, arm_of, balls, canonical, rechained, sha


def lines_of(made: Maker) -> list[dict]:
    return copy.deepcopy(made.lines)


def find(lines, line_kind: str, rng: random.Random, /, **wanted) -> int | None:
    places = [
        i for i, line in enumerate(lines)
        if line["line"] == line_kind and all(line.get(key) == value for key, value in wanted.items())
    ]  # fmt: skip
    return rng.choice(places) if places else None


def followed(lines: list[dict], start: int, own: Maker | None = None) -> list[dict]:
    """Chained again from `start`; freeze hashes, balls and arms follow, and signatures by the keys of `own`."""
    done = lines[:start]
    frozen, freeze = None, None
    for line in done:
        if line["line"] == "freeze":
            frozen, freeze = sha(canonical(line)).hex(), line
    charter = sha(canonical((done or lines)[0]))
    for line in lines[start:]:
        line = {**line, "prev": sha(canonical(done[-1])).hex() if done else "0" * 64}
        if line["line"] == "charter":
            charter = sha(canonical(line))
        if line["line"] == "freeze":
            frozen, freeze = sha(canonical(line)).hex(), line
        if line["line"] in ("witness", "reveal") and line["freeze"] != frozen:
            line["freeze"] = frozen
            if line["signature"]:
                said = bytes.fromhex(line["value"]) if line["line"] == "reveal" else line["at"].to_bytes(8, "big")
                line["signature"] = _signed(own, line["by"], line["line"], charter, frozen, said)
        if line["line"] == "draw" and freeze["kind"] == "fair" and line["source_bytes"]:
            line["balls"] = balls(freeze, bytes.fromhex(line["source_bytes"]))
            line["arms"] = [arm_of(freeze, ball) for ball in line["balls"]]
        if line.get("signatures") and own:
            what, said = (
                ("value", bytes.fromhex(line["source_bytes"] or "")) if line["line"] == "draw" else ("void", b"")
            )
            said = said if what == "value" else line["at"].to_bytes(8, "big")
            line["signatures"] = [
                {"by": one["by"], "signature": _signed(own, one["by"], what, charter, frozen, said)}
                for one in line["signatures"]
            ]
        done.append(line)
    return done


def _signed(own: Maker | None, by: int, what: str, charter: bytes, frozen: str, said: bytes) -> str | None:
    """A signature by a key that the forger holds; without keys there is none."""
    message = f"isegoria {what} 1\0".encode() + charter + bytes.fromhex(frozen) + said
    return own.people[by].sign(message) if own else None


# ---- One function for each kind: (a maker, a generator) -> (lines, first changed line), or None if it does not apply


def _shifted(made, rng):
    """Half of a member's units on one arm moved to another of her arms; all sums made right."""
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    wide = [one for one in lines[i]["types"] if sum(map(bool, one["units"])) > 1]
    if not wide:
        return None
    units = rng.choice(wide)["units"]
    a, b = rng.sample([arm for arm, unit in enumerate(units) if unit], 2)
    moved = units[a] // 2 + 1
    units[a] -= moved
    units[b] += moved
    _totals(lines[i])
    return followed(lines, i, made), i


def _largest(freeze: dict) -> bool:
    """Whether a freeze's policy still has the largest product: no arm is asked for more than it has."""
    demand = [0.0] * len(freeze["voices"])
    for one in freeze["types"]:
        have = sum(freeze["voices"][arm] for arm in one["set"])
        for arm in one["set"]:
            demand[arm] += len(one["who"]) * sum(one["units"]) / have
    return max(demand) < 1 + 1e-5


def units_stolen(made, rng):
    forged = _shifted(made, rng)
    known = made.charter["learner"] is None  # of a learner's voices some are in doubt, and no product is claimed
    return forged if known and forged and not _largest(forged[0][forged[1]]) else None


def units_added(made, rng):
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    one = rng.choice(lines[i]["types"])
    one["units"][one["set"][0]] += rng.choice([1, 20, 10**6])
    _totals(lines[i])
    return followed(lines, i, made), i


def units_outside(made, rng):
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    one = rng.choice(lines[i]["types"])
    outside = [arm for arm in range(len(one["units"])) if arm not in one["set"]]
    if not outside:
        return None
    moved = max(one["units"]) // 2
    one["units"][one["units"].index(max(one["units"]))] -= moved
    one["units"][rng.choice(outside)] += moved
    _totals(lines[i])
    return followed(lines, i, made), i


def voices_tilted(made, rng):
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    a, b = rng.sample(range(len(lines[i]["voices"])), 2)
    moved = lines[i]["voices"][a] // 3 + 1
    if moved > lines[i]["voices"][a]:
        return None
    lines[i]["voices"][a] -= moved
    lines[i]["voices"][b] += moved
    return followed(lines, i, made), i


def member_doubled(made, rng):
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    types = lines[i]["types"]
    one, other = rng.choice(types), rng.choice(types)
    name = rng.choice(one["who"])
    if name in other["who"] and len(types) > 1:
        other = next(type_ for type_ in types if type_ is not one)
    other["who"] = sorted([*other["who"], name])
    if other is one:
        return None
    _totals(lines[i])
    return followed(lines, i, made), i


def member_dropped(made, rng):
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    full = [one for one in lines[i]["types"] if len(one["who"]) > 1]
    if full:
        rng.choice(full)["who"].pop()
    elif len(lines[i]["types"]) > 1:
        lines[i]["types"].pop(rng.randrange(len(lines[i]["types"])))
    else:
        return None
    _totals(lines[i])
    return followed(lines, i, made), i


def member_invented(made, rng):
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    one = rng.choice(lines[i]["types"])
    one["who"] = sorted([*one["who"], rng.randbytes(24).hex()])
    _totals(lines[i])
    return followed(lines, i, made), i


def exploration_stuffed(made, rng):
    """Exploration on an arm that nobody doubts, or more on one doubted arm than on another."""
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    if made.charter["learner"] is None:
        return None
    k, block = len(lines[i]["explore"]), lines[i]["block"]
    doubted, some = _doubted(lines[i]), sum(lines[i]["voices"]) // 16 // block * block
    certain = [arm for arm in range(k) if arm not in doubted]
    extra = {rng.choice(certain): some} if certain else dict(zip(doubted, (some, some + block), strict=False))
    lines[i]["explore"] = [extra.get(arm, 0) for arm in range(k)]
    return followed(lines, i, made), i


def _doubted(freeze: dict) -> list[int]:
    return sorted({arm for one in freeze["types"] if len(one["set"]) > 1 for arm in one["set"]})


def exploration_too_much(made, rng):
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    doubt = sorted({arm for one in lines[i]["types"] if len(one["set"]) > 1 for arm in one["set"]})
    if made.charter["learner"] is None or not doubt:
        return None
    each = sum(lines[i]["voices"]) // len(doubt) // 20 * 20
    lines[i]["explore"] = [each if arm in doubt else 0 for arm in range(len(lines[i]["explore"]))]
    return followed(lines, i, made), i


def trial_chosen(made, rng):
    i = find(made.lines, "freeze", rng, kind="trial")
    if i is None:
        return None
    lines = lines_of(made)
    lines[i]["arm"] = rng.choice([arm for arm in lines[i]["available"] if arm != lines[i]["arm"]])
    draw = next(j for j in range(i, len(lines)) if lines[j]["line"] == "draw")
    lines[draw]["arms"] = [lines[i]["arm"]]
    return followed(lines, i, made), i


def trial_in_place_of_a_draw(made, rng):
    i = find(made.lines, "freeze", rng, kind="fair")
    if made.charter["learner"] is None:
        return None
    lines = lines_of(made)
    played = {arm for line in lines[:i] if line["line"] == "draw" for arm in line["arms"]}
    known = [arm for arm in lines[i]["available"] if arm in played]  # a first trial would be within the rules
    if not known:
        return None
    arm = rng.choice(known)
    empty = {"kind": "trial", "arm": arm, "block": 1, "voices": [], "explore": [], "types": [], "answered": 0}
    lines[i].update(empty, tally_root=sha(b"").hex(), source_round=None, event=None, form=None)
    end = next(j for j in range(i, len(lines)) if lines[j]["line"] in ("draw", "void"))
    if lines[end]["line"] == "draw":
        lines[end].update(source_bytes=None, balls=[], arms=[arm], signatures=[])
    else:
        lines[end].update(signatures=[])
    return followed(lines, i, made), i


def ball_chosen(made, rng):
    lines, i = lines_of(made), find(made.lines, "draw", rng)
    if not lines[i]["balls"]:
        return None
    freeze = next(line for line in reversed(lines[:i]) if line["line"] == "freeze")
    slot = rng.randrange(len(lines[i]["balls"]))
    lines[i]["balls"][slot] = rng.randrange(sum(freeze["voices"]) + sum(freeze["explore"]))
    lines[i]["arms"][slot] = arm_of(freeze, lines[i]["balls"][slot])
    return rechained(lines, i), i


def arm_chosen(made, rng):
    lines, i = lines_of(made), find(made.lines, "draw", rng)
    slot = rng.randrange(len(lines[i]["arms"]))
    lines[i]["arms"][slot] = (lines[i]["arms"][slot] + 1) % made.arms
    return rechained(lines, i), i


def slots_reordered(made, rng):
    lines, i = lines_of(made), find(made.lines, "draw", rng)
    if len(set(lines[i]["balls"])) < 2:
        return None
    lines[i]["balls"].reverse()
    lines[i]["arms"].reverse()
    return rechained(lines, i), i


def randomness_chosen(made, rng):
    """Another source value, everything after it made right: dice, group and beacon have signatures against it."""
    lines, i = lines_of(made), find(made.lines, "draw", rng)
    if not lines[i]["source_bytes"] or made.source["kind"] == "rehearsal":
        return None
    said = bytearray.fromhex(lines[i]["source_bytes"])
    said[-1] = rng.choice(b"0123456789") if made.source["kind"] == "dice" else said[-1] ^ 1
    if said.hex() == lines[i]["source_bytes"]:
        return None
    lines[i]["source_bytes"] = said.hex()
    return followed(lines, i), i


def beacon_round_picked(made, rng):
    i = find(made.lines, "freeze", rng, kind="fair")
    if made.source["kind"] != "beacon":
        return None
    lines = lines_of(made)
    lines[i]["source_round"] += rng.choice([-1, 1, 1000])
    end = next(j for j in range(i, len(lines)) if lines[j]["line"] in ("draw", "void"))
    if lines[end]["line"] == "draw":
        lines[end]["source_bytes"] = made.league.speak(lines[i]["source_round"]).hex()
    return followed(lines, i, made), i


def occasion_reused(made, rng):
    places = [i for i, line in enumerate(made.lines) if line["line"] == "freeze"]
    if made.source["kind"] != "beacon" or len(places) < 2:
        return None
    lines = lines_of(made)
    i = rng.choice(places[1:])
    lines[i]["occasion"] = lines[places[places.index(i) - 1]]["occasion"]
    return followed(lines, i, made), i


def void_after_the_source(made, rng):
    """Under `group`, a round that everyone had revealed; elsewhere a drawn round is gone over: see `round_redone`."""
    i = find(made.lines, "draw", rng)
    if made.source["kind"] != "group" or not made.lines[i]["balls"]:
        return None
    lines = lines_of(made)
    lines[i] = {
        "line": "void",
        "round": lines[i]["round"],
        "at": 0,
        "reason": "a mistake",
        "signatures": [],
        "prev": "",
    }
    return followed(_without_what_needs_the_draw(lines, i), i, made), i


def draw_and_void(made, rng):
    lines, i = lines_of(made), find(made.lines, "draw", rng)
    void = {"line": "void", "round": lines[i]["round"], "at": 0, "reason": "again", "signatures": [], "prev": ""}
    return rechained([*lines[: i + 1], void, *lines[i + 1 :]], i + 1), i + 1


def witness_without_a_key(made, rng):
    lines, i = lines_of(made), find(made.lines, "witness", rng)
    roster = max(j for j, line in enumerate(lines[:i]) if line["line"] == "roster")
    lines[roster]["members"][lines[i]["by"]]["key"] = None
    return followed(lines, roster, made), roster


def witness_by_another_hand(made, rng):
    """A signature that somebody else made for the member named."""
    places = [j for j, line in enumerate(made.lines) if line["line"] == "witness" and line["signature"]]
    lines, i = lines_of(made), rng.choice(places)
    freeze = max(j for j in range(i) if lines[j]["line"] == "freeze")
    message = b"isegoria witness 1\0" + sha(canonical(lines[0])) + sha(canonical(lines[freeze]))
    other = made.people[lines[i]["by"] - 1]
    lines[i]["signature"] = other.sign(message + lines[i]["at"].to_bytes(8, "big"))
    return rechained(lines, i), i


def witness_backdated(made, rng):
    places = [j for j, line in enumerate(made.lines) if line["line"] == "witness" and line["signature"]]
    lines, i = lines_of(made), rng.choice(places)
    lines[i]["at"] = max(lines[i]["at"] - rng.randrange(1, 500), 0)
    return rechained(lines, i), i


def witness_twice(made, rng):
    places = [j for j, line in enumerate(made.lines) if line["line"] == "witness" and line["signature"]]
    lines, i = lines_of(made), rng.choice(places)
    return rechained([*lines[: i + 1], copy.deepcopy(lines[i]), *lines[i + 1 :]], i + 1), i + 1


def page_changed_under_its_witnesses(made, rng):
    """A freeze rewritten after it was signed, the signatures kept."""
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    lines[i]["answered"] -= 1
    if lines[i]["answered"] < 0:
        return None
    return rechained(lines, i), i


def reveal_altered(made, rng):
    i = find(made.lines, "reveal", rng)
    if i is None:
        return None
    lines = lines_of(made)
    lines[i]["value"] = rng.randbytes(32).hex()
    return rechained(lines, i), i


def key_replaced_in_the_middle(made, rng):
    """Two members with one key: the organiser's."""
    lines, i = lines_of(made), find(made.lines, "roster", rng)
    members = [one for one in lines[i]["members"] if one]
    members[0]["key"] = members[-1]["key"]
    return (rechained(lines, i), i) if len(members) > 1 else None


def rows_of_the_roster_changed(made, rng):
    """A weight raised in a later roster, or a member put in the place of another."""
    places = [j for j, line in enumerate(made.lines) if line["line"] == "roster"][1:]
    if not places:
        return None
    lines, i = lines_of(made), rng.choice(places)
    old = [n for n, one in enumerate(lines[i]["members"]) if one and n not in lines[i]["joined"]]
    one = lines[i]["members"][rng.choice(old)]
    one.update(rng.choice([{"weight": one["weight"] + 1}, {"commitment": rng.randbytes(32).hex()}]))
    return followed(lines, i, made), i


def amendment_during_a_round(made, rng):
    lines, i = lines_of(made), find(made.lines, "freeze", rng)
    amend = {"line": "amend", "field": "block", "value": 1, "reason": "now", "prev": ""}
    return followed([*lines[: i + 1], amend, *lines[i + 1 :]], i + 1, made), i + 1


def arm_renamed(made, rng):
    lines, i = lines_of(made), find(made.lines, "draw", rng)
    names = ["another"] * made.arms
    names = [f"{name} {n}" for n, name in enumerate(names)]
    amend = {"line": "amend", "field": "arms", "value": names, "reason": "renamed", "prev": ""}
    return rechained([*lines[: i + 1], amend, *lines[i + 1 :]], i + 1), i + 1


def charter_rewritten(made, rng):
    """Another charter under the same signatures."""
    lines = lines_of(made)
    lines[0]["explore_max"] = "1/2"
    return rechained(lines, 0), 0


# ---- What passes without a kept head, because nothing on the record contradicts it


def record_cut_short(made, rng):
    """The last lines left away, as if they had never been."""
    last = max(j for j, line in enumerate(made.lines) if line["line"] == "freeze")
    return lines_of(made)[:last], last


def line_of_ratings_changed(made, rng):
    """Another root of ratings: only a receipt finds it. Later signatures by members are asked for again."""
    i = find(made.lines, "ratings", rng)
    if i is None:
        return None
    lines = lines_of(made)
    lines[i]["root"] = rng.randbytes(32).hex()
    return _tail_without_signatures(lines, i), i


def override_slipped_in(made, rng):
    i = max(j for j, line in enumerate(made.lines) if line["line"] == "draw")
    lines = lines_of(made)
    slot = len(lines[i]["arms"]) - 1
    extra = {
        "line": "override",
        "round": lines[i]["round"],
        "slot": slot,
        "arm": 0,
        "reason": "so",
        "by": None,
        "prev": "",
    }
    return rechained([*lines[: i + 1], extra, *lines[i + 1 :]], i + 1), i + 1


def unseen_page_redone(made, rng):
    """Everything from a freeze on written again without anybody's signature: exit 3, and it is said first of all."""
    i = find(made.lines, "freeze", rng, kind="fair")
    lines = lines_of(made)
    return _tail_without_signatures(
        lines, i, changed=lambda freeze: freeze.update(tally_root=rng.randbytes(32).hex())
    ), i


def another_of_the_same_product(made, rng):
    """Another fair policy than the rule of the tie-break gives, frozen so and signed by those who saw the page."""
    forged = _shifted(made, rng)
    open_to_the_writer = forged and (made.charter["learner"] is not None or _largest(forged[0][forged[1]]))
    return forged if open_to_the_writer else None


def exploration_on_one_arm(made, rng):
    """All exploration on one arm in doubt, within what the charter allows, frozen so and signed."""
    lines, i = lines_of(made), find(made.lines, "freeze", rng, kind="fair")
    if made.charter["learner"] is None or not _doubted(lines[i]):
        return None
    arm, block = rng.choice(_doubted(lines[i])), lines[i]["block"]
    some = sum(lines[i]["voices"]) // 8 // block * block
    lines[i]["explore"] = [some if one == arm else 0 for one in range(len(lines[i]["explore"]))]
    return followed(lines, i, made), i


def everything_with_own_keys(made, rng):
    """A whole record with keys that the organiser made herself for everyone: only a kept head tells."""
    fresh = Maker(rng.randrange(10**9), members=len(made.people), source=made.league or made.source["kind"])
    fresh.whole_round()
    fresh.close()
    return fresh.lines, 0


def _tail_without_signatures(lines, start, changed=None):
    lines = lines[:start] + [line for line in lines[start:] if line["line"] not in ("witness",)]
    if changed:
        changed(lines[start])
    for line in lines[start:]:
        if "signatures" in line:
            line["signatures"] = []
        if line["line"] == "reveal":
            line["signature"] = None
    return followed(lines, start)


def _without_what_needs_the_draw(lines, i):
    number = lines[i]["round"]
    rest = [one for one in lines[i + 1 :] if not (one["line"] in ("ratings", "override") and one["round"] == number)]
    return lines[: i + 1] + rest


def _totals(freeze: dict) -> None:
    columns = zip(*(one["units"] for one in freeze["types"]), strict=True)
    sizes = [len(one["who"]) for one in freeze["types"]]
    freeze["voices"] = [sum(n * unit for n, unit in zip(sizes, column, strict=True)) for column in columns]


FOUND = [
    units_stolen, units_added, units_outside, voices_tilted, member_doubled, member_dropped, member_invented,
    exploration_stuffed, exploration_too_much, trial_chosen, trial_in_place_of_a_draw, ball_chosen, arm_chosen,
    slots_reordered, randomness_chosen, beacon_round_picked, occasion_reused, void_after_the_source, draw_and_void,
    witness_without_a_key, witness_by_another_hand, witness_backdated, witness_twice, page_changed_under_its_witnesses,
    reveal_altered, key_replaced_in_the_middle, rows_of_the_roster_changed, amendment_during_a_round, arm_renamed,
    charter_rewritten,
]  # fmt: skip
"""Found in the record itself, whoever holds it."""

PASSING = [
    record_cut_short, line_of_ratings_changed, override_slipped_in, unseen_page_redone, another_of_the_same_product,
    exploration_on_one_arm, everything_with_own_keys,
]  # fmt: skip
"""Found only by a head kept elsewhere, or by a receipt: the list in docs/reference/record.md."""

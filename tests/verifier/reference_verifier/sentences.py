"""Section 13: the verdict in sentences."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from fractions import Fraction

from .drawing import certificate
from .line_index import LineIndex
from .lines import HOW
from .primitives import b4, join_items, quote
from .trust import Trust, judged


def moment(at: int, shape: str) -> str:
    return str(at) if at >= 253402300800 else datetime.fromtimestamp(at, UTC).strftime(shape)


def origin(book: LineIndex, n: int, entry: dict) -> str:
    """Where a key came from, when, and how many members, unmarked when they said so, compared it."""
    value, others = b4(n).hex() + entry["key"], set()
    for k in book.of("statement"):
        say = book[k]
        if say["kind"] == "compare" and say["value"] == value and not book.roster(k)[say["member"]]["organiser"]:
            others.add(say["member"])
    compared = f"compared by {len(others)} member" + ("" if len(others) == 1 else "s") if others else "not compared"
    made = entry["provenance"]
    return f" ({HOW[made['how']]}, {moment(made['at'], '%Y-%m-%d %H:%M UTC')}, {compared})"


def names_of_keys(book: LineIndex, one: dict, people: list) -> str:
    own, page = one["set"], book.roster(one["page"])
    told = {entry["key"]: origin(book, n, entry) for n, entry in page.items() if entry["key"]}
    number = {entry["key"]: n for n, entry in own["roster"].items() if entry["key"]}
    known = sorted((n, key) for key, n in number.items() if key in own["keys"])
    shown = [(quote(people[n]["name"]) if n < len(people) and people[n] else str(n), key) for n, key in known]
    shown += [(key[:8], key) for key in sorted(own["keys"] - number.keys())]
    return join_items(name + told.get(key, "") for name, key in shown)


def weakest(rounds: list[dict]) -> dict:
    least = min(one["beta"] for one in rounds)
    return [one for one in rounds if one["beta"] == least][-1]


def rounds_text(rounds: list[dict]) -> str:
    return f"rounds {join_items(one['round'] for one in rounds)}" if rounds else "none"


def first_line(book: LineIndex, rounds: list[dict], trust: Trust, people: list, code: int, chain, now) -> str:
    good = [one for one in rounds if one["status"] == "proved"]
    if code == 0:
        one, many = weakest(good), len(good) > 1
        which = f"Rounds {good[0]['round']} to {good[-1]['round']}" if many else f"Round {good[0]['round']}"
        unless = (
            f"{one['beta']} or more of the {one['of']} keys you trust (of {one['members']} members then) were "
            f"false, provided these keys are theirs: {names_of_keys(book, one, people)}"
        )
        if one["of"] == 1:
            unless = f"this key was false, provided it is theirs: {names_of_keys(book, one, people)}"
        if (book.turns or {}).get("mode") == "deterministic":
            said = "The rule of turns was followed; unless options tied, the result could be known beforehand."
            return f"{which}: proved for you, unless {unless}. {said}"
        draws = f"Each of the {len(good)} draws follows" if many else "Its draw follows"
        return (
            f"{which}: proved for you, unless {unless}. {draws} from a page that was fixed before its randomness "
            "could be known."
        )
    if not book.of("draw"):
        return "Consistent: everything recomputes, and nothing was drawn."
    if not trust.who:
        said = "Consistent: everything recomputes. Say whom you trust (--trust)"
        if trust.heads:
            with_ = []
            if any(n >= 2 for n in trust.heads):
                other = Trust(book, ["members"], trust.heads, people, None)
                with_ = [one for one in judged(book, other, chain, now) if one["status"] == "proved"]
            said += ': with "members", '
            if with_:
                one = weakest(with_)
                said += (
                    f"{rounds_text(with_)} are proved unless {one['beta']} or more of {one['of']} keys (of "
                    f"{one['members']} members then) were false, provided these keys are theirs: "
                    f"{names_of_keys(book, one, people)}"
                )
            else:
                said += "no round is proved"
        return said + "."
    if "members" in trust.who and not any(one["keys"] for one in trust.sets):
        return "Consistent: everything recomputes. No key here is another's than the organiser's."
    bad = [one for one in rounds if one["status"] in ("undrawn", "unjudged", "consistent", "ripening")]
    return (
        "Consistent, not proved for you: everything recomputes, but not all is bound by the keys you trust. "
        f"Proved: {rounds_text(good)}; not proved: {rounds_text(bad)}."
    )


def appended(book: LineIndex, rounds: list[dict]) -> str:
    ripe = [one for one in rounds if one["status"] == "ripening"]
    left = [one for one in rounds if one["status"] == "undrawn"]
    masked = [n for n in book.of("freeze", "trial") if len(book[n]["available"]) < len(book.charter(n)["arms"])]
    added = len(book.charter(book.size + 1)["arms"]) - len(book.lines[0]["arms"])
    away = sum(len(one["pseudonyms"]) for n in book.of("freeze") for one in book[n]["absent"])
    parts = [
        (ripe, f" Not yet: {rounds_text(ripe)}."),
        (left, f" Never drawn: {rounds_text(left)}."),
        (book.of("override"), f" Played otherwise: {len(book.of('override'))} slots."),
        (book.of("trial"), f" Tried without a draw: {len(book.of('trial'))} rounds."),
        (masked, f" Arms left out: {len(masked)} rounds."),
        (away, f" Members away: {away} rows."),
        (added, f" Added arms: {added}."),
    ]
    return "".join(said for holds, said in parts if holds)


def rounded_up(number: Fraction) -> str:
    if number == 0:
        return "0"
    power = 0
    while number >= Fraction(10) ** (power + 1):
        power += 1
    while number < Fraction(10) ** power:
        power -= 1
    tenths = math.ceil(number / Fraction(10) ** power * 10)
    tenths, power = (10, power + 1) if tenths == 100 else (tenths, power)
    return f"{tenths // 10}.{tenths % 10}e{power}"


def largest_gamma(book: LineIndex) -> Fraction | None:
    found = [certificate(book[n]["types"], book[n]["units"], len(book[n]["arm_units"])) for n in book.of("freeze")]
    return max((delta * weight for delta, weight in filter(None, found)), default=None)


def proved_list(book: LineIndex, rounds: list[dict], heads: list[int], named: bool, own: list[str]) -> list[str]:
    gamma, fair = largest_gamma(book), bool(book.of("freeze"))
    told = [f"The {book.size} lines form one unbroken chain."]
    told += [f"The kept head is line {n}: nothing up to there was rewritten." for n in heads]
    told += ["The names fit: every row of a person named there is theirs alone."] if named else []
    told += own
    if fair:
        told.append(
            "In every round each member who took part has exactly their weight times the round's units, all inside "
            "their own set."
        )
    if gamma is not None and gamma <= Fraction(1, 1000):
        begins = "Among those who are resolved, no arm" if book.learns else "No arm"
        told.append(
            f"{begins} can be given so that someone gains more than a factor 1 + γ at nobody's cost: "
            f"γ = {rounded_up(gamma)}."
        )
    if fair and book.learns:
        told.append("Every member in doubt spent their own voice by the rule, from their own leader.")
    if book.of("draw"):
        told.append("Every ball and arm follows from its freeze and its source.")
    if book.turns:
        told.append("What each member is owed was carried from round to round by the rules of turns.")
    good = [one["since"] for one in rounds if one["status"] == "proved"]
    return told + ([f"Signed by {min(good)} of the keys you trust."] if good else [])


def last_signed(book: LineIndex, trust: Trust) -> dict | None:
    if not trust.sets or not trust.sets[-1]["keys"]:
        return None
    keys = trust.sets[-1]["keys"]
    k = trust.k0(len(keys))
    says = [(book.key(n), book[n]["size"], book[n]["at"]) for n in book.of("statement")]
    for line in range(book.size, 0, -1):
        times = {key: [at for own, size, at in says if own == key and size >= line] for key in keys}
        first = sorted(min(some) for some in times.values() if some)
        if len(first) >= k:
            return {"line": line, "at": first[k - 1]}
    return None


def unproved_list(book: LineIndex, heads: list[int], trust: Trust, last: dict | None) -> list[str]:
    gamma, fair = largest_gamma(book) or Fraction(0), bool(book.of("freeze"))
    told = []
    if fair:
        told += [
            "Which policy was taken where several have the largest product: the tie-break is the writer's.",
            "That rows whose devices did not sign follow from what was told.",
        ]
    if book.turns and book.turns["mode"] == "lottery":
        rests = [
            book.lines[0]["resting"],
            *(book[n]["value"] for n in book.of("amend") if book[n]["field"] == "resting"),
        ]
        if book.turns["single_use"] or any(rests) or book.of("override"):
            told.append(
                "Odds before the draw: options are used up, rest or were overridden, so they depend on what was drawn."
            )
        else:
            told.append(
                "That ballots and overrides did not depend on earlier draws: the odds are exact if they did not."
            )
    if gamma > Fraction(1, 1000):
        parts = math.ceil((1 + gamma) * 10_000)
        told.append(
            f"That nobody could gain more than a factor {parts // 10_000}.{parts % 10_000:04} at nobody's cost."
        )
    told += [f"That you kept the head of line {n} before the draws that it judges: you alone know." for n in heads]
    if not heads:
        told.append("That this is the record others saw: compare its head, or its words, with one kept elsewhere.")
    told.append(
        "That keys are their members' alone: whoever opens a link or a letter first, or takes a name, can make a "
        "key for it, and keys made on the group's pages are in the hands of whoever runs the server, should the pages "
        "be changed."
    )
    told.append("That no other record of these people was kept beside this one.")
    if trust.who and last:
        at = last["at"]
        when = moment(at, "%Y-%m-%dT%H:%M:%SZ")
        k = trust.k0(len(trust.sets[-1]["keys"]))
        told.append(f"Whether more came after line {last['line']}, the last that {k} of your keys signed, at {when}.")
    elif trust.who:
        told.append("Whether more came: too few of your keys signed.")
    told.append("When this record was made: only keys you trust say so, a beacon only says not before.")
    return [*told, "That the roster names real people, each once, and that ratings are honest: nobody can prove that."]

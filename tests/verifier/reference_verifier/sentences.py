"""Section 13: the verdict in sentences."""

from __future__ import annotations

import math
from datetime import UTC, datetime
from fractions import Fraction

from .drawing import certificate
from .line_index import LineIndex
from .primitives import join_items, quote
from .trust import Trust, judged


def names_of_keys(own: dict, people: list) -> str:
    number = {one["key"]: n for n, one in own["roster"].items() if one["key"]}
    known = sorted((n, key) for key, n in number.items() if key in own["keys"])
    shown = [quote(people[n]["name"]) if n < len(people) and people[n] else str(n) for n, _ in known]
    return join_items(shown + [key[:8] for key in sorted(own["keys"] - number.keys())])


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
            f"false, provided these keys are theirs ({names_of_keys(one['set'], people)})"
        )
        if one["of"] == 1:
            unless = f"this key was false, provided it is theirs ({names_of_keys(one['set'], people)})"
        if (book.turns or {}).get("mode") == "settled":
            said = "the rule of turns was followed; unless options tied, the result could be known beforehand."
            return f"{which}: proved for you, unless {unless}: {said}"
        draws = f"each of the {len(good)} draws follows" if many else "its draw follows"
        return (
            f"{which}: proved for you, unless {unless}: {draws} from a page that was fixed before its randomness "
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
                    f"{one['members']} members then) were false, provided these keys are theirs "
                    f"({names_of_keys(one['set'], people)})"
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
    parts = [
        (ripe, f" Not yet: {rounds_text(ripe)}."),
        (left, f" Never drawn: {rounds_text(left)}."),
        (book.of("override"), f" Played otherwise: {len(book.of('override'))} slots."),
        (book.of("trial"), f" Tried without a draw: {len(book.of('trial'))} rounds."),
        (masked, f" Arms left out: {len(masked)} rounds."),
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
    found = [certificate(book[n]["types"], book[n]["units"], len(book[n]["voices"])) for n in book.of("freeze")]
    return max((delta * weight for delta, weight in filter(None, found)), default=None)


def proved_list(book: LineIndex, rounds: list[dict], heads: list[int], named: bool, hers: list[str]) -> list[str]:
    gamma, fair = largest_gamma(book), bool(book.of("freeze"))
    told = [f"The {book.size} lines form one unbroken chain."]
    told += [f"The kept head is line {n}: nothing up to there was rewritten." for n in heads]
    told += ["The names fit: every row of a person named there is theirs alone."] if named else []
    told += hers
    if fair:
        told.append(
            "In every round each member has exactly their weight times the round's units, all inside their own set."
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
    says = [(book.key(n), book[n]["size"], book[n]["at"]) for n in book.of("say")]
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
    if book.turns and book.turns["mode"] == "drawn":
        told.append("That ballots and overrides did not depend on earlier draws: the odds are exact if they did not.")
    if book.turns and book.turns["used_up"]:
        told.append("Odds before the draw: options are used up, so they depend on what was drawn.")
    if gamma > Fraction(1, 1000):
        parts = math.ceil((1 + gamma) * 10_000)
        told.append(
            f"That nobody could gain more than a factor {parts // 10_000}.{parts % 10_000:04} at nobody's cost."
        )
    told += [f"That you kept the head of line {n} before the draws that it judges: you alone know." for n in heads]
    if not heads:
        told.append("That this is the record others saw: compare its head, or its words, with one kept elsewhere.")
    told.append(
        "That keys are their members' alone: whoever has a member's link can make a key for them, and keys made "
        "on the group's pages are in the hands of whoever runs the server, should the pages be changed."
    )
    told.append("That no other record of these people was kept beside this one.")
    if trust.who and last:
        at = last["at"]
        when = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if at < 253402300800 else at
        k = trust.k0(len(trust.sets[-1]["keys"]))
        told.append(f"Whether more came after line {last['line']}, the last that {k} of your keys signed, at {when}.")
    elif trust.who:
        told.append("Whether more came: too few of your keys signed.")
    told.append("When this record was made: only keys you trust say so, a beacon only says not before.")
    return [*told, "That the roster names real people, each once, and that ratings are honest: nobody can prove that."]

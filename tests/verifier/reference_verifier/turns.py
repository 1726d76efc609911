"""Turns with memory, read from their description alone: debts and balls of a record, from its lines and nothing else.

Every question is answered from the beginning of the record again. A decision is U units; worlds are 0 … M−1.
"""

from __future__ import annotations

U = 3_724_680_960


def pages(lines: list[dict]) -> list[int]:
    return [place for place, line in enumerate(lines) if line["line"] == "freeze"]


def asks(page: dict) -> list[tuple[str, int, set[int], int]]:
    """Whoever does not like everything on offer: pseudonym, weight, favourites and credit."""
    weight = sum(kind["weight"] * len(kind["pseudonyms"]) for kind in page["types"])
    found = []
    for kind in page["types"]:
        liked = set(kind["candidates"])
        if liked != set(page["available"]):
            credit = sum(page["arm_units"][arm] for arm in liked) // weight
            found += [(who, kind["weight"], liked, credit) for who in kind["pseudonyms"]]
    return found


def played_in_worlds(lines: list[dict], place: int, end: int, worlds: int) -> list[int] | None:
    """What each world is charged for: put in before the next page, else drawn, else nothing."""
    number = lines[place]["round"]
    for line in lines[place:end]:
        if line["line"] == "override" and line["round"] == number:
            return [line["arm"]] * worlds
    return next((line["arms"] for line in lines[place:end] if line["line"] == "draw"), None)


class Ledger:
    """What everybody is owed after these lines, with every round among them charged; and what is used up."""

    def __init__(self, lines: list[dict]):
        self.terms = lines[0]["turns"]
        self.worlds = self.terms["worlds"]
        self.owed: dict[str, list[int]] = {}
        self.waited: dict[str, int] = {}
        self.used: set[int] = set()
        places = pages(lines)
        for place, end in zip(places, [*places, len(lines)][1:], strict=True):
            arms = played_in_worlds(lines, place, end, self.worlds)
            if arms is not None:
                self.charge(lines[place], arms)

    def charge(self, page: dict, arms: list[int]) -> None:
        for who, _, liked, credit in asks(page):
            self.owed.setdefault(who, [0] * self.worlds)
            for world in range(self.worlds):
                self.owed[who][world] += credit
                if arms[world] in liked:
                    self.owed[who][world] -= U
            self.waited[who] = 0 if arms[0] in liked else self.waited.get(who, 0) + 1
        if self.terms["single_use"]:
            self.used.add(arms[0])

    def owed_to(self, who: str, world: int) -> int:
        return self.owed[who][world] if who in self.owed else 0

    def balls(self, page: dict, below) -> list[int]:
        return self.settled(page, below) if self.terms["mode"] == "deterministic" else self.drawn(page, below)

    def settled(self, page: dict, below) -> list[int]:
        voices, weight = page["arm_units"], sum(page["arm_units"]) // page["units"]
        asking = asks(page)
        asking_weight = sum(w for _, w, _, _ in asking)
        score = {}
        for arm, units in enumerate(voices):
            if units > 0:
                score[arm] = 2 * (units * asking_weight // weight)
                for who, w, liked, credit in asking:
                    if arm in liked:
                        score[arm] += w * (4 * (self.owed_to(who, 0) + credit) + U * min(self.waited.get(who, 0), 12))
        tied = [arm for arm in score if score[arm] == max(score.values())]
        left = below(sum(voices[arm] for arm in tied))
        start = 0
        for arm, units in enumerate(voices):  # the n-th number of the drum that lies on a tied arm
            if arm in tied:
                if left < units:
                    return [start + left]
                left -= units
            start += units
        raise AssertionError("no number of the drum is left")

    def drawn(self, page: dict, below) -> list[int]:
        voices, m = page["arm_units"], self.worlds
        total = sum(voices)
        first = below(total // m)
        at = [first + j * (total // m) for j in range(m)]
        owner = list(range(m))
        for i in range(m - 1, 0, -1):
            j = below(i + 1)
            owner[i], owner[j] = owner[j], owner[i]
        claims = [
            [
                sum(w * (self.owed_to(who, world) + c) for who, w, liked, c in asks(page) if arm in liked)
                for arm in range(len(voices))
            ]
            for world in range(m)
        ]

        def arm_of(ball: int) -> int:
            return next(arm for arm in range(len(voices)) if ball < sum(voices[: arm + 1]))

        swapped = True
        while swapped:
            swapped = False
            for a in range(m):
                for b in range(a + 1, m):
                    x, y = arm_of(at[a]), arm_of(at[b])
                    here, there = claims[owner[a]], claims[owner[b]]
                    if here[y] + there[x] > here[x] + there[y]:
                        at[a], at[b] = at[b], at[a]
                        swapped = True
        of_world = dict(zip(owner, at, strict=True))
        return [of_world[world] for world in range(m)]

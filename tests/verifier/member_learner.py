"""What one member's own answers say, in plain Python: the learner of records, for the tests' maker.

Candidates, capital against each, matched pairs and bounds, with doubles in the order in which they are written down.
It shares no code with the package's learner or with a verifier.
"""

from fractions import Fraction

HEIGHTS = (
    6.36295e-1,
    9.50037e-2,
    2.01394e-2,
    4.69008e-3,
    1.13422e-3,
    2.79027e-4,
    6.92058e-5,
    1.72335e-5,
    4.29994e-6,
    1.07394e-6,
    2.68352e-7,
    6.70717e-8,
    1.67659e-8,
    4.19121e-9,
    1.04777e-9,
    2.61939e-10,
)


def doubters_row(own, leader: int, total: int, explore: str, arms: int) -> list[int]:
    """The row of a member in doubt: 1 − explore on her leader, the rest even, by largest remainder (lower arm)."""
    exact = [Fraction(0)] * arms
    share = Fraction(explore)
    for arm in own:
        if len(own) == 1:
            exact[arm] = Fraction(total)
        else:
            exact[arm] = total * (1 - share) if arm == leader else total * share / (len(own) - 1)
    units = [int(one) for one in exact]
    for arm in sorted(range(arms), key=lambda arm: (units[arm] - exact[arm], arm))[: total - sum(units)]:
        units[arm] += 1
    return units


class Pair:
    """A matched pair: a leader and its size, the challenger's size, two bets, and what was seen so far."""

    def __init__(self, leader: int, front: int, behind: int, bet: float):
        self.leader, self.front, self.behind = leader, front, behind
        self.bets = (min(bet, 0.98), min(bet, 0.5))
        self.ahead, self.follow, self.seen_ahead, self.seen_follow = 0.0, 0.0, 0, 0

    def full(self) -> bool:
        return self.seen_ahead == self.front and self.seen_follow == self.behind


class MemberLearner:
    """One member's candidates and leader. `price` is her A; `settings` are the charter's."""

    def __init__(self, price: int, settings: dict[str, str]):
        self.price, self.growth, self.arms, self.close = price, 2, 0, False
        self.error, self.resolution = float(settings["error"]) or 5e-324, float(settings["resolution"])
        self.count, self.total, self.spread = [], [], []
        self.capital: list[list[float]] = []
        self.candidates: set[int] = set()
        self.pairs: dict[int, Pair] = {}
        self.leader = 0

    def arms_are(self, arms: int, growth: int) -> None:
        """Begin a page with so many arms: new ones are candidates, and nothing is close any more."""
        new = range(self.arms, arms)
        self.growth = growth
        if new:
            self.close = False
        for arm in new:
            self.count.append(0)
            self.total.append(0.0)
            self.spread.append(0.0)
            self.capital.append([1.0, 1.0])
            self.candidates.add(arm)
        self.arms = arms
        self.leader = self.best(self.candidates)

    def mean(self, arm: int) -> float:
        return (self.total[arm] + 0.5) / (self.count[arm] + 1)

    def variance(self, arm: int) -> float:
        return (self.spread[arm] + 0.25) / (self.count[arm] + 1)

    def best(self, arms) -> int:
        return min(arms, key=lambda arm: (-self.mean(arm), arm))

    def bounds(self, arm: int) -> tuple[float, float]:
        if self.count[arm] == 0:
            return 0.0, 1.0
        wanted = 32.0 * self.arms * self.growth * self.price * 10 / self.error
        bits = 0
        while bits < 1024 and 2.0**bits < wanted:
            bits += 1
        level, n = bits * 0.6931471805599454, self.count[arm]
        radius = min((level + height * self.spread[arm]) / (0.75 * 2.0**-s * n) for s, height in enumerate(HEIGHTS))
        middle = self.total[arm] / n
        return max(0.0, middle - radius), min(1.0, middle + radius)

    @property
    def resolved(self) -> bool:
        return len(self.candidates) == 1 or self.close

    def page(self, available) -> tuple[tuple[int, ...], int | None]:
        """Her set on a page, and her leader (None: resolved)."""
        if self.candidates <= set(available):
            own, leader = self.candidates, self.leader
        else:
            limits = {arm: self.bounds(arm) for arm in available}
            most = max(low for low, _ in limits.values())
            own = {arm for arm in available if limits[arm][1] >= most}
            leader = self.best(own)
        return tuple(sorted(own)), None if self.resolved else leader

    def told(self, arm: int, reward: float, voices: list[int] | None) -> None:
        """One reward of an arm; `voices` are those of its round (None: a trial); arms that no page had do not count."""
        if arm >= self.arms:
            return
        doubting = not self.resolved
        if doubting:
            self._open_and_fill(arm, reward, voices)
        difference = reward - self.mean(arm)
        self.spread[arm] += difference * difference
        self.count[arm] += 1
        self.total[arm] += reward
        if doubting and self._pay():
            self._drop()
            if len(self.candidates) > 1:
                limits = [self.bounds(one) for one in sorted(self.candidates)]
                self.close = max(high for _, high in limits) - min(low for low, _ in limits) <= self.resolution
        self.leader = self.best(self.candidates)

    def _open_and_fill(self, arm: int, reward: float, voices) -> None:
        for other in sorted(self.candidates):
            if other not in self.pairs and other != self.leader and arm in (self.leader, other):
                self.pairs[other] = self._opened(other, voices)
            pair = self.pairs.get(other)
            if pair is None:
                continue
            if arm == pair.leader and pair.seen_ahead < pair.front:
                pair.ahead += reward
                pair.seen_ahead += 1
            elif arm == other and pair.seen_follow < pair.behind:
                pair.follow += reward
                pair.seen_follow += 1

    def _opened(self, other: int, voices) -> Pair:
        leader = self.leader
        front = behind = 1
        if voices is not None:
            first = voices[leader] if leader < len(voices) else 0
            second = voices[other] if other < len(voices) else 0
            front = min(8, max(1, first // second)) if second else 8
            behind = min(8, max(1, second // first)) if first else 8
        lead = self.mean(leader) - self.mean(other)
        noise = self.variance(leader) / front + self.variance(other) / behind
        return Pair(leader, front, behind, max(0.0, lead / (noise + lead * lead)))

    def _pay(self) -> bool:
        ready = [other for other in sorted(self.pairs) if self.pairs[other].full()]
        for other in ready:
            pair = self.pairs.pop(other)
            self._settle(other, pair, pair.ahead / pair.front - pair.follow / pair.behind)
        return bool(ready)

    def _settle(self, other: int, pair: Pair, gain: float) -> None:
        for g in (0, 1):
            self.capital[other][g] *= 1 + pair.bets[g] * gain

    def _drop(self) -> None:
        for arm in range(self.arms):
            held = arm in self.candidates and arm != self.leader and arm not in self.pairs
            if not held or len(self.candidates) == 1:
                continue
            needed = len(self.candidates) * self.growth * self.price / (0.9 * self.error)
            if (self.capital[arm][0] + self.capital[arm][1]) / 2 < needed:
                continue
            self.candidates.discard(arm)
            for other in sorted(self.pairs):
                pair = self.pairs[other]
                if pair.leader == arm:
                    del self.pairs[other]
                    missing = pair.behind - pair.seen_follow
                    self._settle(other, pair, pair.ahead / pair.front - (pair.follow + missing) / pair.behind)
            self.leader = self.best(self.candidates)

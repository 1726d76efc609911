"""The guided learner of records: one member's feedback, in whole pair sizes and doubles that anyone can recompute.

`docs/reference/record.md` defines the rule. Operations follow the order given there, so that writer and verifiers
agree to the last bit. Nothing is used that a member's receipt does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

LN2_ROUNDED_UP = 0.6931471805599454  # rounded up
PSI_E_VALUES = (
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
"""−ln(1 − λ) − λ for λ = 0.75·2^−s, rounded up."""
MAX_BETS = (0.98, 0.5)
MAX_PAIR_SIDE = 8
MAX_PRICE_BITS = 1024  # of a price: more than any double can hold


@dataclass
class MatchedPair:
    """A matched pair: rewards of a leader against those of a candidate, with sizes and bets fixed beforehand."""

    leader: int
    sizes: list[int]
    bets: list[float]
    sums: list[float] = field(default_factory=lambda: [0.0, 0.0])
    seen: list[int] = field(default_factory=lambda: [0, 0])

    @property
    def full(self) -> bool:
        """Whether both sides have all their rewards."""
        return self.seen == self.sizes

    def fill(self, side: int, reward: float) -> None:
        """Add a reward to one side, unless it is full."""
        if self.seen[side] < self.sizes[side]:
            self.sums[side] += reward
            self.seen[side] += 1

    def gain(self) -> float:
        """Return the leader's mean minus the candidate's. A missing reward counts 0 for the leader, 1 for the other."""
        missing = self.sizes[1] - self.seen[1]
        return self.sums[0] / self.sizes[0] - (self.sums[1] + missing) / self.sizes[1]


@dataclass
class MemberLearner:
    """The learner of one member: their feedback, candidates and leader, and whether they are resolved.

    - `price`: A of the rule; `growth`: G; `n`, `sums`, `spread`, `capital` by arm; `pairs`: open pairs by candidate.
    """

    error: float
    resolution: float
    price: int
    growth: int = 2
    n: list[int] = field(default_factory=list)
    sums: list[float] = field(default_factory=list)
    spread: list[float] = field(default_factory=list)
    capital: list[list[float]] = field(default_factory=list)
    candidates: list[int] = field(default_factory=list)
    pairs: dict[int, MatchedPair] = field(default_factory=dict)
    leader: int = 0
    close: bool = False

    @property
    def resolved(self) -> bool:
        """Whether the member's voice is spent together with those of the other resolved members."""
        return self.close or len(self.candidates) == 1

    def turn(self, arms: int, growth: int) -> None:
        """Prepare for the next page. New arms, if any, become candidates, and the member is then no longer `close`."""
        self.growth = growth
        known = len(self.n)
        if arms == known:
            return
        new = range(known, arms)
        self.n += [0 for _ in new]
        self.sums += [0.0 for _ in new]
        self.spread += [0.0 for _ in new]
        self.capital += [[1.0, 1.0] for _ in new]
        self.candidates += new
        self.close = False
        self.leader = self.best(self.candidates)

    def mean(self, arm: int) -> float:
        """Return the member's estimate of an arm."""
        return (self.sums[arm] + 0.5) / (self.n[arm] + 1)

    def best(self, arms: Sequence[int]) -> int:
        """Return the arm with the largest estimate; the lowest one on ties."""
        return max(arms, key=lambda arm: (self.mean(arm), -arm))

    def tell(self, arm: int, reward: float, voices: Sequence[int] | None) -> None:
        """Add a reward; `voices` are those of the rated round, None in a trial.

        A reward of an arm that was on no page yet (a new one put into a slot) is ignored, because it was no candidate.
        """
        if arm >= len(self.n):
            return
        doubts = not self.resolved
        if doubts:
            self._open(arm, voices)
            self._fill(arm, reward)
        miss = reward - self.mean(arm)
        self.n[arm] += 1
        self.sums[arm] += reward
        self.spread[arm] += miss * miss
        if doubts and self._pay():
            self._drop()
            self._see_whether_close()
        self.leader = self.best(self.candidates)

    def _open(self, arm: int, voices: Sequence[int] | None) -> None:
        for other in self.candidates:
            if other != self.leader and other not in self.pairs and arm in (self.leader, other):
                self.pairs[other] = self._pair(self.leader, other, voices)

    def _pair(self, leader: int, other: int, voices: Sequence[int] | None) -> MatchedPair:
        sizes = [_compute_pair_size(voices, leader, other), _compute_pair_size(voices, other, leader)]
        noise = [(self.spread[k] + 0.25) / (self.n[k] + 1) for k in (leader, other)]
        ahead = self.mean(leader) - self.mean(other)
        variance = noise[0] / sizes[0] + noise[1] / sizes[1]
        bet = max(0.0, ahead / (variance + ahead * ahead))
        return MatchedPair(leader, sizes, [min(bet, most) for most in MAX_BETS])

    def _fill(self, arm: int, reward: float) -> None:
        for other, pair in self.pairs.items():
            if arm == pair.leader:
                pair.fill(0, reward)
            elif arm == other:
                pair.fill(1, reward)

    def _pay(self) -> bool:
        """Settle each full pair, and return whether there was one."""
        full = sorted(other for other, pair in self.pairs.items() if pair.full)
        for other in full:
            self._settle(other)
        return bool(full)

    def _settle(self, other: int) -> None:
        pair = self.pairs.pop(other)
        gain = pair.gain()
        self.capital[other] = [
            held * (1 + bet * gain) for held, bet in zip(self.capital[other], pair.bets, strict=True)
        ]

    def _drop(self) -> None:
        for arm in [*self.candidates]:
            if arm == self.leader or arm in self.pairs or len(self.candidates) == 1:
                continue
            needed = len(self.candidates) * self.growth * self.price / (0.9 * self.error)
            if (self.capital[arm][0] + self.capital[arm][1]) / 2 >= needed:
                self.candidates.remove(arm)
                for other in sorted(k for k, pair in self.pairs.items() if pair.leader == arm):
                    self._settle(other)
                self.leader = self.best(self.candidates)

    def _see_whether_close(self) -> None:
        bounds = [self.bounds(arm) for arm in self.candidates]
        if max(high for _, high in bounds) - min(low for low, _ in bounds) <= self.resolution:
            self.close = True

    def bounds(self, arm: int) -> tuple[float, float]:
        """Return lower and upper bounds of an arm's mean that are valid at all times."""
        n, mean = self.n[arm], self.sums[arm] / self.n[arm] if self.n[arm] else 0.0
        if n == 0:
            return 0.0, 1.0
        bits, least = 0, 32.0 * len(self.n) * self.growth * self.price * 10 / self.error
        while bits < MAX_PRICE_BITS and 2**bits < least:
            bits += 1
        price = bits * LN2_ROUNDED_UP
        radius = min((price + h * self.spread[arm]) / ((0.75 * 2.0**-s) * n) for s, h in enumerate(PSI_E_VALUES))
        return max(0.0, mean - radius), min(1.0, mean + radius)

    def page(self, available: Sequence[int]) -> tuple[list[int], int | None]:
        """Return the member's set and leader on a page with these arms; the leader is None if they are resolved."""
        if set(self.candidates) <= set(available):
            held, leader = sorted(self.candidates), self.leader
        else:
            bounds = {arm: self.bounds(arm) for arm in available}
            highest = max(low for low, _ in bounds.values())
            held = [arm for arm in available if bounds[arm][1] >= highest]
            leader = self.best(held)
        return held, None if self.resolved else leader

    def to_dict(self) -> dict[str, Any]:
        """Return the whole state in a form that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> MemberLearner:
        """Restore the state that `to_dict` returned."""
        pairs = {int(other): MatchedPair(**pair) for other, pair in kept["pairs"].items()}
        return cls(**{**kept, "pairs": pairs})


def _compute_pair_size(voices: Sequence[int] | None, own: int, other: int) -> int:
    """Return how many rewards of an arm a pair takes: the ratio of its voices to the other's, 1 to 8; 1 in a trial."""
    if voices is None:
        return 1
    held = [voices[arm] if arm < len(voices) else 0 for arm in (own, other)]
    return MAX_PAIR_SIDE if held[1] == 0 else min(max(held[0] // held[1], 1), MAX_PAIR_SIDE)

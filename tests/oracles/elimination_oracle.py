"""The rule of the elimination learner for one agent at a time, in plain Python, written from its description."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from isegoria import Instance, solve

SCALES = [0.75 * 2.0**-s for s in range(16)]


@dataclass
class OpenPair:
    """A pair that is open: the arm in front, how many rewards of each it takes, the bets, and what was seen."""

    front: int
    sizes: tuple[int, int]
    bets: tuple[float, float] = (0.0, 0.0)
    ahead: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)

    @property
    def full(self):
        return (len(self.ahead), len(self.own)) == self.sizes

    def difference(self):
        return sum(self.ahead) / self.sizes[0] - sum(self.own) / self.sizes[1]

    def worst(self):
        missing = self.sizes[1] - len(self.own)
        return sum(self.ahead) / self.sizes[0] - (sum(self.own) + missing) / self.sizes[1]


class OracleAgent:
    """One agent: `hear(arm, reward, policy)` whenever it answers. `part` is one over its part of each error."""

    def __init__(self, arms, part, error=0.01, resolution=0.05, watch=True):
        self.resolution, self.watch = resolution, watch
        self.bet_error = error * (0.8 if watch else 0.9)
        self.other_error, self.arms, self.part = error / 10, arms, part
        self.alarms = 0
        self.start()

    def start(self):
        self.candidates = set(range(self.arms))
        self.n, self.total, self.spread = [0] * self.arms, [0.0] * self.arms, [0.0] * self.arms
        self.capital = [[1.0, 1.0] for _ in range(self.arms)]
        self.matches: dict[int, OpenPair] = {}
        self.gathered = {k: [0.0, 0.0, 0] for k in range(self.arms)}
        self.watching: dict[int, OpenPair] = {}
        self.close, self.leader = False, 0

    @property
    def in_doubt(self):
        return len(self.candidates) > 1 and not self.close

    def add_arm(self, part):
        """An arm joins: everyone's candidate; who was close is in doubt again."""
        self.candidates.add(self.arms)
        self.n.append(0)
        self.total.append(0.0)
        self.spread.append(0.0)
        self.capital.append([1.0, 1.0])
        self.gathered[self.arms] = [0.0, 0.0, 0]
        self.arms, self.part, self.close = self.arms + 1, part, False
        self.leader = self.best(self.candidates)

    def leave(self):
        for k in sorted(self.matches):
            self.pay(k, worst=True)
        for k in sorted(self.watching):
            match = self.watching.pop(k)
            missing = match.sizes[0] - len(match.ahead)
            self.gather(k, sum(match.own) / match.sizes[1] - (sum(match.ahead) + missing) / match.sizes[0])

    # -- numbers -------------------------------------------------------------------------------------------------------

    def mean(self, k):
        return (self.total[k] + 0.5) / (self.n[k] + 1)

    def count(self, k, x):
        self.spread[k] += (x - self.mean(k)) ** 2
        self.n[k] += 1
        self.total[k] += x

    def variance(self, k):
        return (self.spread[k] + 0.25) / (self.n[k] + 1)

    def best(self, arms):
        return max(sorted(arms), key=self.mean)

    def bounds(self, k):
        n, v = self.n[k], self.spread[k]
        if not n:
            return 0.0, 1.0
        cost = math.log(32 * self.arms * self.part / self.other_error)
        radius = min((cost + (-math.log1p(-s) - s) * v) / (s * n) for s in SCALES)
        centre = self.total[k] / n
        return max(0.0, centre - radius), min(1.0, centre + radius)

    def possible(self, available):
        """(set, leader) among the available arms."""
        if self.candidates <= available:
            return self.candidates, self.leader
        bounds = {k: self.bounds(k) for k in available}
        least = max(low for low, _ in bounds.values())
        held = {k for k, (_, high) in bounds.items() if high >= least}
        return held, self.best(held)

    # -- the rule ------------------------------------------------------------------------------------------------------

    def hear(self, arm, x, policy):
        doubts = self.in_doubt
        if doubts:
            self.bring(self.matches, self.candidates, arm, x, policy)
        elif self.watch:
            self.bring(self.watching, set(range(self.arms)) - self.candidates, arm, x, policy)
        self.count(arm, x)
        if doubts:
            full = [k for k in sorted(self.matches) if self.matches[k].full]
            for k in full:
                self.pay(k)
            if full:
                self.drop()
                self.judge()
        else:
            for k in [k for k in sorted(self.watching) if self.watching[k].full]:
                if self.gather(k, -self.watching.pop(k).difference()):
                    self.start()
                    self.alarms += 1
                    return
        self.leader = self.best(self.candidates)

    def bring(self, matches, arms, arm, x, policy):
        for k in sorted(arms - {self.leader}):
            if k not in matches and arm in (k, self.leader):
                front = self.leader
                matches[k] = OpenPair(front, self.sizes(policy[front], policy[k]))
                if matches is self.matches:
                    matches[k].bets = self.bets(k, front, matches[k].sizes)
        for k, match in matches.items():
            if arm == match.front and len(match.ahead) < match.sizes[0]:
                match.ahead.append(x)
            elif arm == k and len(match.own) < match.sizes[1]:
                match.own.append(x)

    def sizes(self, p, q):
        return tuple(int(min(8, max(1, math.floor(a / max(b, 1e-9) + 1e-9)))) for a, b in ((p, q), (q, p)))

    def bets(self, k, front, sizes):
        lead = self.mean(front) - self.mean(k)
        v = self.variance(front) / sizes[0] + self.variance(k) / sizes[1]
        size = max(0.0, lead / (v + lead * lead))
        return min(size, 0.98), min(size, 0.5)

    def pay(self, k, worst=False):
        match = self.matches.pop(k)
        for g in range(2):
            self.capital[k][g] *= 1 + match.bets[g] * (match.worst() if worst else match.difference())

    def drop(self):
        for k in sorted(self.candidates):
            if k == self.leader or k in self.matches or len(self.candidates) == 1:
                continue
            if sum(self.capital[k]) / 2 >= len(self.candidates) * self.part / self.bet_error:
                self.candidates.discard(k)
                for other in sorted(self.matches):
                    if self.matches[other].front == k:
                        self.pay(other, worst=True)
                self.leader = self.best(self.candidates)

    def judge(self):
        bounds = [self.bounds(k) for k in self.candidates]
        if len(bounds) > 1 and max(high for _, high in bounds) - min(low for low, _ in bounds) <= self.resolution:
            self.close = True

    def gather(self, k, difference):
        """The watch of a dropped arm after one more full pair; True for an alarm."""
        slack = self.resolution if self.close else 0.0
        z, (slow, quick, pairs) = difference - slack, self.gathered[k]
        stake = 0.9 / ((pairs + 3) * math.log(pairs + 3) ** 2)
        slow, quick = (slow + stake) * (1 + z / 4), (quick + stake) * (1 + 0.75 * z / (1 + slack))
        self.gathered[k] = [slow, quick, pairs + 1]
        return (slow + quick) / 2 >= self.part * (self.arms - 1) / self.other_error


def compute_policy(agents, weights, arms, explore=0.25, lend=0.0, trickle=0.0, available=None):
    """(K,) the policy of these agents, and (n, K) whose voice goes where."""
    available = set(range(arms)) if available is None else set(available)
    held = [agent.possible(available) for agent in agents]
    doubt = [agent.in_doubt for agent in agents]
    total, doubters = sum(weights), sum(w for w, d in zip(weights, doubt, strict=True) if d)
    resolved = [i for i, d in enumerate(doubt) if not d]
    fair = np.zeros(arms)
    if resolved:
        means = [[float(k in held[i][0]) for k in range(arms)] for i in resolved]
        fair = solve(Instance(means, weights=[weights[i] for i in resolved]), "procedural").policy
    rows = np.zeros((len(agents), arms))
    for i, (mine, leader) in enumerate(held):
        if doubt[i]:
            for k in mine:
                rows[i, k] = 1 - explore if k == leader else explore / (len(mine) - 1)
            if len(mine) == 1:
                rows[i, leader] = 1.0
        else:
            for k in mine:
                rows[i, k] = fair[k] / sum(fair[j] for j in mine)
            outside = available - mine
            if trickle and outside:
                rows[i] *= 1 - trickle
                for k in outside:
                    rows[i, k] = trickle / len(outside)
        share = weights[i] / total
        rows[i] *= (1 - lend) * share + (lend * weights[i] / doubters if doubt[i] else 0.0) if doubters else share
    return rows.sum(axis=0), rows


def multiplicity_of(row, first, joins=None):
    """One over the part of an error that an agent may use, for the row in which it joined."""
    if joins is None:
        return float(first)
    mine = Fraction(1, 2 * first) if row < first else Fraction(1, 2 * (row - first + 1) * (row - first + 2))
    return float(1 / (mine / ((joins + 1) * (joins + 2))))

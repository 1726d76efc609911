"""The rule of the guided learner, a pair at a time in plain Python: slow, and written from its description alone."""

from __future__ import annotations

import math


class Bettor:
    """Follows the rounds of a learner: `settle` when a round is decided, `close` and `late` when answers come.

    Agents and arms are indices; nobody joins. `sets` are the candidates when every arm is available.
    """

    def __init__(self, agents: int, arms: int, error: float, resolution: float):
        self.agents, self.arms, self.resolution = range(agents), range(arms), resolution
        self.price = 2 * agents * arms / error
        pairs = [(i, k) for i in self.agents for k in self.arms]
        self.rewards = {pair: [] for pair in pairs}
        self.capital = dict.fromkeys(pairs, 1.0)
        self.sets = [set(self.arms) for _ in self.agents]
        self.resolved = [False for _ in self.agents]
        self.sweep: dict | None = None
        self.asked: set[int] = set()

    def mean(self, i, k):
        return (sum(self.rewards[i, k]) + 0.5) / (len(self.rewards[i, k]) + 1)

    def scatter(self, i, k):
        """Squared distances from the running mean before each reward."""
        total, sum_ = 0.0, 0.0
        for n, x in enumerate(self.rewards[i, k]):
            total += (x - (sum_ + 0.5) / (n + 1)) ** 2
            sum_ += x
        return total

    def wanted(self, present, available):
        """(arms worth a pull, whether someone is unresolved) when no sweep is running."""
        several = [i for i in present if len(self.sets[i]) > 1 and len(self.sets[i] & available) > 1]
        unresolved = [i for i in several if not self.resolved[i]]
        chosen = unresolved or several
        return set().union(*(self.sets[i] & available for i in chosen)), bool(unresolved)

    def doubtful(self, present, available):
        if self.sweep is None:
            return self.wanted(present, available)[0]
        return (self.sweep["arms"] - set(self.sweep["pulled"])) & available

    def settle(self, round_, arm, present, available):
        sweep = self.sweep
        if sweep is not None:
            left = sweep["arms"] - set(sweep["pulled"])
            if left and not left & available and set(sweep["pulled"]) == set(sweep["told"]):
                return self.end()
        elif arm in self.asked:
            arms, _ = self.wanted(present, available)
            if arms:
                self.start(arms, present)
        self.asked.add(arm)
        if self.sweep and arm in self.sweep["arms"] and arm not in self.sweep["pulled"]:
            self.sweep["pulled"][arm] = round_

    def start(self, arms, present):
        bets = {}
        for i in present:
            mine = sorted(self.sets[i] & arms)
            if len(mine) < 2:
                continue
            leader = max(mine, key=lambda k: (self.mean(i, k), -k))
            for k in mine:
                m = self.mean(i, leader) - self.mean(i, k)
                v = sum((self.scatter(i, j) + 0.25) / (len(self.rewards[i, j]) + 1) for j in (leader, k))
                if k != leader:
                    bets[i, k] = leader, min(max(m / (v + m * m), 0.0), 0.98)
        self.sweep = {"arms": arms, "pulled": {}, "told": {}, "bets": bets}

    def close(self, round_, arm, answers):
        self.late(arm, answers)
        if self.sweep and self.sweep["pulled"].get(arm) == round_:
            self.sweep["told"][arm] = answers
            if set(self.sweep["told"]) == self.sweep["arms"]:
                self.end()

    def late(self, arm, answers):
        for i, x in answers.items():
            self.rewards[i, arm].append(x)

    def end(self):
        told = self.sweep["told"]
        for (i, k), (leader, size) in self.sweep["bets"].items():
            if leader in told and k in told and i in told[leader] and i in told[k]:
                self.capital[i, k] *= 1 + size * (told[leader][i] - told[k][i])
                if self.capital[i, k] >= self.price:
                    self.sets[i].discard(k)
        for i in {i for i, _ in self.sweep["bets"]}:
            bounds = [self.bounds(i, k) for k in self.sets[i]]
            if len(bounds) > 1 and max(u for _, u in bounds) - min(low for low, _ in bounds) <= self.resolution:
                self.resolved[i] = True
        self.sweep = None

    def bounds(self, i, k):
        n = len(self.rewards[i, k])
        if not n:
            return 0.0, 1.0
        sizes = [0.75 * 2.0**-g for g in range(16)]
        log_term, v = math.log(32 * self.price), self.scatter(i, k)
        radius = min((log_term + (-math.log1p(-s) - s) * v) / (s * n) for s in sizes)
        centre = sum(self.rewards[i, k]) / n
        return max(0.0, centre - radius), min(1.0, centre + radius)

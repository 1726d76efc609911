"""Algorithm 1 written down slowly and plainly, for groups that change: an oracle for the learner."""

import math

import numpy as np

from isegoria.solvers.nash.decision_shares import procedural_policy


class Algorithm1Oracle:
    """Keeps every reward ever told; recomputes everything in every round."""

    def __init__(self, agents, arms, gamma, alpha):
        self.ever_agents, self.ever_arms = list(agents), list(arms)
        self.present = set(agents)
        self.gamma, self.alpha, self.asks = gamma, alpha, 0
        self.told = {}
        self.asked = set()

    def rewards(self, agent, arm):
        return self.told.get((agent, arm), [])

    def mean(self, agent, arm):
        total = 0.0
        for reward in self.rewards(agent, arm):
            total += reward
        return total / len(self.rewards(agent, arm))

    def radius(self, agent, arm):
        n = len(self.rewards(agent, arm))
        size = len(self.ever_agents) * len(self.ever_arms) * self.asks
        return math.sqrt(2 * math.log(size) / n) if n else math.inf

    def candidates(self, agent, available):
        seen = [arm for arm in available if self.rewards(agent, arm)]
        if not seen:
            return set(available)
        best = max(self.mean(agent, arm) for arm in seen)
        best = next(arm for arm in seen if self.mean(agent, arm) == best)
        lower = self.mean(agent, best) - self.alpha * self.radius(agent, best)
        unseen = set(available) - set(seen)
        return unseen | {k for k in seen if self.mean(agent, k) + self.alpha * self.radius(agent, k) >= lower}

    def ask(self, available):
        """(sets by agent, policy by arm, propensities by arm, forced arm or None) of the next round."""
        self.asks += 1
        available = [arm for arm in self.ever_arms if arm in available]
        new = [arm for arm in available if arm not in self.asked]
        if new:
            return None, {arm: 1 / len(available) for arm in available}, {new[0]: 1.0}, new[0]
        sets = {agent: self.candidates(agent, available) for agent in self.ever_agents if agent in self.present}
        matrix = np.array([[arm in chosen for arm in self.ever_arms] for chosen in sets.values()])
        policy = dict(zip(self.ever_arms, procedural_policy(matrix)[0], strict=True))
        rate = self.asks ** -(1 - self.gamma)
        mixed = {arm: rate / len(available) + (1 - rate) * policy[arm] for arm in available}
        return sets, policy, mixed, None

    def tell(self, arm, rewards):
        for agent, reward in rewards.items():
            self.told.setdefault((agent, arm), []).append(reward)

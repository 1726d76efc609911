"""Pareto efficiency of a policy: is another policy, or another arm, better for somebody and worse for nobody?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isegoria.analysis.axioms.verdict import DominatedArm, ParetoImprovement, Verdict
from isegoria.analysis.efficiency import check_efficiency
from isegoria.errors import InputError
from isegoria.profiles import Profile, is_streamed, require_instance
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense
from isegoria.utils.formatting import join_names


def check_ex_ante(instance: Profile, policy: np.ndarray, payoff: str) -> Verdict:
    """Decide whether no policy gives everyone at least as much and somebody more, in shares or in utilities."""
    found = check_efficiency(instance, policy, payoff, most=None)
    if found is None:
        return Verdict(
            "efficient", None, "found none", None, np.nan, 0, "Undecided: a scanned table keeps no utilities."
        )
    if found.holds:
        sentence = "No other policy is better for someone and worse for nobody."
        return Verdict("efficient", True, "certificate", None, found.gap, 1, sentence, found.weights)
    if found.better is None or found.gains is None:
        sentence = f"Undecided: all together could gain {found.gap:.3g} at most."
        return Verdict("efficient", None, "certificate", None, found.gap, 1, sentence)
    gains = {
        name: gain
        for name, gain in zip(instance.agents, found.gains.tolist(), strict=True)
        if gain > tolerances.FAIRNESS_GAP
    }
    better = ", ".join(
        f"{arm} {p:.3g}" for arm, p in zip(instance.arms, found.better, strict=True) if p > tolerances.NEVER_CHOSEN
    )
    if found.for_all:
        sentence = f"Everyone would do better with {better}: at least +{min(gains.values()):.3f} each."
    else:
        sentence = f"{join_names(list(gains))} would do better, and nobody worse, with {better}."
    return Verdict(
        "efficient", False, "certificate", ParetoImprovement(found.better, gains, found.for_all), found.gap, 1, sentence
    )


def check_ex_post(instance: Profile, policy: np.ndarray, payoff: str) -> Verdict:
    """Decide whether no arm is played that another arm matches for every agent and beats for one."""
    if payoff == "utilities" and is_streamed(instance):
        return Verdict("ex-post", None, "found none", None, np.nan, 0, "Undecided: a scanned table keeps no utilities.")
    types = require_instance(instance).types if payoff == "utilities" else instance.favourite_types
    beaten = _dominated_pairs(to_dense(types.rows), payoff)
    beaten[policy <= tolerances.NEVER_CHOSEN] = False
    bad = np.flatnonzero(beaten.any(axis=1))
    mass = float(policy[bad].sum())
    if not len(bad):
        sentence = "No arm that is played is matched by another for every agent and beaten for one."
        return Verdict("ex-post", True, "closed form", None, mass, 1, sentence)
    arm = int(bad[policy[bad].argmax()])
    by = int(beaten[arm].argmax())
    witness = DominatedArm(instance.arms[arm], instance.arms[by], float(policy[arm]))
    played = f"{witness.arm} is played with {witness.probability:.3f}"
    sentence = f"{played}, though {witness.by} is as good for all and better for one."
    return Verdict("ex-post", False, "closed form", witness, mass, 1, sentence)


def _dominated_pairs(rows: np.ndarray, payoff: str) -> np.ndarray:
    """Return booleans (K, K): whether arm k is at most as good as arm j for all rows (m, K), and worse for one."""
    if payoff == "shares":  # everyone who wants k wants j, and so does someone else
        common = rows.T.astype(float) @ rows
        supporters = common.diagonal()
        return np.asarray((common == supporters[:, None]) & (supporters > supporters[:, None]))
    return np.array(
        [(rows >= own).all(axis=0) & (rows > own + tolerances.FAVOURITE_TIE).any(axis=0) for own in _iter_columns(rows)]
    )


def _iter_columns(rows: np.ndarray) -> Iterator[np.ndarray]:
    return (rows[:, [arm]] for arm in range(rows.shape[1]))


def validate_payoff(payoff: str) -> str:
    """Return `payoff` if it is "shares" or "utilities"; raise InputError otherwise."""
    if payoff not in ("shares", "utilities"):
        raise InputError(f"payoff is {payoff!r}; expected shares or utilities.")
    return payoff

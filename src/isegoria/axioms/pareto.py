"""Efficiency of a policy: is another lottery, or another arm, better for somebody and worse for nobody?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from isegoria import tolerances
from isegoria.axioms.efficiency import efficiency_of
from isegoria.axioms.verdict import Better, Dominated, Verdict
from isegoria.errors import InputError
from isegoria.instance import Instance
from isegoria.rows.views import dense
from isegoria.wording import listing


def efficient(instance: Instance, policy: np.ndarray, of: str) -> Verdict:
    """No lottery gives all at least as much and somebody more, in decision shares or in utilities."""
    found = efficiency_of(instance, policy, of, most=None)
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
        name: gain for name, gain in zip(instance.agents, found.gains.tolist(), strict=True) if gain > tolerances.FAIR
    }
    better = ", ".join(
        f"{arm} {p:.3g}" for arm, p in zip(instance.arms, found.better, strict=True) if p > tolerances.NEVER
    )
    if found.for_all:
        sentence = f"Everyone would do better with {better}: at least +{min(gains.values()):.3f} each."
    else:
        sentence = f"{listing(list(gains))} would do better, and nobody worse, with {better}."
    return Verdict(
        "efficient", False, "certificate", Better(found.better, gains, found.for_all), found.gap, 1, sentence
    )


def ex_post(instance: Instance, policy: np.ndarray, of: str) -> Verdict:
    """No arm that is played is at most as good as another one for all, and worse for one."""
    types = instance.utility_types() if of == "utilities" else instance.favourite_types
    if types is None:
        return Verdict("ex-post", None, "found none", None, np.nan, 0, "Undecided: a scanned table keeps no utilities.")
    beaten = _beaten(dense(types.rows), of)
    beaten[policy <= tolerances.NEVER] = False
    bad = np.flatnonzero(beaten.any(axis=1))
    mass = float(policy[bad].sum())
    if not len(bad):
        sentence = "Every arm that is played is the best there is for somebody, or as good as any for all."
        return Verdict("ex-post", True, "closed form", None, mass, 1, sentence)
    arm = int(bad[policy[bad].argmax()])
    by = int(beaten[arm].argmax())
    witness = Dominated(instance.arms[arm], instance.arms[by], float(policy[arm]))
    played = f"{witness.arm} is played with {witness.probability:.3f}"
    sentence = f"{played}, though {witness.by} is as good for all and better for one."
    return Verdict("ex-post", False, "closed form", witness, mass, 1, sentence)


def _beaten(rows: np.ndarray, of: str) -> np.ndarray:
    """(K, K) booleans: arm k is at most as good as arm j for all rows (m, K), and worse for one."""
    if of == "shares":  # all who want k want j, and someone else does
        common = rows.T.astype(float) @ rows
        supporters = common.diagonal()
        return np.asarray((common == supporters[:, None]) & (supporters > supporters[:, None]))
    return np.array([(rows >= own).all(axis=0) & (rows > own + tolerances.TIE).any(axis=0) for own in _columns(rows)])


def _columns(rows: np.ndarray) -> Iterator[np.ndarray]:
    return (rows[:, [arm]] for arm in range(rows.shape[1]))


def pareto_checked(of: str) -> str:
    """ "shares" or "utilities"."""
    if of not in ("shares", "utilities"):
        raise InputError(f"of is {of!r}; expected shares or utilities.")
    return of

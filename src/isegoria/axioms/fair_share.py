"""Fair shares of a policy: of each agent, of those with the same favourites, of every group, and of every core."""

from __future__ import annotations

import numpy as np

from isegoria import tolerances
from isegoria.axioms.verdict import Coalition, Verdict
from isegoria.instance import Instance
from isegoria.rows.views import dense
from isegoria.scores import score
from isegoria.stability import core
from isegoria.voice import attributed, neglected_by
from isegoria.wording import listing


def individual(instance: Instance, policy: np.ndarray) -> Verdict:
    """Every agent's favourites have at least 1/W (individual fair share)."""
    rows, _, member = _types(instance)
    shares = rows @ policy
    worst = int(shares.argmin())
    bound = float(shares[worst]) * instance.total_weight
    if bound >= 1 - tolerances.FAIR:
        return Verdict(
            "ifs",
            True,
            "closed form",
            None,
            bound,
            1,
            f"Everyone's favourites have at least 1/{instance.total_weight}.",
        )
    agent = _first(instance, member, worst)
    has, due = float(shares[worst]), 1 / instance.total_weight
    sentence = f"The favourites of {agent} have {has:.3f}, less than the {due:.3f} of one voice."
    return Verdict(
        "ifs", False, "closed form", Coalition((agent,), _arms(instance, rows[worst]), has, due), bound, 1, sentence
    )


def unanimous(instance: Instance, policy: np.ndarray) -> Verdict:
    """Agents with exactly the same favourites have their part together (unanimous fair share)."""
    rows, weights, member = _types(instance)
    shares = rows @ policy
    ratios = shares * instance.total_weight / weights
    worst = int(ratios.argmin())
    bound = float(ratios[worst])
    if bound >= 1 - tolerances.FAIR:
        sentence = "All who want exactly the same arms have at least their part of the lottery there."
        return Verdict("ufs", True, "closed form", None, bound, 1, sentence)
    agents = _all(instance, member, worst)
    has, due = float(shares[worst]), float(weights[worst]) / instance.total_weight
    arms = _arms(instance, rows[worst])
    sentence = f"Of {listing(agents)} all favourites are {listing(arms)}, with {has:.3f}; the part due is {due:.3f}."
    return Verdict("ufs", False, "closed form", Coalition(agents, arms, has, due), bound, 1, sentence)


def group(instance: Instance, policy: np.ndarray) -> Verdict:
    """Every group's favourites have its part of the lottery: the policy splits into equal voices (group fair share)."""
    bound = score(instance, policy).procedural
    if bound >= 1 - tolerances.FAIR:
        sentence = "Every group has its part: the policy splits into equal voices, each on its own favourites."
        return Verdict("gfs", True, "certificate", None, bound, 1, sentence)
    found = neglected_by(attributed(instance, policy), policy)
    if found is None:
        return Verdict("gfs", None, "certificate", None, bound, 1, f"Undecided: its procedural score is {bound:.12g}.")
    sentence = (
        f"To {listing(found.agents)} {found.deserves:.3f} is due, and all their favourites have {found.receives:.3f}."
    )
    witness = Coalition(tuple(found.agents), tuple(found.arms), found.receives, found.deserves)
    return Verdict("gfs", False, "certificate", witness, bound, 1, sentence)


def average(instance: Instance, policy: np.ndarray) -> Verdict:
    """Supporters of one arm have on average at least their part of the group (average fair share).

    For an arm and a number of its supporters the least average is that of those with the smallest shares, so prefixes
    in that order decide, whole rows at a time: K·N of them in place of all 2^N coalitions.
    """
    rows, weights, member = _types(instance)
    shares = rows @ policy
    order = shares.argsort(kind="stable")
    wanted = rows[order]
    size = (wanted * weights[order, None]).cumsum(axis=0)
    total = (wanted * (weights * shares)[order, None]).cumsum(axis=0)
    ratios = np.full(rows.shape, np.inf)
    np.divide(total, size * size, out=ratios, where=wanted)
    place, arm = divmod(int(ratios.argmin()), rows.shape[1])
    bound = float(ratios[place, arm]) * instance.total_weight
    if bound >= 1 - tolerances.FAIR:
        sentence = "Whoever shares a favourite has on average at least the part of the group that they are."
        return Verdict("afs", True, "closed form", None, bound, 1, sentence)
    kinds = [kind for kind in order[: place + 1].tolist() if rows[kind, arm]]
    agents = tuple(name for kind in sorted(kinds) for name in _all(instance, member, kind))
    has, due = float(total[place, arm] / size[place, arm]), float(size[place, arm]) / instance.total_weight
    name = instance.arms[int(arm)]
    held = f"the favourites of {listing(agents)} have {has:.3f} on average"
    sentence = f"Of those who want {name}, {held}; the part due is {due:.3f}."
    return Verdict("afs", False, "closed form", Coalition(agents, (name,), has, due), bound, 1, sentence)


def core_share(instance: Instance, policy: np.ndarray, time_limit: float = 10) -> Verdict:
    """No group could do better for all its members with its own part of the lottery (core fair share)."""
    found = core(instance, policy, "procedural", time_limit)
    bound = 0.0 if found.bound is None else found.bound
    if found.stable is not False:
        return Verdict("cfs", found.stable, "certificate", None, bound, 1, found.proof)
    assert found.agents is not None
    assert found.gains is not None
    assert found.deviation is not None
    played = tuple(arm for arm, share in zip(instance.arms, found.deviation, strict=True) if share > tolerances.NEVER)
    most = float(found.gains.max())
    sentence = f"With the part that is due to {listing(found.agents)}, {listing(played)} could be played: +{most:.3f}."
    return Verdict("cfs", False, "certificate", Coalition(tuple(found.agents), played, 0.0, most), most, 1, sentence)


def _types(instance: Instance) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rows (m, K) of the distinct favourite sets, how many agents have each, which one each row of the table has)."""
    rows, weights, member = instance.favourite_types
    return dense(rows), weights, member


def _arms(instance: Instance, row: np.ndarray) -> tuple[str, ...]:
    return tuple(instance.arms[arm] for arm in np.flatnonzero(row).tolist())


def _first(instance: Instance, member: np.ndarray, kind: int) -> str:
    return instance.agents[int(np.argmax(member == kind))]


def _all(instance: Instance, member: np.ndarray, kind: int) -> tuple[str, ...]:
    return tuple(instance.agents[agent] for agent in np.flatnonzero(member == kind).tolist())

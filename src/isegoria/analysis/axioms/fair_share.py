"""Fair-share axioms of a policy: individual, unanimous, group, average, and core fair share."""

from __future__ import annotations

import numpy as np

from isegoria.analysis.attribution import attribute_valid_policy, neglected_in
from isegoria.analysis.axioms.verdict import Coalition, Verdict
from isegoria.analysis.core import core
from isegoria.analysis.scores import score
from isegoria.profiles import Profile
from isegoria.utils import tolerances
from isegoria.utils.arrays import to_dense
from isegoria.utils.formatting import join_names


def check_individual(instance: Profile, policy: np.ndarray) -> Verdict:
    """Decide whether each agent's favourites have at least 1/W (individual fair share)."""
    rows, _, member = _types(instance)
    shares = rows @ policy
    worst = int(shares.argmin())
    bound = float(shares[worst]) * instance.total_weight
    if bound >= 1 - tolerances.FAIRNESS_GAP:
        return Verdict(
            "ifs",
            True,
            "closed form",
            None,
            bound,
            1,
            f"Everyone's favourites have at least 1/{instance.total_weight}.",
        )
    agent = _first_agent(instance, member, worst)
    has, due = float(shares[worst]), 1 / instance.total_weight
    sentence = f"The favourites of {agent} have {has:.3f}, less than the {due:.3f} of one voice."
    return Verdict(
        "ifs",
        False,
        "closed form",
        Coalition((agent,), _arm_names(instance, rows[worst]), has, due),
        bound,
        1,
        sentence,
    )


def check_unanimous(instance: Profile, policy: np.ndarray) -> Verdict:
    """Decide whether agents with exactly the same favourites have their joint share there (unanimous fair share)."""
    rows, weights, member = _types(instance)
    shares = rows @ policy
    ratios = shares * instance.total_weight / weights
    worst = int(ratios.argmin())
    bound = float(ratios[worst])
    if bound >= 1 - tolerances.FAIRNESS_GAP:
        sentence = "All who want exactly the same arms have at least their part of the lottery there."
        return Verdict("ufs", True, "closed form", None, bound, 1, sentence)
    agents = _agents_of_type(instance, member, worst)
    has, due = float(shares[worst]), float(weights[worst]) / instance.total_weight
    arms = _arm_names(instance, rows[worst])
    sentence = (
        f"Of {join_names(agents)} all favourites are {join_names(arms)}, with {has:.3f}; the part due is {due:.3f}."
    )
    return Verdict("ufs", False, "closed form", Coalition(agents, arms, has, due), bound, 1, sentence)


def check_group(instance: Profile, policy: np.ndarray) -> Verdict:
    """Decide whether the favourites of every group have its share of the lottery (group fair share).

    This holds if and only if the policy splits into equal voices, each on the agent's own favourites.
    """
    bound = score(instance, policy).procedural
    if bound >= 1 - tolerances.FAIRNESS_GAP:
        sentence = "Every group has its part: the policy splits into equal voices, each on its own favourites."
        return Verdict("gfs", True, "certificate", None, bound, 1, sentence)
    found = neglected_in(attribute_valid_policy(instance, policy), policy)
    if found is None:
        return Verdict("gfs", None, "certificate", None, bound, 1, f"Undecided: its procedural score is {bound:.12g}.")
    sentence = (
        f"To {join_names(found.agents)} {found.deserves:.3f} is due, and all their favourites have "
        f"{found.receives:.3f}."
    )
    witness = Coalition(tuple(found.agents), tuple(found.arms), found.receives, found.deserves)
    return Verdict("gfs", False, "certificate", witness, bound, 1, sentence)


def check_average(instance: Profile, policy: np.ndarray) -> Verdict:
    """Decide whether the supporters of each arm have on average at least their share of the group (average fair share).

    For an arm and a number of supporters, the minimum average is that of the supporters with the smallest shares. So
    prefixes in that order decide, whole rows at a time: K·N of them instead of all 2^N coalitions.
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
    if bound >= 1 - tolerances.FAIRNESS_GAP:
        sentence = "Whoever shares a favourite has on average at least the part of the group that they are."
        return Verdict("afs", True, "closed form", None, bound, 1, sentence)
    kinds = [kind for kind in order[: place + 1].tolist() if rows[kind, arm]]
    agents = tuple(name for kind in sorted(kinds) for name in _agents_of_type(instance, member, kind))
    has, due = float(total[place, arm] / size[place, arm]), float(size[place, arm]) / instance.total_weight
    name = instance.arms[int(arm)]
    held = f"the favourites of {join_names(agents)} have {has:.3f} on average"
    sentence = f"Of those who want {name}, {held}; the part due is {due:.3f}."
    return Verdict("afs", False, "closed form", Coalition(agents, (name,), has, due), bound, 1, sentence)


def check_core(instance: Profile, policy: np.ndarray, time_limit: float = 10) -> Verdict:
    """Decide whether no group could do better for all its members with its share of the lottery (core fair share)."""
    found = core(instance, policy, "shares", time_limit)
    bound = 0.0 if found.bound is None else found.bound
    if found.stable is not False:
        return Verdict("cfs", found.stable, "certificate", None, bound, 1, found.proof)
    assert found.agents is not None
    assert found.gains is not None
    assert found.deviation is not None
    played = tuple(
        arm for arm, share in zip(instance.arms, found.deviation, strict=True) if share > tolerances.NEVER_CHOSEN
    )
    most = float(found.gains.max())
    sentence = (
        f"With the part that is due to {join_names(found.agents)}, {join_names(played)} could be played: +{most:.3f}."
    )
    return Verdict("cfs", False, "certificate", Coalition(tuple(found.agents), played, 0.0, most), most, 1, sentence)


def _types(instance: Profile) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distinct favourite sets (m, K), the number of agents with each, and the type of each table row."""
    rows, weights, member = instance.favourite_types
    return to_dense(rows), weights, member


def _arm_names(instance: Profile, row: np.ndarray) -> tuple[str, ...]:
    return tuple(instance.arms[arm] for arm in np.flatnonzero(row).tolist())


def _first_agent(instance: Profile, member: np.ndarray, kind: int) -> str:
    return instance.agents[int(np.argmax(member == kind))]


def _agents_of_type(instance: Profile, member: np.ndarray, kind: int) -> tuple[str, ...]:
    return tuple(instance.agents[agent] for agent in np.flatnonzero(member == kind).tolist())

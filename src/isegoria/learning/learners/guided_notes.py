"""What the guided learner tells its group: who is resolved, on what, and whose answers no longer fit."""

from __future__ import annotations

from isegoria.wording import listing, possessive

MANY = 5
"""Notes of one kind about more agents than this become one with a count."""


def resolutions(found: list[tuple[int, str, list[str]]], resolution: float) -> list[str]:
    """Notes on agents who are resolved: (round, agent, its candidates).

    >>> resolutions([(143, "Jun", ["curry"])], 0.05)
    ['Jun is resolved: curry (round 143).']
    >>> resolutions([(900, "Hana", ["pizza", "salad"])], 0.05)
    ['Hana is resolved: pizza and salad are within 0.05 of each other.']
    """
    if len(found) > MANY:
        return [f"{len(found)} agents are resolved (round {max(round_ for round_, *_ in found):,})."]
    return [
        f"{agent} is resolved: {arms[0]} (round {round_:,})."
        if len(arms) == 1
        else f"{agent} is resolved: {listing(arms, most=len(arms))} are within {resolution:g} of each other."
        for round_, agent, arms in found
    ]


def alarms(found: list[tuple[int, str, str]]) -> list[str]:
    """Notes on agents whose answers no longer fit: (round, agent, the arm that they do not fit).

    >>> alarms([(5248, "Ann", "noodles")])
    ["Ann's answers no longer fit noodles (round 5,248): Ann is in doubt again, at Ann's own cost."]
    """
    if len(found) > MANY:
        last = max(round_ for round_, *_ in found)
        return [
            f"the answers of {len(found)} agents no longer fit their favourites (round {last:,}): they are in doubt "
            "again, at their own cost."
        ]
    return [
        f"{possessive(agent)} answers no longer fit {arm} (round {round_:,}): {agent} is in doubt again, at "
        f"{possessive(agent)} own cost."
        for round_, agent, arm in found
    ]


def everyone(round_: int) -> str:
    """The note that nobody is in doubt any more.

    >>> everyone(1402)
    'Everyone is resolved (round 1,402).'
    """
    return f"Everyone is resolved (round {round_:,})."

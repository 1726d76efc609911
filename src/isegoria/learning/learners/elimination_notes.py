"""The notes of the elimination learner to its group: who is resolved, on what, and whose feedback no longer fits."""

from __future__ import annotations

from isegoria.utils.formatting import join_names, possessive

MAX_SEPARATE_NOTES = 5
"""Notes of one kind about more agents than this become one with a count."""


def format_resolved_agents(found: list[tuple[int, str, list[str]]], resolution: float) -> list[str]:
    """Format notes on resolved agents, each given as (round, agent, its candidates).

    >>> format_resolved_agents([(143, "Jun", ["curry"])], 0.05)
    ['Jun is resolved: curry (round 143).']
    >>> format_resolved_agents([(900, "Hana", ["pizza", "salad"])], 0.05)
    ['Hana is resolved: pizza and salad are within 0.05 of each other.']
    """
    if len(found) > MAX_SEPARATE_NOTES:
        return [f"{len(found)} agents are resolved (round {max(round_ for round_, *_ in found):,})."]
    return [
        f"{agent} is resolved: {arms[0]} (round {round_:,})."
        if len(arms) == 1
        else f"{agent} is resolved: {join_names(arms, most=len(arms))} are within {resolution:g} of each other."
        for round_, agent, arms in found
    ]


def format_alarms(found: list[tuple[int, str, str]]) -> list[str]:
    """Format notes on agents whose feedback no longer fits, each given as (round, agent, the arm it does not fit).

    >>> format_alarms([(5248, "Ann", "noodles")])
    ["Ann's answers no longer fit noodles (round 5,248): Ann is in doubt again, at Ann's own cost."]
    """
    if len(found) > MAX_SEPARATE_NOTES:
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


def format_completion(round_: int) -> str:
    """Format the note that no agent is in doubt any more.

    >>> format_completion(1402)
    'Everyone is resolved (round 1,402).'
    """
    return f"Everyone is resolved (round {round_:,})."

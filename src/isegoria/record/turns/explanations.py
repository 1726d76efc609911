"""Describe turns in sentences: who is owed what, who waits, and why an option was played."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from isegoria.record.turns.perpetual import RoundProposal, Turn
from isegoria.utils.formatting import pluralise

HALF_DECISION = Fraction(1, 2)


def format_decisions(owed: Fraction) -> str:
    """Format decisions to one decimal, half away from zero; "nothing" for what rounds to 0.

    >>> format_decisions(Fraction(5, 4)), format_decisions(Fraction(-1, 30)), format_decisions(Fraction(-1, 4))
    ('1.3', 'nothing', '-0.3')
    """
    exact = Decimal(owed.numerator) / Decimal(owed.denominator)
    text = str(exact.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))
    return "nothing" if text in ("0.0", "-0.0") else text


def describe_standing(name: str, owed: Fraction, waited: int) -> str:
    """Describe what one member is owed, and for how long they have waited.

    >>> describe_standing("Ann", Fraction(13, 10), 4)
    'Ann has waited 4 rounds and is owed 1.3 of a decision.'
    >>> describe_standing("Ben", Fraction(-2, 5), 0)
    'Ben has had 0.4 of a decision more than a fair share.'
    """
    said = format_decisions(owed)
    if said.startswith("-"):
        return f"{name} has had {said[1:]} of a decision more than a fair share."
    part = "is owed nothing" if said == "nothing" else f"is owed {said} of a decision"
    return f"{name} has waited {pluralise(waited, 'round')} and {part}." if waited else f"{name} {part}."


def describe_standings(owed: Mapping[str, Fraction], waited: Mapping[str, int]) -> list[str]:
    """Describe up to five members who are owed half a decision or more, largest first; or say that there are none."""
    high = sorted((name for name in owed if owed[name] >= HALF_DECISION), key=lambda name: (-owed[name], name))
    if not high:
        return ["Nobody is owed more than half a decision."] if owed else []
    return [describe_standing(name, owed[name], waited[name]) for name in high[:5]]


def describe_absent(proposal: RoundProposal, known: Collection[str]) -> list[str]:
    """Name the members who did not participate in this round, for whom nothing changes."""
    asked = set(proposal.credit)
    quiet = [name for name in dict.fromkeys([*known, *proposal.members]) if name not in asked]
    if len(quiet) > 3:
        return [f"{len(quiet)} members did not ask in this round; nothing changed for them."]
    return [f"{name} did not ask in this round; nothing changed for them." for name in quiet]


def explain_choice(proposal: RoundProposal, turn: Turn, single_use: bool = False) -> str:
    """Explain why this option was played: by its score, or by the lottery, with its odds only where they hold."""
    place = proposal.options.index(turn.option)
    if proposal.scores is None:
        if single_use:
            return f"{turn.option} was drawn; its odds depended on what was drawn before, as options are used up."
        return f"Before anything was drawn, {turn.option} had {float(proposal.policy[place]):.3f} in this round."
    others = [
        (score, name) for score, name in zip(proposal.scores, proposal.options, strict=True) if name != turn.option
    ]
    if len(proposal.tied) > 1:
        score = format_decisions(proposal.scores[place])
        return f"{', '.join(proposal.tied)} have the same score, {score} of a decision; the tie was drawn."
    if not others:
        return "It was the only option."
    second, name = max(others)
    most = format_decisions(proposal.scores[place])
    return (
        f"Played because its supporters have most on their side: {most} of a decision, {name}'s "
        f"{format_decisions(second)}."
    )

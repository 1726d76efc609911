"""Turns in words: who is owed what, who waits, and why an option was played."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from isegoria.record.turns.turns import RoundProposal, Turn
from isegoria.wording import counted

HALF = Fraction(1, 2)


def amount(owed: Fraction) -> str:
    """Decisions to one decimal, half away from zero; "nothing" for what rounds to 0.

    >>> amount(Fraction(5, 4)), amount(Fraction(-1, 30)), amount(Fraction(-1, 4))
    ('1.3', 'nothing', '-0.3')
    """
    exact = Decimal(owed.numerator) / Decimal(owed.denominator)
    text = str(exact.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))
    return "nothing" if text in ("0.0", "-0.0") else text


def standing(name: str, owed: Fraction, waited: int) -> str:
    """Where one member stands.

    >>> standing("Ann", Fraction(13, 10), 4)
    'Ann has waited 4 rounds and is owed 1.3 of a decision.'
    >>> standing("Ben", Fraction(-2, 5), 0)
    'Ben has had 0.4 of a decision more than a fair share.'
    """
    said = amount(owed)
    if said.startswith("-"):
        return f"{name} has had {said[1:]} of a decision more than a fair share."
    part = "is owed nothing" if said == "nothing" else f"is owed {said} of a decision"
    return f"{name} has waited {counted(waited, 'round')} and {part}." if waited else f"{name} {part}."


def standings(owed: Mapping[str, Fraction], waited: Mapping[str, int]) -> list[str]:
    """Whoever is owed half a decision or more, most first; or that there is nobody."""
    high = sorted((name for name in owed if owed[name] >= HALF), key=lambda name: (-owed[name], name))
    if not high:
        return ["Nobody is owed more than half a decision."] if owed else []
    return [standing(name, owed[name], waited[name]) for name in high[:5]]


def silent(proposal: RoundProposal, known: Collection[str]) -> list[str]:
    """The members of the group who did not ask in this round, for whom nothing changes."""
    asked = set(proposal.credit)
    quiet = [name for name in dict.fromkeys([*known, *proposal.members]) if name not in asked]
    if len(quiet) > 3:
        return [f"{len(quiet)} members did not ask in this round; nothing changed for them."]
    return [f"{name} did not ask in this round; nothing changed for them." for name in quiet]


def reason(proposal: RoundProposal, turn: Turn, used_up: bool = False) -> str:
    """Why this option: by its score, or by the lottery, whose odds are said only where they hold."""
    place = proposal.options.index(turn.option)
    if proposal.scores is None:
        if used_up:
            return f"{turn.option} was drawn; its odds depended on what was drawn before, as options are used up."
        return f"Before anything was drawn, {turn.option} had {float(proposal.policy[place]):.3f} in this round."
    others = [
        (score, name) for score, name in zip(proposal.scores, proposal.options, strict=True) if name != turn.option
    ]
    if len(proposal.tied) > 1:
        score = amount(proposal.scores[place])
        return f"{', '.join(proposal.tied)} have the same score, {score} of a decision; the tie was drawn."
    if not others:
        return "It was the only option."
    second, name = max(others)
    most = amount(proposal.scores[place])
    return f"Played because its supporters have most on their side: {most} of a decision, {name}'s {amount(second)}."

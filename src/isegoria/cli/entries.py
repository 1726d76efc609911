"""What `compare` and `solve` both print: policies as CSV rows and as cells of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from isegoria import tolerances
from isegoria.cli.render import chance, short
from isegoria.wording import SCORES, counted, rounded

if TYPE_CHECKING:
    from isegoria.instance import Instance

MOST_COLUMNS = 6  # with more arms than this, a policy is written as text: a terminal has 80 columns


def records(
    rows: Sequence[dict[str, Any]], arms: Sequence[str], kept: Mapping[str, Mapping[str, bool | None]] | None = None
) -> list[list[Any]]:
    """The lines of the CSV, header first: a row's values at full precision, then each arm's probability.

    `kept` has, by the id of each row, more columns to stand before the arms.
    """
    kept = kept or {}
    axioms = list(next(iter(kept.values()), {}))
    keys = ["objective", "label", *SCORES, "value", "gap", "tie_break", "efficient"]
    more = list(SCORES) if rows and "relative" in rows[0] else []
    lines = [
        [
            *(row[key] for key in keys),
            " ".join(row["score_dominated_by"]),
            *(row["relative"][key] for key in more),
            *(kept[row["objective"]][axiom] for axiom in axioms),
            *row["policy"],
        ]
        for row in rows
    ]
    return [[*keys, "score_dominated_by", *(f"{key}_relative" for key in more), *axioms, *arms], *lines]


def policy_columns(arms: Sequence[str]) -> list[str]:
    """The headings under which a table shows a policy: one for each arm, or one for all when they are many."""
    return [short(arm, 14) for arm in arms] if len(arms) <= MOST_COLUMNS else ["likeliest arms"]


def policy_cells(policy: Sequence[float], arms: Sequence[str]) -> list[str]:
    """A policy under those headings; an arm that is never chosen shows a dot."""
    if len(arms) <= MOST_COLUMNS:
        return list(map(chance, policy))
    played = sorted((-p, k) for k, p in enumerate(policy) if p >= tolerances.NEVER)
    named = ", ".join(f"{short(arms[k], 9)} {rounded(-p)}" for p, k in played[:2])
    return [named + (f" +{len(played) - 2}" if len(played) > 2 else "")]


def size(instance: Instance) -> str:
    """How many agents and arms, for the first line of a table."""
    return f"{counted(instance.total_weight, 'agent')}, {counted(len(instance.arms), 'arm')}"

"""Output that `compare` and `solve` share: policies as CSV rows and as table cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from isegoria.cli.render import format_probability, truncate_name
from isegoria.utils import tolerances
from isegoria.utils.formatting import SCORE_LABELS, format_number, pluralise

if TYPE_CHECKING:
    from isegoria.profiles import Profile

MAX_ARM_COLUMNS = 6  # with more arms than this, a policy is written as text: a terminal has 80 columns


def to_csv_rows(
    rows: Sequence[dict[str, Any]], arms: Sequence[str], kept: Mapping[str, Mapping[str, bool | None]] | None = None
) -> list[list[Any]]:
    """Return the rows of the CSV, header first: values at full precision, then the probability of each arm.

    `kept` maps the id of each row to additional columns before the arms.
    """
    kept = kept or {}
    axioms = list(next(iter(kept.values()), {}))
    keys = ["rule", "label", *SCORE_LABELS, "value", "gap", "tie_break", "efficient"]
    more = list(SCORE_LABELS) if rows and "relative" in rows[0] else []
    lines = [
        [
            *(row[key] for key in keys),
            " ".join(row["score_dominated_by"]),
            *(row["relative"][key] for key in more),
            *(kept[row["rule"]][axiom] for axiom in axioms),
            *row["policy"],
        ]
        for row in rows
    ]
    return [[*keys, "score_dominated_by", *(f"{key}_relative" for key in more), *axioms, *arms], *lines]


def policy_headers(arms: Sequence[str]) -> list[str]:
    """Return the table headings of a policy: one for each arm, or a single one if there are many arms."""
    return [truncate_name(arm, 14) for arm in arms] if len(arms) <= MAX_ARM_COLUMNS else ["likeliest arms"]


def format_policy(policy: Sequence[float], arms: Sequence[str]) -> list[str]:
    """Format a policy for those headings; an arm that is never chosen shows a dot."""
    if len(arms) <= MAX_ARM_COLUMNS:
        return list(map(format_probability, policy))
    played = sorted((-p, k) for k, p in enumerate(policy) if p >= tolerances.NEVER_CHOSEN)
    named = ", ".join(f"{truncate_name(arms[k], 9)} {format_number(-p)}" for p, k in played[:2])
    return [named + (f" +{len(played) - 2}" if len(played) > 2 else "")]


def format_size(instance: Profile) -> str:
    """Format the numbers of agents and arms, for the first line of a table."""
    return f"{pluralise(instance.total_weight, 'agent')}, {pluralise(len(instance.arms), 'arm')}"

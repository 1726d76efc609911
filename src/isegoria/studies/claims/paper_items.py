"""The ledger of the paper: every item that can be checked, with its code, its test, a planted fault and its verdict.

`studies/paper_items.toml` is the list. The page `docs/reference/paper.md`, the claims section of the report
and the faults that `make mutants` plants are made from it.
"""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from isegoria.studies.claims.verdicts import (
    VERDICT_HOLDS,
    NumberRequirement,
    PaperItem,
    PlantedFault,
    VerdictCase,
)

LEDGER_FILE = "paper_items.toml"
ROUNDING_TOLERANCE = 1e-9
"""A number that is asked to equal a value may be this far from it."""
REQUIREMENT_PATTERN = re.compile(r"(?P<words>.+): (?P<number>\S+) (?P<sign>>=|<=|=) (?P<bound>[^=<>]+)")


def parse_requirement(text: str) -> NumberRequirement:
    """Parse a requirement on one number, such as "least score: theorem1.least >= 1 - 1e-9".

    >>> print(parse_requirement("score: x = 5/6"), "|", parse_requirement("score: x >= 1 - 1e-9"))
    score = 0.833333 | score ≥ 1 − 1e-09
    """
    match = REQUIREMENT_PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} in {LEDGER_FILE} is no requirement; write 'words: number >= bound'.")
    first, *less = match["bound"].split(" - ")
    bound = float(Fraction(first) - sum(map(Fraction, less)))
    if match["sign"] == "=":
        return NumberRequirement(
            match["words"], match["number"], bound - ROUNDING_TOLERANCE, bound + ROUNDING_TOLERANCE
        )
    end = "least" if match["sign"] == ">=" else "most"
    return NumberRequirement(match["words"], match["number"], **{end: bound})


def _parse_case(data: dict[str, Any]) -> VerdictCase:
    asked = tuple(map(parse_requirement, data["asked"]))
    return VerdictCase(data.get("verdict", VERDICT_HOLDS), asked, data.get("words", ""))


def _parse_item(data: dict[str, Any]) -> PaperItem:
    fault = data.get("fault", "")
    return PaperItem(
        **{name: data[name] for name in ("id", "place", "says", "measured", "code", "test")},
        cases=(_parse_case(data), *map(_parse_case, data.get("else", ()))),
        fault=PlantedFault(**fault) if isinstance(fault, dict) else fault,
        otherwise=data.get("otherwise", ""),
        files=tuple(data.get("files", ("numbers.csv",))),
        example=data.get("example", ""),
    )


@cache
def load_paper_items() -> dict[str, PaperItem]:
    """Load the items by id, in the order of the paper.

    >>> load_paper_items()["definition-9"].place
    'Definition 9'
    """
    text = files("isegoria.studies").joinpath(LEDGER_FILE).read_text(encoding="utf-8")
    items = [_parse_item(data) for data in tomllib.loads(text)["item"]]
    return {item.id: item for item in items}

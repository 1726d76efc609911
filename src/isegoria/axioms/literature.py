"""The table of rules and axioms: for each cell a theorem, a proof, a counterexample, or how far it was searched."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pkgutil import get_data
from typing import Any, Literal

from isegoria.instance import Instance

SEARCHED, SAMPLED = (6, 4), (10, 6)
"""Agents and arms: `make stress` looks at every group up to the first size, and at random ones up to the second."""


@dataclass(frozen=True)
class AxiomCell:
    """One cell: does the rule meet the axiom, in decision shares, for every group?

    - `kind`: "theorem" (with `cite`), "proof" (with the sentence `detail`), "counterexample" (with the `group`, one
      text of letters for each agent, its number of `arms` where some have no friend, and its `number` in the page's
      list) or "open" (no counterexample as far as `SEARCHED` and `SAMPLED`).
    - `cite` names a source that says the same; `read` is what of it could be read, "abstract" where only that.
      `least`: whether no smaller group (by agents times arms) shows the same.
    """

    rule: str
    axiom: str
    verdict: Literal["holds", "fails", "open"]
    kind: Literal["theorem", "proof", "counterexample", "open"]
    cite: str = ""
    detail: str = ""
    group: tuple[str, ...] = ()
    number: int = 0
    least: bool = True
    read: str = ""
    arms: int = 0

    @property
    def instance(self) -> Instance:
        """The group of a counterexample; its agents are named by what they want: ab, and ab (2) for the second one."""
        seen = Counter[str]()
        names = []
        for wants in self.group:
            seen[wants] += 1
            names.append(wants if seen[wants] == 1 else f"{wants} ({seen[wants]})")
        group = Instance.from_approvals(list(self.group), arms=list("abcdefgh"[: self.arms]) or None)
        return Instance(group.means, agents=names, arms=group.arms)


@cache
def literature() -> tuple[AxiomCell, ...]:
    """Every cell, row by row.

    >>> {cell.verdict for cell in literature() if cell.rule == "procedural" and cell.axiom == "cfs"}
    {'holds'}
    """
    data: dict[str, Any] = json.loads(get_data("isegoria.axioms", "literature.json") or "{}")
    return tuple(AxiomCell(**{name: _plain(value) for name, value in cell.items()}) for cell in data["cells"])


SAME = {"nash": "procedural", "maximal-lottery": "utilitarian"}
"""Rules that are another one on tables of 0 and 1."""


def known_to_fail(axiom: str) -> set[str]:
    """The rules that fail an axiom on some group.

    >>> sorted(known_to_fail("ifs"))
    ['inequality', 'maximal-lottery', 'uniform', 'utilitarian']
    """
    found = {cell.rule for cell in literature() if cell.axiom == axiom and cell.verdict == "fails"}
    return found | {rule for rule, same in SAME.items() if same in found}


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def page() -> str:
    """The table as a page of the reference, with every counterexample."""
    from isegoria.axioms.registry import AXIOMS
    from isegoria.axioms.violations import count_groups
    from isegoria.rules.registry import RULES

    cells = literature()
    axioms = list(dict.fromkeys(cell.axiom for cell in cells))
    by = {(cell.rule, cell.axiom): cell for cell in cells}
    preface = _PREFACE.format(SEARCHED, SAMPLED, count_groups(*SEARCHED))
    lines = ["# Rules and axioms", "", preface, "", f"| | {' | '.join(AXIOMS[id].label for id in axioms)} |"]
    lines.append("|" + "---|" * (len(axioms) + 1))
    for rule in dict.fromkeys(cell.rule for cell in cells):
        lines.append(f"| `{rule}` ({RULES[rule].label}) | " + " | ".join(_mark(by[rule, id]) for id in axioms) + " |")
    lines += ["", "## What the axioms ask", ""]
    lines += [f"- **{AXIOMS[id].label}** (`{id}`): {AXIOMS[id].summary} ({AXIOMS[id].citation})." for id in axioms]
    lines += ["", "## Counterexamples", "", _EXAMPLES, "", *_examples(cells)]
    lines += ["", "## Proofs and theorems", "", _SOURCES, "", *_proofs(cells)]
    return "\n".join(lines) + "\n"


def _examples(cells: Sequence[AxiomCell]) -> Iterator[str]:
    """The groups by number, and below each what it does to every rule that it speaks against."""
    from isegoria.axioms.checking import check_rule
    from isegoria.axioms.registry import AXIOMS
    from isegoria.rules.registry import RULES

    by_number = sorted((cell for cell in cells if cell.number), key=lambda cell: cell.number)
    for number, same in groupby(by_number, key=lambda cell: cell.number):
        speaking = list(same)
        least = "" if speaking[0].least else " (not the least)"
        more = f" of {speaking[0].arms} arms" if speaking[0].arms else ""
        yield f"- **{number}** {{{', '.join(speaking[0].group)}}}{more}{least}"
        for cell in speaking:
            said = check_rule(cell.instance, cell.rule, cell.axiom, search=True).sentence
            yield f"    - {RULES[cell.rule].label}, {AXIOMS[cell.axiom].label}: {said}{_source(cell)}"


def _source(cell: AxiomCell) -> str:
    """What a source says of a cell that has no proof of its own to stand behind."""
    if not cell.cite:
        return ""
    where = f"({cell.cite}{', from the abstract' if cell.read == 'abstract' else ''})"
    return f" {cell.detail} {where}" if cell.detail and cell.kind != "proof" else f" {where}"


def _proofs(cells: Sequence[AxiomCell]) -> Iterator[str]:
    """Proofs and theorems, those that are the same for several cells once."""
    from isegoria.axioms.registry import AXIOMS
    from isegoria.rules.registry import RULES

    told: dict[tuple[str, str], dict[str, list[str]]] = {}
    for cell in cells:
        if cell.kind != "counterexample":
            said = (
                cell.detail
                if cell.kind == "proof"
                else _OPEN.format(SEARCHED, SAMPLED)
                if cell.kind == "open"
                else "A theorem."
            )
            source = _source(cell) if cell.kind != "theorem" else f" ({cell.cite}, from the {cell.read})"
            axioms = told.setdefault((said, source), {}).setdefault(RULES[cell.rule].label, [])
            axioms.append(AXIOMS[cell.axiom].label)
    for (said, source), rules in told.items():
        same = len({tuple(axioms) for axioms in rules.values()}) == 1
        whose = [(", ".join(rules), next(iter(rules.values())))] if same else list(rules.items())
        about = "; ".join(f"{rule}: {', '.join(axioms)}" for rule, axioms in whose)
        yield f"- **{about}**: {said}{source}"


def _mark(cell: AxiomCell) -> str:
    if cell.kind == "counterexample":
        return f"✗{cell.number}"
    return {"theorem": "✓ᵗ", "proof": "✓", "open": "○"}[cell.kind]


_PREFACE = """\
Which rule meets which axiom, in decision shares, for every group. Rules that read ratings are meant on tables of 0 and
1, where `nash` is `procedural` and `maximal-lottery` is `utilitarian`. ✓: proved below; ✗n: counterexample n; ○: open.
`make stress` looks at all {2:,} groups of at most {0[0]} agents and {0[1]} arms (up to names), and for some seconds at
random ones of up to {1[0]} agents and {1[1]} arms: none was found that contradicts a ✓ or closes an ○.

No rule is strategyproof, efficient and gives everyone something (Brandl, Brandt, Peters and Stricker 2021, from the
abstract). Where the sources of `maximum-payment` and `sequential-utilitarian` leave ties open, the even split is ours.
On graded tables the theorems on shares do not carry over to utilities.

`isegoria axioms FILE` and `isegoria honesty FILE` decide the same for one group; `iso.find_violation(rule, axiom)`
looks for a counterexample of one's own."""
_OPEN = (
    "Open: none found among all groups of at most {0[0]} agents and {0[1]} arms, nor among random ones of up to {1[0]} "
    "agents and {1[1]} arms."
)
_SOURCES = """\
A source in brackets says the same. Of those marked "from the abstract" no more could be read than that, so the number
of the theorem is missing; what is proved here does not rest on them."""
_EXAMPLES = """\
Each group is a list of agents, each with the letters of the arms it approves: {a, ab, bc} is three agents. They are the
least by agents times arms unless said, and the tests run every one again."""

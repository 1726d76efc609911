"""The table of rules and axioms: for each cell a theorem, a proof, a counterexample, or how far it was searched."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from isegoria.instance import Instance


@dataclass(frozen=True)
class Cell:
    """One cell: does the rule meet the axiom, in decision shares, for every group?

    - `kind`: "theorem" (with `cite`), "proof" (with the sentence `detail`), "counterexample" (with the `group`, one
      text of letters for each agent, and its `number` in the page's list) or "open" (with how far it was `searched`).
    - `read`: what of the source could be read, "abstract" where it was only that. `least`: whether no smaller group
      (by agents times arms) shows the same.
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
    searched: tuple[int, int] = (4, 3)

    @property
    def instance(self) -> Instance:
        """The group of a counterexample."""
        return Instance.from_approvals(list(self.group))


@cache
def literature() -> tuple[Cell, ...]:
    """Every cell, row by row.

    >>> {cell.verdict for cell in literature() if cell.rule == "procedural" and cell.axiom == "cfs"}
    {'holds'}
    """
    data: dict[str, Any] = json.loads(files("isegoria.axioms").joinpath("literature.json").read_text("utf-8"))
    return tuple(Cell(**{name: _plain(value) for name, value in cell.items()}) for cell in data["cells"])


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def page() -> str:
    """The table as a page of the reference, with every counterexample."""
    from isegoria.axioms.registry import AXIOMS
    from isegoria.rules.registry import RULES

    cells = literature()
    axioms = list(dict.fromkeys(cell.axiom for cell in cells))
    by = {(cell.rule, cell.axiom): cell for cell in cells}
    lines = ["# Rules and axioms", "", _PREFACE, "", f"| | {' | '.join(AXIOMS[id].label for id in axioms)} |"]
    lines.append("|" + "---|" * (len(axioms) + 1))
    for rule in dict.fromkeys(cell.rule for cell in cells):
        lines.append(f"| `{rule}` ({RULES[rule].label}) | " + " | ".join(_mark(by[rule, id]) for id in axioms) + " |")
    lines += ["", "## What the axioms ask", ""]
    lines += [f"- **{AXIOMS[id].label}** (`{id}`): {AXIOMS[id].summary} ({AXIOMS[id].citation})." for id in axioms]
    lines += ["", "## Counterexamples", "", _EXAMPLES, ""]
    shown = {cell.number: cell for cell in sorted(cells, key=lambda cell: cell.number) if cell.number}
    lines += [
        f"- **{n}** {{{', '.join(cell.group)}}}{'' if cell.least else ' (not the least)'}" for n, cell in shown.items()
    ]
    lines += ["", "## Proofs and theorems", ""]
    for cell in cells:
        if cell.kind in ("proof", "theorem") and (cell.detail or cell.cite) and "follows from" not in cell.detail:
            where = f" ({cell.cite}{', from the abstract' if cell.read == 'abstract' else ''})" if cell.cite else ""
            lines.append(
                f"- `{cell.rule}`, {AXIOMS[cell.axiom].label}: {cell.detail or 'a theorem'}{where}.".replace("..", ".")
            )
    return "\n".join(lines) + "\n"


def _mark(cell: Cell) -> str:
    if cell.kind == "counterexample":
        return f"✗{cell.number}"
    return {"theorem": "✓ᵗ", "proof": "✓ᵗ" if cell.cite and not cell.detail else "✓ᵖ", "open": "○"}[cell.kind]


_PREFACE = """\
Which rule meets which axiom, in decision shares, for every group; utilitarian and leximin on tables of 0 and 1, where
nash is procedural and maximal lotteries are utilitarian. ✓ᵖ: proved below; ✓ᵗ: a theorem of the literature; ✗n:
counterexample n; ○: none found among all groups of at most six agents and four arms up to renaming, nor among some
hundred larger random ones. No rule is strategyproof, efficient and gives everyone something (Brandl, Brandt, Peters and
Stricker 2021). Where the sources of `maximum-payment` and `sequential-utilitarian` leave ties open, the even split is
ours. On graded tables the theorems on shares do not carry over to utilities.

`isegoria axioms FILE` and `isegoria honesty FILE` decide the same for one group; `iso.find_violation(rule, axiom)`
looks for a counterexample of one's own."""
_EXAMPLES = """\
Each group is a list of agents, each with the letters of the arms it approves: {a, ab, bc} is three agents. They are the
least by agents times arms unless said, and the tests run every one again."""

"""The table of rules and axioms: each cell has a theorem, a proof, a counterexample, or how far the search went."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pkgutil import get_data
from typing import Any, Literal

from isegoria.profiles import Instance

EXHAUSTIVE_SIZE, SAMPLED_SIZE = (6, 4), (12, 8)
"""Agents and arms: `make stress` checks every group up to the first size and random groups up to the second."""


@dataclass(frozen=True)
class KnownResult:
    """One cell: whether the rule meets the axiom, in decision shares, for every group.

    - `kind`: "theorem" (with `cite`), "proof" (with the sentence `detail`), "counterexample" or "open" (no
      counterexample within `EXHAUSTIVE_SIZE` and `SAMPLED_SIZE`).
    - A counterexample has the `group` (one string of letters per agent), its number of `arms` where some have no
      supporter, and its `number` in the list on the page.
    - `cite`: a source that says the same. `read`: what could be read of it; "abstract" if only that.
    - `least`: whether no smaller group (by agents times arms) is a counterexample.
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
        """The group of a counterexample; agents are named by the arms they want: ab, then ab (2) for the second one."""
        seen = Counter[str]()
        names = []
        for wants in self.group:
            seen[wants] += 1
            names.append(wants if seen[wants] == 1 else f"{wants} ({seen[wants]})")
        group = Instance.from_approvals(list(self.group), arms=list("abcdefgh"[: self.arms]) or None)
        return Instance(group.means, agents=names, arms=group.arms)


@cache
def load_known_results() -> tuple[KnownResult, ...]:
    """Load every cell, row by row.

    >>> {cell.verdict for cell in load_known_results() if cell.rule == "procedural" and cell.axiom == "cfs"}
    {'holds'}
    """
    data: dict[str, Any] = json.loads(get_data("isegoria.analysis.axioms", "known_results.json") or "{}")
    return tuple(
        KnownResult(**{name: _lists_to_tuples(value) for name, value in cell.items()}) for cell in data["cells"]
    )


EQUAL_ON_APPROVALS = {"nash": "procedural", "maximal-lottery": "utilitarian"}
"""Rules that coincide with another rule on tables of 0 and 1."""

GRADED_COUNTEREXAMPLES: dict[str, tuple[list[list[float]], str]] = {
    "ifs ufs gfs": ([[1, 0.6, 0], [0, 0.6, 1]], "The second arm is approved by both and has 1, the favourites 0."),
    "strategyproof": (
        [[1, 0.6, 0], [0, 0.6, 1]],
        "The first agent has utility 0.6. By rating the second arm 0 it opposes it, and has 0.65.",
    ),
    "ex-post": (
        [[1, 1, 0], [0, 0.1, 1], [0, 0, 1]],
        "The second arm is as good as the first for all and better for one. Yet both have 1/6.",
    ),
    "participation strict-participation": (
        [[0, 1], [1, 0.2], [1, 0], [0.4, 1]],
        "The last agent has utility 0.55 by taking part and 0.6 without: its share goes to the first arm.",
    ),
}
"""Axioms that MaxParC fails on ratings between 0 and 1 only: the rows of a group, and what happens there."""


def rules_failing(axiom: str) -> set[str]:
    """Return the rules that fail an axiom on some group.

    >>> sorted(rules_failing("ifs"))
    ['inequality', 'maximal-lottery', 'maximum-partial-consensus', 'uniform', 'utilitarian']
    """
    found = {cell.rule for cell in load_known_results() if cell.axiom == axiom and cell.verdict == "fails"}
    graded = {"maximum-partial-consensus"} if any(axiom in names.split() for names in GRADED_COUNTEREXAMPLES) else set()
    return found | graded | {rule for rule, same in EQUAL_ON_APPROVALS.items() if same in found}


def _lists_to_tuples(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def render_page() -> str:
    """Return the reference page with the table and every counterexample, as Markdown."""
    from isegoria.analysis.axioms.counterexamples import count_small_profiles
    from isegoria.analysis.axioms.registry import AXIOMS
    from isegoria.rules.registry import RULES

    cells = load_known_results()
    axioms = list(dict.fromkeys(cell.axiom for cell in cells))
    by = {(cell.rule, cell.axiom): cell for cell in cells}
    preface = _PREFACE.format(EXHAUSTIVE_SIZE, SAMPLED_SIZE, count_small_profiles(*EXHAUSTIVE_SIZE))
    lines = ["# Rules and axioms", "", preface, "", f"| | {' | '.join(AXIOMS[id].label for id in axioms)} |"]
    lines.append("|" + "---|" * (len(axioms) + 1))
    for rule in dict.fromkeys(cell.rule for cell in cells):
        lines.append(f"| `{rule}` ({RULES[rule].label}) | " + " | ".join(_mark(by[rule, id]) for id in axioms) + " |")
    lines += ["", "## What the axioms ask", ""]
    lines += [f"- **{AXIOMS[id].label}** (`{id}`): {AXIOMS[id].summary} ({AXIOMS[id].citation})." for id in axioms]
    lines += ["", "## Counterexamples", "", _EXAMPLES, "", *_render_counterexamples(cells)]
    lines += ["", "## Proofs and theorems", "", _SOURCES, "", *_render_proofs(cells)]
    lines += ["", "## Ratings as conditional approvals", "", _GRADED, "", "| fails | ratings | why |", "|---|---|---|"]
    for names, (rows, said) in GRADED_COUNTEREXAMPLES.items():
        labels = ", ".join(AXIOMS[id].label for id in names.split())
        lines.append(f"| {labels} | {', '.join(map(str, rows))} | {said} |")
    return "\n".join(lines) + "\n"


def _render_counterexamples(cells: Sequence[KnownResult]) -> Iterator[str]:
    """Yield the rows of a table: each group, and its effect on every rule for which it is a counterexample."""
    from isegoria.analysis.axioms.checking import check
    from isegoria.analysis.axioms.registry import AXIOMS
    from isegoria.rules.registry import RULES

    yield from ("| group | rule | axiom | effect |", "|---|---|---|---|")
    by_number = sorted((cell for cell in cells if cell.number), key=lambda cell: cell.number)
    for number, same in groupby(by_number, key=lambda cell: cell.number):
        speaking = list(same)
        least = "" if speaking[0].least else " (larger than necessary)"
        more = f" of {speaking[0].arms} arms" if speaking[0].arms else ""
        group = f"**{number}** {{{', '.join(speaking[0].group)}}}{more}{least}"
        for cell in speaking:
            said = check(cell.instance, RULES[cell.rule], cell.axiom, search=True, time_limit=3600).sentence
            labels = f"{RULES[cell.rule].label} | {AXIOMS[cell.axiom].label}"
            yield f"| {group} | {labels} | {said}{_render_source(cell)} |"
            group = ""


def _render_source(cell: KnownResult) -> str:
    """Format the source of a cell, with its `detail` where the cell is not a proof."""
    if not cell.cite:
        return ""
    where = f"({cell.cite}{', from the abstract' if cell.read == 'abstract' else ''})"
    return f" {cell.detail} {where}" if cell.detail and cell.kind != "proof" else f" {where}"


def _render_proofs(cells: Sequence[KnownResult]) -> Iterator[str]:
    """Yield the proofs and theorems; list one that several cells share only once."""
    from isegoria.analysis.axioms.registry import AXIOMS
    from isegoria.rules.registry import RULES

    told: dict[tuple[str, str], dict[str, list[str]]] = {}
    for cell in cells:
        if cell.kind != "counterexample":
            said = (
                cell.detail
                if cell.kind == "proof"
                else _OPEN.format(EXHAUSTIVE_SIZE, SAMPLED_SIZE)
                if cell.kind == "open"
                else "A theorem."
            )
            source = _render_source(cell) if cell.kind != "theorem" else f" ({cell.cite}, from the {cell.read})"
            axioms = told.setdefault((said, source), {}).setdefault(RULES[cell.rule].label, [])
            axioms.append(AXIOMS[cell.axiom].label)
    for (said, source), rules in told.items():
        same = len({tuple(axioms) for axioms in rules.values()}) == 1
        whose = [(", ".join(rules), next(iter(rules.values())))] if same else list(rules.items())
        about = "; ".join(f"{rule}: {', '.join(axioms)}" for rule, axioms in whose)
        yield f"- **{about}**: {said}{source}"


def _mark(cell: KnownResult) -> str:
    if cell.kind == "counterexample":
        return f"✗{cell.number}"
    return {"theorem": "✓ᵗ", "proof": "✓", "open": "○"}[cell.kind]


_PREFACE = """\
This page is for researchers in social choice. It lists which rule meets which axiom, in decision shares, for every
group. Rules that read ratings are meant on tables of 0 and 1, where `nash` is `procedural` and `maximal-lottery` is
`utilitarian`. ✓: proved below; ✗n: counterexample n; ○: open.
`make stress` checks all {2:,} groups of at most {0[0]} by {0[1]} agents and arms, up to names. It also checks larger
random groups for some seconds. It found none that contradicts a ✓ or closes an ○.

No rule is strategyproof, efficient and gives everyone something (Brandl, Brandt, Peters and Stricker 2021, from the
abstract). The sources of `maximum-payment` and `sequential-utilitarian` leave ties open; we split evenly.
On graded tables the theorems on shares do not carry over to utilities.

`isegoria axioms FILE` and `isegoria honesty FILE` decide the same for one group. `iso.find_counterexample(rule, axiom)`
searches for another counterexample."""
_GRADED = """\
MaxParC (Heitzig, Simmons and Constantino 2024) reads a rating as willingness. An agent approves an arm if the
fraction of agents who do not approve it is below its rating, and a favourite counts as rated 1. The largest solution
is taken. Each agent then spends its share on its approved arms with most approvals. Ties are split evenly; the app
vodle breaks them by the total of the ratings first. Everyone spends an equal share, but possibly on a compromise, so
the procedural score can be below 1. The rows of the table above speak of ratings 0 and 1. On other ratings:

- ✓ **largest solution**: If two sets of approving agents are consistent, so is their union: nobody in it has more
  opponents than before. So the largest set is unique.
- ✓ **full consent**: If everyone rates an arm above 0, all approve it, and every share goes to such arms.
- ✓ **protected share**: An agent who rates its favourites 1 and all other arms 0 approves its favourites alone. So a
  group of such agents has its part of the lottery there.
- ✓ **mono.**: An agent who rates arm k higher adds approvals of k and of no other arm. Every share that went to k still
  does, and is split among no more arms.
- ✗ **AFS, CFS, EFF, clones**: as for `conditional-utilitarian`, on the same groups."""
_OPEN = (
    "Open: no counterexample found among all groups of at most {0[0]} agents and {0[1]} arms. Nor was one found among "
    "random groups of up to {1[0]} agents and {1[1]} arms."
)
_SOURCES = """\
A source in brackets says the same. Of those marked "from the abstract" no more could be read than that, so the number
of the theorem is missing; what is proved here does not rest on them."""
_EXAMPLES = """\
Each group is a list of agents, each with the letters of the arms it approves: {a, ab, bc} is three agents. No smaller
group (by agents times arms) is a counterexample, unless marked "larger than necessary". The tests run each one."""

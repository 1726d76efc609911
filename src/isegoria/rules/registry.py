"""The table of rules. A new rule is one new module beside this one (or in `objectives`), and one line in `RULES`."""

from __future__ import annotations

from typing import Any

from isegoria.errors import InputError
from isegoria.registry import Table, View
from isegoria.rules.objective import ModuleObjective, Objective
from isegoria.rules.rule import ModuleRule, Option, Rule

TIE_BREAKS = ("centre", "vertex", "utilitarian")
"""How one of several optima is chosen: the one of least norm, a corner of their set, the one of largest total."""

WITHIN = ("procedural",)
"""The sets of policies that a search can be held to: the procedurally fair ones."""


def _at_least_one(value: int) -> int:
    if int(value) < 1:
        raise InputError(f"samples is {value}; give a whole number from 1 up, such as 100000.")
    return int(value)


def _offered(id: str, found: Any) -> Rule:
    """The rule that another package offers as `id`: an object, or a class that is made without arguments."""
    made = found() if isinstance(found, type) else found
    if not isinstance(made, Rule) or made.id != id:
        raise InputError(f"expected an iso.Rule with the id '{id}', not {made!r}")
    return made


_GINI_WEIGHTS = Option(
    "gini_weights", list,
    help="For gini: weights from the worst-off agent up, none above the one before it.  [default: 1,1/2,1/4,…]",
)  # fmt: skip
_SAMPLES = Option(
    "samples", int, None, _at_least_one,
    help="For random-priority: the mean over so many orders drawn at random, where all are too many.",
)  # fmt: skip
_SEED = Option("seed", int, 0, help="For random-priority with --samples: the seed of the draws.  [default: 0]")

RULES: Table[Rule] = Table(
    "rule",
    [
        ModuleObjective(
            "procedural",
            "PF",
            "equal voice: the Nash product of decision shares",
            "Definition 4; Bogomolnaia, Moulin and Stong 2005",
            aliases=("nmp",),
            reads="favourites",
            fair=True,
        ),
        ModuleObjective(
            "inequality", "IM", "the least mean squared difference of utilities", "Definition 6", "smallest"
        ),
        ModuleObjective("utilitarian", "UT", "the largest total utility", "Definition 7", aliases=("util",)),
        ModuleObjective(
            "egalitarian",
            "EG",
            "the largest least utility",
            "Rawls 1971",
            aliases=("maximin",),
            tie_break="utilitarian",
        ),
        ModuleObjective("nash", "NSW", "the largest Nash product of utilities", "Nash 1950", aliases=("mnw",)),
        ModuleObjective(
            "gini", "GGI", "the largest generalised Gini welfare", "Weymark 1981", options=(_GINI_WEIGHTS,)
        ),
        ModuleRule(
            "leximin",
            "LEX",
            "the largest least utility, then the largest second least, and so on",
            "Bogomolnaia, Moulin and Stong 2005; Aziz, Bogomolnaia and Moulin 2020",
            aliases=("egal",),
            tie_break="centre",
            options=(Option("within", str),),
        ),
        ModuleRule(
            "conditional-utilitarian",
            "CUT",
            "each voice on its favourites with most supporters",
            "Duddy 2015; Aziz, Bogomolnaia and Moulin 2020",
            aliases=("cut",),
            reads="favourites",
            fair=True,
            honest="shares",
        ),
        ModuleRule(
            "random-dictatorship",
            "UES",
            "each voice even over its favourites",
            "Gibbard 1977",
            aliases=("ues", "rd"),
            reads="favourites",
            fair=True,
            honest="utilities",
        ),
        ModuleRule(
            "random-priority",
            "RP",
            "agents in random order, each keeping the best of what is left",
            "Bogomolnaia, Moulin and Stong 2005; Aziz, Brandt and Brill 2013",
            aliases=("rp", "rsd", "random serial dictatorship"),
            reads="order",
            fair=True,
            honest="utilities",
            options=(_SAMPLES, _SEED),
        ),
        ModuleRule(
            "sequential-utilitarian",
            "SUT",
            "voices join the most supported arms, those not served yet weighing more and more",
            "Bogomolnaia, Moulin and Stong 2005; Brandl, Brandt, Peters and Stricker 2021",
            aliases=("sut", "fut"),
            reads="favourites",
            fair=True,
        ),
        ModuleRule(
            "maximum-payment",
            "MP",
            "the arms with most unspent supporters take all their voices, again and again",
            "Speroni di Fenizio and Gewurz 2019; Aziz, Lederer, Lu, Suzuki and Vollen 2025",
            aliases=("mp", "majoritarian"),
            reads="favourites",
            fair=True,
        ),
        ModuleRule(
            "maximal-lottery",
            "ML",
            "the lottery that no arm beats in expected majority",
            "Fishburn 1984",
            aliases=("ml",),
            reads="order",
            tie_break="centre",
        ),
        ModuleRule("uniform", "UNI", "every arm alike", "baseline", reads="favourites"),
    ],
    group=("isegoria.rules", "isegoria.objectives"),
    adapt=_offered,
    names=("label", "aliases"),
)
"""Every rule by its id, in the order in which tables list them; found by label and alias too, in any case."""

OBJECTIVES: View[Objective] = View("objective", RULES, Objective)
"""The rules that maximise, in the same order: without packages of others the six of the paper."""

GROUPS = {
    "paper": ("procedural", "inequality", "utilitarian", "egalitarian", "nash", "gini"),
    "fair": tuple(id for id, row in RULES.shipped.items() if row.fair),
    "baselines": ("uniform", "random-dictatorship", "conditional-utilitarian"),
}
"""Several rules by one name, for `compare(rules=…)`; "all" is the whole table."""

"""Registry of rules. A new rule is one new module in `builtin`, and one line in `RULES`."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from isegoria.errors import InputError, UnknownNameError, unknown_name_error
from isegoria.rules.objective import BuiltinObjective, Objective
from isegoria.rules.rule import BuiltinRule, Rule, RuleOption
from isegoria.utils.registry import Registry


def _validate_samples(value: int) -> int:
    if int(value) < 1:
        raise InputError(f"samples is {value}; give a whole number from 1 up, such as 100000.")
    return int(value)


def _adapt_plugin_rule(id: str, found: Any) -> Rule:
    """Return the rule that another package offers as `id`: an object, or a class constructed without arguments."""
    made = found() if isinstance(found, type) else found
    if not isinstance(made, Rule) or made.id != id:
        raise InputError(f"expected an iso.Rule with the id '{id}', not {made!r}")
    return made


_GINI_WEIGHTS = RuleOption(
    "gini_weights",
    list,
    help="For gini: weights from the worst-off agent up, none above the one before it.  [default: 1,1/2,1/4,…]",
)
_SAMPLES = RuleOption(
    "samples",
    int,
    None,
    _validate_samples,
    help="For random-priority: the mean over so many orders drawn at random, where all are too many.",
)
_SEED = RuleOption("seed", int, 0, help="For random-priority with --samples: the seed of the draws.  [default: 0]")

RULES: Registry[Rule] = Registry(
    "rule",
    [
        BuiltinObjective(
            "procedural",
            "PF",
            "equal voice: the Nash product of decision shares",
            "Definition 4; Bogomolnaia, Moulin and Stong 2005",
            aliases=("nmp",),
            input_kind="favourites",
            fair=True,
        ),
        BuiltinObjective(
            "inequality", "IM", "the smallest mean squared difference of utilities", "Definition 6", "minimise"
        ),
        BuiltinObjective("utilitarian", "UT", "the largest total utility", "Definition 7", aliases=("util",)),
        BuiltinObjective(
            "egalitarian",
            "EG",
            "the largest minimum utility",
            "Rawls 1971",
            aliases=("maximin",),
            tie_break="utilitarian",
        ),
        BuiltinObjective("nash", "NSW", "the largest Nash product of utilities", "Nash 1950", aliases=("mnw",)),
        BuiltinObjective(
            "gini", "GGI", "the largest generalised Gini welfare", "Weymark 1981", options=(_GINI_WEIGHTS,)
        ),
        BuiltinRule(
            "leximin",
            "LEX",
            "the largest minimum utility, then the largest second smallest, and so on",
            "Bogomolnaia, Moulin and Stong 2005; Aziz, Bogomolnaia and Moulin 2020",
            aliases=("egal",),
            tie_break="centre",
            options=(RuleOption("within", str),),
        ),
        BuiltinRule(
            "conditional-utilitarian",
            "CUT",
            "each voice on its favourites with most supporters",
            "Duddy 2015; Aziz, Bogomolnaia and Moulin 2020",
            aliases=("cut",),
            input_kind="favourites",
            fair=True,
            strategyproof="shares",
        ),
        BuiltinRule(
            "random-dictatorship",
            "UES",
            "each voice even over its favourites",
            "Gibbard 1977",
            aliases=("ues", "rd"),
            input_kind="favourites",
            fair=True,
            strategyproof="utilities",
        ),
        BuiltinRule(
            "random-priority",
            "RP",
            "agents in random order, each keeping the best of what is left",
            "Bogomolnaia, Moulin and Stong 2005; Aziz, Brandt and Brill 2013",
            aliases=("rp", "rsd", "random serial dictatorship"),
            input_kind="order",
            fair=True,
            strategyproof="utilities",
            options=(_SAMPLES, _SEED),
        ),
        BuiltinRule(
            "sequential-utilitarian",
            "SUT",
            "voices join the most supported arms, those not served yet weighing more and more",
            "Bogomolnaia, Moulin and Stong 2005; Brandl, Brandt, Peters and Stricker 2021",
            aliases=("sut", "fut"),
            input_kind="favourites",
            fair=True,
        ),
        BuiltinRule(
            "maximum-payment",
            "MP",
            "the arms with most unspent supporters take all their voices, again and again",
            "Speroni di Fenizio and Gewurz 2019; Aziz, Lederer, Lu, Suzuki and Vollen 2025",
            aliases=("mp", "majoritarian"),
            input_kind="favourites",
            fair=True,
        ),
        BuiltinRule(
            "maximum-partial-consensus",
            "MaxParC",
            "ratings as conditional approvals, each voice on its approved arms with most approvals",
            "Heitzig, Simmons and Constantino 2024",
        ),
        BuiltinRule(
            "maximal-lottery",
            "ML",
            "the lottery that no arm beats in expected majority",
            "Fishburn 1984",
            aliases=("ml",),
            input_kind="order",
            tie_break="centre",
        ),
        BuiltinRule("uniform", "UNI", "the same chance for every arm", "baseline", input_kind="favourites"),
    ],
    group="isegoria.rules",
    adapt=_adapt_plugin_rule,
    names=("label", "aliases"),
)
"""Every rule by its id, in the order of the tables; labels and aliases also work as keys, case-insensitively."""

RULE_GROUPS = {
    "paper": ("procedural", "inequality", "utilitarian", "egalitarian", "nash", "gini"),
    "fair": tuple(id for id, row in RULES.builtin.items() if row.fair),
    "baselines": ("uniform", "random-dictatorship", "conditional-utilitarian"),
}
"""Names for several rules, for `compare(rules=…)`; "all" stands for every rule."""


def get_objective(id: str) -> Objective:
    """Return the rule of that name that maximises or minimises a value; raise `UnknownNameError` for any other."""
    with suppress(UnknownNameError):
        if isinstance(row := RULES[id], Objective):
            return row
    raise unknown_name_error("objective", id, list_objectives())


def list_objectives() -> dict[str, Objective]:
    """Return the objectives by id, in the order of `RULES`; without plug-ins, the six of the paper.

    A plug-in that cannot be loaded is left out; a lookup by name explains why.
    """
    objectives = {}
    for id in RULES:
        try:
            row = RULES[id]
        except InputError:
            continue
        if isinstance(row, Objective):
            objectives[id] = row
    return objectives

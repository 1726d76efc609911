"""`isegoria axioms FILE`: which fairness axioms a policy or a rule meets on this group, with proof or witness."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from isegoria.analysis.axioms.registry import AXIOMS
from isegoria.cli import options, render

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isegoria.analysis.axioms.verdict import Verdict
    from isegoria.profiles import Instance

HELP_EPILOG = """\b
Examples:
  isegoria axioms ratings.csv
  isegoria axioms ratings.csv --rule cut
  isegoria axioms ratings.csv --policy 1/2,1/2 --axioms gfs,afs,efficient --check"""
VERDICT_WORDS = {True: "holds", False: "fails", None: "undecided"}


def _axioms_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option --axioms, whose help lists the axioms."""
    listed = "; ".join(f"{row.id} ({', '.join((row.label, *row.aliases))}): {row.summary}" for row in AXIOMS.values())
    return click.option(
        "--axioms",
        "asked",
        metavar="A,B,…",
        default=None,
        help=f"Only these, by id, label or alias, with commas between. {listed}.  [default: all]",
    )(function)


@click.command("axioms", epilog=HELP_EPILOG)
@options.policy
@click.option("--rule", metavar="NAME", default=None, help="A rule, by id, label or alias.  [default: procedural]")
@_axioms_option
@options.payoff
@options.time_limit("axiom")
@click.option("--check", is_flag=True, help="Exit with 1 if an axiom fails.")
@options.form
@options.with_profile
def command(
    instance: Instance,
    policy: str | None,
    rule: str | None,
    asked: str | None,
    payoff: Any,
    time_limit: float,
    check: bool,
    form: str,
) -> None:
    """Check which axioms hold, with a sentence and the kind of proof; a failure comes with its witness.

    For a policy, the axioms are about its shares and its efficiency. For a rule they are also about false reports
    (strategyproofness), absences, new agents, names and copies of arms. They are checked by search on this group, so
    an axiom that holds here may fail elsewhere.
    """
    from isegoria.analysis.axioms.checking import check_all
    from isegoria.profiles import is_streamed
    from isegoria.rules.registry import RULES

    if policy is not None and rule is not None:
        raise click.UsageError("--policy and --rule exclude each other; give one of them")
    names = None if asked is None else options.split_names(asked, "--axioms")
    if policy is not None:
        given: Any = options.parse_policy(policy, tuple(instance.arms))
        what: dict[str, object] = {"policy": given}
    else:
        given = RULES[rule or "procedural"]
        if names is None and is_streamed(instance):
            names = [id for id, axiom in AXIOMS.items() if axiom.of == "policy"]
        what = {"rule": given.id}
    found = check_all(instance, given, axioms=names, payoff=payoff, time_limit=time_limit)
    render.print_result(
        form,
        data=lambda: {
            "arms": list(instance.arms),
            **what,
            "payoff": payoff,
            "axioms": {id: verdict.data() for id, verdict in found.items()},
        },
        table=lambda: _format_table(found),
        records=lambda: [
            ["axiom", "holds", "proof", "bound", "tried", "sentence"],
            *([id, v.holds, v.proof, v.bound, v.tried, v.sentence] for id, v in found.items()),
        ],
    )
    if check and any(verdict.holds is False for verdict in found.values()):
        sys.exit(1)


def _format_table(found: Mapping[str, Verdict]) -> str:
    rows = [[id, VERDICT_WORDS[verdict.holds], verdict.proof] for id, verdict in found.items()]
    return render.format_explained_table(["axiom", "", "proof"], rows, [verdict.sentence for verdict in found.values()])

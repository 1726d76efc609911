"""`isegoria axioms FILE`: which axioms of fairness a policy, or a rule, meets on this group, with proof or witness."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from isegoria.cli import options, render
from isegoria.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from isegoria.axioms.verdict import Verdict
    from isegoria.instance import Instance

EPILOG = """\b
Examples:
  isegoria axioms ratings.csv
  isegoria axioms ratings.csv --rule cut
  isegoria axioms ratings.csv --policy 1/2,1/2 --axioms gfs,afs,efficient --check"""
WORDS = {True: "holds", False: "fails", None: "undecided"}


@click.command("axioms", epilog=EPILOG)
@options.policy
@click.option(
    "--rule", "rule", metavar="NAME", default=None, help="A rule, by id, label or alias.  [default: procedural]"
)
@click.option(
    "--axioms", "asked", metavar="A,B,…", default=None, help="Only these axioms, by id or label.  [default: all]"
)
@click.option(
    "--of", type=click.Choice(["shares", "utilities"]), default="shares", show_default=True,
    help="What efficiency, lies and participation are measured in: the chance of a favourite, or the means.",
)  # fmt: skip
@click.option("--check", is_flag=True, help="Exit with 1 if an axiom fails.")
@options.form
@options.reads_table
def command(
    instance: Instance, policy: str | None, rule: str | None, asked: str | None, of: str, check: bool, form: str
) -> None:
    """Say which axioms hold, with the sentence and the kind of proof; a failure comes with its witness.

    Of a policy its shares and its efficiency are asked; of a rule also what lies, absences, new friends, names and
    copies of arms do to it, by search on this very group: an axiom that holds here may fail elsewhere.
    """
    from isegoria.axioms.checking import check_all
    from isegoria.rules.registry import RULES

    if policy is not None and rule is not None:
        raise click.UsageError("--policy and --rule exclude each other; give one of them")
    names = None if asked is None else [name.strip() for name in asked.split(",")]
    if policy is not None:
        given = options.parse_policy(policy, tuple(instance.arms))
        found = check_all(instance, policy=given, axioms=names, of=of)
        what: dict[str, object] = {"policy": given}
    else:
        row = RULES[rule or "procedural"]
        if names is None and instance.agent_names() is None:
            names = [id for id in ("ifs", "ufs", "gfs", "afs", "cfs", "efficient", "ex-post")]
        found = check_all(instance, rule=row, axioms=names, of=of)
        what = {"rule": row.id}
    render.result(
        form,
        data=lambda: {**what, "of": of, "axioms": {id: verdict.data() for id, verdict in found.items()}},
        table=lambda: _table(found),
        records=lambda: [
            ["axiom", "holds", "proof", "bound", "tried", "sentence"],
            *([id, v.holds, v.proof, v.bound, v.tried, v.sentence] for id, v in found.items()),
        ],
    )
    if check and any(verdict.holds is False for verdict in found.values()):
        sys.exit(1)


def _table(found: Mapping[str, Verdict]) -> str:
    if not found:
        raise InputError("no axiom was asked for; leave --axioms out for all of them.")
    lines = [[id, WORDS[verdict.holds], verdict.proof] for id, verdict in found.items()]
    shown = render.table(["axiom", "", "proof"], lines, left=3).split("\n")
    sentences = ["", "", *(verdict.sentence for verdict in found.values())]
    return "\n".join(f"{line}  {sentence}".rstrip() for line, sentence in zip(shown, sentences, strict=True))

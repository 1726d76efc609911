"""`isegoria verify RECORD`: check a record independently of the service or person that made it."""

from __future__ import annotations

import json
from typing import Any

import click

from isegoria.cli import render
from isegoria.errors import InputError

HELP_EPILOG = """\b
Examples:
  isegoria verify lunch.record
  isegoria verify lunch.record --trust members --head lusab-babad-…
  isegoria verify lunch.record --trust 5f0c… --receipt ann.receipt
  isegoria verify --script > isegoria_verify.py
  isegoria verify --page > verify.html"""


@click.command("verify", epilog=HELP_EPILOG)
@click.argument("record", metavar="RECORD", type=click.Path(), required=False)
@click.option(
    "--trust",
    metavar="WHO",
    multiple=True,
    help="A key, a member's number, a name (with --names) or `members`; again for more.",
)
@click.option(
    "--head", metavar="HEX", multiple=True, help="A head that you kept before, or its ten words; again for more."
)
@click.option(
    "--quorum", metavar="K", type=int, default=None, help="How many trusted keys must have had a page in time."
)
@click.option(
    "--against",
    "other_copies",
    metavar="FILE",
    type=click.Path(),
    multiple=True,
    help="Another copy: do both tell one history?",
)
@click.option(
    "--receipt", metavar="FILE", type=click.Path(), default=None, help="A member's receipt: checks their own part too."
)
@click.option("--names", metavar="FILE", type=click.Path(), default=None, help="The names of an open group.")
@click.option(
    "--beacon",
    metavar="FILE",
    type=click.Path(),
    default=None,
    help="The chain info of a beacon other than drand's quicknet, as its servers give it.",
)
@click.option("--now", metavar="UNIX", type=int, default=None, help="The time, in place of this machine's clock.")
@click.option("--script", is_flag=True, help="Print the verifier itself: one file, for any Python from 3.9 on.")
@click.option("--page", is_flag=True, help="Print the verifier as one page, which works offline in a browser.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "csv"]),
    default="table",
    show_default=True,
    help="How to print the result; csv has the rounds.",
)
def command(record: str | None, script: bool, page: bool, form: str, **options: Any) -> int:
    """Check a record without trusting its maker; say whom you trust, and it says what is proved for you.

    The exit code is 0 if it is proved for you, unless keys that you trust were false. It is 1 for false and 2 for
    unreadable. It is 3 if everything recomputes, without a proof for you. Plain sentences list what is proved, and what
    is not.
    """
    if (record is None) != (script or page) or (script and page):
        raise InputError("give a RECORD to check, or one of --script and --page to print the verifier itself.")
    if record is None:
        return _print_verifier(page)
    from isegoria.verifier.verification import verify

    found = verify(str(record), **options)
    columns = ("round", "status", "arms", "early", "since", "of", "beta", "reasons")
    render.print_result(
        form,
        data=lambda: vars(found),
        table=lambda: str(found),
        records=lambda: [
            [*columns],
            *(
                [one[key] for key in columns[:2]]
                + [_join_arms(one["arms"])]
                + [one[key] for key in columns[3:-1]]
                + ["; ".join(one["reasons"])]
                for one in found.rounds
            ),
        ],
    )
    return found.exit_code


def _join_arms(arms: list[int]) -> str:
    return " ".join(map(str, arms))


def _print_verifier(page: bool) -> int:
    from isegoria import verifier
    from isegoria.service.web.translations import load_verifier_messages

    click.echo(
        verifier.build_page(json.dumps(load_verifier_messages(), ensure_ascii=False))
        if page
        else verifier.read_script(),
        nl=False,
    )
    return 0

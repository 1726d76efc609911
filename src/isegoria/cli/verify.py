"""`isegoria verify RECORD`: what a stranger finds in a record."""

from __future__ import annotations

import click

from isegoria.cli import render
from isegoria.errors import InputError

EPILOG = """\b
Examples:
  isegoria verify lunch.record
  isegoria verify lunch.record --receipt ann.receipt --head 5f0c…
  isegoria verify --script > isegoria_verify.py
  isegoria verify --page > verify.html"""


@click.command("verify", epilog=EPILOG)
@click.argument("record", metavar="RECORD", type=click.Path(), required=False)
@click.option(
    "--receipt", metavar="FILE", type=click.Path(), default=None, help="A member's receipt: her own part too."
)
@click.option("--head", metavar="HEX", default=None, help="A head that you kept: it must be on the chain.")
@click.option("--names", metavar="FILE", type=click.Path(), default=None, help="The names of an open group.")
@click.option("--beacon-key", metavar="HEX", default=None, help="The key of a beacon other than drand's quicknet.")
@click.option("--script", is_flag=True, help="Print the verifier itself: one file, for any Python from 3.9 on.")
@click.option("--page", is_flag=True, help="Print the verifier as one page, which works offline in a browser.")
@click.option(
    "--format", "form", type=click.Choice(["table", "json", "csv"]), default="table", show_default=True,
    help="How to print the result; csv has the rounds.",
)  # fmt: skip
def command(
    record: str | None,
    receipt: str | None,
    head: str | None,
    names: str | None,
    beacon_key: str | None,
    script: bool,
    page: bool,
    form: str,
) -> int:
    """Check a record without trusting whoever made it.

    Exit codes: 0 proved; 1 false; 2 unreadable; 3 everything recomputes, but the randomness of a named round is not
    proven. What is proved and what is not comes in plain sentences.
    """
    if (record is None) != (script or page) or (script and page):
        raise InputError("give a RECORD to check, or one of --script and --page to print the verifier itself.")
    if record is None:
        return _print(page)
    from isegoria.verification import verify

    found = verify(record, receipt, head, names=names, beacon_key=beacon_key)
    render.result(
        form,
        data=lambda: vars(found),
        table=lambda: str(found),
        records=lambda: [
            ["round", "kind", "state", "arms", "seen", "keys", "reasons"],
            *([*(one[key] for key in ("round", "kind", "state")), _joined(one["arms"]), one["seen"], one["keys"],
               "; ".join(one["reasons"])] for one in found.rounds),
        ],
    )  # fmt: skip
    return found.exit_code


def _joined(arms: list[int]) -> str:
    return " ".join(map(str, arms))


def _print(page: bool) -> int:
    from isegoria import verifier

    click.echo(verifier.page() if page else verifier.script(), nl=False)
    return 0

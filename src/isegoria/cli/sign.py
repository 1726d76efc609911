"""`isegoria sign RECORD`: check a record on a member's own device, and sign it if it follows its rules."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from isegoria.cli.record import common
from isegoria.errors import InputError

HELP_EPILOG = """\b
Examples:
  isegoria sign lunch.record --key ann.key --receipt ann.receipt > ann.slip
  isegoria sign lunch.record --key ann.key --receipt ann.receipt --commit > ann.slip
  isegoria sign lunch.record --key ann.key --receipt ann.receipt --dice 3,1,4,4,2,6,5,3,1 > ann.slip"""


@click.command("sign", epilog=HELP_EPILOG)
@click.argument("record", metavar="RECORD", type=click.Path())
@click.option("--key", metavar="FILE", type=click.Path(), required=True, help="The file of your key.")
@click.option("--receipt", metavar="FILE", type=click.Path(), required=True, help="Your receipt for this record.")
@click.option("--commit", is_flag=True, help="Source group: commit to a fresh number for the next freeze.")
@click.option("--reveal", is_flag=True, help="Source group: reveal the number that you committed to.")
@click.option("--dice", metavar="N,N,…", default=None, help="Dice: what the first throw showed after you had signed.")
@click.option("--yes", is_flag=True, help="The ratings in the receipt that this key did not send are yours.")
def command(record: str, key: str, receipt: str, commit: bool, reveal: bool, dice: str | None, yes: bool) -> int:
    """Check a record and sign it if it holds: print a signed statement, for the keeper of the record to add.

    Your key signs one record only. It signs only what extends everything that it signed before, and only while your
    own row follows from your answers. Its signatures are kept in its file.
    """
    from isegoria.record.files.file_store import load_record
    from isegoria.record.format.canonical_json import dump_canonical, parse_canonical
    from isegoria.record.signing.device import Device, sign_record
    from isegoria.verifier.verification import verify

    if commit + reveal + (dice is not None) > 1:
        raise InputError("say one thing at a time: --commit, --reveal or --dice.")
    device = Device.read(key)
    found = verify(record, receipt=receipt)
    if found.exit_code in (1, 2):
        raise InputError(f"this record does not hold, and nothing was signed. {found.sentence}")
    with open(receipt, "rb") as file:
        own = parse_canonical(file.read().removesuffix(b"\n"))
    group, _ = load_record(record)
    what = "commit" if commit else "reveal" if reveal else "dice" if dice is not None else "seen"
    kept, slip = sign_record(device, group, own, common.current_time(), what, dice, _make_confirm(yes))
    kept.write(key)
    sys.stdout.write(dump_canonical(slip).decode("utf-8") + "\n")
    return 0


def _make_confirm(yes: bool) -> Callable[[str], bool]:
    def ask(question: str) -> bool:
        return yes or (sys.stdin.isatty() and click.confirm(question, err=True))

    return ask

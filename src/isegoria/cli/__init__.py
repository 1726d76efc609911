"""The `isegoria` command: it parses arguments, calls the library and prints, and no more.

Importing this module imports only click; each command is loaded when it is called.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, NoReturn

import click

from isegoria import __version__
from isegoria.cli.commands import COMMAND_HINTS, COMMANDS
from isegoria.cli.error_handling import run_with_exit_code
from isegoria.errors import InputError
from isegoria.utils.progress import IS_QUIET, elapsed_line

TIMED_COMMANDS = {"audit", "axioms", "compare", "draw", "frontier", "honesty", "solve", "turns", "verify"}
"""Commands without a progress bar: they say how long they have been at work."""

HELP_EPILOG = """\b
Examples:
  isegoria compare ratings.csv
  isegoria solve ratings.csv --rule nash --format json
  isegoria COMMAND --help"""


class LazyGroup(click.Group):
    """A click group whose commands come from the registry and are imported only when called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return COMMANDS[name].load() if name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] in COMMAND_HINTS and args[0] not in COMMANDS:
            raise InputError(f"there is no command {args[0]!r}; it is in {COMMAND_HINTS[args[0]]}.")
        if args and not args[0].startswith("-"):
            COMMANDS[args[0]]  # raises an error that names the nearest command
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if COMMANDS:
            with formatter.section("Commands"):
                formatter.write_dl([(row.id, row.summary) for row in COMMANDS.values()])

    def main(  # type: ignore[override]  # click's own has five parameters more, of which none is used here
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **settings: Any
    ) -> NoReturn:
        """Run, and exit with a code: 0 done, 1 checked and false, 2 bad input or usage.

        This replaces click's own `main`, which exits with 1 when the reader of a pipe goes away.
        """
        args = list(sys.argv[1:] if args is None else args) or ["--help"]
        raise SystemExit(run_with_exit_code(self._run, args, settings))

    def _run(self, args: list[str], settings: dict[str, Any]) -> int | None:
        self._main_shell_completion(settings, "isegoria")
        settings.pop("standalone_mode", None)
        options = args[: args.index("--")] if "--" in args else args
        quiet = IS_QUIET.set("--quiet" in options)
        args = [*(word for word in options if word != "--quiet"), *args[len(options) :]] or ["--help"]
        try:
            timed = elapsed_line(args[0]) if args[0] in TIMED_COMMANDS else nullcontext()
            with self.make_context("isegoria", args, **settings) as context, timed:
                return self.invoke(context)
        except click.exceptions.Exit as done:
            return done.exit_code
        finally:
            IS_QUIET.reset(quiet)


@click.group(cls=LazyGroup, epilog=HELP_EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="isegoria %(version)s")
@click.option("--quiet", is_flag=True, expose_value=False, help="No notes and no progress; also after the command.")
def main() -> None:
    """Equal voice in repeated group decisions: learn it, score it, prove it.

    Give it a table of who likes what; it returns a fair lottery over the options, and the proof that it is fair.
    """

"""The one place where failures become one sentence on stderr and an exit code; nowhere else is anything caught."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any, TextIO

import click

from isegoria.cli.render import note, styled
from isegoria.errors import FileError, IsegoriaError, IsegoriaWarning, MissingExtraError

WINDOWS = os.name == "nt"

DONE, FALSE, REFUSED = 0, 1, 2
INTERRUPTED = 130  # what a shell reports after ctrl-C
PIPE_CLOSED = 141  # and after the reader of a pipe, such as `head`, has gone


def missing(what: str, error: ImportError) -> ImportError:
    """What is to be said where something cannot be imported: a part of Python itself is in no extra of ours.

    >>> str(missing("the service", ImportError(name="_ssl")))
    'the service needs _ssl, a part of Python that this one was built without; use a Python that has it (_ssl: TLS).'
    """
    if error.name is None or error.name.startswith("isegoria"):
        return error
    if error.name.partition(".")[0] in sys.stdlib_module_names:
        which = " (_ssl: TLS)" if error.name in ("_ssl", "ssl") else ""
        return MissingExtraError(
            f"{what} needs {error.name}, a part of Python that this one was built without; "
            f"use a Python that has it{which}."
        )
    return MissingExtraError(f"{what} needs {error.name}: pip install 'isegoria[serve]'.")


def guarded(run: Callable[..., Any], *args: Any, **options: Any) -> int:
    """The exit code of `run(*args, **options)`; a command that checked something and found it false exits with 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", IsegoriaWarning)
        warnings.showwarning = _noted_once()
        try:
            _prepare_streams()
            code = run(*args, **options)
            sys.stdout.flush()
        except BrokenPipeError:
            _forget(sys.stdout, sys.stderr)
            return PIPE_CLOSED
        except (KeyboardInterrupt, click.Abort):
            return _refuse("interrupted.", INTERRUPTED)
        except click.UsageError as error:
            return _refuse(_usage(error))
        except click.ClickException as error:
            return _refuse(error.format_message())
        except IsegoriaError as error:
            return _refuse(str(error))
        except OSError as error:
            if not error.filename:
                _forget(sys.stdout)
            return _refuse(_system(error))
        except MemoryError:
            return _refuse("not enough memory for this input; merge equal agents into one row with a weight.")
        except Exception as error:  # Python would exit with 1, which here means "checked and false"
            return _refuse(_fault(error))
    return code if isinstance(code, int) else DONE


def _refuse(sentence: str, code: int = REFUSED) -> int:
    """The exit code, after saying why; it stays the same where stderr cannot take the sentence."""
    try:
        click.echo(styled(f"Error: {sentence}", sys.stderr, fg="red"), err=True)
    except OSError:
        _forget(sys.stderr)
    return code


def _usage(error: click.UsageError) -> str:
    sentence = error.format_message().rstrip(".")
    path = error.ctx.command_path if error.ctx else "isegoria"
    return f"{sentence}; see '{path} --help'."


def _system(error: OSError) -> str:
    where = f"cannot use {error.filename}: " if error.filename else "cannot write the output: "
    return f"{where}{(error.strerror or str(error)).lower()}."


def _fault(error: Exception) -> str:
    if os.environ.get("ISEGORIA_DEBUG"):
        with contextlib.suppress(OSError):
            traceback.print_exception(error)
    return (
        f"a fault in isegoria itself ({type(error).__name__}: {error}); "
        "set ISEGORIA_DEBUG=1 to see where, and please report it."
    )


def _noted_once() -> Callable[..., Any]:
    """What to do with a warning here: say it as a note, and never twice."""
    said: set[str] = set()

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if str(message) not in said:
            said.add(str(message))
            note(str(message))

    return show


def _prepare_streams() -> None:
    """Refuse a closed stdout before any work is done; do without a closed stderr."""
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    if sys.stdout is None:
        raise FileError("cannot write the output: standard output is closed; open it, or send it to a file.")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # names in any script: what a terminal's encoding lacks becomes an escape
            stream.reconfigure(errors="backslashreplace", newline="\n")  # a file has the same bytes on every system
            if WINDOWS and not stream.isatty():  # a receipt is UTF-8, whatever the system's code page
                stream.reconfigure(encoding="utf-8")


def _forget(*streams: TextIO) -> None:
    """Point streams at nothing, so that Python's own flush at exit does not fail a second time."""
    for stream in streams:
        with contextlib.suppress(OSError, ValueError):  # a stream without a descriptor needs no such care
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

"""Conversion of every failure to one sentence on stderr and an exit code; no other module of the CLI does this."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any, TextIO

import click

from isegoria.cli.render import print_note, style_text
from isegoria.errors import FileError, IsegoriaError, IsegoriaWarning, MissingExtraError

IS_WINDOWS = os.name == "nt"

EXIT_OK, EXIT_CHECK_FAILED, EXIT_BAD_INPUT = 0, 1, 2
EXIT_INTERRUPTED = 130  # what a shell reports after ctrl-C
EXIT_PIPE_CLOSED = 141  # and after the reader of a pipe, such as `head`, has gone


def missing_dependency_error(what: str, error: ImportError, extra: str = "serve") -> ImportError:
    """Return the error for a failed import; a missing part of Python itself is in no extra of this package.

    >>> str(missing_dependency_error("the service", ImportError(name="_ssl")))
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
    return MissingExtraError(f"{what} needs {error.name}: pip install 'isegoria[{extra}]'.")


def run_with_exit_code(run: Callable[..., Any], *args: Any, **options: Any) -> int:
    """Run a command and return its exit code; print one sentence for each known error.

    A command that checked something and found it false returns 1.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("always", IsegoriaWarning)
        warnings.showwarning = _make_warning_printer()
        try:
            _prepare_streams()
            code = run(*args, **options)
            sys.stdout.flush()
        except BrokenPipeError:
            _redirect_to_devnull(sys.stdout, sys.stderr)
            return EXIT_PIPE_CLOSED
        except (KeyboardInterrupt, click.Abort):
            return _print_error("interrupted.", EXIT_INTERRUPTED)
        except click.UsageError as error:
            return _print_error(_format_usage_error(error))
        except click.ClickException as error:
            return _print_error(error.format_message())
        except IsegoriaError as error:
            return _print_error(str(error))
        except OSError as error:
            if not error.filename:
                _redirect_to_devnull(sys.stdout)
            return _print_error(_format_os_error(error))
        except MemoryError:
            return _print_error("not enough memory for this input; merge equal agents into one row with a weight.")
        except ModuleNotFoundError as error:
            quoted = re.search(r"'(\w+)", str(error))  # all that Pyodide gives
            package = (error.name or (quoted[1] if quoted else "isegoria")).partition(".")[0]
            known = package != "isegoria" and package not in sys.stdlib_module_names
            sentence = f"this needs {package}, which is not installed here; run pip install {package}."
            return _print_error(sentence if known else _format_internal_error(error))
        except Exception as error:  # Python would exit with 1, which here means "checked and false"
            return _print_error(_format_internal_error(error))
    return code if isinstance(code, int) else EXIT_OK


def _print_error(sentence: str, code: int = EXIT_BAD_INPUT) -> int:
    """Print why and return the exit code, which stays the same if stderr cannot take the sentence."""
    try:
        click.echo(style_text(f"Error: {sentence}", sys.stderr, fg="red"), err=True)
    except OSError:
        _redirect_to_devnull(sys.stderr)
    return code


def _format_usage_error(error: click.UsageError) -> str:
    sentence = error.format_message().rstrip(".")
    path = error.ctx.command_path if error.ctx else "isegoria"
    return f"{sentence}; see '{path} --help'."


def _format_os_error(error: OSError) -> str:
    where = f"cannot use {error.filename}: " if error.filename else "cannot write the output: "
    return f"{where}{(error.strerror or str(error)).lower()}."


def _format_internal_error(error: Exception) -> str:
    if os.environ.get("ISEGORIA_DEBUG"):
        with contextlib.suppress(OSError):
            traceback.print_exception(error)
    return (
        f"a fault in isegoria itself ({type(error).__name__}: {error}); "
        "set ISEGORIA_DEBUG=1 to see where, and please report it."
    )


def _make_warning_printer() -> Callable[..., Any]:
    """Return a warning handler that prints each warning as a note, and none twice."""
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
            print_note(str(message))

    return show


def _prepare_streams() -> None:
    """Raise FileError for a closed stdout before any work is done; replace a closed stderr."""
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    if sys.stdout is None:
        raise FileError("cannot write the output: standard output is closed; open it, or send it to a file.")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # escape what a terminal cannot encode
            stream.reconfigure(errors="backslashreplace", newline="\n")  # a file has the same bytes on every system
            if IS_WINDOWS and not stream.isatty():  # a receipt is UTF-8, whatever the system's code page
                stream.reconfigure(encoding="utf-8")


def _redirect_to_devnull(*streams: TextIO) -> None:
    """Redirect streams to the null device, so that Python's own flush at exit does not fail a second time."""
    for stream in streams:
        with contextlib.suppress(OSError, ValueError):  # a stream without a descriptor needs no redirect
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())

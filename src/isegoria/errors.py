"""Exceptions and warnings of the package; each message says what is wrong, where, what was expected and what to do."""

from __future__ import annotations

from collections.abc import Iterable


class IsegoriaError(Exception):
    """Base class of all exceptions that this package raises on purpose."""

    @property
    def message(self) -> str:
        """The sentence; a `Message` with code and values where the error was raised with one."""
        return self.args[0] if self.args and isinstance(self.args[0], str) else str(self)


class InputError(IsegoriaError, ValueError):
    """Data or an argument cannot be used; the message says where, and how to fix it."""


class FileError(InputError):
    """A file cannot be read or written; the message names the file and, if known, the line."""


class UnknownNameError(InputError):
    """A name is unknown; the message lists the known names and suggests the closest one."""


class TicketError(InputError):
    """A ticket was never issued by `ask`, or was already passed to `tell`."""


class StateError(InputError):
    """The saved state of a learner is damaged or has another version."""


class CertificationError(IsegoriaError, ArithmeticError):
    """A solver found no answer that it can prove; it raises this instead of returning a guess."""


class MissingExtraError(IsegoriaError, ImportError):
    """An optional dependency is not installed; the message names the extra that installs it."""


class IsegoriaWarning(UserWarning):
    """Base class of all warnings of this package; the command line prints them as notes."""


class NearTieWarning(IsegoriaWarning):
    """Two means differ by more than the tie tolerance, but so little that rounding may have separated them."""


class PolicyWarning(IsegoriaWarning):
    """A policy was slightly off the simplex and was repaired."""


class BallotWarning(IsegoriaWarning):
    """Ballots of a file were left out, as `unranked="drop"` asked; the message says how many."""


class ReadingWarning(IsegoriaWarning):
    """Reading a file required decisions; the message lists them all."""


class TheoremWarning(IsegoriaWarning):
    """A learner's settings are not covered by the paper's theorem; it runs without that guarantee."""


def unknown_name_error(kind: str, name: object, known: Iterable[str], others: Iterable[str] = ()) -> UnknownNameError:
    """Return the error for an unknown `name`: it lists `known`, and suggests the closest of `known` and `others`.

    >>> str(unknown_name_error("objective", "nahs", ["procedural", "nash"]))
    "objective 'nahs' is not known; did you mean 'nash'? Known: procedural, nash."
    """
    import difflib  # imported here because it is slow to import and errors are rare

    known = list(known)
    nearest = difflib.get_close_matches(str(name), [*known, *others], n=1, cutoff=0.5)
    hint = f"; did you mean '{nearest[0]}'?" if nearest else "."
    return UnknownNameError(f"{kind} {str(name)!r} is not known{hint} Known: {', '.join(known)}.")

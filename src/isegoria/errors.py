"""What can go wrong: one family of exceptions, each of which says what, where, what was expected and what to do."""

from __future__ import annotations

from collections.abc import Iterable


class IsegoriaError(Exception):
    """The base of everything this package raises on purpose."""


class InputError(IsegoriaError, ValueError):
    """Data or an argument that cannot be used; the message names the place and the way out."""


class FileError(InputError):
    """A file that cannot be read or written; the message names the file and, where there is one, the line."""


class UnknownNameError(InputError):
    """A name that is not in a table; the message lists the known names and the nearest one."""


class TicketError(InputError):
    """A ticket that was never asked, or was told before."""


class StateError(InputError):
    """A learner's saved state that is of another version, or damaged."""


class CertificationError(IsegoriaError, ArithmeticError):
    """A solver reached no answer that it can prove; no answer is returned instead of a guess."""


class MissingExtraError(IsegoriaError, ImportError):
    """An optional dependency is not installed; the message names the extra that brings it."""


class IsegoriaWarning(UserWarning):
    """The base of everything this package warns of; the command line says it as a note."""


class NearTieWarning(IsegoriaWarning):
    """Two means differ by more than the tie tolerance, but by so little that rounding may have parted them."""


class PolicyWarning(IsegoriaWarning):
    """A given policy was a little off the simplex, and was repaired."""


class BallotWarning(IsegoriaWarning):
    """Ballots of a file were left out, as `unranked="drop"` asked; the message says how many."""


class ReadingWarning(IsegoriaWarning):
    """Something had to be decided in reading a file; the message says all of it."""


class TheoremWarning(IsegoriaWarning):
    """A learner was given settings that the paper's theorem does not cover; it runs, and nothing is promised."""


def unknown(kind: str, name: object, known: Iterable[str], others: Iterable[str] = ()) -> UnknownNameError:
    """The error for an unknown `name`: it lists what is known, and names the nearest of that or of `others`.

    >>> str(unknown("objective", "nahs", ["procedural", "nash"]))
    "objective 'nahs' is not known; did you mean 'nash'? Known: procedural, nash."
    """
    import difflib  # here, as it is slow to import and errors are rare

    known = list(known)
    nearest = difflib.get_close_matches(str(name), [*known, *others], n=1, cutoff=0.5)
    hint = f"; did you mean '{nearest[0]}'?" if nearest else "."
    return UnknownNameError(f"{kind} {str(name)!r} is not known{hint} Known: {', '.join(known)}.")

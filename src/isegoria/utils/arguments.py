"""Arguments of public functions: the first must be a profile (`Instance` or `Scan`), and keywords must be known."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import ParamSpec, TypeVar

from isegoria.errors import InputError, unknown_name_error

ProfileType = TypeVar("ProfileType")
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

FRAME_ADVICE = "use Instance.from_frame or Instance.from_long, which take the options of iso.read"
KEYWORD_ADVICE = {
    **{("Instance", name): FRAME_ADVICE for name in ("scale", "missing", "columns", "answers", "ignore")},
    ("audit", "rule"): "give the rule, or its name, in place of the policy: audit(instance, 'nash')",
}
"""What to do instead, for keywords that belong to another function."""


def require_profile(value: ProfileType, who: str) -> ProfileType:
    """Return `value` if it is an `Instance` or a `Scan`; raise `InputError` that names the caller `who` otherwise.

    >>> import isegoria as iso
    >>> require_profile(iso.Instance([[1, 0]]), "score")
    Instance(1 agent, 2 arms: Arm 1, Arm 2)
    """
    if hasattr(type(value), "validate_policy"):  # an Instance and a Scan have it; importing them here would load NumPy
        return value
    raise InputError(
        f"{who} needs an Instance as its first argument, not a {type(value).__name__}; "
        "iso.Instance(means) makes one, and iso.read(path) reads one from a file."
    )


def explain_keywords(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a public function so that a wrong keyword, or a missing argument, is explained in a sentence.

    >>> @explain_keywords
    ... def draw(voices, seed): ...
    >>> draw(1, sead=2)
    Traceback (most recent call last):
    ...
    isegoria.errors.UnknownNameError: keyword of draw 'sead' is not known; did you mean 'seed'? Known: voices, seed.
    """

    @wraps(function)
    def call(*arguments: Parameters.args, **keywords: Parameters.kwargs) -> Result:
        try:
            return function(*arguments, **keywords)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # raised by the function itself, not by the call
            raise _describe_call(function, keywords, error) from None

    return call


def _describe_call(function: Callable[..., object], keywords: Mapping[str, object], error: TypeError) -> Exception:
    named = inspect.signature(function).parameters.values()
    variable = inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL
    known = [each.name for each in named if each.name not in ("self", "cls") and each.kind not in variable]
    owner, _, name = function.__qualname__.rpartition(".")
    caller = owner if name == "__init__" else function.__qualname__ if owner and "<" not in owner else name
    wrong = next((key for key in keywords if key not in known), None)
    if wrong is None:
        return InputError(f"{caller}: {str(error).partition(') ')[2] or error}; it takes {', '.join(known)}.")
    advice = KEYWORD_ADVICE.get((caller, wrong))
    if advice:
        return InputError(f"{caller} takes no {wrong}; {advice}.")
    return unknown_name_error(f"keyword of {caller}", wrong, known)

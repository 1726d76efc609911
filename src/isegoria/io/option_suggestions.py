"""Advice on options in error messages, as data: the command line shows it as flags, and a page as buttons."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass

FLAG_NAMES = {"best_category": "best-category", "format": "input-format"}
PLACEHOLDER_MARK = "…"
"""Marks the part of a suggestion that the user must fill in."""


@dataclass(frozen=True)
class OptionSuggestion:
    """Options of `read`, as text, under which a file could be read; `ignore` may be there several times.

    >>> suggestion = OptionSuggestion((("agent", "Full name"), ("ignore", "Mail"), ("ignore", "A, B")))
    >>> suggestion.to_flags()
    "--agent 'Full name' --ignore Mail --ignore 'A, B'"
    >>> suggestion.to_options()
    {'agent': 'Full name', 'ignore': 'Mail\\nA, B'}
    """

    options: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, **options: str) -> OptionSuggestion:
        """Make a suggestion of options that are each there once."""
        return cls(tuple(options.items()))

    def to_flags(self) -> str:
        """Return the suggestion as flags of the command line."""
        return " ".join(f"--{FLAG_NAMES.get(name, name)} {quote_for_shell(value)}" for name, value in self.options)

    def to_options(self) -> dict[str, str]:
        """Return the suggestion by option; several columns to ignore are on lines of their own."""
        found: dict[str, str] = {}
        for name, value in self.options:
            found[name] = f"{found[name]}\n{value}" if name in found else value
        return found

    @property
    def is_complete(self) -> bool:
        """Whether no value is left open."""
        return not any(PLACEHOLDER_MARK in value for _, value in self.options)


class AdvisedMessage(str):
    """A sentence that ends with advice on options; `brief` is the sentence without the advice.

    >>> message = AdvisedMessage("4 is above 1", "; say --scale 1,5.", [OptionSuggestion.of(scale="1,5")])
    >>> message, message.brief
    ('4 is above 1; say --scale 1,5.', '4 is above 1.')
    """

    brief: str
    suggestions: tuple[OptionSuggestion, ...]

    def __new__(cls, sentence: str, advice: str, suggestions: Iterable[OptionSuggestion] = ()) -> AdvisedMessage:
        """Join a sentence, which may have advice already, and more advice."""
        message = super().__new__(cls, f"{sentence}{advice}")
        message.brief = get_brief(sentence).rstrip(" .;,:") + "."
        message.suggestions = (*get_suggestions(sentence), *suggestions)
        return message

    @classmethod
    def from_parts(cls, text: str, brief: str, suggestions: Iterable[OptionSuggestion]) -> AdvisedMessage:
        """Make a message whose sentence and advice are joined already."""
        message = cls(text, "", suggestions)
        message.brief = brief
        return message

    def __reduce__(self) -> tuple[object, ...]:
        return AdvisedMessage.from_parts, (str(self), self.brief, self.suggestions)

    def after(self, beginning: str) -> AdvisedMessage:
        """Return the message with a beginning before it."""
        return self.from_parts(f"{beginning}{self}", f"{beginning}{self.brief}", self.suggestions)


def prefix_message(beginning: str, message: str) -> str:
    """Return a message, and its advice, with a beginning before it."""
    return message.after(beginning) if isinstance(message, AdvisedMessage) else f"{beginning}{message}"


def get_brief(message: str) -> str:
    """Return a message without its advice on options."""
    return message.brief if isinstance(message, AdvisedMessage) else message


def get_suggestions(message: str) -> tuple[OptionSuggestion, ...]:
    """Return the suggestions of a message; none if it has no advice."""
    return message.suggestions if isinstance(message, AdvisedMessage) else ()


def quote_for_shell(value: str) -> str:
    """Quote a value for the shell.

    >>> quote_for_shell("Email Address"), quote_for_shell("Comments")
    ("'Email Address'", 'Comments')
    """
    return shlex.quote(value) if "'" not in value else '"' + value.replace('"', '\\"') + '"'
